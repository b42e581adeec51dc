"""`GET /api/events`: one stream for all that happens, told by the real process about what another one does."""

import json
import signal
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

from signet import clock
from signet.db import Database
from signet.domain.auth.caller import OWNER, Caller, CallerStanding
from signet.domain.auth.tokens import TokenScope, claim
from signet.domain.memory import remember
from signet.domain.memory.models import Actor, NewMemory, Rules
from signet.queue import NewJob, enqueue
from signet.wire.access import Role
from signet_api.routes.events import Cursor, EventFollower
from signet_api.stream import MAX_LISTENERS
from support.http import Api, Served, a_workspace, an_api, served
from support.processes import PATIENCE_SECONDS, eventually
from support.tokens import HOUR, a_token, bearer

STREAM = "/api/events"


@pytest.fixture
def db(server: Served) -> Iterator[Database]:
    """Another process's hold on the file."""
    database = Database(server.workspace.database)
    yield database
    database.close()


@contextmanager
def listening(
    server: Served, query: str = "", **headers: str
) -> Iterator[Iterator[dict[str, Any]]]:
    """Listen; yields all messages."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    with server.client.stream("GET", STREAM + query, headers=named) as answer:
        assert answer.status_code == 200, answer.read()
        yield _messages(answer.iter_lines())


def _messages(lines: Iterator[str]) -> Iterator[dict[str, Any]]:
    message: dict[str, Any] = {}
    for line in lines:
        if line:
            name, _, value = line.partition(": ")
            message[name] = json.loads(value) if name == "data" else value
        elif "event" in message:
            yield message
            message = {}


def save(db: Database, text: str, **fields: Any) -> str:
    new = NewMemory(content=text, **fields)
    actor, rules = Actor(), Rules(extract=False, embed=False)
    return str(db.write(remember.remember, new, actor=actor, rules=rules, now=clock.now()).id)


def test_memories_jobs_and_sessions_of_any_process_are_told_without_text(
    server: Served, db: Database
) -> None:
    with listening(server) as messages:
        hello = next(messages)
        assert hello["event"] == "hello" and "memory" in hello["data"]["topics"]
        memory_id = save(db, "Flamingos are pink.")
        told = next(one for one in messages if one["event"] == "memory")
        assert told["data"] == {"kind": "created", "ids": [memory_id], "count": 1}
        job_id = db.write(enqueue, NewJob(kind="extract", memory_id=memory_id), now=clock.now())
        told = next(
            one for one in messages if one["event"] == "job" and job_id in one["data"]["ids"]
        )
        assert "Flamingos" not in json.dumps(told)
        started = {"harness": "codex", "sessionKey": "pond"}
        assert server.post("/api/hooks/session-start", started).status == 200
        told = next(one for one in messages if one["event"] == "session")
        assert "pond" in told["data"]["ids"]


def test_who_comes_again_hears_what_was_missed(server: Served, db: Database) -> None:
    with listening(server, "?topics=memory") as messages:
        next(messages)
        save(db, "Herons are grey.")
        last = next(messages)["id"]
    missed = [save(db, f"Heron {number} is grey.") for number in range(3)]
    with listening(server, "?topics=memory", last_event_id=last) as messages:
        assert next(messages)["event"] == "hello"
        told = next(messages)["data"]
        assert (told["kind"], told["ids"], told["count"]) == ("created", missed, 3)


def test_an_id_that_is_none_is_told_to_have_missed_something(server: Served) -> None:
    with listening(server, "?topics=memory", last_event_id="nonsense") as messages:
        assert [next(messages)["event"], next(messages)["event"]] == ["hello", "missed"]


def test_what_nobody_keeps_is_to_be_asked_again_after_a_gap(server: Served) -> None:
    with listening(server, "?topics=task,config") as messages:
        last = next(messages)["id"]
    with listening(server, "?topics=task,config", last_event_id=last) as messages:
        next(messages)
        told = [next(messages), next(messages)]
        kinds = {one["event"]: one["data"]["kind"] for one in told}
        assert kinds == {"task": "unknown", "config": "unknown"}


def test_only_so_many_listen_and_a_place_is_free_when_one_goes(server: Served) -> None:
    def is_open() -> bool:
        with server.client.stream("GET", f"{STREAM}?topics=memory") as answer:
            return answer.status_code == 200

    with ExitStack() as stack:
        open_streams = [
            stack.enter_context(listening(server, "?topics=memory")) for _ in range(MAX_LISTENERS)
        ]
        refused = server.get(STREAM)
        assert (refused.status, refused.body["code"]) == (429, "too_many_listeners")
        assert {next(one)["event"] for one in open_streams} == {"hello"}
        assert "end one of them" in refused.error
    eventually(is_open)


def test_a_stop_ends_the_stream_at_its_end(tmp_path: Path) -> None:
    with served(a_workspace(tmp_path / "agents")) as server, listening(server) as messages:
        assert next(messages)["event"] == "hello"
        server.process.send_signal(signal.SIGTERM)
        # A cut stream would raise httpx.RemoteProtocolError.
        assert {one["event"] for one in messages} <= {"health", "log", "process"}
        assert server.process.wait(PATIENCE_SECONDS) == 0
    assert not [line for line in server.printed if "error" in line.lower()]


def _follower(api: Api, caller: Caller, *topics: str) -> EventFollower:
    follower = EventFollower(api.state, caller, topics or ("memory", "session", "job"), None)
    api.all_of(follower.begin(None))
    return follower


def _told(api: Api, follower: EventFollower) -> dict[str, Any]:
    found = api.all_of(follower.poll()).decode()
    return {one["event"]: one["data"] for one in _messages(iter(found.split("\n")))}


def test_what_happens_between_two_looks_is_one_message_a_topic(api: Api) -> None:
    follower = _follower(api, OWNER)
    ids = [
        api.post("/api/memory/remember", {"content": f"Owl {n} sleeps."}).body["id"]
        for n in range(3)
    ]
    assert api.delete(f"/api/memory/{ids[0]}?reason=x").status == 200
    told = _told(api, follower)
    assert told["memory"] == {"kind": "several", "ids": ids, "count": 4}
    assert told["job"]["kind"] == "enqueued"
    assert api.all_of(follower.poll()) == b""


def test_settings_and_tasks_are_told_by_their_change(api: Api) -> None:
    follower = _follower(api, OWNER, "config", "task")
    api.configure("search: {alpha: 0.5}\n")
    assert _told(api, follower) == {
        "config": {"kind": "changed", "ids": ["agent.yaml"], "count": 1}
    }


def test_more_than_is_told_is_missed(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("signet_api.routes.events.MOST_ROWS", 2)
    follower = _follower(api, OWNER, "memory")
    for number in range(3):
        api.post("/api/memory/remember", {"content": f"Owl {number} sleeps."})
    assert "missed" in _told(api, follower)
    api.post("/api/memory/remember", {"content": "One more owl sleeps."})
    assert _told(api, follower)["memory"]["count"] == 1


@pytest.mark.parametrize("scope", [TokenScope(project="garden"), TokenScope(user="anna")])
def test_a_limited_token_hears_of_its_own_alone(api: Api, scope: TokenScope) -> None:
    api.add_agent("cato")
    limited = Caller(
        standing=CallerStanding.CLAIMS,
        claims=claim(sub="x", role=Role.AGENT, scope=scope, now=clock.now(), ttl=HOUR),
    )
    follower = _follower(api, limited)
    api.post("/api/memory/remember", {"content": "The shed is red.", "project": "shed"})
    inside = {"content": "The gate is green.", "project": "garden"}
    inside |= {"agentId": "user:anna"} if scope.user else {}
    memory_id = api.post("/api/memory/remember", inside).body["id"]
    told = _told(api, follower)
    assert told["memory"] == {"kind": "created", "ids": [memory_id], "count": 1}
    assert told["job"]["count"] == 1


def test_an_operator_follows_no_memory_and_no_job_of_a_user(api: Api) -> None:
    operator = Caller(
        standing=CallerStanding.CLAIMS,
        claims=claim(sub="x", role=Role.OPERATOR, now=clock.now(), ttl=HOUR),
    )
    follower = _follower(api, operator)
    _, shared = (
        api.post("/api/memory/remember", {"content": text, "agentId": agent}).body["id"]
        for text, agent in (("Anna's gate is green.", "user:anna"), ("The shed is red.", "default"))
    )
    events = _told(api, follower)
    assert (events["memory"]["ids"], events["job"]["count"]) == ([shared], 1)


def test_topics_ask_for_what_their_lists_ask_for(tmp_path: Path) -> None:
    with an_api(tmp_path / "agents", "auth: {mode: team}\n") as api:
        readonly = bearer(a_token(api, "readonly"))
        assert api.get(f"{STREAM}?topics=moods", **readonly).status == 400
        for topic in ("log", "job", "config", "task"):
            assert api.get(f"{STREAM}?topics={topic}", **readonly).status == 403, topic
        limited = bearer(a_token(api, "admin", scope=TokenScope(project="x")))
        operator = bearer(a_token(api, "operator", scope=TokenScope(project="x")))
        assert api.get(f"{STREAM}?topics=log", **operator).status == 403
        api.state.is_stopping = True
        assert api.get(STREAM, **limited).status == 503
        assert api.get(STREAM).status == 401


@pytest.mark.parametrize(
    "text", [None, "", "1", "1.2", "1.2.3", "a.b.c-d", "1.2.3-4.5", "-1.2.3-4"]
)
def test_only_a_cursor_is_one(text: str | None) -> None:
    assert Cursor.parse(text) is None
    assert str(Cursor.parse("1.2.3-4")) == "1.2.3-4"
