"""Where sessions stood: what is kept of them, and what is shown."""

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from signet.domain.retention import purge
from signet.domain.retention.purge import Windows
from signet.domain.sessions import checkpoints
from signet.domain.sessions.models import Checkpoint, Trigger
from signet.observe import record
from signet.observe.record import TelemetryKind
from support.http import Api

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)
SECRET = "qwertyuiop1234"


def a_checkpoint(session: str = "s1", *, minutes: int = 0, digest: str = "done") -> Checkpoint:
    return Checkpoint(
        agent_id="default",
        session_key=session,
        harness="codex",
        project="/work",
        trigger=Trigger.PERIODIC,
        digest=digest,
        prompt_count=2,
        at=NOON + timedelta(minutes=minutes),
        queries=("where is it",),
        remembers=("it is here",),
        focal_entity_ids=("e1",),
        focal_entity_names=("Signet",),
    )


def keep(api: Api, checkpoint: Checkpoint, project: str = "/work", most: int = 50) -> None:
    api.state.db.write(checkpoints.put, replace(checkpoint, project=project), most=most)


def test_checkpoints_of_a_project_come_newest_first(api: Api) -> None:
    for minutes in range(3):
        keep(api, a_checkpoint(f"s{minutes}", minutes=minutes))
    keep(api, a_checkpoint("elsewhere"), project="/other")
    told = api.get("/api/checkpoints?project=/work&limit=2").body
    assert (told["count"], [one["session_key"] for one in told["checkpoints"]]) == (2, ["s2", "s1"])
    assert api.get("/api/checkpoints").error == "project query parameter required"


def test_a_project_is_found_by_any_name_of_its_folder(api: Api, tmp_path: Path) -> None:
    real = tmp_path / "project"
    real.mkdir()
    (tmp_path / "link").symlink_to(real)
    keep(api, a_checkpoint(), project=str(real))
    for name in (f"{real}", f"{real}/", f"{tmp_path}/link", f"{tmp_path}/link/../link/"):
        assert api.get(f"/api/checkpoints?project={name}").body["count"] == 1, name


def test_all_checkpoints_of_a_session_are_told_with_arrays(api: Api) -> None:
    keep(api, a_checkpoint())
    (one,) = api.get("/api/checkpoints/s1").body["checkpoints"]
    assert one["trigger"] == "periodic"
    assert one["memory_queries"] == '["where is it"]'
    assert one["memoryQueries"] == ["where is it"]
    assert (one["recentRemembers"], one["focalEntityIds"]) == (["it is here"], ["e1"])
    assert api.get("/api/checkpoints/unknown").body == {"checkpoints": [], "count": 0}


def test_secrets_are_neither_stored_nor_shown(api: Api) -> None:
    said = f"the password is: password={SECRET}"
    keep(api, replace(a_checkpoint(), digest=said, queries=(said,), remembers=(said,)))
    assert SECRET not in json.dumps(api.rows("session_checkpoints"))
    api.run("UPDATE session_checkpoints SET digest = ?, memory_queries = ?", said, f'["{said}"]')
    assert SECRET not in json.dumps(api.get("/api/checkpoints/s1").body)


def test_a_column_that_is_no_json_does_not_fail_the_answer(api: Api) -> None:
    keep(api, a_checkpoint())
    api.run("UPDATE session_checkpoints SET memory_queries = '{broken', recent_remembers = '7'")
    (one,) = api.get("/api/checkpoints/s1").body["checkpoints"]
    assert (one["memoryQueries"], one["recentRemembers"]) == ([], [])


def test_a_session_keeps_its_newest_checkpoints_and_old_ones_go(api: Api) -> None:
    for minutes in range(4):
        keep(api, a_checkpoint(minutes=minutes), most=2)
    keep(api, a_checkpoint("s2"), most=2)
    kept = [
        (row["session_key"], row["created_at"][14:16]) for row in api.rows("session_checkpoints")
    ]
    assert kept == [("s1", "02"), ("s1", "03"), ("s2", "00")]
    assert api.state.db.write(checkpoints.delete_old, "2026-05-01T12:03:00.000Z", 100) == 2


def test_a_sweep_lets_old_checkpoints_and_events_go(api: Api) -> None:
    keep(api, a_checkpoint())
    record.event(TelemetryKind.RECALL_PERFORMED, results=1)
    api.state.flusher.flush()
    api.run("UPDATE telemetry_events SET timestamp = '2026-05-01T12:00:00.000Z'")
    kept = purge.sweep(api.state.db, windows=Windows(), now=NOON + timedelta(days=6)).counts
    assert (kept["checkpointsPurged"], kept["telemetryPurged"]) == (0, 0)
    gone = purge.sweep(api.state.db, windows=Windows(), now=NOON + timedelta(days=91)).counts
    assert (gone["checkpointsPurged"], gone["telemetryPurged"]) == (1, 1)
