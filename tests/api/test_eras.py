"""What was remembered today, in the last week and in the last month."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from signet import clock
from support.http import Api


@pytest.fixture
def noon(monkeypatch: pytest.MonkeyPatch) -> datetime:
    """Stop the clock, so that no test meets midnight, and return what it shows."""
    now = datetime(2026, 6, 15, 12, tzinfo=UTC)
    monkeypatch.setattr(clock, "now", lambda: now)
    return now


def made(api: Api, text: str, at: datetime, **fields: object) -> str:
    """Save a memory that was made at some time, and its history with it."""
    memory_id = str(api.post("/api/memory/remember", {"content": text, **fields}).body["id"])
    api.run("UPDATE memories SET created_at = ? WHERE id = ?", clock.to_text(at), memory_id)
    api.run(
        "UPDATE memory_history SET created_at = ? WHERE memory_id = ?", clock.to_text(at), memory_id
    )
    return memory_id


def timeline(api: Api, query: str = "") -> dict[str, Any]:
    answer = api.get(f"/api/memory/timeline{query}")
    assert answer.status == 200, answer.body
    return dict(answer.body)


def added(found: dict[str, Any]) -> list[int]:
    return [bucket["memoriesAdded"] for bucket in found["buckets"]]


def test_an_empty_store_has_three_empty_eras(api: Api) -> None:
    found = timeline(api)
    assert [bucket["rangeKey"] for bucket in found["buckets"]] == [
        "today",
        "last_week",
        "one_month",
    ]
    assert found["totalMemories"] == found["totalHistoryEvents"] == 0
    for bucket in found["buckets"]:
        assert bucket["memoriesAdded"] == bucket["avgImportance"] == bucket["pinned"] == 0
        assert bucket["typeBreakdown"] == bucket["sourceBreakdown"] == bucket["topTags"] == []
        assert bucket["start"] < bucket["end"]


def test_each_era_holds_those_before_it(api: Api, noon: datetime) -> None:
    for days in (0, 1, 6, 7, 29, 30):
        made(api, f"The heron came {days} days ago.", noon - timedelta(days=days))
    found = timeline(api)
    assert added(found) == [1, 3, 5]
    assert found["totalMemories"] == found["totalHistoryEvents"] == 5
    assert [bucket["trackedEvents"] for bucket in found["buckets"]] == [1, 3, 5]


def test_what_is_most_frequent_comes_first(api: Api, noon: datetime) -> None:
    day = timedelta(days=1)
    made(api, "Rye is cheap.", noon, who="anna", tags="grain, rye", importance=0.9)
    made(api, "Oats are dear.", noon, who="bert", tags="grain", importance=0.4, pinned=True)
    older = made(api, "Barley is scarce.", noon - 3 * day, who="bert", importance=0.2)
    api.run("UPDATE memories SET who = NULL, tags = 'corn,grain' WHERE id = ?", older)
    today, week, _ = timeline(api)["buckets"]
    assert (today["avgImportance"], today["pinned"]) == (0.65, 1)
    assert today["sourceBreakdown"] == [{"key": "anna", "count": 1}, {"key": "bert", "count": 1}]
    assert today["topTags"] == [{"key": "grain", "count": 2}, {"key": "rye", "count": 1}]
    assert (week["avgImportance"], week["pinned"]) == (0.5, 1)
    assert {"key": "unknown", "count": 1} in week["sourceBreakdown"]
    assert week["topTags"][0] == {"key": "grain", "count": 3}
    assert week["typeBreakdown"] == [{"key": "fact", "count": 3}]


def test_no_more_than_five_names_are_told(api: Api, noon: datetime) -> None:
    made(api, "Many labels.", noon, tags=[f"label{number}" for number in range(7)])
    assert [tag["key"] for tag in timeline(api)["buckets"][0]["topTags"]] == [
        f"label{number}" for number in range(5)
    ]


def test_what_happens_to_an_old_memory_counts_when_it_happens(api: Api, noon: datetime) -> None:
    old = made(api, "The gate is red.", noon - timedelta(days=40))
    other = made(api, "The fence is low.", noon - timedelta(days=3))
    changed = api.send(
        "PATCH", f"/api/memory/{old}", b'{"content": "The gate is blue.", "reason": "painted"}'
    )
    assert changed.status == 200
    assert api.delete(f"/api/memory/{other}?reason=gone").status == 200
    assert added(timeline(api)) == [0, 0, 0]
    assert api.post(f"/api/memory/{other}/recover", {"reason": "a slip"}).status == 200
    found = timeline(api)
    today, week, _ = found["buckets"]
    assert added(found) == [0, 1, 1]
    assert (today["evolved"], today["strengthened"], today["recovered"]) == (2, 1, 1)
    assert today["trackedEvents"] == 3
    assert week["trackedEvents"] == found["totalHistoryEvents"] == 4


def test_private_memories_of_others_and_other_scopes_are_not_counted(
    api: Api, noon: datetime
) -> None:
    api.add_agent()
    made(api, "Bea's own.", noon, agentId="bea", visibility="private", who="bea", tags="secret")
    made(api, "In a scope.", noon, scope="lab")
    mine = timeline(api)
    assert added(mine) == [0, 0, 0]
    assert "secret" not in json.dumps(mine)
    assert mine["totalHistoryEvents"] == 0
    assert added(timeline(api, "?agent_id=bea")) == [1, 1, 1]
    assert added(timeline(api, "?scope=lab")) == [1, 1, 1]
