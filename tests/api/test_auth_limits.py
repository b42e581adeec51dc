"""How often: sliding windows that all processes share, and that nothing refused is charged to."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as some

from signet.config.sections import RateLimit, RateLimits
from signet.db import Database
from signet.domain.auth import limits
from signet.domain.auth.limits import RateLimitExceeded, Window
from signet.wire.access import Quota
from support.database import fresh_database
from support.http import Api, an_api
from support.tokens import a_token, bearer

NOW = datetime(2026, 11, 21, 9, 0, tzinfo=UTC)
WINDOW_MS = 60_000
SETTINGS = """
auth:
  mode: team
  rateLimits:
    forget: {max: 3}
    batchForget: {max: 2}
    forceDelete: {max: 1}
    admin: {max: 2}
"""


@pytest.fixture
def team(tmp_path: Path) -> Iterator[Api]:
    with an_api(tmp_path / "agents", SETTINGS) as api:
        yield api


@pytest.fixture(scope="module")
def databases(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Database, Database]]:
    """Open one file twice, as two processes do."""
    path = tmp_path_factory.mktemp("limits") / "memories.db"
    fresh_database(path)
    first, second = Database(path), Database(path)
    yield first, second
    first.close()
    second.close()


def _ask(db: Database, key: str, at: datetime, most: int = 3) -> RateLimitExceeded | None:
    asked = Window(key=key, limit=RateLimit(window_ms=WINDOW_MS, max=most))
    return db.write_quick(limits.count, asked, now=at, longest_ms=WINDOW_MS)


def test_two_bursts_around_the_edge_of_a_window_are_refused(
    databases: tuple[Database, Database],
) -> None:
    first, second = databases
    for step, db in enumerate((first, second, first)):
        assert _ask(db, "edge", NOW + timedelta(seconds=50 + step)) is None
    refused = _ask(second, "edge", NOW + timedelta(seconds=61))
    assert refused is not None
    assert refused.retry_after_seconds == 49
    assert refused.facts == {"retryAfter": int((NOW.timestamp() + 110) * 1000)}
    assert _ask(first, "edge", NOW + timedelta(seconds=110)) is None
    assert _ask(second, "edge", NOW + timedelta(seconds=110)) is not None
    assert _ask(second, "other", NOW + timedelta(seconds=110)) is None


@given(
    steps=some.lists(some.integers(0, 40_000), min_size=1, max_size=25), most=some.integers(1, 4)
)
def test_no_window_ever_holds_more_than_the_limit(
    databases: tuple[Database, Database], steps: list[int], most: int
) -> None:
    first, second = databases
    first.write_quick(lambda tx: tx.run("DELETE FROM rate_limit_events"))
    at = NOW
    allowed: list[datetime] = []
    for index, step in enumerate(steps):
        at += timedelta(milliseconds=step)
        in_window = [one for one in allowed if at - one < timedelta(milliseconds=WINDOW_MS)]
        refused = _ask((first, second)[index % 2], "any", at, most)
        assert (refused is None) == (len(in_window) < most)
        if refused is None:
            allowed.append(at)
    rows = first.read(lambda tx: int(tx.value("SELECT COUNT(*) FROM rate_limit_events")))
    assert rows <= most


def test_rows_of_callers_that_rest_are_dropped(databases: tuple[Database, Database]) -> None:
    db, _ = databases
    for number in range(200):
        _ask(db, f"{number}", NOW + timedelta(minutes=number))
    rows = db.read(lambda tx: int(tx.value("SELECT COUNT(*) FROM rate_limit_events")))
    assert rows <= limits.SWEEP_EVERY + 1


def test_a_clock_that_was_set_back_locks_nobody_out(databases: tuple[Database, Database]) -> None:
    db, _ = databases
    for _ in range(3):
        assert _ask(db, "back", NOW + timedelta(days=1)) is None
    assert _ask(db, "back", NOW) is None


def test_an_endless_name_takes_no_more_room_than_any() -> None:
    long = limits.window("x" * 60_000, Quota.FORGET, RateLimits())
    assert len(long.key) < 100
    assert limits.window("ada", Quota.BATCH_FORGET, RateLimits()).key == "ada:batchForget"


def _save(api: Api, text: str, token: str) -> str:
    return str(api.post("/api/memory/remember", {"content": text}, **bearer(token)).body["id"])


def _forget(api: Api, memory_id: str, token: str, more: str = "") -> int:
    path = f"/api/memory/{memory_id}?reason=tidy{more}"
    return api.send("DELETE", path, headers=bearer(token)).status


def test_the_refusal_says_when_to_come_again(team: Api) -> None:
    token = a_token(team, "agent")
    for number in range(3):
        assert _forget(team, _save(team, f"Note {number}.", token), token) == 200
    refused = team.send("DELETE", "/api/memory/none", headers=bearer(token))
    seconds = int(refused.headers["retry-after"])
    assert 1 <= seconds <= 60
    told = f"rate limit exceeded; try again in {seconds} s"
    assert (refused.status, refused.error) == (429, told)
    assert refused.body["retryAfter"] > 1_700_000_000_000
    # Another caller has a budget of his own.
    assert _forget(team, "none", a_token(team, "agent", sub="bob")) == 404


def test_what_is_refused_is_not_counted(team: Api) -> None:
    readonly, agent = a_token(team, "readonly"), a_token(team, "agent")
    for _ in range(5):
        assert _forget(team, "none", readonly) == 403
    for _ in range(3):
        assert _forget(team, "none", agent) == 404
    for _ in range(5):
        assert _forget(team, "none", agent) == 429
    assert len(team.rows("rate_limit_events")) == 3


def test_force_has_a_limit_of_its_own_that_takes_nothing_from_the_other(team: Api) -> None:
    token = a_token(team, "agent")
    ids = [_save(team, f"Leaf {number}.", token) for number in range(4)]
    assert _forget(team, ids[0], token, "&force=true") == 200
    for _ in range(4):
        assert _forget(team, ids[1], token, "&force=true") == 429
    assert [_forget(team, one, token) for one in ids[1:]] == [200, 200, 429]


def test_forgetting_many_by_force_counts_too(team: Api) -> None:
    token = a_token(team, "agent")
    body = {"mode": "execute", "query": "leaf", "reason": "tidy", "force": True}
    said = [team.post("/api/memory/forget", body, **bearer(token)).status for _ in range(3)]
    assert said == [200, 429, 429]
    gentle = body | {"force": False}
    assert team.post("/api/memory/forget", gentle, **bearer(token)).status == 200
    assert team.post("/api/memory/forget", gentle, **bearer(token)).status == 429


def test_the_limit_comes_before_the_body_is_looked_at(team: Api) -> None:
    token = a_token(team, "admin")
    said = [team.post("/api/auth/token", b"{", **bearer(token)).status for _ in range(3)]
    assert said == [400, 400, 429]


def test_a_hybrid_caller_without_a_token_is_counted_by_the_name_he_gives(tmp_path: Path) -> None:
    with an_api(tmp_path / "agents", SETTINGS.replace("team", "hybrid")) as api:
        for actor in ("ada", "bob", ""):
            said = [
                api.send("DELETE", "/api/memory/none?reason=x", headers={"x-signet-actor": actor})
                for _ in range(4)
            ]
            assert [answer.status for answer in said] == [404, 404, 404, 429]
        keys = {row["key"] for row in api.rows("rate_limit_events")}
        assert keys == {"ada:forget", "bob:forget", "anonymous:forget"}


def test_local_mode_has_no_limits(api: Api) -> None:
    for _ in range(40):
        assert api.delete("/api/memory/none?reason=x&force=true").status == 404
    assert not api.rows("rate_limit_events")
