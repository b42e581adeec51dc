"""What a client does when the other side is slow, broken, busy, or no daemon at all."""

import json

import pytest

from client.speaking import Speaker, drips, loopback, raw, resets, sends
from signet.client import (
    BadAnswer,
    Conflict,
    ConnectionBroken,
    DaemonNotRunning,
    DaemonSilent,
    RateLimited,
    Unavailable,
)
from signet.client.calls import Calls
from signet.client.plain import pause_seconds
from signet.errors import Forbidden, Invalid, Kind, NotFound, SignetError, TooLarge
from support.ports import free_port
from support.processes import eventually

FINE = sends(200, b'{"features": true}')
LATER = sends(503, b'{"error": "The database is locked", "code": "storage_busy"}', "Retry-After: 0")


def test_a_server_that_drips_is_given_up_when_the_time_is_over(speaker: type[Speaker]) -> None:
    with loopback(drips) as server, pytest.raises(DaemonSilent):
        speaker(url=server.url, environ={}, timeout_seconds=0.3).do("features")


def test_a_server_that_says_nothing_is_not_called_down(speaker: type[Speaker]) -> None:
    def waits(connection: object) -> None:
        connection.recv(1)  # type: ignore[attr-defined]  # a socket; ends when the client has gone

    with loopback(waits) as server:
        with pytest.raises(DaemonSilent, match="signet daemon restart"):
            speaker(url=server.url, environ={}, timeout_seconds=0.2).do("features")
        eventually(lambda: bool(server.heard))
    assert len(server.heard) == 1


def test_nobody_there_is_said_at_once(speaker: type[Speaker]) -> None:
    nobody = speaker(url=f"http://127.0.0.1:{free_port()}", environ={})
    with pytest.raises(DaemonNotRunning, match="signet daemon start"):
        nobody.do("features")


@pytest.mark.parametrize(
    "broken",
    [
        resets,
        raw(b""),
        sends(200, b'{"features": tr', length=40),
        raw(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n20\r\n{"),
        raw(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{}\r\n0\r\n\r\n"),
        raw(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n{}\r\n"),
        raw(b"HTTP/1.1 200 OK\r\nContent-Length: -2\r\n\r\n{}"),
        raw(b"HTTP/1.1 200 OK\r\nno header\r\n\r\n{}"),
    ],
    ids=[
        "reset",
        "closed",
        "cut",
        "cut-chunk",
        "long-chunk",
        "no-chunk",
        "length",
        "header",
    ],
)
def test_a_read_is_sent_again_when_the_connection_breaks(
    speaker: type[Speaker], broken: object
) -> None:
    with loopback(broken, FINE) as server:  # type: ignore[arg-type]  # pytest knows no types of parameters
        assert speaker(url=server.url, environ={}).do("features") == {"features": True}
        assert len(server.heard) == 2
    with loopback(broken) as server:  # type: ignore[arg-type]
        with pytest.raises(ConnectionBroken):
            speaker(url=server.url, environ={}, retries=1).do("features")
        assert len(server.heard) == 2


@pytest.mark.parametrize(
    "other",
    [
        raw(b"SSH-2.0-OpenSSH\r\n"),
        sends(200, b"<html>Hello</html>", "Content-Type: text/html"),
        sends(404, b"Not Found"),
        sends(200, b"[1, 2]"),
    ],
    ids=["ssh", "page", "missing", "list"],
)
def test_another_program_on_the_port_is_named(speaker: type[Speaker], other: object) -> None:
    with loopback(other) as server:  # type: ignore[arg-type]
        client = speaker(url=server.url, environ={})
        with pytest.raises(BadAnswer, match=f"^Another program.* at {server.url}.*--port NUMBER"):
            client.do("features")
        assert len(server.heard) == 1


def test_a_careful_client_believes_only_a_signet_daemon(speaker: type[Speaker]) -> None:
    ours = sends(200, b'{"features": true}', "X-Signet-Request-Id: 1")
    for act, is_ours in ((ours, True), (FINE, False), (sends(404, b'{"error": "no"}'), False)):
        with loopback(act) as server:
            careful = speaker(url=server.url, environ={}, only_signet=True)
            if is_ours:
                assert careful.do("features") == {"features": True}
            else:
                with pytest.raises(BadAnswer, match="Another program"):
                    careful.do("features")


@pytest.mark.parametrize(
    "whole",
    [
        b'HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n9;a=b\r\n{"feature\r\n9\r\ns": true}\r\n0\r\n\r\n',
        b'HTTP/1.0 200\r\nContent-Length:18\r\n\r\n{"features": true}and more',
        b'HTTP/1.1 200 OK\r\nX-Empty:\r\n\r\n{"features": true}',
    ],
    ids=["chunks", "length", "end"],
)
def test_a_reply_ends_as_it_says(speaker: type[Speaker], whole: bytes) -> None:
    with loopback(raw(whole)) as server:
        assert speaker(url=server.url, environ={}, retries=0).do("features") == {"features": True}


def test_a_write_is_sent_once_unless_it_has_a_key(speaker: type[Speaker]) -> None:
    with loopback(resets, FINE) as server:
        client = speaker(url=server.url, environ={})
        with pytest.raises(ConnectionBroken):
            client.do("remember", "Tea is at four.")
        assert len(server.heard) == 1
    with loopback(resets, LATER, FINE) as server:
        client = speaker(url=server.url, environ={})
        assert client.do("remember", "Tea is at four.", idempotency_key="k") == {"features": True}
        assert len(server.heard) == 3
        assert all('"idempotency_key": "k"' in request for request in server.heard)


def test_who_is_busy_is_asked_again_as_often_as_the_caller_wants(speaker: type[Speaker]) -> None:
    with loopback(LATER, LATER, FINE) as server:
        assert speaker(url=server.url, environ={}).do("recall", "tea") == {"features": True}
        assert len(server.heard) == 3
    with loopback(LATER) as server:
        with pytest.raises(Unavailable, match="locked") as raised:
            speaker(url=server.url, environ={}, retries=0).do("recall", "tea")
        assert (raised.value.code, raised.value.retry_after) == ("storage_busy", 0.0)
        assert len(server.heard) == 1


def test_who_asks_for_a_long_wait_or_is_frozen_is_not_asked_again(speaker: type[Speaker]) -> None:
    limited = sends(429, b'{"error": "Slow down"}', "Retry-After: 60")
    with loopback(limited) as server:
        with pytest.raises(RateLimited, match="Slow down") as raised:
            speaker(url=server.url, environ={}).do("features")
        assert raised.value.retry_after == 60.0
        assert len(server.heard) == 1
    frozen = sends(503, b'{"error": "Frozen", "code": "mutations_frozen"}', "Retry-After: 0")
    with loopback(frozen) as server:
        with pytest.raises(Unavailable):
            speaker(url=server.url, environ={}).do("remember", "Tea", idempotency_key="k")
        assert len(server.heard) == 1


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (200, b"<html>hello</html>"),
        (200, b"[1]"),
        (200, b'{"half": '),
        (200, b"\xff\xfe"),
        (502, b"Bad gateway"),
        (404, b'{"detail": "nothing"}'),
    ],
)
def test_an_answer_that_is_not_ours_is_told_from_a_refusal(
    speaker: type[Speaker], status: int, body: bytes
) -> None:
    with loopback(sends(status, body)) as server:
        with pytest.raises(BadAnswer):
            speaker(url=server.url, environ={}).do("features")
        assert len(server.heard) == 1


def test_a_list_that_is_not_there_is_no_empty_list(speaker: type[Speaker]) -> None:
    with loopback(FINE) as server, pytest.raises(BadAnswer, match="jobs"):
        speaker(url=server.url, environ={}).do("jobs")


@pytest.mark.parametrize(
    ("status", "error"),
    [(400, Invalid), (403, Forbidden), (404, NotFound), (409, Conflict), (413, TooLarge)],
)
def test_a_refusal_is_raised_as_the_error_of_its_kind(
    speaker: type[Speaker], status: int, error: type[SignetError]
) -> None:
    body = json.dumps({"error": "so it is", "code": "a_code", "status": "x", "n": 1}).encode()
    with loopback(sends(status, body)) as server, pytest.raises(error, match="so it is") as raised:
        speaker(url=server.url, environ={}).do("features")
    assert (raised.value.code, raised.value.kind) == ("a_code", error.kind)
    assert raised.value.facts == {"status": "x", "n": 1, "http_status": status}
    assert error.code != "a_code"


@pytest.mark.parametrize(
    ("status", "kind"),
    [(401, Kind.UNAUTHENTICATED), (429, Kind.LIMITED), (503, Kind.UNAVAILABLE), (500, Kind.BROKEN)],
)
def test_other_refusals_keep_their_kind(status: int, kind: Kind, speaker: type[Speaker]) -> None:
    with (
        loopback(sends(status, b'{"error": "no"}')) as server,
        pytest.raises(SignetError, match="no") as raised,
    ):
        speaker(url=server.url, environ={}, retries=0).do("features")
    assert raised.value.kind == kind


def test_token_agent_and_actor_are_sent(speaker: type[Speaker]) -> None:
    environ = {"SIGNET_TOKEN": "t0ken", "SIGNET_AGENT_ID": "ada"}
    with loopback(FINE) as server:
        speaker(url=server.url, environ=environ, actor="me").do("features")
        speaker(url=server.url, environ=environ, token="own", agent_id="bob").do("features")
    first, second = (request.lower() for request in server.heard)
    assert "authorization: bearer t0ken" in first and "x-signet-agent-id: ada" in first
    assert "x-signet-actor: me" in first and "x-signet-actor-type: sdk" in first
    assert "authorization: bearer own" in second and "x-signet-agent-id: bob" in second


@pytest.mark.parametrize("name", ["Zoë", "Аня", "👩\u200d🚀"])
def test_a_name_of_any_script_is_sent_as_utf_8(speaker: type[Speaker], name: str) -> None:
    with loopback(FINE) as server:
        speaker(url=server.url, environ={}, actor=name).do("features")
    assert f"X-Signet-Actor: {name}" in server.heard[0]


def test_what_no_header_can_carry_is_refused_and_not_shown(speaker: type[Speaker]) -> None:
    for token in ("s3cret\n", "s3cret\r\nX-Signet-Actor: me", "s3cret\0", "s3cret\ud800"):
        with pytest.raises(Invalid) as raised:
            speaker(url="http://127.0.0.1:1", environ={}, token=token)
        assert "s3cret" not in str(raised.value)


@pytest.mark.parametrize(
    "url", ["127.0.0.1:3850", "ftp://127.0.0.1", "http://", "http://127.0.0.1:99999", "http://[::1"]
)
def test_an_address_that_is_none_is_not_called_a_daemon_that_is_down(
    speaker: type[Speaker], url: str
) -> None:
    with pytest.raises(Invalid, match="not the URL of a daemon"):
        speaker(url=url, environ={})


@pytest.mark.parametrize(
    "environ",
    [{"SIGNET_DAEMON_URL": "ftp://localhost:99"}, {"SIGNET_PORT": "abc"}, {"SIGNET_HOST": "x y"}],
)
def test_an_address_of_the_environment_that_is_none_is_not_passed_over(
    speaker: type[Speaker], environ: dict[str, str]
) -> None:
    with pytest.raises(Invalid, match=next(iter(environ))):
        speaker(environ=environ)
    speaker(environ=environ, url="http://127.0.0.1:1")


def test_a_proxy_of_the_environment_is_not_asked(
    speaker: type[Speaker], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", f"http://127.0.0.1:{free_port()}")
    with loopback(FINE) as server:
        assert speaker(url=server.url, environ={}).do("features") == {"features": True}


def test_pauses_grow_and_only_harmless_calls_have_one() -> None:
    read, write = Calls.status(), Calls.forget("id", reason="old")
    broken, busy = ConnectionBroken(), Unavailable(http_status=503)
    pauses = [pause_seconds(read, broken, attempt=n, retries=3) for n in range(4)]
    assert pauses == [0.1, 0.2, 0.4, None]
    assert pause_seconds(Calls.recall("x"), busy, attempt=0, retries=1) == 0.1
    assert pause_seconds(read, DaemonNotRunning(), attempt=0, retries=1) is None
    assert pause_seconds(read, DaemonSilent(), attempt=0, retries=1) is None
    assert pause_seconds(read, NotFound(), attempt=0, retries=1) is None
    assert pause_seconds(write, broken, attempt=0, retries=1) is None
