"""Vectors over HTTP: their export, the provider's state, how well they are, their map."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from signet import clock
from signet.domain.embeddings import vectors as embeddings
from signet.domain.embeddings.vectors import WEIGHTS
from signet_api.probe import UNKNOWN
from support.database import MADE_AT
from support.http import Api
from support.models import Answer, FakeServer, Hang, Request, Wrap, fake_ollama, packed_vector
from support.processes import eventually

WIDTH = 384
MODEL = "all-MiniLM-L6-v2"
PLANE = "/api/embeddings/projection"


def remember(api: Api, text: str, **fields: object) -> str:
    return str(api.post("/api/memory/remember", {"content": text, **fields}).body["id"])


def embed(api: Api, memory_id: str, *, width: int = WIDTH, model: str = MODEL) -> None:
    """Give a memory the vector of its words."""
    [row] = [row for row in api.rows("memories") if row["id"] == memory_id]
    pairs = [(row["content"], packed_vector(row["content"], width))]
    api.state.db.write(embeddings.replace, memory_id, row["content_hash"], pairs, model, MADE_AT)


def embedded(api: Api, text: str, **fields: object) -> str:
    memory_id = remember(api, text, **fields)
    embed(api, memory_id)
    return memory_id


def configure(api: Api, provider: str, **fields: object) -> None:
    """Name another embedding provider."""
    lines = [f"  {name}: {value}\n" for name, value in {"provider": provider, **fields}.items()]
    manifest = api.state.workspace.root / "agent.yaml"
    manifest.write_text("embedding:\n" + "".join(lines), "utf-8")
    api.state.live.poll()


def test_the_export_has_every_memory_with_a_vector_newest_first(api: Api) -> None:
    first = embedded(api, "The heron is grey.", tags="birds", who="anna", importance=0.9)
    remember(api, "Nobody has embedded this.")
    second = embedded(api, "The ibis is white.")
    body = api.get("/api/embeddings").body
    assert [row["id"] for row in body["embeddings"]] == [second, first]
    assert {key: body[key] for key in ("count", "total", "limit", "offset", "hasMore")} == {
        **{"count": 2, "total": 2, "limit": 600},
        **{"offset": 0, "hasMore": False},
    }
    row = body["embeddings"][1]
    assert row.pop("createdAt")
    assert row == {
        "id": first,
        "content": "The heron is grey.",
        "text": "The heron is grey.",
        "who": "anna",
        "importance": 0.9,
        "type": "fact",
        "tags": ["birds"],
        "sourceType": "manual",
        "sourceId": first,
    }


def test_vectors_are_sent_only_when_they_are_asked_for(api: Api) -> None:
    embedded(api, "The heron is grey.")
    [row] = api.get("/api/embeddings?vectors=true").body["embeddings"]
    assert len(row["vector"]) == WIDTH
    assert sum(number * number for number in row["vector"]) == pytest.approx(1.0, abs=1e-4)
    for query in ("", "?vectors=0", "?vectors=false"):
        assert "vector" not in api.get(f"/api/embeddings{query}").body["embeddings"][0]


def test_pages_of_the_export_are_bounded(api: Api) -> None:
    for number in range(52):
        embedded(api, f"Heron number {number}.")
    for query, limit in (("?limit=10", 50), ("?limit=9999999", 5_000), ("?limit=", 600)):
        assert api.get(f"/api/embeddings{query}").body["limit"] == limit
    page = api.get("/api/embeddings?limit=50").body
    assert (page["count"], page["total"], page["hasMore"]) == (50, 52, True)
    rest = api.get("/api/embeddings?limit=50&offset=50").body
    assert (rest["count"], rest["hasMore"]) == (2, False)
    seen = {row["id"] for row in page["embeddings"] + rest["embeddings"]}
    assert len(seen) == 52
    assert api.get("/api/embeddings?offset=999999999").body["offset"] == 100_000


def test_a_memory_that_shares_the_vector_of_the_same_text_is_exported_too(api: Api) -> None:
    embedded(api, "The heron is grey.")
    shares = remember(api, "The heron is grey.", visibility="private")
    ids = {row["id"] for row in api.get("/api/embeddings").body["embeddings"]}
    assert shares in ids and len(ids) == 2


def test_forgotten_and_private_memories_are_in_no_export_and_on_no_map(api: Api) -> None:
    api.add_agent()
    gone = embedded(api, "The heron is gone.")
    theirs = embedded(api, "The heron is theirs.", agentId="other", visibility="private")
    shown = embedded(api, "The heron is shown.")
    api.run("UPDATE memories SET is_deleted = 1 WHERE id = ?", gone)
    for query, ids in (("?", [shown]), ("?agent_id=other&", [theirs])):
        export = api.get(f"/api/embeddings{query}").body
        assert [row["id"] for row in export["embeddings"]] == ids
        assert export["total"] == 1
        plane = api.get(f"{PLANE}{query}limit=9").body
        assert [node["id"] for node in plane["nodes"]] == ids
        assert plane["total"] == 1


def status(api: Api) -> dict[str, Any]:
    answer = api.get("/api/embeddings/status")
    assert answer.status == 200
    assert isinstance(answer.body, dict)
    return answer.body


def answered(api: Api) -> dict[str, Any]:
    """Return the status after the provider has answered: a request waits for that only a short while."""
    eventually(lambda: status(api).get("error") != UNKNOWN)
    return status(api)


def test_without_a_provider_vectors_are_off(api: Api) -> None:
    found = status(api)
    assert (found["provider"], found["available"], found["base_url"]) == ("none", False, None)
    assert "off" in found["error"]
    assert found["tracker"] == {
        "running": False,
        "processed": 0,
        "failed": 0,
        "skippedCycles": 0,
        "lastCycleAt": None,
        "queueDepth": 0,
    }


def test_a_server_that_has_the_model_is_available_and_is_asked_once_in_a_while(api: Api) -> None:
    with fake_ollama() as server:
        configure(api, "ollama", base_url=server.url.replace("//", "//user:secret@"))
        found = [answered(api) for _ in range(3)]
        asked = [request.path for request in server.requests]
    assert asked == ["/api/tags"]
    assert [one["available"] for one in found] == [True] * 3
    assert "error" not in found[0]
    assert len({one["checkedAt"] for one in found}) == 1
    assert found[0]["model"] == "nomic-embed-text" and found[0]["dimensions"] == 768
    assert found[0]["base_url"].rstrip("/") == server.url and "secret" not in str(found)


def test_a_server_that_does_not_answer_holds_nobody_up(api: Api) -> None:
    release = threading.Event()

    def late(server: FakeServer, request: Request) -> tuple[Answer, Wrap]:
        return Hang(release), lambda _: {"models": [{"name": "nomic-embed-text"}]}

    with fake_ollama() as server:
        server.routes = {("GET", "/api/tags"): late}
        configure(api, "ollama", base_url=server.url)
        found = status(api)
        assert not found["available"] and found["error"] == UNKNOWN
        release.set()
        eventually(lambda: bool(status(api)["available"]))
        assert len(server.requests) == 1


def test_a_missing_model_is_told_with_those_that_are_there(api: Api) -> None:
    with fake_ollama(models=["mistral:7b", "phi:latest"]) as server:
        configure(api, "ollama", base_url=server.url)
        error = answered(api)["error"]
        assert "mistral:7b" in error and "phi:latest" in error
        configure(api, "ollama", base_url=server.url, model="phi")
        assert answered(api)["available"], "a change of the settings asks anew"


def test_a_server_that_is_away_or_needs_a_key_is_told(api: Api) -> None:
    with fake_ollama() as server:
        away = server.url
    configure(api, "ollama", base_url=away)
    assert not answered(api)["available"]
    configure(api, "openai")
    assert answered(api)["error"] == "Missing OpenAI API key"


def test_a_provider_whose_queue_waits_for_it_is_not_asked(api: Api) -> None:
    with fake_ollama() as server:
        configure(api, "ollama", base_url=server.url)
        api.run(
            "INSERT INTO provider_breakers (provider, state, failures, retry_at_ms, updated_at)"
            " VALUES ('vectors', 'open', 1, ?, '')",
            int(clock.now().timestamp() * 1000) + 60_000,
        )
        found = status(api)
        health = api.get("/api/embeddings/health").body["checks"][0]
        assert server.requests == []
    assert not found["available"] and found["waitingUntil"] in found["error"]
    assert health["status"] == "fail"


def checks(api: Api) -> dict[str, Any]:
    body = api.get("/api/embeddings/health").body
    assert [check["name"] for check in body["checks"]] == list(WEIGHTS)
    worth = {"ok": 1.0, "warn": 0.5, "fail": 0.0}
    score = sum(WEIGHTS[check["name"]] * worth[check["status"]] for check in body["checks"])
    assert body["score"] == round(score, 3)
    return {check["name"]: check for check in body["checks"]} | {"body": body}


@contextmanager
def healthy(api: Api) -> Iterator[None]:
    """Let the provider answer and name a model whose vectors are as wide as those of `embed`."""
    with fake_ollama(models=[MODEL]) as server:
        configure(api, "ollama", base_url=server.url, model=MODEL)
        answered(api)
        yield


def faults(api: Api) -> dict[str, str]:
    found = checks(api)
    return {name: found[name]["status"] for name in WEIGHTS if found[name]["status"] != "ok"}


def test_an_empty_and_a_well_embedded_store_are_healthy(api: Api) -> None:
    with healthy(api):
        assert faults(api) == {}
        for number in range(20):
            embedded(api, f"Heron number {number}.")
        found = checks(api)
        assert faults(api) == {}
    assert found["body"]["status"] == "healthy" and found["body"]["score"] == 1.0
    assert found["body"]["config"] == {"provider": "ollama", "model": MODEL, "dimensions": 384}


@pytest.mark.parametrize(
    ("embedded_of_20", "grade"), [(20, "ok"), (19, "ok"), (18, "warn"), (16, "warn"), (15, "fail")]
)
def test_coverage_is_the_share_of_memories_with_a_current_vector(
    api: Api, embedded_of_20: int, grade: str
) -> None:
    for number in range(20):
        memory_id = remember(api, f"Heron number {number}.")
        if number < embedded_of_20:
            embed(api, memory_id)
    with healthy(api):
        check = checks(api)["coverage"]
    assert check["status"] == grade
    assert ("fix" in check) is (grade != "ok")


@pytest.mark.sqlite_file  # one check is about the index of sqlite-vec
def test_each_fault_is_found_by_its_check_with_what_mends_it(api: Api) -> None:
    ids = [embedded(api, f"Heron number {number}.") for number in range(30)]
    with healthy(api):
        embed(api, ids[0], width=8)
        assert faults(api) == {"dimension-mismatch": "fail", "vec-table-sync": "warn"}
        embed(api, ids[0], model="elder")
        assert faults(api) == {"model-drift": "warn"}
        assert "elder" in checks(api)["model-drift"]["detail"]
        embed(api, ids[0])
        api.run("UPDATE embeddings SET vector = x'' WHERE source_id = ?", ids[1])
        assert faults(api)["null-vectors"] == "fail"
        embed(api, ids[1])
        api.run("UPDATE memories SET is_deleted = 1 WHERE id = ?", ids[2])
        assert faults(api) == {"orphaned-embeddings": "warn"}
        assert checks(api)["orphaned-embeddings"]["fix"] == "POST /api/repair/clean-orphans"
        api.run("UPDATE memories SET is_deleted = 0 WHERE id = ?", ids[2])
        assert faults(api) == {}


@pytest.mark.sqlite_file
def test_a_missing_or_short_index_is_a_warning_and_no_error(api: Api) -> None:
    ids = [embedded(api, f"Heron number {number}.") for number in range(3)]
    with healthy(api):
        api.run(
            "DELETE FROM vec_embeddings WHERE id = (SELECT id FROM embeddings WHERE source_id = ?)",
            ids[0],
        )
        assert faults(api) == {"null-vectors": "fail", "vec-table-sync": "warn"}
        assert checks(api)["null-vectors"]["fix"] == "POST /api/repair/resync-vec"
        api.run("DROP TABLE vec_embeddings")
        assert faults(api) == {"vec-table-sync": "warn"}


def test_without_a_provider_and_vectors_the_store_is_unhealthy(api: Api) -> None:
    remember(api, "The heron is grey.")
    found = checks(api)
    assert faults(api) == {"provider-available": "fail", "coverage": "fail"}
    assert found["body"]["status"] == "unhealthy"


@pytest.mark.parametrize("dimensions", ["1", "4", "two", "2.0", "-2"])
def test_a_map_has_two_or_three_dimensions(api: Api, dimensions: str) -> None:
    assert api.get(f"{PLANE}?dimensions={dimensions}").status == 400


@pytest.mark.parametrize("dimensions", [2, 3])
def test_small_stores_are_drawn_at_once(api: Api, dimensions: int) -> None:
    def plane() -> dict[str, Any]:
        answer = api.get(f"{PLANE}?dimensions={dimensions}")
        assert answer.status == 200
        assert isinstance(answer.body, dict)
        return answer.body

    empty = plane()
    assert (empty["status"], empty["nodes"], empty["edges"], empty["total"]) == ("ready", [], [], 0)
    first = embedded(api, "The heron is grey.")
    [node] = plane()["nodes"]
    assert [node[axis] for axis in "xyz"[:dimensions]] == [0] * dimensions
    embedded(api, "The ibis is white.")
    two = plane()
    assert [node["x"] for node in two["nodes"]] == [-105, 105]
    assert two["nodes"][1]["id"] == first and two["nodes"][0]["y"] == 0
    assert two["edges"] == [[0, 1]]
    assert (two["dimensions"], two["count"], two["hasMore"]) == (dimensions, 2, False)


def test_a_larger_map_is_a_job_that_is_started_once(api: Api) -> None:
    for number in range(5):
        embedded(api, f"Heron number {number}.")
    for _ in range(2):
        answer = api.get(PLANE)
        assert answer.status == 202
        assert answer.body == {"status": "computing", "dimensions": 2, "count": 0, "total": 5}
    assert api.get(f"{PLANE}?dimensions=3").status == 202
    jobs = [row for row in api.rows("memory_jobs") if row["job_type"] == "umap_projection"]
    assert len(jobs) == 2


def test_a_map_that_could_not_be_drawn_says_so_for_half_a_minute(api: Api) -> None:
    for number in range(5):
        embedded(api, f"Heron number {number}.")
    api.get(PLANE)
    buried = (
        "UPDATE memory_jobs SET status = 'dead', error = 'MemoryError: no room',"
        " failed_at = strftime('%Y-%m-%dT%H:%M:%fZ', 'now', ?) WHERE job_type = 'umap_projection'"
    )
    api.run(buried, "-1 seconds")
    answer = api.get(PLANE)
    assert (answer.status, answer.body["status"]) == (503, "error")
    assert answer.headers["retry-after"] == "30"
    assert answer.error == "MemoryError: no room" and answer.body["message"]
    api.run(buried, "-31 seconds")
    assert api.get(PLANE).status == 202


def nodes(api: Api, query: str) -> set[str]:
    answer = api.get(f"{PLANE}?{query}")
    assert answer.status == 200, answer.body
    return {node["content"] for node in answer.body["nodes"]}


def test_filters_choose_what_is_on_the_map(api: Api) -> None:
    grey, white, tall, pinned = "Grey heron.", "White ibis.", "100% tall_crane.", "Pinned stork."
    embedded(api, grey, type="rule", who="anna", tags="birds,wet", importance=0.9)
    embedded(api, white, who="bo", tags="birds", importance=0.2, source_type="chat", source_id="s1")
    embedded(api, tall, who="cy", tags="birdsong", importance=0.5)
    embedded(api, pinned, who="dee", pinned=True, importance=0.7)
    api.run("UPDATE memories SET created_at = '2020-05-05T12:00:00.000Z' WHERE who = 'bo'")
    everything = {grey, white, tall, pinned}
    for query, expected in {
        "limit=9": everything,
        "q=heron": {grey},
        "q=100%25": {tall},
        "q=l_c": {tall},
        "q=chat": {white},
        "who=anna,bo": {grey, white},
        "who=anna&harness=cy": {grey, tall},
        "types=rule": {grey},
        "type=rule": {grey},
        "sourceTypes=chat": {white},
        "source_type=chat": {white},
        "sourceType=manual": everything - {white},
        "tags=birds": {grey, white},
        "tags=birds,wet": {grey},
        "pinned=true": {pinned},
        "pinned=0": everything - {pinned},
        "until=2020-05-05": {white},
        "since=2020-05-06": everything - {white},
        "importanceMin=0.6": {grey, pinned},
        "importance_max=0.3": {white},
        "importanceMin=0.8&importanceMax=0.4": {tall, pinned},
        "q=nothing": set(),
    }.items():
        assert nodes(api, query) == expected, query
    assert api.get(f"{PLANE}?since=soon").status == 400
    assert api.get(f"{PLANE}?q={'x' * 51_000}").status == 400


def test_pages_of_a_map_say_where_they_are(api: Api) -> None:
    for number in range(7):
        embedded(api, f"Heron number {number}.")
    page = api.get(f"{PLANE}?limit=4&offset=1").body
    assert (page["count"], page["total"], page["limit"], page["offset"]) == (4, 7, 4, 1)
    assert page["hasMore"] is True
    assert page["nodes"][0]["content"] == "Heron number 5."
    assert api.get(f"{PLANE}?limit=4&offset=3").body["hasMore"] is False
    assert api.get(f"{PLANE}?limit=4&offset=100").body["nodes"] == []


def test_a_filtered_map_has_everything_a_client_draws(api: Api) -> None:
    for number in range(12):
        embedded(api, f"Heron number {number} is {'grey' if number % 2 else 'white'}.", tags="a,b")
    body = api.get(f"{PLANE}?q=heron&dimensions=3").body
    assert set(body["nodes"][0]) == {
        *("id", "x", "y", "z", "content", "who", "importance", "type", "tags", "pinned"),
        *("sourceType", "sourceId", "createdAt"),
    }
    for axis in "xyz":
        values = [node[axis] for node in body["nodes"]]
        assert (min(values), max(values)) == (-210, 210)
    edges = [tuple(edge) for edge in body["edges"]]
    assert all(0 <= one < other < 12 for one, other in edges)
    assert len(set(edges)) == len(edges) >= 24
    again = api.get(f"{PLANE}?q=heron&dimensions=3").body
    assert again["nodes"] == body["nodes"], "the same vectors give the same map"


HOSTILE = [
    "%00",
    "%F0%9F%92%A9",
    "%ED%A0%80",
    "'; DROP TABLE memories; --",
    "%25%25%25%5C%5C_",
    "NEAR(" * 200,
    "a*" * 2_000,
    "%E0%B8%AA%E0%B8%A7",
    "1e999",
    "nan",
    "-0",
    "9" * 400,
    ",,,",
    ",".join("abcdefghij" * 20),
]


@pytest.mark.parametrize("text", HOSTILE)
def test_no_question_however_hostile_breaks_a_read(api: Api, text: str) -> None:
    embedded(api, "The heron is grey.", tags="birds")
    for path, names in {
        PLANE: ("q", "who", "types", "tags", "pinned", "since", "importanceMin", "limit", "offset"),
        "/memory/search": (
            "q",
            "type",
            "tags",
            "who",
            "pinned",
            "since",
            "importance_min",
            "limit",
        ),
        "/memory/similar": ("id", "k", "type", "agent_id"),
        "/api/embeddings": ("limit", "offset", "vectors", "agent_id"),
        "/api/memories": ("source_id", "type"),
    }.items():
        for name in names:
            answer = api.get(f"{path}?{name}={text}")
            assert answer.status in (200, 202, 400, 404), (path, name, answer.body)
