"""Agents that know of each other and speak with each other: presence, messages, the stream."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any, ClassVar

import httpx
import pytest

from signet import clock
from signet.domain.agents.presence import LIFE
from signet.domain.auth import tokens
from signet.wire.access import Role
from support.http import Api, Served, a_workspace, an_api, served
from support.ports import free_port

PRESENCE, MESSAGES = "/api/cross-agent/presence", "/api/cross-agent/messages"


def arrive(api: Api, key: str, **more: object) -> dict[str, Any]:
    said = api.post(PRESENCE, {"harness": "codex", "sessionKey": key, **more})
    assert said.status == 200, said.body
    return dict(said.body["presence"])


def there(api: Api, query: str = "") -> set[str]:
    body = api.get(f"{PRESENCE}{query}").body
    assert body["count"] == len(body["sessions"])
    return {one["sessionKey"] for one in body["sessions"]}


def send(api: Api, content: str, **more: object) -> dict[str, Any]:
    said = api.post(MESSAGES, {"content": content, **more})
    assert said.status == 200, said.body
    return dict(said.body["message"])


def inbox(api: Api, query: str = "") -> list[str]:
    body = api.get(f"{MESSAGES}{query}").body
    assert body["count"] == len(body["items"])
    return [one["content"] for one in body["items"]]


def test_sessions_come_are_seen_by_others_and_go(api: Api) -> None:
    first = arrive(api, "a", project="/boat", provider="openai")
    assert first == {
        "sessionKey": "a",
        "agentId": "default",
        "harness": "codex",
        "project": "/boat",
        "runtimePath": None,
        "provider": "openai",
        "startedAt": first["lastSeenAt"],
        "lastSeenAt": first["lastSeenAt"],
    }
    arrive(api, "b", project="/shed")
    arrive(api, "agent:scout:1", project="/boat")
    assert there(api) == {"a", "b", "agent:scout:1"}
    assert there(api, "?session_key=a") == {"b", "agent:scout:1"}
    assert there(api, "?session_key=a&include_self=true&project=/boat") == {"a", "agent:scout:1"}
    # Without a session, an agent's own are all of its sessions.
    assert there(api, "?agent_id=default") == {"agent:scout:1"}
    assert len(there(api, "?limit=1")) == 1
    again = arrive(api, "a", runtimePath="plugin")
    assert (again["project"], again["runtimePath"]) == ("/boat", "plugin")
    assert api.delete(f"{PRESENCE}/a").body == {"removed": True}
    assert api.delete(f"{PRESENCE}/a").body == {"removed": False}
    api.run("UPDATE agent_presence SET seen_at = ?", clock.to_text(clock.now() - LIFE * 2))
    assert there(api) == set()


def test_a_session_without_a_key_is_known_by_its_agent_and_harness(api: Api) -> None:
    body = api.post(PRESENCE, {"harness": "codex", "agentId": "scout"}).body["presence"]
    assert (body["agentId"], body["sessionKey"]) == ("scout", "agent:scout:codex")
    assert api.post(PRESENCE, {"sessionKey": "a"}).error == "harness is required"


def test_a_message_waits_for_those_it_is_for(api: Api) -> None:
    arrive(api, "b", agentId="bert")
    told = send(api, "to anna", fromAgentId="bert", toAgentId="anna", type="question")
    assert (told["fromAgentId"], told["toAgentId"], told["type"]) == ("bert", "anna", "question")
    assert (told["deliveryPath"], told["deliveryStatus"], told["deliveryError"]) == (
        "local",
        "delivered",
        None,
    )
    send(api, "to a session of bert", fromAgentId="anna", toSessionKey="b")
    send(api, "to a session of cleo", fromAgentId="anna", toSessionKey="agent:cleo:1")
    send(api, "to all", fromAgentId="anna", broadcast=True)
    assert inbox(api, "?agent_id=anna") == ["to all", "to anna"]
    assert inbox(api, "?agent_id=anna&include_sent=true") == [
        "to all",
        "to a session of cleo",
        "to a session of bert",
        "to anna",
    ]
    assert inbox(api, "?agent_id=bert") == ["to all", "to a session of bert"]
    assert inbox(api, "?session_key=b") == ["to all", "to a session of bert"]
    assert inbox(api, "?agent_id=bert&session_key=other") == ["to all"]
    assert inbox(api, "?session_key=agent:cleo:1&include_broadcast=false") == [
        "to a session of cleo"
    ]
    assert inbox(api) == ["to all"]
    assert inbox(api, "?limit=1&agent_id=bert") == ["to all"]
    later = clock.to_text(clock.now() + timedelta(minutes=1))
    assert inbox(api, f"?since={later}") == []
    assert api.get(f"{MESSAGES}?since=soon").status == 400


def test_a_broadcast_reaches_the_other_clients_of_its_agent(api: Api) -> None:
    send(api, "from nobody", broadcast=True)
    send(api, "from a", broadcast=True, fromSessionKey="a")
    assert inbox(api) == ["from a", "from nobody"]
    assert inbox(api, "?agent_id=default") == ["from a", "from nobody"]
    assert inbox(api, "?session_key=b") == ["from a", "from nobody"]
    assert inbox(api, "?session_key=a") == ["from nobody"]
    assert inbox(api, "?agent_id=other") == ["from a", "from nobody"]
    assert inbox(api, "?include_broadcast=false") == []


@pytest.mark.parametrize(
    ("body", "error"),
    [
        ({}, "content is required"),
        ({"content": " \n"}, "content is required"),
        ({"content": "x" * 65_537, "broadcast": True}, "content may have 65536 characters"),
        (
            {"content": "x", "broadcast": True, "type": "gossip"},
            "unsupported message type 'gossip'",
        ),
        ({"content": "x"}, "toAgentId, toSessionKey or broadcast is required"),
        ({"content": "x", "toAgentId": " "}, "toAgentId, toSessionKey or broadcast is required"),
        ({"content": "x", "broadcast": True, "via": "pigeon"}, "via must be local or acp"),
    ],
    ids=["none", "blank", "long", "type", "nobody", "empty", "way"],
)
def test_what_cannot_be_sent_is_refused(api: Api, body: dict[str, object], error: str) -> None:
    refused = api.post(MESSAGES, body)
    assert (refused.status, refused.error) == (400, error)
    assert api.rows("agent_messages") == []


def test_nobody_speaks_or_reads_for_a_session_of_another_agent(api: Api) -> None:
    arrive(api, "b", agentId="bert")
    for key in ("b", "agent:bert:1"):
        sent = {"content": "x", "broadcast": True, "fromAgentId": "anna", "fromSessionKey": key}
        assert api.post(MESSAGES, sent).status == 403
        for path in (MESSAGES, PRESENCE, "/api/cross-agent/stream"):
            assert api.get(f"{path}?agent_id=anna&session_key={key}").status == 403
            assert api.get(f"{path}?session_key={key}", x_signet_agent_id="anna").status == 403
        assert api.send("DELETE", f"{PRESENCE}/{key}?agent_id=anna").status == 403
        arrived = {"harness": "codex", "sessionKey": key, "agentId": "anna"}
        assert api.post(PRESENCE, arrived).status == 403
    assert api.rows("agent_messages") == [] and there(api) == {"b"}


def test_old_messages_go_when_the_next_one_is_sent(api: Api) -> None:
    send(api, "old", broadcast=True, fromAgentId="anna")
    api.run("UPDATE agent_messages SET created_at = '2020-01-01T00:00:00.000Z'")
    send(api, "new", broadcast=True, fromAgentId="anna")
    assert inbox(api) == ["new"]


def test_a_token_of_one_agent_speaks_and_reads_for_it_alone(tmp_path: Path) -> None:
    settings = (
        "auth:\n  mode: team\n  rateLimits:\n    cross-agent-message: {windowMs: 60000, max: 2}\n"
    )
    with an_api(tmp_path / "agents", settings) as api:
        anna, bert = (bearer(api, tokens.TokenScope(agent=name)) for name in ("anna", "bert"))
        project = bearer(api, tokens.TokenScope(project="/boat"))
        sent = api.post(MESSAGES, {"content": "hello", "toAgentId": "bert"}, authorization=anna)
        assert sent.body["message"]["fromAgentId"] == "anna"
        assert api.get(f"{MESSAGES}?agent_id=bert", authorization=anna).status == 403
        [got] = api.get(MESSAGES, authorization=bert).body["items"]
        assert got["content"] == "hello"
        as_bert = {"content": "x", "broadcast": True, "fromAgentId": "bert"}
        assert api.post(MESSAGES, as_bert, authorization=anna).status == 403
        assert api.get(MESSAGES).status == 401
        assert api.get(MESSAGES, authorization=project).status == 403
        api.post(PRESENCE, {"harness": "codex", "project": "/shed"}, authorization=anna)
        api.post(PRESENCE, {"harness": "codex"}, authorization=project)
        [seen] = api.get(PRESENCE, authorization=project).body["sessions"]
        assert seen["project"] == "/boat"
        # The refused one counted too.
        limited = api.post(MESSAGES, {"content": "x", "broadcast": True}, authorization=anna)
        assert (limited.status, limited.body["code"]) == (429, "rate_limited")


def bearer(api: Api, scope: tokens.TokenScope) -> str:
    lasting = timedelta(minutes=1)
    claims = tokens.claim(
        sub=f"{scope.agent}-{scope.project}",
        role=Role.AGENT,
        scope=scope,
        now=clock.now(),
        ttl=lasting,
    )
    return f"Bearer {tokens.sign(claims, api.state.authority.secret)}"


class Relay(BaseHTTPRequestHandler):
    """A server elsewhere that takes runs."""

    heard: ClassVar[list[Any]] = []

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.heard.append((self.path, body))
        self.send_response(200 if body["agent_name"] == "pilot" else 404)
        self.send_header("content-length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@pytest.fixture
def relay() -> Iterator[str]:
    Relay.heard.clear()
    with HTTPServer(("127.0.0.1", 0), Relay) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def test_no_message_leaves_the_machine_unless_the_settings_allow_it(api: Api, relay: str) -> None:
    acp = {"baseUrl": relay, "targetAgentName": "pilot"}
    refused = api.post(MESSAGES, {"content": "x", "via": "acp", "acp": acp})
    assert (refused.status, refused.body["code"]) == (403, "acp_disabled")
    assert "agents.acp: true" in refused.error
    assert Relay.heard == [] and api.rows("agent_messages") == []


def test_a_message_is_handed_to_a_relay_and_its_failure_is_kept(tmp_path: Path, relay: str) -> None:
    with an_api(tmp_path / "agents", "agents:\n  acp: true\n") as api:
        acp = {"baseUrl": relay, "targetAgentName": "pilot"}
        told = send(api, "land ho", via="acp", acp=acp)
        assert (told["deliveryPath"], told["deliveryStatus"]) == ("acp", "delivered")
        [(path, body)] = Relay.heard
        assert (path, body["agent_name"]) == ("/runs", "pilot")
        assert body["input"][0]["parts"][0]["content"] == "land ho"
        flat = {"acpBaseUrl": relay, "acpTargetAgentName": "nobody"}
        lost = send(api, "hello?", via="acp", **flat)
        assert (lost["deliveryStatus"], lost["deliveryError"]) == (
            "failed",
            "the relay answered 404",
        )
        gone = {
            "baseUrl": f"http://127.0.0.1:{free_port()}",
            "targetAgentName": "x",
            "timeoutMs": 500,
        }
        assert "cannot connect" in send(api, "hello?", via="acp", acp=gone)["deliveryError"]
        assert api.post(MESSAGES, {"content": "x", "via": "acp"}).status == 400


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(a_workspace(tmp_path_factory.mktemp("served") / "agents")) as running:
        yield running


@contextmanager
def listening(server: Served, query: str, **headers: str) -> Iterator[Iterator[dict[str, Any]]]:
    """Follow the stream as `EventSource.onmessage` does; its events, each with its id if it has one."""
    address = f"http://127.0.0.1:{server.port}/api/cross-agent/stream{query}"
    with (
        httpx.Client(timeout=30.0, trust_env=False) as client,
        client.stream("GET", address, headers=headers) as it,
    ):
        assert it.status_code == 200
        yield _events(it.iter_lines())


def _events(lines: Iterator[str]) -> Iterator[dict[str, Any]]:
    fields: dict[str, str] = {}
    for line in lines:
        if line:
            name, _, value = line.partition(": ")
            fields[name] = value
        elif "data" in fields:
            data = json.loads(fields["data"])
            assert fields.keys() <= {"data", "id"}  # a named event does not reach `onmessage`
            assert clock.parse(data["timestamp"]) <= clock.now()
            yield data | {"id": fields.get("id")}
            fields = {}


def test_the_stream_tells_who_comes_and_what_is_said(server: Served) -> None:
    def say(content: str) -> None:
        body = {"content": content, "fromAgentId": "bert", "toAgentId": "anna"}
        assert server.post(MESSAGES, body).status == 200

    say("before")
    with listening(server, "?agent_id=anna") as events:
        hello, snapshot = next(events), next(events)
        assert (hello["type"], hello["agentId"]) == ("connected", "anna")
        assert (hello["sessionKey"], hello["project"]) == (None, None)
        assert snapshot["type"] == "snapshot" and snapshot["presence"] == []
        assert [one["content"] for one in snapshot["messages"]] == ["before"]
        server.post(PRESENCE, {"harness": "codex", "sessionKey": "b", "agentId": "bert"})
        came = next(events)
        assert (came["type"], came["action"], came["activeCount"]) == ("presence", "upsert", 1)
        assert came["presence"]["sessionKey"] == "b"
        say("now")
        said = next(events)
        assert (said["type"], said["message"]["content"]) == ("message", "now")
        # What is for others is not told.
        server.post(MESSAGES, {"content": "x", "fromAgentId": "bert", "toAgentId": "cleo"})
        moved = {"harness": "codex", "sessionKey": "b", "agentId": "bert", "project": "/boat"}
        server.post(PRESENCE, moved)
        assert next(events)["presence"]["project"] == "/boat"
        server.send("DELETE", f"{PRESENCE}/b")
        left = next(events)
        assert (left["action"], left["activeCount"]) == ("remove", 0)
        assert left["presence"]["sessionKey"] == "b"
    say("while nobody listened")
    with listening(server, "?agent_id=anna", **{"last-event-id": str(said["id"])}) as events:
        next(events)
        missed = next(events)
        assert [one["content"] for one in missed["messages"]] == ["while nobody listened"]
