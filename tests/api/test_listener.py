"""The socket that the API listens on."""

import asyncio
import socket

import pytest

from signet_api.main import SOCKET_FD, listener


async def accepted_without_delay(listening: socket.socket) -> bool:
    """Return whether asyncio switched Nagle's algorithm off for a connection to the socket."""
    seen: asyncio.Future[bool] = asyncio.get_running_loop().create_future()

    def look(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        accepted = writer.get_extra_info("socket")
        seen.set_result(bool(accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)))
        writer.close()

    server = await asyncio.start_server(look, sock=listening)
    async with server:
        _, writer = await asyncio.open_connection(*listening.getsockname())
        answer = await seen
        writer.close()
    return answer


@pytest.mark.parametrize("is_given", [False, True])
def test_answers_are_not_held_back(monkeypatch: pytest.MonkeyPatch, is_given: bool) -> None:
    with socket.create_server(("127.0.0.1", 0)) as given:
        if is_given:
            monkeypatch.setenv(SOCKET_FD, str(given.fileno()))
        listening = listener("127.0.0.1", 0)
    assert asyncio.run(accepted_without_delay(listening))
