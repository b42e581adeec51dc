"""Tools of other servers as agents see them: listed, called and told of, over both wires."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httpx
import pytest

from signet.mcp.tools import ALWAYS, TOOLS
from signet_api.deps import MAX_TOOL_LISTENERS
from support.http import Api, Served, a_workspace, an_api, served
from support.processes import PATIENCE_SECONDS, PYTHONPATH, eventually, is_running
from support.tokens import a_token, bearer

SCRIPT = Path(__file__).parents[1] / "support" / "toolserver.py"
ROOT = "/api/marketplace/mcp"


def config(*arguments: str) -> dict[str, object]:
    return {
        "command": sys.executable,
        "args": ["-I", str(SCRIPT), *arguments],
        "timeoutMs": 50_000,
    }


def add(api: Any, name: str, *arguments: str) -> None:
    """Register a server, switch it on and wait until it is there."""
    sent = {"name": name, "config": config(*arguments), "enabled": True}
    server = api.post(f"{ROOT}/register", sent).body["server"]
    path = f"{ROOT}/{server['id']}"
    eventually(lambda: api.get(path).body["server"]["state"] == "ready")


@pytest.fixture
def routed(api: Api) -> Iterator[Api]:
    """The app with two servers."""
    try:
        add(api, "Echo", "echo")
        add(api, "Sly", "sly")
        yield api
    finally:
        api.state.routed.pool.close()


def ask(api: Api, method: str, params: object, query: str = "", **headers: str) -> Any:
    message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    sent = {"content_type": "application/json", **headers}
    return api.send("POST", f"/mcp{query}", json.dumps(message).encode(), sent).body


def names(api: Api, query: str = "", **headers: str) -> list[str]:
    """Return the names of the tools that are not ours; those about servers are there where one is on."""
    listed = every_name(api, query, **headers)
    ours = list(TOOLS) if "mcp_server_list" in listed else list(ALWAYS)
    assert listed[: len(ours)] == ours
    return listed[len(ours) :]


def every_name(api: Any, query: str = "", **headers: str) -> list[str]:
    listed = ask(api, "tools/list", {}, query, **headers)["result"]["tools"]
    return [tool["name"] for tool in listed]


def said(result: Any) -> Any:
    """Return what one of our tools says."""
    assert list(result) == ["content"], result
    return json.loads(result["content"][0]["text"])


def use(api: Api, tool: str, arguments: object, query: str = "") -> Any:
    return ask(api, "tools/call", {"name": tool, "arguments": arguments}, query)["result"]


SLY = ["signet_sly_sly", "signet_sly_memory_store", "signet_sly_read_file"]
SLY_TWICE = [*SLY, "signet_sly_read_file_2"]


def test_tools_of_others_stand_behind_ours_under_names_of_their_own(routed: Api) -> None:
    assert names(routed) == ["signet_echo_echo", *SLY_TWICE]
    assert names(routed) == names(routed)
    tools = ask(routed, "tools/list", {})["result"]["tools"][len(TOOLS) :]
    assert tools[0]["description"] == "[Tool of the server 'Echo'] Repeats a text"
    assert tools[0]["annotations"] == {"readOnlyHint": False}
    assert tools[3]["annotations"] == {"readOnlyHint": True}


def test_a_routed_tool_answers_what_its_server_answers(routed: Api) -> None:
    assert use(routed, "signet_echo_echo", {"text": "ahoy"}) == {
        "content": [{"type": "text", "text": "ahoy"}],
        "structuredContent": {"it": "ahoy"},
    }
    failed = use(routed, "signet_echo_echo", {"text": "fail"})
    assert failed["isError"] is True and failed["content"][0]["text"] == "fail"
    unknown = use(routed, "signet_echo_other", {})
    assert unknown["isError"] is True
    assert unknown["content"][0]["text"] == (
        "Tool server call failed: Unknown tool: signet_echo_other"
    )


def test_tools_about_servers_are_listed_while_one_is_on(routed: Api) -> None:
    assert every_name(routed)[: len(TOOLS)] == list(TOOLS)
    for server_id in ("echo", "sly"):
        use(routed, "mcp_server_scope_set", {"server_id": server_id, "harnesses": ["codex"]})
    assert every_name(routed) == list(ALWAYS)
    assert every_name(routed, "?harness=codex")[: len(TOOLS)] == list(TOOLS)
    for server_id in ("echo", "sly"):
        use(routed, "mcp_server_disable", {"server_id": server_id}, "?harness=codex")
    assert every_name(routed, "?harness=codex") == list(ALWAYS)


def test_the_nine_tools_about_servers_do_what_they_say(routed: Api) -> None:
    listed = said(use(routed, "mcp_server_list", {}))
    assert [tool["name"] for tool in listed["tools"]] == ["signet_echo_echo", *SLY_TWICE]
    found = said(use(routed, "mcp_server_search", {"query": "repeat text", "limit": 1}))
    [one] = found["results"]
    assert (one["name"], one["serverId"], one["toolName"]) == ("signet_echo_echo", "echo", "echo")
    assert one["inputSchema"]["properties"] == {"text": {"type": "string"}}
    call = {"server_id": "echo", "tool": "echo", "args": {"text": "aye", "more": [1, {"a": 2}]}}
    called = use(routed, "mcp_server_call", call)
    assert called == use(routed, "signet_echo_echo", call["args"])
    failing = use(routed, "mcp_server_call", call | {"args": {"text": "fail"}})
    assert failing["isError"] is True
    use(routed, "mcp_server_policy_set", {"mode": "compact", "max_search_results": 3})
    policy = said(use(routed, "mcp_server_policy_get", {}))["policy"]
    assert (policy["mode"], policy["maxSearchResults"]) == ("compact", 3)
    assert names(routed) == ["signet_echo_echo"]
    use(routed, "mcp_server_scope_set", {"server_id": "echo", "channels": ["deck"]})
    assert said(use(routed, "mcp_server_scope_get", {"server_id": "sly"}))["server"]["id"] == "sly"
    every = said(use(routed, "mcp_server_scope_get", {}, "?channel=deck"))
    assert [one["scope"]["channels"] for one in every["servers"]] == [["deck"], []]
    hidden = use(routed, "mcp_server_scope_get", {"server_id": "echo"})
    assert hidden["content"][0]["text"].startswith("Scope get failed: Tool server 'echo' is not")
    off = said(use(routed, "mcp_server_disable", {"server_id": "sly"}))
    assert off["server"]["state"] == "off"
    on = said(use(routed, "mcp_server_enable", {"server_id": "sly"}))
    assert on["server"]["enabled"] is True
    none = use(routed, "mcp_server_enable", {"server_id": "none"})
    assert none["content"][0]["text"] == "Enable failed: There is no tool server 'none'"
    short = use(routed, "mcp_server_search", {"query": "x"})
    assert short["content"][0]["text"].startswith("Tool server search failed: query must have")


def test_what_is_searched_appears_where_it_was_searched(routed: Api) -> None:
    use(routed, "mcp_server_policy_set", {"mode": "compact"})
    assert names(routed, "?harness=codex") == []
    use(routed, "mcp_server_search", {"query": "sly memory"}, "?harness=codex")
    assert "signet_sly_memory_store" in names(routed, "?harness=codex")
    assert "signet_sly_memory_store" in names(routed, x_signet_harness="codex")
    assert names(routed, "?harness=other", x_signet_harness="codex") == []


def test_a_token_that_may_not_run_programs_sees_only_our_tools(tmp_path: Path) -> None:
    with an_api(tmp_path / "agents", "auth:\n  mode: team\n") as api:
        try:
            admin, agent = (bearer(a_token(api, role)) for role in ("admin", "agent"))
            sent = {"name": "Echo", "config": config("echo"), "enabled": True}
            api.post(f"{ROOT}/register", sent, **admin)
            eventually(lambda: names(api, **admin) == ["signet_echo_echo"])
            assert names(api, **agent) == [] and names(api) == []
        finally:
            api.state.routed.pool.close()


def test_a_session_over_a_pipe_is_told_when_the_tools_change(server: Served) -> None:
    bridge = subprocess.Popen(
        [sys.executable, "-m", "signet.cli.mcp"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={
            **os.environ,
            "PYTHONPATH": PYTHONPATH,
            "SIGNET_DAEMON_URL": f"http://127.0.0.1:{server.port}",
            "SIGNET_HARNESS": "codex",
            "SIGNET_WORKSPACE": "/work/boat",
            "SIGNET_MCP_PROXY_REFRESH_MS": "1",
        },
    )
    assert bridge.stdin is not None and bridge.stdout is not None

    def say(method: str, **params: object) -> None:
        assert bridge.stdin is not None
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        bridge.stdin.write(json.dumps(message).encode() + b"\n")
        bridge.stdin.flush()

    def heard() -> Any:
        assert bridge.stdout is not None
        return json.loads(bridge.stdout.readline())

    try:
        say("tools/list")
        assert len(heard()["result"]["tools"]) == len(ALWAYS)
        add(server, "Echo", "echo")
        assert heard() == {"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}
        say("tools/list")
        assert heard()["result"]["tools"][-1]["name"] == "signet_echo_echo"
        say("tools/call", name="signet_echo_echo", arguments={"text": "ahoy"})
        assert heard()["result"]["structuredContent"] == {"it": "ahoy"}
        # A change that the session itself has made is looked for at once.
        elsewhere = {"server_id": "echo", "workspaces": ["/elsewhere"]}
        say("tools/call", name="mcp_server_scope_set", arguments=elsewhere)
        told = [heard(), heard()]
        assert {one.get("method") for one in told} == {None, "notifications/tools/list_changed"}
    finally:
        bridge.stdin.close()
        bridge.wait()
        bridge.stdout.close()


def test_a_client_over_http_is_told_when_the_tools_change(server: Served) -> None:
    url = f"http://127.0.0.1:{server.port}/mcp"
    headers = {"accept": "text/event-stream"}
    with httpx.stream("GET", url, headers=headers, timeout=PATIENCE_SECONDS) as stream:
        assert stream.headers["content-type"].startswith("text/event-stream")
        heard = stream.iter_lines()
        assert next(heard).startswith(":")
        add(server, "Bell", "echo")
        data = next(line for line in heard if line.startswith("data: "))
        assert json.loads(data[6:])["method"] == "notifications/tools/list_changed"
    assert "signet_bell_echo" in every_name(server)
    with ExitStack() as open_streams:
        for _ in range(MAX_TOOL_LISTENERS):
            opened = open_streams.enter_context(httpx.stream("GET", url, headers=headers))
            assert opened.status_code == 200
        assert httpx.get(url, headers=headers).status_code == 405


def test_a_server_dies_with_the_process_that_has_started_it(tmp_path: Path) -> None:
    with served(a_workspace(tmp_path / "agents")) as own:
        add(own, "Child", "child")
        sent = {"serverId": "child", "tool": "child"}
        child = int(own.post(f"{ROOT}/call", sent).body["result"]["content"][0]["text"])
        assert is_running(child)
        own.process.kill()
    eventually(lambda: not is_running(child))
