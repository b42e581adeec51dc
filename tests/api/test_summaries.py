"""Summaries of sessions over HTTP."""

import pytest

from support.http import Api


@pytest.fixture
def filled(api: Api) -> Api:
    for number in range(3):
        add(api, f"s{number}", 0, f"2026-05-0{number + 1}T00:00:00.000Z", "/heron")
    add(api, "arc", 1, "2026-05-02T00:00:00.000Z", "/heron")
    add(api, "other", 0, "2026-05-09T00:00:00.000Z", None)
    for place, child in enumerate(("s0", "s1")):
        api.run("INSERT INTO session_summary_children VALUES ('arc', ?, ?)", child, place)
    return api


def add(api: Api, name: str, depth: int, at: str, project: str | None) -> None:
    kind = ("session", "arc")[depth]
    api.run(
        "INSERT INTO session_summaries (id, project, depth, kind, content, token_count, earliest_at,"
        " latest_at, session_key, harness, created_at) VALUES (?, ?, ?, ?, 'text', 1, ?, ?, ?, 'codex', ?)",
        *(name, project, depth, kind, at, at, f"key {name}", at),
    )


def found(api: Api, query: str = "") -> tuple[list[str], int]:
    body = api.get(f"/api/sessions/summaries{query}").body
    return [one["id"] for one in body["summaries"]], body["total"]


def test_summaries_come_latest_first_and_say_how_many_they_stand_for(filled: Api) -> None:
    body = filled.get("/api/sessions/summaries").body
    assert body["total"] == 5
    by_id = {one["id"]: one for one in body["summaries"]}
    assert list(by_id) == ["other", "s2", "s1", "arc", "s0"]
    assert [by_id[name]["childCount"] for name in ("arc", "s0")] == [2, 0]
    assert by_id["s0"] == {
        "id": "s0",
        "project": "/heron",
        "depth": 0,
        "kind": "session",
        "content": "text",
        "token_count": 1,
        "earliest_at": "2026-05-01T00:00:00.000Z",
        "latest_at": "2026-05-01T00:00:00.000Z",
        "session_key": "key s0",
        "harness": "codex",
        "agent_id": "default",
        "created_at": "2026-05-01T00:00:00.000Z",
        "childCount": 0,
    }


def test_summaries_are_narrowed_and_paged(filled: Api) -> None:
    assert found(filled, "?depth=1") == (["arc"], 1)
    assert found(filled, "?project=/heron&depth=0") == (["s2", "s1", "s0"], 3)
    assert found(filled, "?depth=0&limit=2&offset=1") == (["s2", "s1"], 4)
    assert found(filled, "?limit=0") == ([], 5)
    assert found(filled, "?depth=99999999999999999999") == ([], 0)


@pytest.mark.parametrize("depth", ["-1", "1.5", "x", "²"])
def test_a_depth_that_is_no_number_is_refused(filled: Api, depth: str) -> None:
    answer = filled.get(f"/api/sessions/summaries?depth={depth}")
    assert (answer.status, answer.error) == (400, "depth must be a whole number, 0 or more")
