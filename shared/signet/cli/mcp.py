"""`signet-mcp`: the Model Context Protocol over stdin and stdout, one JSON-RPC message per line.

Forwards each message to the daemon's `/mcp`. Without a daemon it answers `initialize` and `tools/list` itself, and
each tool reports how to start the daemon. Only messages go to stdout. The program starts in a few hundredths of a
second, because it imports little more than a socket.
"""

import json
import os
import sys
import threading
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import BinaryIO

from signet.client import target, transport
from signet.client.call import Call as Request
from signet.client.errors import refusal
from signet.domain.projects import folder as projects
from signet.domain.sessions.spool import Entry
from signet.errors import SignetError, Unavailable
from signet.mcp import protocol
from signet.mcp.protocol import ToolCall
from signet.mcp.tools import TOOLS
from signet.paths import Workspace

#: Client timeout in seconds, above that of any tool.
SECONDS = 65.0
#: Messages processed concurrently, so that a slow tool does not block others.
AT_ONCE = 16

_ACCEPTED = (200, 202, 400)
#: Fields of a session's context, from the harness (MC-6).
_CONTEXT = {
    "harness": "SIGNET_HARNESS",
    "workspace": "SIGNET_WORKSPACE",
    "channel": "SIGNET_CHANNEL",
}
#: The route of `memory_store`, and the context fields of a spooled call.
STORE = TOOLS["memory_store"].path
_ALSO = {"who": "harness", "project": "project"}


def main() -> int:
    try:
        Bridge(sys.stdout.buffer, os.environ, project_of(Path.cwd)).serve(sys.stdin.buffer)
    except (KeyboardInterrupt, BrokenPipeError):  # the client is gone
        return 0
    return 0


class Bridge:
    """Answer lines concurrently."""

    def __init__(self, out: BinaryIO, environ: Mapping[str, str], project: str) -> None:
        self._out = out
        self._environ, self._project = without_scope(environ), project
        self._context = context_of(environ, project=project)
        self._writing = threading.Lock()
        self._free = threading.BoundedSemaphore(AT_ONCE)

    def serve(self, lines: Iterable[bytes]) -> None:
        """Answer each line; return when all are answered."""
        threads: list[threading.Thread] = []
        for line in lines:
            if line.strip():
                self._free.acquire()
                threads = [thread for thread in threads if thread.is_alive()]
                threads.append(threading.Thread(target=self._work, args=(line,), daemon=True))
                threads[-1].start()
        for thread in threads:
            thread.join()
        # Block later writes: stdout may be closed after the end.
        self._writing.acquire()

    def _work(self, line: bytes) -> None:
        try:
            reply = self._answer_line(line)
            if reply is not None:
                self._write(reply)
        finally:
            self._free.release()

    def _write(self, message: object) -> None:
        with self._writing:
            self._out.write(json.dumps(message, separators=(",", ":")).encode() + b"\n")
            self._out.flush()

    def _answer_line(self, line: bytes) -> object:
        """Return the reply to a line or to each of its messages; None for notifications."""
        try:
            said = json.loads(line)
        except (ValueError, RecursionError):
            return protocol.error(None, protocol.PARSE_ERROR, "Parse error")
        if not isinstance(said, list):
            return self._answer(said)
        replies = [reply for reply in map(self._answer, said) if reply is not None]
        return replies or None

    def _answer(self, message: object) -> object:
        read = protocol.read(message)
        if read is None or (isinstance(read, dict) and "error" in read):
            return read
        if client := protocol.client_of(message):
            self._context = context_of(self._environ, project=self._project, client=client)
        try:
            if isinstance(read, ToolCall) and read.operation.path == STORE:
                return self._saved(read, message)
            return self._forward(message)
        except SignetError as error:
            return protocol.failure(read, error.message) if isinstance(read, ToolCall) else read

    def _saved(self, call: ToolCall, message: object) -> object:
        """Return the reply to a save, spooled while the remote daemon is unreachable. Raises SignetError.

        A retry is harmless if the first attempt arrived: the same text is one memory.
        """
        found = self._target()
        if found.home is None:
            return self._forward(message)
        from signet.cli import spooled

        said = self._context
        body: dict[str, object] = {name: said[told] for name, told in _ALSO.items() if told in said}
        body |= json.loads(call.operation.body)
        save: Request[object] = Request(method="POST", path=STORE, body=body)
        kept = spooled.sent_or_kept(save, found, lambda _: self._forward(message))
        return protocol.spooled_reply(call, kept.daemon) if isinstance(kept, Entry) else kept

    def _target(self) -> target.CallTarget:
        return target.find(
            actor="mcp-server", actor_type="harness", timeout_seconds=SECONDS, environ=self._environ
        )

    def _forward(self, message: object) -> object:
        """Return the daemon's reply. Raises SignetError."""
        found = self._target()
        body = message if isinstance(message, dict) else {}
        asked: Request[object] = Request("POST", "/mcp", self._context, body)
        reply = transport.send(found, asked)
        try:
            said = json.loads(reply.body) if reply.body else None
        except ValueError as error:
            raise Unavailable(f"{found.url} answered, but is not a Signet daemon") from error
        if reply.status not in _ACCEPTED:
            raise refusal(reply.status, said)
        if found.home is not None:
            from signet.cli import spooled

            spooled.deliver_behind(Workspace(found.home), found)
        return said


def project_of(folder: Callable[[], Path]) -> str:
    """Return the session's repository or folder; empty for a home, a root or a missing folder.

    Desktop programs start there, whatever they work on.
    """
    try:
        here = folder()
        if here in (Path.home(), Path(here.anchor)):
            return ""
        return projects.locate(str(here)).root
    except (OSError, RuntimeError):
        return ""


def context_of(
    environ: Mapping[str, str], *, project: str = "", client: str = ""
) -> Mapping[str, str]:
    """Return the session's context; `client` names a harness not in the environment."""
    context = {name: environ.get(variable, "").strip() for name, variable in _CONTEXT.items()}
    context["harness"] = context["harness"] or client
    context["project"] = project
    return {
        name: value.encode(errors="replace").decode() for name, value in context.items() if value
    }


def without_scope(environ: Mapping[str, str]) -> Mapping[str, str]:
    """Return an environment whose SIGNET_WORKSPACE is a Signet workspace, not the harness's working folder."""
    named = environ.get("SIGNET_WORKSPACE", "").strip()
    workspace = Workspace(Path(named).expanduser())
    if not named or workspace.database.exists() or workspace.daemon_dir.exists():
        return environ
    return {name: value for name, value in environ.items() if name != "SIGNET_WORKSPACE"}


if __name__ == "__main__":
    sys.exit(main())
