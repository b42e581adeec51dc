"""Another program has the port of a workspace's daemon: it hears nothing, and none of its answer is printed."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import ClassVar
from urllib.parse import parse_qs, urlsplit

import pytest

from cli.program import PATIENT, Done, Program
from client.speaking import Loopback, loopback, sends
from signet import clock
from signet.client import Signet
from signet.domain.auth import tokens
from signet.paths import Workspace
from signet.wire.access import Role

FACT = "The heron nests on the southern mast."
END = {"session_id": "s9", "cwd": "/work/heron", "reason": "other", "prompt": "hunter2"}
TURNS = f"User: Where does the heron nest?\n\nAssistant: {FACT}\n"
#: What a program answers that would like to be taken for the daemon.
ANSWER = {
    "inject": "INJECTED",
    "proof": "0" * 64,
    "agentsDir": "/tmp/INJECTED",
    "error": "INJECTED",
    "result": {"content": [{"type": "text", "text": "INJECTED"}]},
}


@contextmanager
def squatted(program: Program) -> Iterator[Loopback]:
    """Serve that answer on the port that the daemon of a workspace had when it died."""
    with loopback(sends(200, json.dumps(ANSWER).encode(), "X-Signet-Request-Id: 1")) as other:
        workspace = Workspace(program.workspace)
        workspace.make()
        port = int(other.url.rpartition(":")[2])
        state = {"pid": os.getpid(), "port": port, "url": other.url}
        workspace.state_file.write_text(json.dumps(state))
        tokens.ensure_secret(workspace.token_file)
        yield other


def check(other: Loopback, *printed: str) -> None:
    """Check that a program was only asked for a proof, and that none of its answer was printed."""
    assert other.heard
    for request in other.heard:
        head, _, body = request.partition("\r\n\r\n")
        assert head.startswith("GET /api/auth/proof?nonce=") and not body
        assert "authorization" not in head.lower() and FACT not in head
    assert not any("INJECTED" in text for text in printed)


def hook(program: Program, name: str, *flags: str, **environ: str) -> Done:
    said = json.dumps({**END, "transcript": TURNS})
    return program.run("hook", name, "-H", "claude-code", *flags, stdin=said, **(PATIENT | environ))


def kept(program: Program) -> list[str]:
    """Return what hooks could not deliver."""
    return [one.read_text() for one in Workspace(program.workspace).spool_dir.glob("*.json")]


@pytest.mark.parametrize("mode", ["local", "hybrid", "team"])
def test_hooks_keep_what_must_not_be_lost_and_say_why(alone: Program, mode: str) -> None:
    with squatted(alone) as other:
        (alone.workspace / "agent.yaml").write_text(f"auth: {{mode: {mode}}}\n")
        tokens.ensure_secret(Workspace(alone.workspace).auth_secret)
        done = [hook(alone, name) for name in ("session-start", "user-prompt-submit", "synthesis")]
        assert kept(alone) == []
        done += [hook(alone, "session-end"), hook(alone, "compaction-complete", "--summary", FACT)]
        assert [(one.status, one.out) for one in done] == [(0, "")] * 5
        check(other, *(one.err for one in done))
    assert all("Another program answers on port" in one.err for one in done)
    assert done[-1].err.endswith("hook skipped; saved, will be sent later\n")
    assert [FACT in one for one in kept(alone)] == [True, True]


class Daemon(BaseHTTPRequestHandler):
    """Proves that it knows the workspace token, and notes what then comes with the prompt."""

    protocol_version = "HTTP/1.1"
    workspace: Workspace
    heard: ClassVar[list[str]] = []

    def do_GET(self) -> None:
        nonce = parse_qs(urlsplit(self.path).query)["nonce"][0]
        key = tokens.read_workspace_token(self.workspace)
        port = int(self.headers["Host"].rpartition(":")[2])
        self._answer({"proof": tokens.proof(key, nonce, port)})

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.heard.append(self.headers["Authorization"])
        self._answer({"inject": ""})

    def log_message(self, format: str, *args: object) -> None:
        pass

    def _answer(self, body: object) -> None:
        content = json.dumps(body).encode()
        self.send_response(200)
        self.send_header("X-Signet-Request-Id", "1")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


def test_a_hook_over_tcp_has_the_token_of_an_agent(alone: Program) -> None:
    workspace = Daemon.workspace = Workspace(alone.workspace)
    workspace.make()
    tokens.create_workspace_token(workspace)
    with ThreadingHTTPServer(("127.0.0.1", 0), Daemon) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        workspace.port_file.write_text(str(server.server_port))
        assert hook(alone, "user-prompt-submit").status == 0
        server.shutdown()
    [authorization] = Daemon.heard
    key = tokens.read_workspace_token(workspace)
    claims = tokens.verify(authorization.removeprefix("Bearer "), key, now=clock.now())
    assert (claims.role, claims.own) == (Role.AGENT, True)


def test_commands_fail_and_name_the_port(alone: Program) -> None:
    lines = [("remember", FACT), ("recall", "heron"), ("jobs", "list"), ("auth", "whoami")]
    with squatted(alone) as other:
        done = [alone.run(*words) for words in lines]
        done.append(alone.run("recall", "heron", "--path", str(alone.workspace)))
        check(other, *(one.out + one.err for one in done))
        refused = alone.run("remember", FACT, "--json")
    for one in done:
        assert (one.status, one.out) == (1, "")
        assert f"Another program answers on port {other.url.rpartition(':')[2]}" in one.err
        assert f"not the Signet daemon of {alone.workspace}" in one.err
    assert json.loads(refused.out or refused.err)["code"] == "other_program"


def test_the_recorded_port_is_used_and_not_the_usual_one(alone: Program) -> None:
    with squatted(alone) as other:
        workspace = Workspace(alone.workspace)
        workspace.state_file.unlink()
        workspace.port_file.write_text(other.url.rpartition(":")[2])
        done = alone.run("recall", "heron")
        check(other, done.out + done.err)
        other.heard.clear()
        workspace.token_file.unlink()
        for done in (alone.run("recall", "heron"), hook(alone, "user-prompt-submit")):
            assert "not running" in done.err
    assert other.heard == []


def test_a_tool_over_stdio_says_it(alone: Program) -> None:
    call = {"name": "memory_search", "arguments": {"query": "heron"}}
    line = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
    with squatted(alone) as other:
        done = subprocess.run(
            [sys.executable, "-m", "signet.cli.mcp"],
            env=alone.environment(),
            input=json.dumps(line) + "\n",
            capture_output=True,
            text=True,
        )
        check(other, done.stdout)
    assert '"isError":true' in done.stdout and "Another program answers" in done.stdout


def test_the_daemon_of_another_workspace_is_another_program(
    served: Program, tmp_path: Path
) -> None:
    def count() -> int:
        signet = Signet(path=str(served.workspace), environ={})
        return signet.memories(limit=1)["stats"]["total"] + len(signet.search_transcripts("heron"))

    other = replace(served, home=tmp_path, workspace=tmp_path / "other")
    workspace, before = Workspace(other.workspace), count()
    workspace.make()
    url = f"http://127.0.0.1:{served.port}"
    workspace.state_file.write_text(json.dumps({"pid": os.getpid(), "url": url}))
    for environ in ({}, {"SIGNET_PORT": str(served.port)}):
        assert "not running" in other.run("remember", FACT, **environ).err
    tokens.ensure_secret(workspace.token_file)
    for environ in ({}, {"SIGNET_PORT": str(served.port)}):
        done = other.run("remember", FACT, **environ)
        assert done.status == 1 and "Another program answers" in done.err
        assert hook(other, "session-end", **environ).status == 0
    other.run("sync", SIGNET_PORT=str(served.port))
    assert len(kept(other)) == 2 and count() == before
    assert other.run("recall", "heron", SIGNET_DAEMON_URL=url).status == 0


def test_a_workspace_may_be_reached_by_another_path(served: Program, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(served.workspace)
    same = replace(served, home=tmp_path, workspace=tmp_path / "link")
    assert same.run("recall", "heron").status == 0


def test_a_scope_of_a_harness_is_no_workspace(served: Program, tmp_path: Path) -> None:
    """MC-6: SIGNET_WORKSPACE may also be the folder that a harness works in."""
    saved = tmp_path / ".config" / "signet" / "workspace.json"
    saved.parent.mkdir(parents=True)
    saved.write_text(json.dumps({"workspace": str(served.workspace)}))
    own = replace(served, home=tmp_path)
    call = {"name": "memory_search", "arguments": {"query": "heron"}}
    line = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
    done = subprocess.run(
        [sys.executable, "-m", "signet.cli.mcp"],
        env=own.environment(SIGNET_PATH="", SIGNET_WORKSPACE=str(tmp_path)),
        input=json.dumps(line) + "\n",
        capture_output=True,
        text=True,
    )
    assert '"isError"' not in done.stdout and '"result"' in done.stdout
