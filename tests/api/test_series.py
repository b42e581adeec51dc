"""How much happened in each hour or day, and what the daemon takes of the machine."""

from datetime import UTC, datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest

from signet import clock
from signet.domain.activity import usage
from support.http import Api

NOW = datetime(2026, 3, 30, 10, 20, tzinfo=UTC)


def test_days_begin_at_local_midnight_and_the_shift_of_clocks_is_no_gap() -> None:
    berlin = ZoneInfo("Europe/Berlin")
    begins = [clock.to_text(one)[:16] for one in usage.starts("day", 3, berlin, NOW)]
    assert begins == ["2026-03-27T23:00", "2026-03-28T23:00", "2026-03-29T22:00"]
    hours = usage.starts("hour", 30, berlin, NOW)
    assert {after - before for before, after in pairwise(hours)} == {timedelta(hours=1)}
    tens = usage.starts("10min", 3, berlin, NOW + timedelta(minutes=9))
    assert [clock.to_text(one)[11:16] for one in tens] == ["10:00", "10:10", "10:20"]


def test_what_happened_is_counted_in_its_hour(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    now = clock.now().replace(hour=12, minute=30)
    monkeypatch.setattr(clock, "now", lambda: now)  # the hour must not end in between
    ids: list[str] = []
    for back in (0, 1, 1, 5):
        at = (now - timedelta(hours=back)).isoformat()
        body = {"content": f"Crate {len(ids)} holds {back} bolts.", "createdAt": at}
        ids.append(api.post("/api/memory/remember", body).body["id"])
    api.delete(f"/api/memory/{ids[0]}?reason=moved")
    answer = api.get("/api/analytics/series?step=hour&count=6&metrics=added,forgotten").body
    assert answer["series"] == {"added": [1, 0, 0, 0, 2, 1], "forgotten": [0, 0, 0, 0, 0, 1]}
    tens = api.get("/api/analytics/series?step=10min&metrics=added").body["series"]["added"]
    assert len(tens) == 144 and sum(tens) == 4
    days = api.get("/api/analytics/series").body
    assert set(days["series"]) == set(usage.METRICS) and len(days["starts"]) == 30
    assert (days["series"]["recalls"][-1], days["series"]["recall_p95"][-1]) == (0, 0)
    for look in (False, True):
        api.post("/api/memory/recall", {"query": "bolts", "touch": not look})
    asked = api.get("/api/analytics/series?metrics=recalls,recall_p95").body["series"]
    assert sum(asked["recalls"]) == 1, "looking is no recall"
    assert asked["recall_p95"][:-1] == [0] * 29 and 0 <= asked["recall_p95"][-1] < 60_000
    assert sum(days["series"]["added"]) == 4


@pytest.mark.parametrize("query", ["metrics=love", "tz=Nowhere/Land", "tz=../../etc", "step=year"])
def test_what_cannot_be_counted_is_refused(api: Api, query: str) -> None:
    assert api.get(f"/api/analytics/series?{query}").status == 400


@pytest.mark.sqlite_file
def test_resources_say_what_the_files_take(api: Api) -> None:
    workspace = api.state.workspace
    workspace.backups_dir.mkdir(parents=True)
    (workspace.backups_dir / "copy").write_bytes(b"x" * 1_000)
    answer = api.get("/api/status/resources").body
    disk = {one["part"]: one["bytes"] for one in answer["disk"]}
    assert disk["backups"] == 1_000
    assert disk["database"] >= workspace.database.stat().st_size
    assert {one["name"] for one in answer["processes"]} == {"api", "worker", "scheduler"}


def test_the_map_as_columns_has_the_same_places(api: Api) -> None:
    for number in range(2):
        text = f"Crate {number} is red."
        memory_id = api.post("/api/memory/remember", {"content": text}).body["id"]
        api.run(
            "INSERT INTO embeddings (id, content_hash, vector, dimensions, source_type, source_id,"
            " chunk_text, created_at, model) VALUES (?, ?, ?, 2, 'memory', ?, '', '', 'm')",
            *(f"v{number}", f"h{number}", bytes(7) + bytes([number]), memory_id),
        )
    nodes = api.get("/api/embeddings/projection").body["nodes"]
    for path in ("/api/embeddings/projection", "/api/embeddings/projection/columns"):
        tag = api.get(path).headers["etag"]
        assert api.get(path, if_none_match=tag).status == 304, path
    columns = api.get("/api/embeddings/projection/columns").body
    assert columns["ids"] == [node["id"] for node in nodes]
    assert columns["x"] == [round(node["x"] * 10) for node in nodes]
    assert [columns["typeNames"][at] for at in columns["types"]] == [node["type"] for node in nodes]
