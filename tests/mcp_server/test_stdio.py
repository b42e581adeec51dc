"""`signet-mcp` as a harness runs it: a real process, lines in and lines out, with and without a daemon."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from signet.domain.projects.folder import locate
from support.http import Served
from support.ports import free_port
from support.processes import PYTHONPATH


def talk(port: int, *lines: object, folder: Path | None = None, **env: str) -> list[Any]:
    """Return what the program says to these lines, by the order of the ids; it runs in `folder`."""
    sent = b"".join(
        (line if isinstance(line, bytes) else json.dumps(line).encode()) + b"\n" for line in lines
    )
    done = subprocess.run(
        [sys.executable, "-m", "signet.cli.mcp"],
        input=sent,
        capture_output=True,
        cwd=folder,
        env={
            **os.environ,
            "PYTHONPATH": PYTHONPATH,
            "SIGNET_DAEMON_URL": f"http://127.0.0.1:{port}",
            **env,
        },
        check=True,
    )
    assert done.stderr == b""
    replies = [json.loads(line) for line in done.stdout.splitlines()]
    return sorted(replies, key=lambda reply: (reply["id"] is not None, reply["id"] or 0))


def message(id_: int, method: str, **params: object) -> dict[str, object]:
    return {"jsonrpc": "2.0", "id": id_, "method": method, "params": params}


def call(id_: int, tool: str, **arguments: object) -> dict[str, object]:
    return message(id_, "tools/call", name=tool, arguments=arguments)


def test_lines_go_to_the_daemon_and_its_replies_come_back(server: Served) -> None:
    server.post("/api/agents", {"name": "scout"})
    note = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    hello, tools, stored = talk(
        server.port,
        message(1, "initialize", protocolVersion="2025-06-18"),
        note,
        b"",
        message(2, "tools/list"),
        call(3, "memory_store", content="The ferry leaves at seven."),
        SIGNET_AGENT_ID="mate",
    )
    assert hello["result"]["protocolVersion"] == "2025-06-18"
    assert tools["result"]["tools"][0]["name"] == "memory_search"
    id_ = json.loads(stored["result"]["content"][0]["text"])["id"]
    [whole] = server.get(f"/api/memories/ids?prefix={id_}&agent_id=mate").body["ids"]
    memory = server.get(f"/api/memory/{whole}?agent_id=mate").body
    assert (memory["content"], memory["agent_id"]) == ("The ferry leaves at seven.", "mate")


def test_what_is_stored_comes_from_the_harness_and_the_folder(
    server: Served, tmp_path: Path
) -> None:
    """A folder that is no project, because programs start there whatever they work on, is not named."""
    project, home = tmp_path / "harbour", tmp_path / "home"
    for folder in (project, home):
        folder.mkdir()
    sessions: dict[str, tuple[Path, str | None]] = {
        "In a harness.": (project, "codex"),
        "In a home.": (home, None),
        "In a root.": (Path("/"), None),
    }
    for content, (folder, harness) in sessions.items():
        env = {"HOME": str(home), **({"SIGNET_HARNESS": harness} if harness else {})}
        talk(server.port, call(2, "memory_store", content=content), folder=folder, **env)
    hello = message(1, "initialize", clientInfo={"name": "some-desktop", "version": "1"})
    with ready(server.port) as bridge:
        assert bridge.stdin is not None and bridge.stdout is not None
        for line in (hello, call(2, "memory_store", content="In a client.")):
            bridge.stdin.write(json.dumps(line).encode() + b"\n")
            bridge.stdin.flush()
            assert bridge.stdout.readline()
        bridge.stdin.close()
    memories = [
        server.get(f"/api/memory/{one['id']}").body
        for one in server.get("/api/memories?limit=4").body["memories"]
    ]
    assert {one["content"]: (one["who"], one["project"]) for one in memories} == {
        "In a harness.": ("codex", str(project)),
        "In a client.": ("some-desktop", locate(str(Path.cwd())).project),
        "In a home.": ("mcp-server", None),
        "In a root.": ("mcp-server", None),
    }
    sent = {"query": "in a harness", "project": str(project), "who": "codex"}
    [found] = server.post("/api/memory/recall", sent).body["results"]
    assert found["content"] == "In a harness."
    anywhere = talk(server.port, call(1, "memory_search", query="in a"), folder=home)
    assert "In a harness." in anywhere[0]["result"]["content"][0]["text"]


def test_many_tools_run_at_once_and_none_is_lost(server: Served) -> None:
    replies = talk(server.port, *(call(n, "memory_list", limit=1) for n in range(40)))
    assert [reply["id"] for reply in replies] == list(range(40))
    assert not any("isError" in reply["result"] for reply in replies)


def test_without_a_daemon_it_still_introduces_itself_and_says_how_to_start_one() -> None:
    broken, hello, tools, stored, unknown, odd = talk(
        free_port(),
        b"{",
        message(1, "initialize"),
        message(2, "tools/list"),
        call(3, "memory_store", content="x"),
        message(4, "prompts/list"),
        call(5, "memory_get", id="\ud800"),
    )
    assert broken["error"]["code"] == -32700
    assert hello["result"]["serverInfo"]["name"] == "signet"
    assert len(tools["result"]["tools"]) > 10
    assert stored["result"] == {
        "content": [
            {
                "type": "text",
                "text": "Store failed: Daemon is not running. Start it with: signet daemon start",
            }
        ],
        "isError": True,
    }
    assert unknown["error"]["code"] == -32601
    assert odd["result"]["isError"] is True


def ready(port: int) -> "subprocess.Popen[bytes]":
    """Start the program, which answers as long as its stdin is open."""
    env = {"PYTHONPATH": PYTHONPATH, "SIGNET_DAEMON_URL": f"http://127.0.0.1:{port}"}
    return subprocess.Popen(
        [sys.executable, "-m", "signet.cli.mcp"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, **env},
    )
