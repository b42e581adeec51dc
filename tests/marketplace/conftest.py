"""The app in this process with tool servers of the tests, which are let go at the end of each test."""

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from support.http import Answer, Api, an_api
from support.processes import eventually

SCRIPT = Path(__file__).parents[1] / "support" / "toolserver.py"
ROOT = "/api/marketplace/mcp"
#: Long enough for a busy machine; servers that shall be late get less.
PATIENT_MS = 50_000


def program(*arguments: str, ms: int = PATIENT_MS, **more: object) -> dict[str, object]:
    """Return the config of a tool server of the tests."""
    args = ["-I", str(SCRIPT), *arguments]
    return {"command": sys.executable, "args": args, "timeoutMs": ms, **more}


class Tools:
    """The tool servers of an app, as a user works with them."""

    def __init__(self, api: Api) -> None:
        self.api = api

    def patch(self, path: str, body: object) -> Answer:
        """Send PATCH."""
        import json

        return self.api.send("PATCH", path, json.dumps(body).encode())

    def register(self, name: str, config: Mapping[str, object], **more: object) -> Any:
        """Register a server and return it."""
        said = self.api.post(f"{ROOT}/register", {"name": name, "config": config, **more})
        assert said.status == 200, said.body
        return said.body["server"]

    def add(self, name: str, *arguments: str, ms: int = PATIENT_MS, **config: object) -> Any:
        """Register a server of the tests, switch it on and return it once it is there or has failed."""
        made = self.register(name, program(*arguments, ms=ms, **config), enabled=True)
        return self.settled(made["id"])

    def settled(self, server_id: str) -> Any:
        """Return a server once it is no longer starting."""

        def server() -> Any:
            return self.api.get(f"{ROOT}/{server_id}").body["server"]

        eventually(lambda: server()["state"] not in ("waiting", "starting"), PATIENT_MS / 1000)
        return server()

    def call(self, server_id: str, tool: str, headers: Any = None, /, **args: object) -> Answer:
        """Call a tool."""
        return self.api.post(
            f"{ROOT}/call", {"serverId": server_id, "tool": tool, "args": args}, **(headers or {})
        )

    def said(self, server_id: str, tool: str, **args: object) -> str:
        """Return the text that a tool answers."""
        answer = self.call(server_id, tool, **args)
        assert answer.status == 200, answer.body
        return str(answer.body["result"]["content"][0]["text"])


@contextmanager
def with_tools(folder: Path, settings: str = "") -> Iterator[Tools]:
    """Open an app over a new workspace."""
    with an_api(folder, settings) as api:
        try:
            yield Tools(api)
        finally:
            api.state.routed.pool.close()


@pytest.fixture
def tools(tmp_path: Path) -> Iterator[Tools]:
    with with_tools(tmp_path / "agents") as opened:
        yield opened
