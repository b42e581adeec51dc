"""`signet-mcp`: the Model Context Protocol over stdin and stdout, one JSON-RPC message per line.

Each message goes to the daemon's `/mcp`; without a daemon it introduces itself and lists its tools all the same, and
each tool says how to start the daemon. Nothing but messages is ever written to stdout. It starts in a few hundredths
of a second because it imports little more than a socket.
"""

import json
import sys
import threading
from collections.abc import Callable, Iterable
from typing import BinaryIO

from signet.client import target, transport
from signet.client.call import Call as Request
from signet.client.errors import Unavailable
from signet.errors import SignetError
from signet.mcp import protocol
from signet.mcp.protocol import Call, Reply

#: Longer than any tool may take.
SECONDS = 65.0
#: Messages that are answered at once: a slow tool does not hold up the others.
AT_ONCE = 16

_ACCEPTED = (200, 202, 400)


def main() -> int:
    """Answer until stdin ends, and return the exit status."""
    try:
        serve(sys.stdin.buffer, sys.stdout.buffer)
    except (KeyboardInterrupt, BrokenPipeError):  # whoever asked is gone
        return 0
    return 0


def serve(lines: Iterable[bytes], out: BinaryIO) -> None:
    """Answer each line, several at once; returns when all are answered."""
    writing = threading.Lock()
    free = threading.BoundedSemaphore(AT_ONCE)
    threads: list[threading.Thread] = []

    def work(line: bytes) -> None:
        try:
            reply = answer(line)
            if reply is not None:
                with writing:
                    out.write(json.dumps(reply).encode() + b"\n")
                    out.flush()
        finally:
            free.release()

    for line in lines:
        if line.strip():
            free.acquire()
            threads = [thread for thread in threads if thread.is_alive()]
            threads.append(_started(work, line))
    for thread in threads:
        thread.join()


def answer(line: bytes) -> object:
    """Return the reply to a line, or to each of its messages; None when nobody waits for one."""
    try:
        said = json.loads(line)
    except (ValueError, RecursionError):
        return protocol.error(None, protocol.PARSE_ERROR, "Parse error")
    if not isinstance(said, list):
        return _answer(said)
    replies = [reply for reply in map(_answer, said) if reply is not None]
    return replies or None


def _answer(message: object) -> object:
    read = protocol.read(message)
    if read is None or (isinstance(read, dict) and "error" in read):
        return read
    try:
        return _asked(message)
    except SignetError as error:
        return _alone(read, error)


def _asked(message: object) -> object:
    """Return what the daemon replies; raises SignetError when it cannot."""
    found = target.find(actor="mcp-server", actor_type="harness", timeout_seconds=SECONDS)
    body = message if isinstance(message, dict) else {}
    reply = transport.send(found, Request(method="POST", path="/mcp", body=body))
    try:
        said = json.loads(reply.body) if reply.body else None
    except ValueError as error:
        raise Unavailable(f"{found.url} answered, but not as a Signet daemon does") from error
    if reply.status not in _ACCEPTED:
        why = said.get("error") if isinstance(said, dict) else None
        raise Unavailable(str(why or f"the daemon answered {reply.status}"))
    return said


def _alone(read: Reply | Call, error: SignetError) -> Reply:
    return protocol.failure(read, error.message) if isinstance(read, Call) else read


def _started(work: Callable[[bytes], None], line: bytes) -> threading.Thread:
    thread = threading.Thread(target=work, args=(line,), daemon=True)
    thread.start()
    return thread


if __name__ == "__main__":
    sys.exit(main())
