"""A column of SQLite holds whatever was put in: odd values of an adopted file cost nobody a row and no route fails."""

import json
from collections.abc import Iterator

import pytest

from migrations import upstream
from signet.db import migrate
from support.database import MADE_AT
from support.http import Api, a_workspace, api_over

pytestmark = pytest.mark.sqlite_file

#: Half of a surrogate pair as the earlier program wrote it: no UTF-8.
HALF = "CAST(x'74616c6c20eda0802065676772' || x'6574' AS TEXT)"
WORD = "egret"

#: Columns of a memory that says WORD, as SQL.
ODD: dict[str, dict[str, str]] = {
    "nulls": dict.fromkeys(
        ("importance", "confidence", "access_count", "version", "pinned", "is_deleted", "tags"),
        "NULL",
    ),
    "words": {"importance": "'high'", "confidence": "'low'", "version": "'two'", "pinned": "'yes'"},
    "far": {"importance": "99", "confidence": "-4", "version": "-3", "pinned": "7"},
    "endless": {"importance": "9e999", "confidence": "-9e999"},
    "blob": {"content": f"x'{b'blue egret'.hex()}'"},
    "torn": {"content": HALF},
    "torn author": {"who": "CAST(x'eda080' AS TEXT)"},
    "torn tags": {"tags": "x'ff5bfe'"},
    "tags": {"tags": """'{"a": ["b"]}'"""},
    "time": {"created_at": "1700000000000", "updated_at": "''", "last_accessed": "'never'"},
    "blank": {"content": "' '"},
    "nul": {"content": "'an egret' || char(0) || 'here'"},
}


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Api]:
    workspace = a_workspace(tmp_path_factory.mktemp("odd") / "agents")
    workspace.database.unlink()
    old = upstream.write(workspace.database, 43)
    for memory_id, values in ODD.items():
        row = {"content": f"'{WORD} {memory_id}'", "created_at": "'2025'", "updated_at": "'2025'"}
        row |= {"id": f"'{memory_id}'", **values}
        old.execute(f"INSERT INTO memories ({', '.join(row)}) VALUES ({', '.join(row.values())})")
    old.executescript(
        """
        INSERT INTO memories (id, content, created_at, updated_at) VALUES (NULL, 'no id', '2025', '2025'),
          (NULL, 'no id either', '2025', '2025');
        INSERT INTO embeddings (id, content_hash, vector, dimensions, source_type, source_id, chunk_text, created_at)
          VALUES ('x1', 'x1', 'text', 'wide', 'memory', 'nulls', '', '2025'),
            ('x2', 'x2', x'00', 384, 'memory', 'words', '', '2025'),
            ('x3', 'x3', x'0000c07f0000803f', 2, 'memory', 'far', '', '2025'),
            ('x4', 'x4', x'0000003f0000803f', 2, 'memory', 'tags', '', '2025');
        INSERT INTO memory_jobs (id, job_type, memory_id, payload, attempts, status, created_at, updated_at)
          VALUES ('x1', 'structural_classify', 'far', 'not json', 'many', 'odd', '2025', '2025');
        INSERT INTO memory_history (id, memory_id, event, metadata, changed_by, created_at)
          VALUES ('x1', 'far', 'odd', '{', 'x', '2025');
        """
    )
    old.commit()
    old.close()
    migrate.upgrade(workspace.database, now=MADE_AT)
    with api_over(workspace) as api:
        yield api


@pytest.mark.parametrize(
    "path",
    [
        "/api/memories?limit=1000",
        "/memory/search?q=egret",
        "/memory/search?importance_min=0",
        "/memory/search?distinct=who",
        "/memory/similar?id=nulls",
        "/api/memory/search?q=egret&limit=100&explain=true&expand=true&entities=true&cards=true",
        "/api/memory/search?q=egret&tags=a&since=2020-01-01",
        "/api/embeddings?vectors=true",
        "/api/export",
        "/api/jobs?limit=500",
        "/api/diagnostics",
        "/api/repair/dedup-stats",
    ],
)
def test_no_read_fails(api: Api, path: str) -> None:
    answer = api.get(path)
    assert answer.status in (200, 404), answer.body
    json.dumps(answer.body, allow_nan=False)


def test_every_memory_is_there_and_its_values_are_of_their_kind(api: Api) -> None:
    listed = api.get("/api/memories?limit=1000").body["memories"]
    contents = {row["content"] for row in listed}
    assert {"no id", "no id either", "blue egret"} <= contents
    assert sum(row["content"].startswith("tall \ufffd") for row in listed) == 1
    for memory_id in ODD:
        found = api.get(f"/api/memory/{memory_id}")
        assert found.status == 200, found.body
        assert 0 <= found.body["importance"] <= 1 and found.body["version"] >= 1, found.body
        assert api.get(f"/api/memory/{memory_id}/history").status == 200
    far = api.get("/api/memory/far").body
    assert (far["importance"], far["version"], far["pinned"]) == (1.0, 1, 1)


def test_of_odd_vectors_only_one_that_can_be_compared_is_kept(api: Api) -> None:
    exported = api.get("/api/embeddings?vectors=true").body["embeddings"]
    assert [row["vector"] for row in exported if row["id"] in ODD] == [[0.5, 1.0]]


def test_an_odd_memory_can_be_changed_forgotten_and_recovered(api: Api) -> None:
    for memory_id in ODD:
        changed = {"content": f"An egret called {memory_id}.", "importance": 0.4, "reason": "x"}
        sent = json.dumps({**changed, "pinned": True, "if_version": 1}).encode()
        answers = [
            api.send("PATCH", f"/api/memory/{memory_id}", sent),
            api.send("DELETE", f"/api/memory/{memory_id}?reason=x&force=true"),
            api.post(f"/api/memory/{memory_id}/recover?reason=x"),
        ]
        assert [answer.status for answer in answers] == [200, 200, 200], (memory_id, answers)
