"""What the tests of import and export share: a store with something of everything, and both ways over HTTP."""

from collections.abc import Mapping, Sequence
from typing import Any

from signet.db.vectors import pack
from signet.domain.memory import marks
from signet.domain.transfer.records import KINDS
from support.database import MADE_AT
from support.http import Api

Record = Mapping[str, Any]
AT = "2026-02-01T00:00:00.000Z"


def fill(api: Api) -> None:
    """Write at least one row of every kind."""
    for said in (
        {"content": "Ortega serves the boiler in October", "hints": ["Who serves the boiler?"]},
        {"content": "The Boiler stands in Porto", "tags": ["house"], "pinned": True},
        {"content": "Only Ida may read this", "agentId": "ida", "visibility": "private"},
        {"content": "The old code is 4711", "sourceType": "session", "sourceId": "s1", "transcript": "User: hi"},
        {"content": "The new code is 4712", "scope": "vault"},
    ):  # fmt: skip
        assert api.post("/api/memory/remember", said).status == 200
    ids = [row["id"] for row in api.rows("memories")]
    api.run("UPDATE memories SET superseded_by = ?, valid_to = ? WHERE id = ?", ids[4], AT, ids[3])
    api.run("UPDATE memories SET is_deleted = 1, deleted_at = ? WHERE id = ?", AT, ids[1])
    api.run(
        "INSERT INTO forgotten_values VALUES (?, 0, 'aa', 'default', 'global', NULL, NULL, 'forgotten', 'Porto', ?)",
        ids[1],
        AT,
    )
    api.run("UPDATE memories SET confidence = NULL, version = 7 WHERE id = ?", ids[0])
    api.run("UPDATE agents SET name = 'House', updated_at = ?", AT)
    api.run("INSERT INTO agents VALUES ('ida', NULL, 'group', 'home', ?, ?)", AT, AT)
    api.run("INSERT INTO entity_communities (id, created_at, updated_at) VALUES ('c1', ?1, ?1)", AT)
    for name in ("Boiler", "Furnace"):
        api.run(
            "INSERT OR IGNORE INTO entities (id, name, canonical_name, entity_type, community_id, created_at,"
            " updated_at) VALUES (?1, ?1, lower(?1), 'thing', 'c1', ?2, ?2)",
            name,
            AT,
        )
    first, second = (row["id"] for row in api.rows("entities")[:2])
    api.run("DELETE FROM entity_aspects")
    api.run("DELETE FROM entity_attributes")
    api.run("DELETE FROM relations")
    api.run(
        "INSERT INTO entity_aspects (id, entity_id, aspect_name, canonical_name, created_at, updated_at)"
        " VALUES ('a1', ?1, 'Care', 'care', ?2, ?2)",
        first,
        AT,
    )
    attribute = (
        "INSERT INTO entity_attributes (id, aspect_id, entity_id, attribute_value, normalized_value, status,"
        " superseded_by, source_memory_id, created_at, updated_at) VALUES (?, 'a1', ?, 'x', 'x', ?, ?, ?, ?, ?)"
    )
    api.run(attribute, "x1", first, "superseded", "x2", ids[0], AT, AT)
    api.run(attribute, "x2", first, "active", None, ids[0], AT, AT)
    for table, more in (("entity_dependencies", "dependency_type"), ("relations", "relation_type")):
        api.run(
            f"INSERT OR IGNORE INTO {table} (id, source_entity_id, target_entity_id, {more}, created_at, updated_at)"
            " VALUES ('d1', ?1, ?2, 'needs', ?3, ?3)",
            first,
            second,
            AT,
        )
    api.run(
        "INSERT OR IGNORE INTO memory_entity_mentions (memory_id, entity_id) VALUES (?, ?)",
        ids[0],
        first,
    )
    api.run(
        "INSERT INTO entity_pinning (id, entity_id, pin_type, created_at) VALUES ('p1', ?, 'pin', ?)",
        first,
        AT,
    )
    api.run("INSERT INTO task_meta (entity_id, updated_at) VALUES (?, ?)", first, AT)
    api.run(
        "INSERT INTO skill_meta (entity_id, source, installed_at, fs_path) VALUES (?, 'x', ?, 'y')",
        second,
        AT,
    )
    made = api.post("/api/documents", {"source_type": "text", "content": "A sheet about frost."})
    api.run(
        "INSERT INTO document_memories VALUES (?, ?, 0)",
        made.body["id"],
        ids[0],
    )
    for summary in ("s1", "s2"):
        api.run(
            "INSERT INTO session_summaries (id, kind, content, earliest_at, latest_at, session_key, created_at)"
            " VALUES (?1, 'session', 'x', ?2, ?2, ?1, ?2)",
            summary,
            AT,
        )
    api.run("INSERT INTO session_summary_children VALUES ('s1', 's2', 0)")
    api.run("INSERT INTO session_summary_memories VALUES ('s1', ?)", ids[0])
    api.run(
        "INSERT INTO session_checkpoints (id, session_key, harness, trigger, digest, prompt_count, created_at)"
        " VALUES ('k1', 's1', 'codex', 'agent', 'x', 1, ?)",
        AT,
    )
    api.run(
        "INSERT INTO session_memories (id, session_key, memory_id, rank, created_at) VALUES ('o1', 's1', ?, 0, ?)",
        ids[0],
        AT,
    )
    api.run(
        "INSERT INTO session_scores (id, session_key, score, created_at) VALUES ('z1', 's1', 0.5, ?)",
        AT,
    )
    api.run(
        "INSERT INTO conversations (id, session_id, harness, started_at, created_at, updated_at, updated_by)"
        " VALUES ('v1', 's1', 'codex', ?1, ?1, ?1, 'x')",
        AT,
    )
    api.run(
        "INSERT INTO agent_feedback (id, memory_id, session_id, feedback_type, actor, created_at)"
        " VALUES ('f1', ?, 's1', 'positive', 'ida', ?)",
        ids[0],
        AT,
    )
    api.run(
        "INSERT INTO memories_cold (archive_id, memory_id, content, original_created_at, archived_at)"
        " VALUES ('w1', 'gone', 'It rained', ?1, ?1)",
        AT,
    )
    embed(api, ids[0])


def embed(api: Api, memory_id: str) -> None:
    """Give a memory two passages."""
    [row] = [one for one in api.rows("memories") if one["id"] == memory_id]
    passages = [("Ortega", pack([0.5, 0.25])), ("October", pack([1.0, -1.0]))]
    api.state.db.write(
        marks.set_vectors, memory_id, row["content_hash"], passages, "a-model", MADE_AT
    )


def exported(api: Api, query: str = "everything=true") -> list[dict[str, Any]]:
    """Return every record of an export."""
    records: list[dict[str, Any]] = []
    cursor = ""
    while cursor is not None:
        page = api.get(f"/api/export?{query}&cursor={cursor}")
        assert page.status == 200, page.body
        records += page.body["records"]
        cursor = page.body["next"]
    return records


def body_of(records: Sequence[Record]) -> list[Record]:
    """Return the rows between the first and the last record."""
    assert (records[0]["record"], records[-1]["record"]) == ("signet", "end")
    assert records[-1]["rows"] == len(records) - 2 == sum(records[0]["counts"].values())
    return list(records[1:-1])


def imported(api: Api, records: Sequence[Record], **more: object) -> tuple[int, int, list[str]]:
    """Import records; return how many were new and known, and why others were refused."""
    answer = api.post("/api/import", {"records": list(records), **more})
    assert answer.status == 200, answer.body
    body = answer.body
    assert body["new"] + body["known"] + body["refused"] == len(records)
    assert len(body["reasons"]) == body["refused"]
    return body["new"], body["known"], [one["reason"] for one in body["reasons"]]


def everything(api: Api) -> dict[str, list[dict[str, Any]]]:
    """Return all rows of all tables that are exported."""
    return {kind.table: api.rows(kind.table) for kind in KINDS.values()}


def a_memory(id_: str, content: str, **fields: object) -> dict[str, object]:
    """Return a memory as somebody writes it by hand."""
    return {"record": "memory", "id": id_, "content": content, **fields}
