"""Repairs over HTTP: the gate, previews, filters, and what each one cures that needs no worker."""

import json
import re
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from signet import clock
from signet.db import Database, WriteTx
from signet.domain.memory import lookup, remember
from signet.domain.memory.models import Actor
from signet.domain.repair.catalog import ACTIONS
from signet_api.routes import repair as repair_routes
from support.http import Answer, Api, an_api


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Api]:
    with an_api(tmp_path_factory.mktemp("repair") / "agents") as opened:
        yield opened


def ago(**age: float) -> str:
    return clock.to_text(clock.now() - timedelta(**age))


def a_job(api: Api, number: int, status: str = "dead", **fields: Any) -> str:
    """Put a job into the table by hand and return its id."""
    at = ago(days=number)
    ends = {"completed": {"completed_at": at}, "dead": {"failed_at": at, "error": "no answer"}}
    row: dict[str, Any] = {
        "id": f"{status}-{number}",
        "job_type": "extract",
        "queue": "llm",
        "status": status,
        "attempts": 3,
        "due_ms": 0,
        "created_at": at,
        "updated_at": at,
        **ends.get(status, {}),
        **fields,
    }
    marks = ", ".join("?" * len(row))
    api.run(f"INSERT INTO memory_jobs ({', '.join(row)}) VALUES ({marks})", *row.values())
    return str(row["id"])


def repair(api: Api, path: str, body: object = None, **headers: str) -> Answer:
    return api.post(f"/api/repair/{path}", body, **headers)


def again(api: Api) -> None:
    """Let every cooldown and every hour be over."""
    api.run("DELETE FROM repair_runs")


def stored(api: Api) -> list[bytes]:
    """Return every byte of the database and of its log."""
    path = api.state.db.path
    return [path.read_bytes(), path.with_name(f"{path.name}-wal").read_bytes()]


def statuses(api: Api) -> dict[str, str]:
    return {row["id"]: row["status"] for row in api.rows("memory_jobs")}


# -- the gate ---------------------------------------------------------------------------------


def test_a_second_run_waits_for_the_cooldown_whoever_asks(api: Api) -> None:
    a_job(api, 1)
    done = repair(api, "requeue-dead")
    assert (done.status, done.body["affected"], done.body["success"]) == (200, 1, True)
    for type in ("operator", "agent", "daemon", "nonsense"):
        refused = repair(api, "requeue-dead", x_signet_actor_type=type)
        assert (refused.status, refused.body["reason"]) == (429, "cooldown")
        assert refused.body["action"] == "requeueDeadJobs" and refused.body["affected"] == 0
        assert re.fullmatch(r"cooldown active, (\d+ min )?\d+ s left", refused.body["message"])
        assert 0 < int(refused.headers["retry-after"]) <= 60
    assert repair(api, "release-leases").status == 200, "each action has its own limits"


def test_the_cooldown_survives_a_restart(api: Api) -> None:
    assert repair(api, "requeue-dead").status == 200
    api.state.db.close()
    api.state.db = Database(api.state.db.path)
    try:
        assert repair(api, "requeue-dead").body["reason"] == "cooldown"
    finally:
        api.state.db.close()


def test_the_hour_has_a_budget_that_begins_with_its_first_run(api: Api) -> None:
    def passed(**time: float) -> None:
        """Move the runs into the past."""
        api.run("UPDATE repair_runs SET last_run_at = ?", ago(**time))

    for _ in range(5):
        assert repair(api, "prune-chunk-groups").status == 200
        passed(minutes=5)
    refused = repair(api, "prune-chunk-groups")
    assert (refused.status, refused.body["reason"]) == (429, "budget")
    assert refused.body["message"] == "hourly budget exhausted: 5 runs per hour"
    assert int(refused.headers["retry-after"]) <= 3_600
    api.run("UPDATE repair_runs SET window_started_at = ?", ago(minutes=61))
    assert repair(api, "prune-chunk-groups").status == 200


def test_frozen_and_disabled_are_told_apart_and_come_before_the_limits(api: Api) -> None:
    repair(api, "requeue-dead")
    api.configure("memory: {pipelineV2: {autonomousFrozen: true}}")
    refused = repair(api, "requeue-dead")
    assert (refused.status, refused.body["reason"]) == (409, "frozen")
    assert "retry-after" not in refused.headers, "waiting does not help"
    assert refused.body["message"] == "autonomous.frozen is set"
    api.configure("memory: {pipelineV2: {autonomousEnabled: false}}")
    for type in ("agent", "anything"):
        refused = repair(api, "release-leases", x_signet_actor_type=type)
        assert (refused.status, refused.body["reason"]) == (409, "disabled")
        assert "retry-after" not in refused.headers
    for type in ("operator", "daemon"):
        again(api)
        assert repair(api, "release-leases", x_signet_actor_type=type).status == 200


def test_the_kill_switch_stops_what_writes_and_nothing_else(api: Api) -> None:
    api.configure("memory: {pipelineV2: {mutationsFrozen: true}}")
    refused = repair(api, "requeue-dead")
    assert (refused.status, refused.error) == (503, "Mutations are frozen (kill switch active)")
    assert repair(api, "requeue-dead", {"dryRun": True}).status == 200
    assert repair(api, "check-fts").status == 200
    assert repair(api, "check-fts", {"repair": True}).status == 503


def test_each_run_is_written_down_with_who_and_why_and_a_refused_one_is_not(api: Api) -> None:
    asked = {
        "x_signet_actor": "ada",
        "x_signet_reason": "after the outage",
        "x_signet_request_id": "r-1",
    }
    assert repair(api, "requeue-dead", **asked).body["affected"] == 0
    repair(api, "requeue-dead", **asked)
    repair(api, "requeue-dead", {"dryRun": True})
    (row,) = api.rows("memory_history")
    assert (row["memory_id"], row["event"], row["changed_by"]) == ("system", "none", "ada")
    assert (row["reason"], row["actor_type"], row["request_id"]) == (
        "after the outage",
        "operator",
        "r-1",
    )
    assert json.loads(row["metadata"]) == {
        "repairAction": "requeueDeadJobs",
        "affected": 0,
        "message": "requeued 0 dead memory jobs and 0 dead summary jobs",
    }
    assert (row["old_content"], row["new_content"]) == (None, None)
    api.run("DELETE FROM memory_history")
    repair(api, "release-leases")
    (row,) = api.rows("memory_history")
    assert (row["changed_by"], row["reason"]) == ("operator", "manual repair")
    assert row["request_id"]


# -- bodies ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "body", "said"),
    [
        ("re-embed", {"batchSize": 0}, "batchSize must be an integer between 1 and 500"),
        ("re-embed", {"batchSize": "many"}, "batchSize must be an integer between 1 and 500"),
        ("re-embed", {"batchSize": 2.5}, "batchSize must be an integer between 1 and 500"),
        ("re-embed", {"batchSize": True}, "batchSize must be an integer between 1 and 500"),
        ("re-embed", {"fullSweep": 1}, "fullSweep must be true or false"),
        ("reclassify-entities", {"batchSize": 4}, "batchSize must be an integer between 5 and 30"),
        ("deduplicate", {"semanticThreshold": 1.5}, "semanticThreshold must be a number between"),
        ("requeue-dead", {"limit": 501}, "limit must be an integer between 1 and 500"),
        ("requeue-dead", {"ids": []}, "ids must be a list of 1 to 500 strings"),
        ("requeue-dead", {"ids": [3]}, "ids must be a list of 1 to 500 strings"),
        ("requeue-dead", {"since": "soon"}, "since must be an ISO timestamp"),
        ("requeue-dead", {"dryRun": "yes"}, "dryRun must be true or false"),
        ("prune-jobs", {"status": "pending"}, "status must be one of dead, completed"),
        ("check-fts", {"ids": ["x"]}, "check-fts cannot be limited by ids"),
        ("clean-orphans", {"error": "x"}, "clean-orphans cannot be limited by error"),
        ("prune-jobs", {"error": "x" * 2_001}, "error must be text of at most 2000 characters"),
        # Read by SQLite up to the NUL it would be `*`: every job.
        ("prune-jobs", {"error": "\0"}, "error must be text of at most 2000 characters"),
        ("dead-memories/forget", {"ids": ["x"]}, "reason is required"),
        ("dead-memories/forget", {"reason": "x"}, "ids must be a list of 1 to 200 strings"),
    ],
)
def test_a_field_that_is_wrong_is_named(
    shared: Api, path: str, body: dict[str, object], said: str
) -> None:
    refused = repair(shared, path, body)
    assert (refused.status, said in refused.error) == (400, True), refused.body


def test_a_body_that_cannot_be_read_repairs_nothing(api: Api) -> None:
    for content in (b'{"dryRun": tru', b"[1]", b"0"):
        assert api.post("/api/repair/requeue-dead", content).error == "Invalid JSON body"
    assert api.post("/api/repair/requeue-dead", b"null").status == 200


# -- looking changes nothing ---------------------------------------------------------------


def damage(api: Api) -> None:
    """Break a little of everything."""
    for number in range(6):
        api.post(
            "/api/memory/remember", {"content": f"Ada Winter keeps box {number} in Port Ellen."}
        )
        a_job(api, number)
        a_job(api, number, "completed")
    a_job(
        api, 9, "leased", leased_at=ago(hours=1), lease_owner="x", lease_until_ms=1, lease_token=1
    )
    ids = [row["id"] for row in api.rows("memories")]
    api.run("UPDATE memories SET is_deleted = 1, deleted_at = ? WHERE id = ?", ago(days=90), ids[0])
    api.run(
        "UPDATE memories SET confidence = 0.1, created_at = ? WHERE id = ?", ago(days=200), ids[1]
    )
    api.run("DROP INDEX idx_memories_content_hash_unique")
    api.run("UPDATE memories SET content_hash = 'same' WHERE id IN (?, ?)", ids[2], ids[3])
    api.run("DELETE FROM memory_entity_mentions WHERE memory_id = ?", ids[4])
    api.run("DELETE FROM memories_fts_docsize WHERE id = 2")
    a_vector(api, "v1", ids[0])
    an_entity(api, "e1", "**Status**")
    an_entity(api, "e2", "chunk-group:1", "chunk_group")
    an_entity(api, "e3", "Lone Thing")


def a_vector(api: Api, vector_id: str, memory_id: str, hash: str = "h", width: int = 4) -> None:
    api.run(
        "INSERT INTO embeddings (id, content_hash, vector, dimensions, source_type, source_id, chunk_text, created_at)"
        " VALUES (?, ?, ?, ?, 'memory', ?, '', ?)",
        *(vector_id, hash, b"\0\0\x80?" * width, width, memory_id, ago(days=1)),
    )


def an_entity(
    api: Api, entity_id: str, name: str, type: str = "extracted", pinned: int = 0
) -> None:
    api.run(
        "INSERT INTO entities (id, name, canonical_name, entity_type, pinned, created_at, updated_at)"
        " VALUES (?, ?, ?, ?, ?, ?, ?)",
        *(entity_id, name, name.lower(), type, pinned, ago(days=1), ago(days=1)),
    )


def test_a_dry_run_of_any_action_changes_not_one_byte(api: Api) -> None:
    damage(api)
    ids = [row["id"] for row in api.rows("memories")]
    bodies: dict[str, dict[str, object]] = {
        "dead-memories/forget": {"ids": ids, "reason": "unused"},
        "check-fts": {"repair": True},
    }
    before = stored(api)
    found = {}
    for action in ACTIONS:
        for _ in range(2):  # no cooldown stands before a look
            answer = repair(api, action.path, {**bodies.get(action.path, {}), "dryRun": True})
            assert answer.status == 200, (action.path, answer.body)
            assert answer.body["success"] is True and answer.body["action"] == action.name
        found[action.path] = answer.body["affected"]
    assert stored(api) == before
    assert {path: count for path, count in found.items() if count == 0} == {
        "backfill-skipped": 0,
        "structural-backfill": 0,
        "follow-forgotten": 0,
    }
    assert (found["requeue-dead"], found["release-leases"], found["check-fts"]) == (6, 1, 1)
    assert (found["clean-orphans"], found["deduplicate"], found["re-embed"]) == (1, 1, 5)


# -- cures ------------------------------------------------------------------------------------


def test_dead_jobs_start_afresh_oldest_first_and_apart(api: Api) -> None:
    for number in range(60):
        a_job(api, number)
    answer = repair(api, "requeue-dead")
    assert answer.body["affected"] == 50
    assert answer.body["message"] == ("requeued 50 dead memory jobs and 0 dead summary jobs")
    left = {one for one, status in statuses(api).items() if status == "dead"}
    assert left == {f"dead-{number}" for number in range(10)}
    moved = [row for row in api.rows("memory_jobs") if row["status"] == "pending"]
    assert {(row["attempts"], row["error"], row["failed_at"]) for row in moved} == {(0, None, None)}
    assert len({row["due_ms"] for row in moved}) == 50


def test_only_chosen_jobs_start_afresh(api: Api) -> None:
    a_job(api, 1, error="HTTP 503: [busy]")
    a_job(api, 2, error="no such model")
    a_job(api, 3, error="HTTP 503: [busy]", job_type="embed", queue="vectors")
    a_job(api, 8, error="HTTP 503: [busy]")

    def would(**body: object) -> list[str]:
        found = repair(api, "requeue-dead", {**body, "dryRun": True}).body
        return [one["id"] for one in found["details"]["sample"]]

    assert would(error="503: [BUSY]") == ["dead-8", "dead-3", "dead-1"]
    assert would(error="http*busy", kind="embed") == ["dead-3"]
    assert would(jobTypes=["extract"], until=ago(days=4)) == ["dead-8"]
    assert would(ids=["dead-2", "nothing"]) == ["dead-2"]
    assert would(since=ago(hours=30)) == ["dead-1"]
    assert repair(api, "requeue-dead", {"ids": ["dead-2"]}).body["affected"] == 1
    assert [one for one, status in statuses(api).items() if status == "pending"] == ["dead-2"]


def test_dead_summaries_come_after_the_others_with_a_job_of_their_own(api: Api) -> None:
    a_job(api, 1)
    a_job(api, 50, job_type="summarize", queue="sessions")
    api.run(
        "INSERT INTO summary_jobs (id, session_id, harness, status, created_at, error)"
        " VALUES ('alone', 's-9', 'codex', 'failed', ?, 'gone')",
        ago(days=3),
    )
    answer = repair(api, "requeue-dead")
    assert answer.body["message"] == ("requeued 1 dead memory job and 2 dead summary jobs")
    assert set(statuses(api).values()) == {"pending"} and "alone" in statuses(api)
    (summary,) = api.rows("summary_jobs")
    assert (summary["status"], summary["error"]) == ("pending", None)


def test_nothing_is_requeued_against_models_that_do_not_answer(api: Api) -> None:
    a_job(api, 1)
    for _ in range(3):
        api.run(
            "INSERT INTO provider_outcomes (provider, kind, outcome, at) VALUES ('x', 'llm', 'failure', ?)",
            ago(minutes=1),
        )
    refused = repair(api, "requeue-dead")
    assert (refused.status, refused.body["reason"]) == (503, "unavailable")
    assert 0 < int(refused.headers["retry-after"]) <= 540, "until what failed counts no more"
    assert statuses(api) == {"dead-1": "dead"} and not api.rows("repair_runs")
    assert repair(api, "requeue-dead", {"force": True}).body["affected"] == 1
    again(api)
    api.run("UPDATE provider_outcomes SET at = ?", ago(minutes=11))
    assert repair(api, "requeue-dead").status == 200, "what failed long ago says nothing of now"


def test_stale_leases_are_given_back_and_exhausted_ones_die(api: Api) -> None:
    held: dict[str, Any] = {"lease_owner": "gone", "lease_until_ms": 1, "lease_token": 1}
    a_job(api, 1, "leased", leased_at=ago(minutes=6), **held | {"attempts": 1})
    a_job(api, 2, "leased", leased_at=ago(hours=6), **held)
    a_job(api, 3, "leased", leased_at=ago(minutes=1), **held | {"attempts": 1})
    answer = repair(api, "release-leases")
    assert answer.body["message"] == ("released 1 stale lease; 1 job had no attempts left and died")
    assert answer.body["affected"] == 2
    rows = {row["id"]: row for row in api.rows("memory_jobs")}
    assert [rows[f"leased-{one}"]["status"] for one in (1, 2, 3)] == ["pending", "dead", "leased"]
    assert rows["leased-1"]["leased_at"] is None


def test_ended_jobs_are_archived_before_they_are_deleted(api: Api) -> None:
    for number in range(1, 6):
        a_job(api, number)
        a_job(api, number, "completed")
    answer = repair(api, "prune-jobs", {"until": ago(days=2.5)})
    assert (answer.body["affected"], answer.body["message"]) == (
        3,
        "archived and deleted 3 dead jobs",
    )
    archive = Path(answer.body["details"]["archive"])
    assert archive.parent == api.state.workspace.daemon_dir / "archive"
    assert archive.stat().st_mode & 0o777 == 0o600
    kept = [json.loads(line) for line in archive.read_text("utf-8").splitlines()]
    assert [one["id"] for one in kept] == ["dead-5", "dead-4", "dead-3"]
    assert kept[0]["error"] == "no answer" and kept[0]["job_type"] == "extract"
    assert set(statuses(api)) == {"dead-1", "dead-2"} | {f"completed-{n}" for n in range(1, 6)}
    again(api)
    assert repair(api, "prune-jobs", {"status": "completed"}).body["affected"] == 5


def test_vectors_without_a_memory_go_and_shared_ones_stay(api: Api) -> None:
    one, two = (
        api.post("/api/memory/remember", {"content": f"Box {n} is full."}).body["id"]
        for n in (1, 2)
    )
    hash_of = {row["id"]: row["content_hash"] for row in api.rows("memories")}
    a_vector(api, "mine", one, hash_of[one])
    a_vector(api, "nobody's", "gone")
    a_vector(api, "shared", "merged away", hash_of[two])
    api.delete(f"/api/memory/{one}?reason=outdated")
    answer = repair(api, "clean-orphans")
    assert answer.body["message"] == "deleted 2 orphaned vectors"
    assert [row["id"] for row in api.rows("embeddings")] == ["shared"]
    again(api)
    assert repair(api, "clean-orphans").body["affected"] == 0


def test_equal_memories_become_one_that_keeps_tags_and_links(api: Api) -> None:
    texts = ["Ada Winter likes tea.", "Ada Winter loves Port Ellen.", "Ada Winter has a red boat."]
    ids = [
        api.post("/api/memory/remember", {"content": text, "tags": [f"t{n}"]}).body["id"]
        for n, text in enumerate(texts)
    ]
    api.run("DROP INDEX idx_memories_content_hash_unique")
    api.run("UPDATE memories SET content_hash = 'same'")
    api.run("UPDATE memories SET importance = 0.9 WHERE id = ?", ids[1])
    api.post("/api/memory/remember", {"content": "Pinned twin.", "pinned": True})
    assert api.get("/api/repair/dedup-stats").body["exactExcess"] == 2
    answer = repair(api, "deduplicate")
    assert (answer.body["affected"], answer.body["clusters"]) == (2, 1)
    assert answer.body["message"] == "merged 2 duplicates of 1 memory"
    rows = {row["id"]: row for row in api.rows("memories")}
    keeper = rows[ids[1]]
    assert not keeper["is_deleted"] and set(json.loads(keeper["tags"])) >= {"t0", "t1", "t2"}
    assert [rows[one]["is_deleted"] for one in (ids[0], ids[2])] == [1, 1]
    assert [rows[one]["version"] for one in ids] == [2, 2, 2]
    assert {row["memory_id"] for row in api.rows("memory_entity_mentions")} == {ids[1]}
    history = {(row["memory_id"], row["event"]): row for row in api.rows("memory_history")}
    merged = json.loads(history[ids[1], "merged"]["metadata"])
    assert set(merged["mergedFrom"]) == {ids[0], ids[2]}
    assert history[ids[0], "deleted"]["reason"] == f"dedup: duplicate of {ids[1]}"
    again(api)
    assert repair(api, "deduplicate").body["affected"] == 0


def test_a_group_with_a_pinned_or_replaced_memory_is_left_alone(api: Api) -> None:
    for number, column in enumerate(("pinned", "manual_override", "superseded_by")):
        for twin in range(2):
            api.post("/api/memory/remember", {"content": f"Lamp {number}{twin} is lit."})
        api.run("DROP INDEX IF EXISTS idx_memories_content_hash_unique")
        api.run(
            "UPDATE memories SET content_hash = ? WHERE content LIKE ?",
            f"same{number}",
            f"Lamp {number}%",
        )
        api.run(f"UPDATE memories SET {column} = 1 WHERE content = ?", f"Lamp {number}0 is lit.")
    assert repair(api, "deduplicate").body["affected"] == 0


def test_near_memories_become_one_only_when_asked_and_alike(api: Api) -> None:
    texts = ["The gate is green.", "The gate is green now.", "Private: the gate is green."]
    ids = [api.post("/api/memory/remember", {"content": text}).body["id"] for text in texts]
    for number, memory_id in enumerate(ids):
        a_vector(api, f"v{number}", memory_id)
    api.run("UPDATE memories SET visibility = 'private' WHERE id = ?", ids[2])
    assert repair(api, "deduplicate").body["affected"] == 0
    again(api)
    answer = repair(api, "deduplicate", {"semanticEnabled": True})
    assert (answer.body["affected"], answer.body["clusters"]) == (1, 1)
    deleted = [row["id"] for row in api.rows("memories") if row["is_deleted"]]
    assert len(deleted) == 1 and deleted[0] in ids[:2]


@pytest.mark.parametrize(
    "texts",
    [
        ("Alice reports to Bob.", "Bob reports to Alice."),
        ("Anna prefers tea over coffee.", "Anna prefers coffee over tea."),
        ("The van holds 3 crates.", "The van holds 5 crates."),
        ("小明喜欢小红", "小红喜欢小明"),
    ],
)
def test_near_memories_that_tell_different_things_are_both_kept(
    api: Api, texts: tuple[str, str]
) -> None:
    for number, text in enumerate(texts):
        a_vector(api, f"v{number}", api.post("/api/memory/remember", {"content": text}).body["id"])
    assert repair(api, "deduplicate", {"semanticEnabled": True}).body["affected"] == 0
    assert not any(row["is_deleted"] for row in api.rows("memories"))


def test_artefacts_of_the_graph_go_with_their_links_and_kept_ones_stay(api: Api) -> None:
    api.post("/api/memory/remember", {"content": "Ada Winter lives in Port Ellen."})
    memory_id = api.rows("memories")[0]["id"]
    an_entity(api, "group", "chunk-group:1", "chunk_group")
    an_entity(api, "pinned group", "chunk-group:2", "chunk_group", pinned=1)
    an_entity(api, "lone", "Lone Thing")
    an_entity(api, "named", "Named Thing")
    an_entity(api, "status", "**Status**")
    api.run(
        "INSERT INTO entity_pinning (id, entity_id, pin_type, created_at) VALUES ('p', 'named', 'suppress', '')"
    )
    api.run(
        "INSERT INTO memory_entity_mentions (memory_id, entity_id) VALUES (?, 'group')", memory_id
    )
    before = {row["id"] for row in api.rows("entities")}
    assert repair(api, "prune-chunk-groups").body["affected"] == 1
    looked = repair(api, "prune-generic-entities").body
    assert (looked["affected"], looked["details"]["sample"]) == (1, ["**Status**"])
    assert "status" in {row["id"] for row in api.rows("entities")}, "it only looks unless told"
    assert repair(api, "prune-generic-entities", {"dryRun": False}).body["affected"] == 1
    lone = repair(api, "prune-singleton-entities", {"ids": ["lone", "named", "pinned group"]})
    assert lone.body["details"]["sample"] == ["Lone Thing"]
    after = {row["id"] for row in api.rows("entities")}
    assert before - after == {"group", "status", "lone"}
    assert "group" not in {row["entity_id"] for row in api.rows("memory_entity_mentions")}


def test_an_entity_that_no_text_names_any_more_is_pruned_by_a_look_first(api: Api) -> None:
    said = "1. **Error Handling**: Ada Winter looks at it."
    memory_id = api.post("/api/memory/remember", {"content": said}).body["id"]
    for entity_id, name, confidence in (("label", "Error Handling", 0.8), ("told", "Gale", 0.9)):
        an_entity(api, entity_id, name)
        api.run(
            "INSERT INTO memory_entity_mentions (memory_id, entity_id, confidence) VALUES (?, ?, ?)",
            memory_id,
            entity_id,
            confidence,
        )
    looked = repair(api, "prune-generic-entities").body
    assert looked["details"]["sample"] == ["Error Handling"]
    assert repair(api, "prune-generic-entities", {"dryRun": False}).body["affected"] == 1
    assert {row["name"] for row in api.rows("entities")} == {"Ada Winter", "Gale"}


def test_forgotten_memories_are_purged_when_their_time_is_over(api: Api) -> None:
    old = api.post("/api/memory/remember", {"content": "Box one is full."}).body["id"]
    new = api.post("/api/memory/remember", {"content": "Box two is full."}).body["id"]
    for memory_id in (old, new):
        api.delete(f"/api/memory/{memory_id}?reason=outdated")
    api.run("UPDATE memories SET deleted_at = ? WHERE id = ?", ago(days=31), old)
    a_job(api, 40)
    answer = repair(api, "retention-sweep")
    assert answer.status == 200
    details = answer.body["details"]
    assert (details["tombstones"], details["deadJobs"], details["trainingPairs"]) == (1, 1, 0)
    assert answer.body["affected"] == sum(details.values())
    assert [row["id"] for row in api.rows("memories")] == [new]


def test_memories_without_links_get_them_and_the_next_run_goes_on(api: Api) -> None:
    for number in range(3):
        api.post("/api/memory/remember", {"content": f"nothing is named here {number}."})
    api.post("/api/memory/remember", {"content": "Ada Winter lives in Port Ellen."})
    api.run("DELETE FROM memory_entity_mentions")
    first = repair(api, "relink-entities", {"batchSize": 2}).body
    assert (first["affected"], first["details"]["remaining"]) == (0, 2)
    again(api)
    second = repair(api, "relink-entities", {"batchSize": 2}).body
    assert (second["affected"], second["details"]["remaining"]) == (1, 0)
    assert len(api.rows("memory_entity_mentions")) == 2


def test_hints_and_structure_are_queued_for_what_has_none(tmp_path: Path) -> None:
    settings = "memory: {pipelineV2: {structural: {enabled: true}, worker: {maxRetries: 6}}}"
    with an_api(tmp_path / "agents", settings) as api:
        api.post("/api/memory/remember", {"content": "Ada Winter lives in Port Ellen."})
        api.run("DELETE FROM entity_attributes")
        api.run("DELETE FROM memory_jobs")
        assert repair(api, "structural-backfill").body["affected"] == 1
        assert repair(api, "backfill-hints").body["affected"] == 1
        queued = {row["job_type"]: row["max_attempts"] for row in api.rows("memory_jobs")}
        assert queued == {"structural_classify": 6, "prospective_index": 6}
        (stub,) = api.rows("entity_attributes")
        assert stub["aspect_id"] is None
        again(api)
        assert repair(api, "structural-backfill").body["affected"] == 0
        api.configure("memory: {pipelineV2: {hints: {enabled: false}}}")
        refused = repair(api, "backfill-hints")
        assert (refused.status, refused.error) == (400, "hints are disabled")


def test_a_session_whose_summary_is_missing_is_read_again(api: Api) -> None:
    for session, result in (("s1", None), ("s2", '{"skipped": "not_significant"}'), ("s3", None)):
        a_job(api, int(session[1]), "completed", id=session, job_type="summarize", result=result)
        api.run(
            "INSERT INTO summary_jobs (id, session_id, harness, status, created_at, completed_at)"
            " VALUES (?, ?, 'codex', 'done', ?, ?)",
            *(session, session, ago(days=1), ago(days=1)),
        )
        api.run(
            "INSERT INTO session_transcripts (agent_id, session_key, content, created_at, updated_at)"
            " VALUES ('default', ?, 'User: hello', '', '')",
            session,
        )
    api.run(
        "INSERT INTO session_summaries (id, depth, kind, content, earliest_at, latest_at, session_key, agent_id,"
        " created_at) VALUES ('y', 0, 'session', 'hello', '', '', 's3', 'default', '')"
    )
    answer = repair(api, "backfill-skipped")
    assert (answer.status, answer.body["affected"]) == (200, 1)
    assert statuses(api) == {"s1": "pending", "s2": "completed", "s3": "completed"}
    assert {row["id"]: row["status"] for row in api.rows("summary_jobs")}["s1"] == "pending"


def test_memories_that_nobody_uses_are_listed_and_forgotten_by_name(api: Api) -> None:
    ids = [
        api.post("/api/memory/remember", {"content": f"Box {n} is full."}).body["id"]
        for n in range(3)
    ]
    api.run("UPDATE memories SET confidence = 0.2, created_at = ?", ago(days=100))
    api.run("UPDATE memories SET pinned = 1 WHERE id = ?", ids[1])
    api.run("UPDATE memories SET last_accessed = ? WHERE id = ?", ago(days=1), ids[2])
    found = api.get("/api/repair/dead-memories").body
    assert (found["total"], [one["id"] for one in found["items"]]) == (1, [ids[0]])
    assert api.get("/api/repair/dead-memories?maxConfidence=0.1").body["total"] == 0
    answer = repair(api, "dead-memories/forget", {"ids": ids, "reason": "unused"})
    assert answer.body["affected"] == 1
    assert [one["status"] for one in answer.body["results"]] == ["deleted", "skipped", "skipped"]
    assert [row["is_deleted"] for row in api.rows("memories")] == [1, 0, 0]


def a_fact(api: Api, source_id: str, text: str) -> str:
    """Read a fact in a memory, as the pipeline does, and return its id."""

    def insert(tx: WriteTx) -> str:
        source = lookup.find(tx, source_id)
        assert source is not None
        return remember.insert_fact(
            tx,
            content=text,
            type="fact",
            confidence=0.9,
            source=source,
            extraction_model="rules",
            embedding_model=None,
            metadata={},
            actor=Actor(name="pipeline-v2", type="pipeline"),
            now=clock.now(),
        ).id

    return api.state.db.write(insert)


def test_facts_of_what_was_forgotten_by_an_earlier_version_go_too(api: Api) -> None:
    texts = "Ada rows", "Ben rows", "Cleo rows", "Dora rows", "Eve rows"
    sources = {
        text: api.post("/api/memory/remember", {"content": f"We met, and {text} at dawn."}).body[
            "id"
        ]
        for text in texts
    }
    facts = {text: a_fact(api, sources[text], text) for text in texts}
    for text in texts[:4]:
        assert api.delete(f"/api/memory/{sources[text]}?reason=private").status == 200
    # As an earlier version left it: the facts stayed, and nothing was noted.
    for left in ("memory_withdrawals", "forgotten_values", "withheld_statements"):
        api.run(f"DELETE FROM {left}")
    api.run("UPDATE memories SET is_deleted = 0 WHERE source_type = 'pipeline-v2'")
    second = "INSERT INTO memory_sources (memory_id, kind, source_id) VALUES (?, 'memory', ?)"
    api.run(second, facts["Ben rows"], sources["Eve rows"])
    merged = f"dedup: duplicate of {sources['Eve rows']}"
    gone = "UPDATE memory_history SET reason = ? WHERE memory_id = ? AND event = 'deleted'"
    api.run(gone, merged, sources["Cleo rows"])
    api.run("UPDATE memories SET pinned = 1 WHERE id = ?", facts["Dora rows"])

    def active() -> set[str]:
        rows = {row["id"] for row in api.rows("memories") if not row["is_deleted"]}
        return {text for text, memory_id in facts.items() if memory_id in rows}

    look = repair(api, "follow-forgotten")  # which only looks unless it is told otherwise
    assert (look.body["affected"], active()) == (1, set(texts))
    assert [one["content"] for one in look.body["details"]["sample"]] == ["Ada rows"]
    done = repair(api, "follow-forgotten", {"dryRun": False})
    assert (done.body["affected"], active()) == (1, set(texts) - {"Ada rows"})
    assert repair(api, "follow-forgotten").body["affected"] == 0
    assert {row["label"] for row in api.rows("forgotten_values")} == {"Ada rows"}
    recover = api.post(f"/api/memory/{sources['Ada rows']}/recover", {"reason": "a slip"})
    assert (recover.status, active()) == (200, set(texts))


@pytest.mark.sqlite_file
def test_counts_are_read_without_a_gate(api: Api) -> None:
    api.configure("memory: {pipelineV2: {autonomousFrozen: true, mutationsFrozen: true}}")
    assert api.get("/api/repair/embedding-gaps").body == {
        "unembedded": 0,
        "total": 0,
        "coverage": "100.0%",
        "stale": 0,
    }
    cold = api.get("/api/repair/cold-stats").body
    assert (cold["count"], cold["totalBytes"], cold["byReason"]) == (0, 0, {})
    whole = api.get("/api/repair/integrity-check").body
    assert (whole["ok"], whole["sqlite"], whole["ftsOk"], whole["vecOk"]) == (
        True,
        ["ok"],
        True,
        True,
    )
    api.run("DELETE FROM memories_fts_data WHERE id > 1")
    api.run("DROP TABLE memory_hints_fts")
    broken = api.get("/api/repair/integrity-check").body
    assert (broken["ok"], broken["ftsOk"]) == (False, False)
    api.run("DROP TABLE memories_cold")
    assert api.get("/api/repair/cold-stats").body["count"] == 0


def test_what_only_a_worker_does_is_queued_once_and_then_in_the_way(api: Api) -> None:
    queued = repair(api, "re-embed")
    assert (queued.status, queued.body["success"]) == (202, True)
    (job,) = api.rows("memory_jobs")
    assert queued.body["details"] == {"jobId": job["id"], "status": "pending"}
    refused = repair(api, "re-embed")
    assert (refused.status, refused.body["reason"]) == (429, "busy")
    assert refused.headers["retry-after"] == "2"
    assert refused.body["message"] == "re-embed already in progress"
    shared = [repair(api, "check-fts", {"repair": True}).body["details"]["jobId"] for _ in range(2)]
    assert shared[0] == shared[1], "those who ask for full text share one run"
    assert not api.rows("repair_runs"), "only what has run counts"


def test_a_repair_that_takes_too_long_for_a_request_goes_on_as_a_job(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    a_vector(api, "v", "gone")
    monkeypatch.setattr(repair_routes, "PATIENCE_MS", 0)
    queued = repair(api, "clean-orphans")
    (job,) = api.rows("memory_jobs")
    assert (queued.status, queued.body["affected"]) == (202, 0)
    assert queued.body["details"] == {"jobId": job["id"], "status": "pending"}
    assert queued.body["message"] == "clean-orphans is queued; no worker takes jobs now"
    assert api.rows("embeddings") and not api.rows("repair_runs")
    monkeypatch.undo()
    refused = repair(api, "clean-orphans")
    assert (refused.status, refused.body["reason"]) == (429, "busy")


def test_what_nobody_may_read_is_shown_by_its_id_alone(api: Api) -> None:
    for text in ("Open words.", "Hidden words."):
        assert api.post("/api/memory/remember", {"content": text}).status == 200
    ids = [row["id"] for row in api.rows("memories")]
    api.run("DELETE FROM memory_entity_mentions")
    api.run("DELETE FROM memory_jobs")
    api.run("UPDATE memories SET confidence = 0.1, created_at = ?", ago(days=200))
    api.run("UPDATE memories SET visibility = 'archived' WHERE content LIKE 'Hidden%'")
    shown = [{"id": ids[0], "content": "Open words."}, {"id": ids[1], "content": ""}]
    linked = repair(api, "relink-entities", {"dryRun": True}).body["details"]["sample"]
    hinted = repair(api, "backfill-hints", {"dryRun": True}).body["details"]["sample"]
    dead = api.get("/api/repair/dead-memories").body["items"]
    for rows in (linked, hinted[::-1], dead):
        assert [{"id": one["id"], "content": one["content"]} for one in rows] == shown


def test_the_catalog_says_what_is_recommended_and_when_it_may_run(api: Api) -> None:
    for number in range(1, 4):
        a_job(api, number, failed_at=ago(minutes=number), completed_at=None)
    listed = api.get("/api/repair").body
    assert listed["count"] == len(listed["repairs"]) == len(ACTIONS)
    first, *_ = listed["repairs"]
    assert (first["action"], first["recommended"]) == (
        "requeueDeadJobs",
        "dead rate 100.0% > 1%",
    )
    assert (first["waitMs"], first["lastRunAt"]) == (0, None)
    assert first["runsLeft"] == first["runsPerHour"] > 1
    assert (first["filters"], first["noun"]) == (["ids", "kind", "age", "error"], "job")
    (limit, force) = first["options"]
    assert (limit["name"], limit["type"], limit["default"]) == ("limit", "integer", 50)
    assert (limit["low"], limit["high"], force["high"]) == (1, 500, None)
    assert all(one["help"] for one in listed["repairs"])
    assert repair(api, "requeue-dead", {"dryRun": True}).body["affected"] == 3
    assert api.get("/api/repair").body["repairs"][0]["lastRunAt"] is None
    assert repair(api, "requeue-dead").body["affected"] == 3
    found = {one["action"]: one for one in api.get("/api/repair").body["repairs"]}
    ran = found["requeueDeadJobs"]
    assert ran["recommended"] is None and ran["lastRunAt"] and ran["waitMs"] > 0
    assert ran["runsLeft"] == ran["runsPerHour"] - 1
