"""A server that is a program of this machine: one JSON-RPC message a line on its standard streams.

It is a supervised child (process/supervised_child.py): it and all that it starts end when it is stopped, and when we
are killed. One thread reads what it says, one waits for its end; whoever asks waits in a thread of its own. Its
environment holds nothing of ours but what programs need to run at all.
"""

import json
import os
import queue
import selectors
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from itertools import count
from pathlib import Path

from signet.domain.marketplace import rpc
from signet.domain.marketplace.models import Program, ServerFailed
from signet.domain.marketplace.rpc import Gone, Late, Message
from signet.process import supervised_child

#: Of what a program says on its standard error, the last is kept for the error's text.
STDERR_BYTES = 4_096
_SAID_CHARS = 600
_CHUNK = 65_536
#: How long output is read that others still hold open after the program's end.
DRAIN_SECONDS = 5.0

#: What a program inherits: where things are, who the user is, and how the network is reached.
INHERITED = frozenset(
    "PATH HOME USER LOGNAME SHELL LANG LANGUAGE TZ TMPDIR XDG_CACHE_HOME XDG_CONFIG_HOME"
    " XDG_DATA_HOME XDG_RUNTIME_DIR HTTP_PROXY HTTPS_PROXY NO_PROXY ALL_PROXY http_proxy"
    " https_proxy no_proxy all_proxy SSL_CERT_FILE SSL_CERT_DIR NODE_EXTRA_CA_CERTS"
    " REQUESTS_CA_BUNDLE".split()
)

#: What a request waits for: a reply, or why there will be none.
_Reply = queue.SimpleQueue[Message | str]


def environment(outer: Mapping[str, str], own: Mapping[str, str]) -> dict[str, str]:
    """Return the environment of a server: the few variables it inherits, and those of its config. Pure."""
    kept = {key: value for key, value in outer.items() if key in INHERITED or key[:3] == "LC_"}
    return {**kept, **own, "SIGNET_NO_HOOKS": "1"}


class StdioWire:
    """Speaks with a program that it starts."""

    def __init__(
        self,
        program: Program,
        env: Mapping[str, str],
        *,
        changed: Callable[[], None],
        environ: Mapping[str, str] = os.environ,
    ) -> None:
        """Start the program; `changed` is called when it says that it has other tools. Raises ServerFailed."""
        self._command = program.command
        self._changed = changed
        self._ids = count(1)
        self._lock = threading.Lock()
        self._writing = threading.Lock()
        self._waiting: dict[object, _Reply] = {}
        self._said = bytearray()
        self._gone: str | None = None
        self._over = threading.Event()
        held, self._life = os.pipe()
        try:
            self._process = subprocess.Popen(
                [
                    *(sys.executable, "-I", "-S", supervised_child.__file__, str(held)),
                    *(program.command, *program.args),
                ],
                cwd=program.cwd or Path.home(),
                env=environment(environ, env),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                pass_fds=(held,),
                start_new_session=True,
                bufsize=0,
            )
        except (OSError, ValueError) as error:
            os.close(self._life)
            why = (
                error.strerror
                if isinstance(error, OSError)
                else "a value that cannot be passed to a program"
            )
            raise ServerFailed(f"cannot start {program.command}: {why}") from error
        finally:
            os.close(held)
        assert self._process.stdin is not None
        os.set_blocking(self._process.stdin.fileno(), False)
        self._reader = threading.Thread(target=self._read, name="tool-server", daemon=True)
        self._reader.start()
        threading.Thread(target=self._wait, name="tool-server-end", daemon=True).start()

    @property
    def is_open(self) -> bool:
        """Return whether the program runs and was not let go."""
        return self._gone is None

    def ask(self, method: str, params: Mapping[str, object], seconds: float) -> Message:
        """Return the result of a request."""
        until = time.monotonic() + seconds
        id_, reply = next(self._ids), _Reply()
        with self._lock:
            if self._gone is not None:
                raise Gone(self._gone)
            self._waiting[id_] = reply
        try:
            self._write(rpc.request(id_, method, params), until)
            found = reply.get(timeout=max(until - time.monotonic(), 0.0))
        except queue.Empty:
            if method != "initialize":
                self.tell("notifications/cancelled", {"requestId": id_, "reason": "timeout"})
            raise Late(f"no answer in time{self._words()}") from None
        finally:
            with self._lock:
                self._waiting.pop(id_, None)
        if isinstance(found, str):
            raise ServerFailed(found)
        return rpc.result_of(found)

    def tell(self, method: str, params: Mapping[str, object]) -> None:
        """Send a notification if the program takes it now."""
        with suppress(ServerFailed):
            self._write(rpc.notification(method, params), time.monotonic() + 1.0)

    def agree(self, version: str) -> None:
        """Do nothing: over a pipe no message names the version."""

    def close(self) -> None:
        """End the program and all that it started: told at once, killed after the leash's grace."""
        self._end("it was stopped")

    def _end(self, why: str) -> None:
        with self._lock:
            if self._gone is not None:
                return
            self._gone = why
            waiting = list(self._waiting.values())
            # Its end is what the leash waits for.
            os.close(self._life)
        self._over.set()
        for reply in waiting:
            reply.put(why)

    def _write(self, message: Message, until: float) -> None:
        whole = json.dumps(message).encode() + b"\n"
        line = memoryview(whole)
        stdin = self._process.stdin
        assert stdin is not None
        if not self._writing.acquire(timeout=max(until - time.monotonic(), 0.0)):
            raise Late("it does not read its input")
        try:
            with selectors.DefaultSelector() as selector:
                selector.register(stdin, selectors.EVENT_WRITE)
                while line:
                    if not selector.select(max(until - time.monotonic(), 0.0)):
                        if len(line) < len(whole):
                            # Half of a message would spoil the next one.
                            self._end("it does not read its input")
                        raise Late("it does not read its input")
                    line = line[os.write(stdin.fileno(), line[:_CHUNK]) :]
        except (BlockingIOError, BrokenPipeError, ValueError) as error:
            self._over.wait(DRAIN_SECONDS)
            raise Gone(self._gone or f"it does not read its input{self._words()}") from error
        finally:
            self._writing.release()

    def _read(self) -> None:
        """Take in what the program says until it says no more."""
        out, err = self._process.stdout, self._process.stderr
        assert out is not None and err is not None
        line = bytearray()
        with selectors.DefaultSelector() as selector:
            selector.register(out, selectors.EVENT_READ)
            selector.register(err, selectors.EVENT_READ)
            while selector.get_map():
                for key, _ in selector.select():
                    some = os.read(key.fd, _CHUNK)
                    if not some:
                        selector.unregister(key.fileobj)
                    elif key.fileobj is err:
                        self._said = (self._said + some)[-STDERR_BYTES:]
                    else:
                        line = self._lines(line, some)
        out.close()
        err.close()

    def _lines(self, begun: bytearray, some: bytes) -> bytearray:
        """Take each line that is whole now and return the one that is begun."""
        first, *others = some.split(b"\n")
        begun += first
        for other in others:
            message = rpc.read(begun) if begun.strip() else None
            if message is not None:
                self._take(message)
            begun = bytearray(other)
        if len(begun) > rpc.MAX_MESSAGE_BYTES:
            self._end(f"it sent more than {rpc.MAX_MESSAGE_BYTES} bytes at once")
            begun.clear()
        return begun

    def _take(self, message: Message) -> None:
        if message.get("method") == "notifications/tools/list_changed":
            self._changed()
        elif (answer := rpc.answer_to(message)) is not None:
            with suppress(ServerFailed):
                self._write(answer, time.monotonic() + 1.0)
        elif "method" not in message:
            with self._lock:
                reply = self._waiting.get(_key(message.get("id")))
            if reply is not None:
                reply.put(message)

    def _wait(self) -> None:
        """Wait for the end of the leash and sweep up what is left of its group."""
        pid = self._process.pid
        os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(pid, signal.SIGKILL)
        code = self._process.wait()
        # What it said last is read, unless somebody who has left the group holds its streams open.
        self._reader.join(DRAIN_SECONDS)
        self._end(f"{self._command} ended with status {code}{self._words()}")
        with self._writing:
            assert self._process.stdin is not None
            self._process.stdin.close()

    def _words(self) -> str:
        said = " ".join(self._said.decode("utf-8", "replace").split())
        return f": {said[-_SAID_CHARS:]}" if said else ""


def _key(id_: object) -> object:
    return id_ if isinstance(id_, int | str) else None
