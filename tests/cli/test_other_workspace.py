"""Another workspace's daemon has the port: nothing goes to it, and whoever asks is told so."""

import asyncio
import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from cli.program import PATIENT, Done, Program
from signet.client import AsyncSignet, Signet
from signet.client.errors import OtherWorkspace
from signet.paths import Workspace

FACT = "The heron nests on the southern mast."
END = {"session_id": "s9", "cwd": "/work/heron", "reason": "other"}
TURNS = f"User: Where does the heron nest?\n\nAssistant: {FACT}\n"


@pytest.fixture
def other(served: Program, tmp_path: Path) -> Program:
    """Return a program of a second workspace, without a daemon, whose port the first one's daemon has."""
    found = replace(served, home=tmp_path, workspace=tmp_path / "other")
    found.workspace.mkdir()
    return found


def at_port(program: Program, *arguments: str, stdin: str = "", **environ: str) -> Done:
    own = {"SIGNET_PORT": str(program.port), **environ}
    return program.run(*arguments, stdin=stdin, **own)


def count(program: Program) -> int:
    """Return how many memories and transcripts a workspace has."""
    signet = Signet(path=str(program.workspace), environ={})
    return signet.memories(limit=1)["stats"]["total"] + len(signet.search_transcripts("heron"))


def kept(program: Program) -> list[str]:
    """Return what hooks could not deliver."""
    return [one.read_text() for one in Workspace(program.workspace).spool_dir.glob("*.json")]


def test_a_command_is_refused_and_says_who_has_the_port(served: Program, other: Program) -> None:
    before = count(served)
    for words in (("remember", FACT), ("recall", "heron"), ("jobs", "list")):
        done = at_port(other, *words)
        assert (done.status, done.out) == (1, "")
        assert (
            f"The daemon on port {served.port} serves the workspace {served.workspace}" in done.err
        )
        assert f"not {other.workspace}" in done.err
        assert f"signet daemon start --path {other.workspace} --port " in done.err
    done = at_port(other, "remember", FACT, "--json")
    assert json.loads(done.out or done.err)["code"] == "other_workspace"
    assert count(served) == before


def test_a_person_may_name_the_daemon_and_reach_the_workspace_by_another_way(
    served: Program, other: Program, tmp_path: Path
) -> None:
    url = f"http://127.0.0.1:{served.port}"
    assert at_port(other, "recall", "heron", SIGNET_DAEMON_URL=url).status == 0
    (tmp_path / "link").symlink_to(served.workspace)
    same = replace(other, workspace=tmp_path / "link")
    assert at_port(same, "recall", "heron").status == 0


def test_what_a_dead_daemon_left_on_disk_leads_nowhere_else(
    served: Program, other: Program
) -> None:
    state = {"pid": os.getpid(), "url": f"http://127.0.0.1:{served.port}"}
    Workspace(other.workspace).make()
    Workspace(other.workspace).state_file.write_text(json.dumps(state))
    done = other.run("remember", FACT, "--path", str(other.workspace))
    assert done.status == 1 and "serves the workspace" in done.err


def test_both_clients_raise_it(served: Program, other: Program) -> None:
    environ = {"SIGNET_PATH": str(other.workspace), "SIGNET_PORT": str(served.port)}
    with pytest.raises(OtherWorkspace) as refused:
        Signet(environ=environ).remember(FACT)
    assert refused.value.facts["workspace"] == str(served.workspace)

    async def scene() -> None:
        await AsyncSignet(environ=environ).remember(FACT)

    with pytest.raises(OtherWorkspace):
        asyncio.run(scene())
    with pytest.raises(OtherWorkspace), Signet(environ=environ).job_events() as events:
        next(iter(events))


def test_a_hook_is_silent_and_keeps_what_must_not_be_lost(served: Program, other: Program) -> None:
    before = count(served)

    def hook(name: str, said: object, *flags: str) -> Done:
        said = json.dumps(said)
        return at_port(other, "hook", name, "-H", "claude-code", *flags, stdin=said, **PATIENT)

    for name in ("session-start", "user-prompt-submit", "pre-compaction"):
        done = hook(name, {**END, "prompt": "Where does the heron nest?"})
        assert (done.status, done.out) == (0, "")
        assert "serves the workspace" in done.err
    done = hook("session-end", {**END, "transcript": TURNS})
    assert (done.status, done.out) == (0, "")
    assert done.err.endswith("hook skipped; saved, will be sent later\n")
    assert hook("compaction-complete", END, "--summary", FACT).status == 0
    assert [FACT in one for one in kept(other)] == [True, True]
    at_port(other, "sync")
    assert len(kept(other)) == 2
    assert count(served) == before


def test_a_tool_over_stdio_says_it_and_a_scope_is_no_workspace(
    served: Program, other: Program, tmp_path: Path
) -> None:
    call = {"name": "memory_search", "arguments": {"query": "heron"}}
    line = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}

    def answered(program: Program, **environ: str) -> str:
        done = subprocess.run(
            [sys.executable, "-m", "signet.cli.mcp"],
            env=program.environment(SIGNET_PORT=str(program.port), **environ),
            input=json.dumps(line) + "\n",
            capture_output=True,
            text=True,
        )
        return done.stdout

    told = answered(other)
    assert '"isError":true' in told and "serves the workspace" in told
    # MC-6: there it may also be the folder that a harness works in.
    saved = tmp_path / ".config" / "signet" / "workspace.json"
    saved.parent.mkdir(parents=True)
    saved.write_text(json.dumps({"workspace": str(served.workspace)}))
    own = replace(served, home=tmp_path)
    told = answered(own, SIGNET_PATH="", SIGNET_WORKSPACE=str(tmp_path))
    assert '"isError"' not in told and '"result"' in told
