"""The HTTP surface for tests: the app itself in this process, or the real process on a free port.

Both have a real database in a workspace of their own, and no model: what is asked is answered by words.
"""

import asyncio
import json
import re
import threading
from collections.abc import Coroutine, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from subprocess import Popen
from typing import Any, TypeVar

import httpx
import structlog
from starlette.types import ASGIApp

from signet import clock, config
from signet.config.sections import AuthMode
from signet.db import Database
from signet.domain.auth import tokens
from signet.paths import Workspace
from signet.process.settings_reload import LiveSettings
from signet_api.app import create_app
from signet_api.authority import Authority
from signet_api.deps import State
from signet_api.health import Health
from signet_api.openapi import Described
from signet_api.vectors import QueryVectors
from support.asgi import OVER_SOCKET, OVER_TCP, Connection, ask
from support.database import fresh_database
from support.ports import free_port
from support.processes import PATIENCE_SECONDS, eventually, program

T = TypeVar("T")

#: No vectors, so that no test loads a model.
SETTINGS = "embedding:\n  provider: none\n"

_describe = Described.openapi
_described: list[dict[str, Any]] = []


def _describe_once(self: Described) -> dict[str, Any]:
    """Return the description of the interface: it is the same whatever an app serves, and takes a second to make."""
    if not _described:
        _described.append(_describe(self))
    return _described[0]


Described.openapi = _describe_once  # type: ignore[method-assign]


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer; `body` is its JSON, or its text when it is none."""

    status: int
    body: Any
    headers: httpx.Headers

    @property
    def error(self) -> str:
        """Return the words of a refusal; fails when the body has not the one form of all errors."""
        assert self.status >= 400, self.body
        assert self.headers["content-type"] == "application/json"
        assert isinstance(self.body, dict) and isinstance(self.body.get("error"), str), self.body
        assert self.body["error"] and "detail" not in self.body
        return str(self.body["error"])


def taken(description: Any, method: str, path: str, sent: Mapping[str, T]) -> dict[str, T]:
    """Return those of the fields that an operation takes, as parameters or in its body; others are refused."""
    way = description["paths"][path][method]
    names = {one["name"] for one in way.get("parameters", ())}
    for schema in re.findall(r"schemas/(\w+)", json.dumps(way.get("requestBody"))):
        names |= description["components"]["schemas"][schema]["properties"].keys()
    return {name: value for name, value in sent.items() if name in names}


def answer_of(response: httpx.Response) -> Answer:
    """Return a response in the form that tests read."""
    is_json = response.content and response.headers.get("content-type") == "application/json"
    return Answer(
        response.status_code, response.json() if is_json else response.text, response.headers
    )


@dataclass(slots=True)
class Api:
    """The app in this process, called as a client would; `logged` grows with what it logs.

    Calls come over the workspace's socket in local mode, else over TCP from a program of the daemon's user.
    """

    state: State
    logged: Sequence[Mapping[str, Any]]
    _app: ASGIApp
    _peer: str
    _runner: asyncio.Runner
    connection: Connection = field(init=False)

    def __post_init__(self) -> None:
        """Choose the usual connection of the mode."""
        is_local = self.state.authority.mode is AuthMode.LOCAL
        self.connection = OVER_SOCKET if is_local else OVER_TCP

    def get(self, path: str, **headers: str) -> Answer:
        """Send GET; header names are written with underscores."""
        return self.send("GET", path, headers=headers)

    def post(self, path: str, body: object = None, **headers: str) -> Answer:
        """Send POST with a JSON body, none when it is None; bytes are sent as they are."""
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        return self.send("POST", path, b"" if body is None else content, headers)

    def delete(self, path: str) -> Answer:
        """Send DELETE."""
        return self.send("DELETE", path)

    def send(
        self, method: str, path: str, content: bytes = b"", headers: Mapping[str, str] | None = None
    ) -> Answer:
        """Send any request."""
        return self.all_of(self.begin(method, path, content, headers))

    async def begin(
        self, method: str, path: str, content: bytes = b"", headers: Mapping[str, str] | None = None
    ) -> Answer:
        """Send any request beside others; see `all_of`."""
        named = {name.replace("_", "-"): value for name, value in (headers or {}).items()}
        answer = ask(self._app, method, path, content, named, self._peer, self.connection)
        return answer_of(await answer)

    def all_of(self, requests: Coroutine[Any, Any, T]) -> T:
        """Return what requests that go on side by side come to."""
        return self._runner.get_loop().run_until_complete(requests)

    def add_agent(self, name: str = "scout") -> None:
        """Register an agent as the owner, so that others than the default one are told apart (HN-77)."""
        usual, self.connection = self.connection, OVER_SOCKET
        made = self.post("/api/agents", {"name": name})
        self.connection = usual
        assert made.status == 201, made.body

    def poll(self) -> None:
        """Let the health check look, as it does once a second in the real process."""
        self._runner.run(self.state.health.check())

    def settle(self) -> None:
        """Wait for what goes on behind answers."""

        async def all_of_it() -> None:
            await asyncio.gather(*self.state.tasks)

        self._runner.run(all_of_it())

    def rows(self, table: str) -> list[dict[str, Any]]:
        """Return every row of a table, oldest first, without the column for SQLite's row number that a server has."""
        sql = f"SELECT * FROM {table} ORDER BY rowid"
        found = [dict(row) for row in self.state.db.read(lambda tx: tx.all(sql))]
        return [{name: row[name] for name in row if name != "rowid"} for row in found]

    def run(self, sql: str, *params: object) -> None:
        """Change rows behind the API's back."""
        self.state.db.write(lambda tx: tx.run(sql, params))

    def configure(self, settings: str) -> None:
        """Write agent.yaml and let the process see it."""
        (self.state.workspace.root / "agent.yaml").write_text(SETTINGS + settings, "utf-8")
        self.state.live.poll()


def a_workspace(folder: Path, settings: str = "") -> Workspace:
    """Return a workspace with an empty database and these settings."""
    workspace = Workspace(folder)
    workspace.make()
    fresh_database(workspace.database)
    (workspace.root / "agent.yaml").write_text(SETTINGS + settings, "utf-8")
    return workspace


@contextmanager
def an_api(
    folder: Path,
    settings: str = "",
    *,
    wait_seconds: float = 5.0,
    bind: str = "127.0.0.1",
    peer: str = "127.0.0.1",
) -> Iterator[Api]:
    """Open the app over a new workspace; every call comes from the address `peer`."""
    workspace = a_workspace(folder, settings)
    with api_over(workspace, wait_seconds=wait_seconds, bind=bind, peer=peer) as api:
        yield api


@contextmanager
def api_over(
    workspace: Workspace,
    *,
    wait_seconds: float = 5.0,
    bind: str = "127.0.0.1",
    peer: str = "127.0.0.1",
    environ: Mapping[str, str] | None = None,
) -> Iterator[Api]:
    """Open the app over a workspace."""
    db = Database(workspace.database, wait_seconds=wait_seconds)
    live = LiveSettings(workspace, config.load(workspace, environ or {}))
    vectors = QueryVectors(live)
    state = State(
        db=db,
        live=live,
        workspace=workspace,
        vectors=vectors,
        health=Health(db, workspace),
        port=3850,
        authority=Authority.from_settings(live.settings, workspace, bind),
    )
    app = create_app(state)
    with asyncio.Runner() as runner, structlog.testing.capture_logs() as logged:
        try:
            yield Api(state, logged, app, peer, runner)
        finally:
            vectors.close()
            db.close()


@dataclass(slots=True)
class Served:
    """The real process: its port, a client that keeps its connection, and what it has printed.

    The client is the owner's, over the workspace's socket; `over_tcp` is one that proves nothing.
    """

    workspace: Workspace
    port: int
    process: "Popen[str]"
    client: httpx.Client
    tcp_client: httpx.Client
    printed: list[str] = field(default_factory=list)

    @property
    def over_tcp(self) -> "Served":
        """Return the same process, called by a program of the same user without a token."""
        return replace(self, client=self.tcp_client)

    @property
    def token(self) -> str:
        """Return an own token of the daemon's user."""
        found = tokens.own_token(self.workspace, "tests", now=clock.now())
        assert found is not None
        return found

    def get(self, path: str, **headers: str) -> Answer:
        """Send GET."""
        return self.send("GET", path, headers=headers)

    def post(self, path: str, body: object, **headers: str) -> Answer:
        """Send POST with a JSON body; bytes are sent as they are, an iterator of bytes in chunks."""
        content = body if isinstance(body, bytes | Iterator) else json.dumps(body).encode()
        return self.send("POST", path, content, headers)

    def send(
        self,
        method: str,
        path: str,
        content: bytes | Iterator[bytes] = b"",
        headers: Mapping[str, str] | None = None,
    ) -> Answer:
        """Send any request."""
        named = {name.replace("_", "-"): value for name, value in (headers or {}).items()}
        return answer_of(self.client.request(method, path, content=content, headers=named))


def environment(workspace: Workspace, port: int) -> dict[str, str]:
    """Return what a process of this workspace is started with."""
    home = str(workspace.root)
    return {
        "SIGNET_PATH": home,
        "SIGNET_PORT": str(port),
        "XDG_CONFIG_HOME": home,
        "XDG_CACHE_HOME": home,
    }


@contextmanager
def served(workspace: Workspace) -> Iterator[Served]:
    """Run the API process over a workspace until the block ends."""
    port, url = free_port(), "http://127.0.0.1:{}"
    with (
        program("-m", "signet_api.main", env=environment(workspace, port)) as process,
        httpx.Client(
            base_url=url.format(port), timeout=PATIENCE_SECONDS, trust_env=False
        ) as over_tcp,
        httpx.Client(
            base_url=url.format(port),
            timeout=PATIENCE_SECONDS,
            transport=httpx.HTTPTransport(uds=str(workspace.api_socket)),
        ) as client,
    ):
        api = Served(workspace, port, process, client, over_tcp)
        assert process.stdout is not None
        reader = threading.Thread(target=api.printed.extend, args=(process.stdout,))
        reader.start()
        try:
            eventually(lambda: process.poll() is not None or _answers(over_tcp))
            yield api
        finally:
            process.kill()
            reader.join()


def _answers(client: httpx.Client) -> bool:
    try:
        # Where tokens are known it needs one.
        return client.get("/health/live").status_code in (200, 401)
    except httpx.TransportError:
        return False
