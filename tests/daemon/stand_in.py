"""A program small enough to be started often, which behaves as the real ones must: `-m stand_in NAME`.

Under the supervisor it boots like the real one. The API answers from the socket it was handed; every program
notes its process id in `.daemon/NAME.pids` and stops when told to. Files in the workspace ask for misbehaviour:
`NAME-slow` (never boot), `NAME-crash` (exit after booting), `api-silent` (accept nothing), `worker-deaf` (do not
stop), `NAME-hang` (the main thread waits for ever), `NAME-hold` (another thread does, with the write lock) and
`NAME-busy` (the main thread computes, three times as long as counts as work, and sends no heartbeat).
"""

import json
import os
import signal
import socket
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from signet.daemon.watch import WORK_SECONDS
from signet.db.gate import WriteGate
from signet.domain.auth import tokens
from signet.paths import Workspace, find_workspace
from signet.process.boot import Booted, boot
from signet.process.program import Program
from signet.process.pulse import EVERY_SECONDS


def main() -> None:
    """Be the program that the first argument names."""
    program, workspace = Program(sys.argv[1]), find_workspace()
    root = workspace.root
    if (root / f"{program}-slow").exists():
        _note(workspace, program)
        signal.pause()
    booted = boot(program)
    gate = WriteGate(root / "lock")
    _note(workspace, program)  # the last file that it makes unasked
    if (root / f"{booted.program}-crash").exists():
        raise RuntimeError("crashed as asked")
    if (root / f"{booted.program}-deaf").exists():
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if booted.program is Program.API and not (root / "api-silent").exists():
        serve(booted)
    if (root / f"{program}-hold").exists():
        threading.Thread(target=hold, args=(gate, root / f"{program}-hold"), daemon=True).start()
    while not booted.stop.wait(0.5):
        booted.pulse.beat(gate.holding)
        if (root / f"{program}-hang").exists():
            threading.Event().wait()
        while (root / f"{program}-busy").exists():
            compute(2 * WORK_SECONDS)
            booted.stop.wait(EVERY_SECONDS / 2)
    sys.stdout.write(f"{booted.program} stopped\n")


def compute(seconds: float) -> None:
    """Use the processor for so long."""
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        continue


def _note(workspace: Workspace, program: Program) -> None:
    with (workspace.daemon_dir / f"{program}.pids").open("a") as file:
        file.write(f"{os.getpid()}\n")


def hold(gate: WriteGate, once: Path) -> None:
    """Take the write lock and never let go of it; only the first process that is asked does."""
    once.unlink()
    with gate:
        threading.Event().wait()


def serve(booted: Booted) -> None:
    """Answer health checks in a thread."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            is_ready = not (booted.workspace.root / "api-unready").exists()
            body: dict[str, object] = {"agentsDir": str(booted.workspace.root)}
            path, _, nonce = self.path.partition("?nonce=")
            if path == "/api/auth/proof":
                token, port = tokens.read_workspace_token(booted.workspace), server.server_port
                body = {"proof": tokens.proof(token, nonce, port)}
            if self.path == "/health/ready" and not is_ready:
                body["reasons"] = ["worker is not running"]
            raw = json.dumps(body).encode()
            self.send_response(503 if "reasons" in body else 200)
            self.send_header("Content-Length", str(len(raw)))
            self.end_headers()
            self.wfile.write(raw)

        def log_message(self, *_: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler, bind_and_activate=False)
    server.daemon_threads = True
    server.socket.close()
    server.socket = socket.socket(fileno=int(os.environ["SIGNET_SOCKET_FD"]))
    server.server_port = server.socket.getsockname()[1]
    threading.Thread(target=server.serve_forever, daemon=True).start()


if __name__ == "__main__":
    main()
