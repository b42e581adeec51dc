"""Bodies as real clients and broken ones send them, to the real process."""

import socket
from collections.abc import Iterator

import pytest

from support.http import Served
from support.processes import PATIENCE_SECONDS, eventually

#: One process for the whole file.
REMEMBER = "/api/memory/remember"
#: Beyond what any route takes: the longest document and what may stand beside it.
TOO_LARGE = 12 * 1024 * 1024


def in_chunks(body: bytes, size: int = 65_536) -> Iterator[bytes]:
    return (body[start : start + size] for start in range(0, len(body), size))


def exchange(server: Served, *parts: bytes, gives_up: bool = True) -> bytes:
    """Send bytes as they are and return everything that comes back until the server closes.

    Who gives up says at once that nothing more comes; what is not answered by then is not answered any more.
    """
    with socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE_SECONDS) as line:
        for part in parts:
            line.sendall(part)
        if gives_up:
            line.shutdown(socket.SHUT_WR)
        return b"".join(iter(lambda: line.recv(65_536), b""))


@pytest.mark.parametrize(
    "content_type",
    [
        None,
        "",
        "text/plain",
        "text/plain;charset=UTF-8",
        "application/json; charset=utf-8",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "nonsense",
    ],
)
def test_json_is_read_whatever_the_content_type_says(
    server: Served, content_type: str | None
) -> None:
    headers = {} if content_type is None else {"content-type": content_type}
    answer = server.post(REMEMBER, {"content": f"Sent as {content_type!r}, said José."}, **headers)
    assert answer.status == 200
    assert answer.body["content"] == f"Sent as {content_type!r}, said José."


def test_a_body_in_chunks_is_read_whole(server: Served) -> None:
    body = b'{"content": "Sent in pieces."}'
    assert server.post(REMEMBER, in_chunks(body, 3)).body["content"] == "Sent in pieces."


def test_a_body_that_declares_too_much_is_refused_before_it_is_read(server: Served) -> None:
    refused = server.post(REMEMBER, b'{"content":"' + b"a" * TOO_LARGE + b'"}')
    assert (refused.status, refused.error) == (413, "Request body is too large")
    said = exchange(
        server,
        b"POST /api/memory/remember HTTP/1.1\r\nHost: localhost\r\n"
        b"Content-Length: 99999999999\r\n\r\n{}",
    )
    assert said.startswith(b"HTTP/1.1 413 ")
    assert b'{"error":"Request body is too large","code":"too_large"}' in said


def test_a_body_that_grows_too_large_on_its_way_is_refused_and_the_connection_stays_sane(
    server: Served,
) -> None:
    refused = server.post(REMEMBER, in_chunks(b'{"content":"' + b"a" * TOO_LARGE + b'"}'))
    assert (refused.status, refused.error) == (413, "Request body is too large")
    assert server.post(REMEMBER, {"content": "Next on the line."}).status == 200


def test_two_requests_on_one_line_are_answered_apart_when_the_first_is_too_large(
    server: Served,
) -> None:
    head = b"POST /api/memory/remember HTTP/1.1\r\nHost: localhost\r\n"
    said = exchange(
        server,
        head + f"Content-Length: {TOO_LARGE}\r\n\r\n".encode(),
        b"a" * TOO_LARGE,
        b"GET /health/live HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
        gives_up=False,
    )
    assert said.count(b"HTTP/1.1 ") == 2
    assert said.startswith(b"HTTP/1.1 413 ") and said.endswith(b'{"status":"live"}')


def test_a_body_cut_off_in_the_middle_stores_nothing(server: Served) -> None:
    before = server.get("/api/memories").body["stats"]["total"]
    exchange(
        server,
        b"POST /api/memory/remember HTTP/1.1\r\nHost: localhost\r\nContent-Length: 60\r\n\r\n"
        b'{"content": "Half of a',
    )
    assert server.get("/api/memories").body["stats"]["total"] == before
    assert server.get("/health/live").status == 200


@pytest.mark.parametrize("path", [REMEMBER, "/api/hooks/remember", "/api/memory/recall"])
def test_who_leaves_while_a_body_is_read_is_no_error_of_ours(server: Served, path: str) -> None:
    def answered() -> dict[str, float]:
        label = f'signet_http_requests_total{{method="POST",route="{path}",status="'
        lines = [line for line in server.get("/metrics").body.splitlines() if label in line]
        return {line.split('"')[-2]: float(line.split()[-1]) for line in lines}

    before = answered()
    head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 60\r\n\r\n"
    exchange(server, head.encode(), b'{"content": "Half of a')
    eventually(lambda: answered() != before)
    assert answered() == before | {"400": before.get("400", 0) + 1}


def test_what_the_description_names_stands_in_it(server: Served) -> None:
    description = server.get("/openapi.json").body

    def named(part: object) -> Iterator[str]:
        for key, value in part.items() if isinstance(part, dict) else ():
            yield from [value] if key == "$ref" else named(value)
        for value in part if isinstance(part, list) else ():
            yield from named(value)

    names = set(named(description))
    assert names
    for name in names:
        place = description
        for step in name.removeprefix("#/").split("/"):
            place = place[step]


def test_what_is_no_http_ends_the_connection_and_nothing_else(server: Served) -> None:
    assert exchange(server, b"\x16\x03\x01\x02\x00\x01\x00").startswith(b"HTTP/1.1 400 ")
    assert server.get("/health/live").status == 200
