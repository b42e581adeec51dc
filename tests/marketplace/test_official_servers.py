"""Servers made with the official SDK are spoken with over both wires, in every form of answer that they have."""

import socket
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from functools import partial
from pathlib import Path

import pytest

from support.ports import free_port
from support.processes import eventually, program

from .conftest import PATIENT_MS, ROOT, Tools, with_tools

SERVER = Path(__file__).parents[1] / "support" / "sdkserver.py"
FORMS = ("json", "events", "stateless")


@pytest.fixture(scope="module")
def tools(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tools]:
    """Four servers of the SDK: a program, and one over HTTP for each form of answer."""
    ports = {form: free_port() for form in FORMS}
    # Without -P the folder of the script would hide modules of the standard library.
    script = ["-P", str(SERVER)]
    with ExitStack() as stack:
        for form, port in ports.items():
            stack.enter_context(program(*script, str(port), form))
        tools = stack.enter_context(with_tools(tmp_path_factory.mktemp("official") / "agents"))
        stdio = {"command": sys.executable, "args": script, "timeoutMs": PATIENT_MS}
        tools.register("stdio", stdio, enabled=True)
        for form, port in ports.items():
            eventually(partial(takes_calls, port), PATIENT_MS / 1000)
            url = {"url": f"http://127.0.0.1:{port}/mcp", "timeoutMs": PATIENT_MS}
            tools.register(form, url, enabled=True)
        yield tools


def takes_calls(port: int) -> bool:
    """Return whether somebody listens at a port."""
    try:
        socket.create_connection(("127.0.0.1", port)).close()
    except OSError:
        return False
    return True


@pytest.mark.parametrize("name", ["stdio", *FORMS])
def test_a_server_of_the_sdk_is_listed_and_called(tools: Tools, name: str) -> None:
    assert tools.settled(name)["error"] is None
    listed = tools.api.get(f"{ROOT}/tools").body["tools"]
    [tool] = [one for one in listed if one["serverId"] == name]
    assert (tool["toolName"], tool["description"]) == ("bearing", "Name the point of the compass.")
    assert tool["inputSchema"]["properties"]["degrees"]["type"] == "integer"
    good = tools.call(name, "bearing", degrees=90).body
    assert good["success"] is True
    assert good["result"]["structuredContent"] == {"point": "E"}
    bad = tools.call(name, "bearing", degrees=361).body
    assert bad["success"] is False
    assert "Error executing tool bearing" in bad["result"]["content"][0]["text"]
