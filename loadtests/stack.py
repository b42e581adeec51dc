"""The product's programs in a temporary workspace, started with the environment of their supervisor.

This process replaces the supervisor: it holds the listening socket, so requests wait while the API restarts, as in
the daemon.
"""

import contextlib
import json
import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType

from signet import clock, engine
from signet.cli.models import use_model
from signet.db import migrate
from signet.domain.auth import tokens
from signet.paths import Workspace
from signet.process.program import LOG_STDOUT, SUPERVISOR_PID

ROOT = Path(__file__).parent.parent
SOURCES = [
    ROOT,
    ROOT / "shared",
    *(ROOT / "services" / name for name in ("api", "worker", "scheduler")),
]
READY_SECONDS = 120.0

API, WORKER, SCHEDULER = "signet_api.main", "signet_worker.main", "signet_scheduler.main"
#: The API with an additional no-op route (see noop_api.py).
NOOP_API = "loadtests.noop_api"
#: The API without observability (see blind_api.py).
BLIND_API = "loadtests.blind_api"


def environment(workspace: Workspace, port: int) -> dict[str, str]:
    """Return the environment of a workspace's programs."""
    return {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(map(str, SOURCES)),
        "SIGNET_PATH": str(workspace.root),
        "SIGNET_PORT": str(port),
        "PROMETHEUS_MULTIPROC_DIR": str(workspace.metrics_dir),
        SUPERVISOR_PID: str(os.getpid()),
        LOG_STDOUT: "0",
    }


@contextlib.contextmanager
def serving(*command: str) -> Iterator[str]:
    """Run a program that prints `PORT number`, and yield its address."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            yield f"http://127.0.0.1:{server.stdout.readline().split()[1]}"
        finally:
            server.kill()


class Stack:
    """A workspace with an upgraded database, and its running programs."""

    def __init__(
        self, folder: Path, *, settings: str = "", model: str | None = None, url: str | None = None
    ) -> None:
        """Create the workspace; `model` is selected as by `signet models use`, `url` has the rows instead of a file."""
        self.workspace = Workspace(folder)
        self.workspace.make()
        self.workspace.metrics_dir.mkdir(exist_ok=True)
        engine.use(self.workspace.database, url)
        if url is not None:
            settings += f"\nstorage: {{url: {json.dumps(url)}}}\n"
        (folder / "agent.yaml").write_text(settings)
        if model is not None:
            use_model(model, str(folder))
        migrate.upgrade(self.workspace.database, now=clock.now())
        self._socket = socket.create_server(("127.0.0.1", 0), backlog=2_048)
        self.port: int = self._socket.getsockname()[1]
        self.programs: dict[str, subprocess.Popen[bytes]] = {}

    def __enter__(self) -> "Stack":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for module in list(self.programs):
            self.stop(module)
        self._socket.close()

    def start(self, *modules: str) -> None:
        """Start programs and return when the API, if running, reports them."""
        for module in modules:
            with (self.workspace.log_dir / f"{module}.out").open("ab") as out:
                self.programs[module] = subprocess.Popen(
                    [sys.executable, "-P", "-m", module],
                    env=environment(self.workspace, self.port) | {"SIGNET_SOCKET_FD": "0"},
                    cwd=self.workspace.root,
                    stdin=self._socket.fileno(),
                    stdout=out,
                    stderr=out,
                )
        if self.api is not None:
            self._await_ready()

    def stop(self, module: str) -> None:
        """Stop a program and wait for its end."""
        process = self.programs.pop(module)
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    @property
    def api(self) -> int | None:
        """Return the process ID of the API, None if it was not started."""
        apis = (self.programs.get(module) for module in (API, NOOP_API, BLIND_API))
        return next((found.pid for found in apis if found), None)

    @property
    def pids(self) -> list[int]:
        """Return the process IDs of all programs."""
        return [process.pid for process in self.programs.values()]

    def get(self, path: str, *, as_owner: bool = True) -> dict[str, object]:
        """Return the answer to a GET, by default of the workspace's owner, whatever its status.

        The owner's token expires for an API whose clock has jumped ahead.
        """
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}{path}")
        if as_owner and (token := tokens.own_token(self.workspace, "loadtests", now=clock.now())):
            request.add_header("Authorization", f"Bearer {token}")
        try:
            with urllib.request.urlopen(request, timeout=10) as answer:
                found: dict[str, object] = json.load(answer)
        except urllib.error.HTTPError as error:
            found = json.load(error)
        return found

    def _await_ready(self) -> None:
        """Wait until only the programs that were not started are missing."""
        wanted = {module.split("_")[1].split(".")[0] for module in self.programs}
        deadline = time.monotonic() + READY_SECONDS
        while time.monotonic() < deadline:
            ended = [module for module, one in self.programs.items() if one.poll() is not None]
            if ended:
                raise RuntimeError(f"{ended[0]} ended: see {self.workspace.log_dir}")
            with contextlib.suppress(OSError, KeyError):
                answer = self.get("/health/ready", as_owner=False)
                if "reasons" not in answer:  # team mode answers no request without a token
                    answer = self.get("/health/ready")
                reasons = answer["reasons"]
                assert isinstance(reasons, list)
                if not any(str(reason).split()[0] in wanted for reason in reasons):
                    return
            time.sleep(0.05)
        raise TimeoutError(f"not ready: see {self.workspace.log_dir}")
