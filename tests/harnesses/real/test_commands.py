"""Every command that an installer writes, run as a harness does it: by /bin/sh, with nothing of a shell's setup."""

import json
import re
import shlex
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from harnesses.real.place import Place
from signet.domain.harnesses import registry
from signet.domain.harnesses.jsonedit import parse
from support.processes import eventually

MEMORY = "The heron nests on the northern pier."
#: What is known by the time of an event: a prompt is not told again what its session began with.
MEMORIES = {"session-start": MEMORY, "user-prompt-submit": "The heron nests near {} since May."}
LOGS: Mapping[str, Sequence[Mapping[str, object]]] = {
    "claude-code": [
        {"type": "user", "message": {"role": "user", "content": "Where does the heron nest?"}},
        {
            "type": "assistant",
            "message": {"role": "assistant", "content": [{"type": "text", "text": "On the pier."}]},
        },
    ],
    "codex": [
        {
            "type": "event_msg",
            "payload": {"type": "user_message", "message": "Where does the heron nest?"},
        },
        {"type": "event_msg", "payload": {"type": "agent_message", "message": "On the pier."}},
    ],
    "gemini-cli": [
        {"sessionId": "bare", "kind": "main"},
        {
            "type": "user",
            "content": [
                {
                    "text": "<hook_context>[memory active]</hook_context>\n\nWhere does the heron nest?"
                },
                {"text": "<hook_context>- It nests near</hook_context>"},
            ],
        },
        {"$set": {"lastUpdated": "2026-11-23T19:02:39.989Z"}},
        {"type": "gemini", "content": "On the pier.", "thoughts": []},
    ],
    "cursor": [
        {
            "role": "user",
            "message": {
                "content": [
                    {
                        "type": "text",
                        "text": "<user_query>\nWhere does the heron nest?\n</user_query>",
                    }
                ]
            },
        },
        {"role": "assistant", "message": {"content": [{"type": "text", "text": "On the pier."}]}},
    ],
    "copilot": [
        {"type": "session.start", "data": {"version": 1}},
        {
            "type": "user.message",
            "data": {
                "content": "Where does the heron nest?",
                "transformedContent": "Where does the heron nest?\n\n<system_reminder>x</system_reminder>",
            },
        },
        {"type": "assistant.message", "data": {"content": "On the pier.", "toolRequests": []}},
    ],
    "windsurf": [
        {
            "status": "done",
            "type": "user_input",
            "user_input": {"user_response": "Where does the heron nest?"},
        },
        {
            "status": "done",
            "type": "planner_response",
            "planner_response": {"response": "On the pier."},
        },
    ],
}
SHELL = ["/usr/bin/env", "-i"]
#: How our programs are called in what installers write, in any syntax.
CALL = re.compile(r"signet-mcp|signet\S*\s+hook\s+[\w-]+")


@dataclass(frozen=True, slots=True)
class Hook:
    """A command of a harness's event."""

    harness: str
    event: str
    command: str

    @property
    def name(self) -> str:
        """Return our name of it."""
        return self.command.partition(" hook ")[2].split()[0]


@dataclass(frozen=True, slots=True)
class Written:
    """What the installers wrote."""

    hooks: tuple[Hook, ...]
    servers: Mapping[str, Sequence[str]]
    text: str


@pytest.fixture(scope="module")
def written(place: Place) -> Iterator[Written]:
    """Connect every harness, give what was written, and leave the home as it was.

    The environment that `signet` is installed in is active, as it often is when a person does this.
    """
    active = f"{Path(place.signet.command()[0]).parent}:/usr/bin:/bin"
    before = place.files()
    place.write(".openclaw/openclaw.json", "{}\n")
    hooks: list[Hook] = []
    servers: dict[str, list[str]] = {}
    texts: list[str] = []
    for harness in registry.HARNESSES:
        earlier = place.files()
        done = place.signet.run("harness", "install", harness, PATH=active)
        assert done.status == 0, done.err
        for name, content in place.files().items():
            if content == earlier.get(name) or ".bak" in name:
                continue
            texts.append(content.decode())
            for path, command in commands(name, content.decode()):
                if "signet-mcp" in command:
                    servers.setdefault(harness, []).append(command)
                elif "hooks" in path:
                    hooks.append(Hook(harness, path[path.index("hooks") + 1], command))
                else:
                    raise AssertionError(f"{name}: {path} runs {command}, and no test knows how")
    yield Written(tuple(hooks), servers, "\n".join(texts))
    for harness in registry.HARNESSES:
        assert place.signet.run("harness", "uninstall", harness).status == 0
    for name in place.files().keys() - before.keys():
        if (place.home / name).is_file():
            (place.home / name).unlink()


def commands(name: str, text: str) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield the place and the text of each command in a settings file; a list is quoted as for a shell."""
    if name.endswith(".toml"):
        yield from _commands(tomllib.loads(text), ())
    elif name.endswith((".json", ".jsonc")):
        yield from _commands(parse(text).value, ())


def _commands(value: Any, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], str]]:
    if isinstance(value, Mapping):
        command = value.get("command")
        if isinstance(command, str):
            yield path, " ".join([command, *map(shlex.quote, value.get("args", ()))])
        elif isinstance(command, list):
            yield path, shlex.join(command)
        for name, one in value.items():
            yield from _commands(one, (*path, name))
    elif isinstance(value, list):
        for one in value:
            yield from _commands(one, path)


def test_nothing_is_written_that_is_not_run_here(written: Written) -> None:
    found = CALL.findall(written.text)
    assert len(found) == len(written.hooks) + sum(map(len, written.servers.values())) > 20
    assert {"claude-code", "codex"} <= set(written.servers)
    assert not re.search(r"child_process|\bexec(?:File|Sync)?\(|\bspawn", written.text)


@pytest.mark.parametrize("harness", list(LOGS))
def test_hooks_do_their_work_from_a_bare_shell(
    place: Place, written: Written, harness: str, tmp_path: Path
) -> None:
    project, key = place.project(f"bare-{harness}"), f"bare-{harness}"
    log = tmp_path / "log.jsonl"
    log.write_text("\n".join(map(json.dumps, LOGS[harness])))
    events = [one for one in written.hooks if one.harness == harness]
    assert {"session-end"} <= {one.name for one in events}
    for one in events:
        # Cursor runs its hooks in the folder of their file.
        cwd = place.home / ".cursor" if harness == "cursor" else project
        known = MEMORIES.get(one.name, "").format(harness)
        if known:
            place.remember(known, project)
        done = _run(place, one.command, json.dumps(_said(one, key, log, project)), cwd)
        assert (done.status, done.err) == (0, ""), one.command
        if known:
            assert known in _context(one, done.out), one.command
    found = place.get(f"/api/sessions/{key}/transcript")
    assert (found["harness"], found["project"]) == (harness, str(project))
    assert found["content"] == "User: Where does the heron nest?\nAssistant: On the pier."


def test_a_hook_of_claude_code_that_cursor_runs_too_says_nothing_twice(
    place: Place, written: Written
) -> None:
    project = place.project("twice")
    place.remember(MEMORY, project)
    [start] = [
        one for one in written.hooks if (one.harness, one.event) == ("claude-code", "SessionStart")
    ]
    said = {"session_id": "twice", "cwd": str(project), "cursor_version": "3.12"}
    assert _run(place, start.command, json.dumps(said), project).out == ""
    hooks = place.home / ".cursor/hooks.json"
    kept = hooks.read_text()
    hooks.unlink()
    assert MEMORY in _run(place, start.command, json.dumps(said), project).out
    hooks.write_text(kept)


def _context(hook: Hook, printed: str) -> str:
    """Return the context in what a hook printed; raises when it is not in the form that its harness reads."""
    if hook.harness == "claude-code":
        return printed
    found = json.loads(printed)
    if hook.harness == "cursor":
        assert found["continue"] is True
        return str(found["additional_context"])
    output = found["hookSpecificOutput"]
    assert output["hookEventName"] == hook.event
    if hook.harness == "copilot":  # its command reads the one, VS Code the other
        assert found["additionalContext"] == output["additionalContext"]
    return str(output["additionalContext"])


def _said(hook: Hook, key: str, log: Path, project: Path) -> Mapping[str, object]:
    """Return what a harness gives a hook on stdin."""
    path, prompt = str(log), "Where does the heron nest?"
    if hook.harness == "windsurf":
        event = {"agent_action_name": hook.event, "trajectory_id": key}
        return {**event, "tool_info": {"transcript_path": path}}
    said = {"hook_event_name": hook.event, "transcript_path": path, **EXTRA.get(hook.event, {})}
    if hook.name == "user-prompt-submit":
        said["prompt"] = prompt
    if hook.harness == "cursor":
        folders = {"workspace_roots": [str(project)], "cursor_version": "3.12"}
        return {**said, **folders, "conversation_id": key, "user_email": None}
    if hook.harness == "gemini-cli" and "prompt" in said:
        said["prompt"] = f"<hook_context>{MEMORY} And more.</hook_context>\n\n{prompt}"
    return {**said, "session_id": key, "cwd": str(project), "permission_mode": "default"}


EXTRA: Mapping[str, Mapping[str, object]] = {
    "SessionStart": {"source": "startup"},
    "PreCompact": {"trigger": "manual", "custom_instructions": None},
    "Stop": {"stop_hook_active": False, "last_assistant_message": "On the pier."},
    "AfterAgent": {"prompt_response": "On the pier."},
    "SessionEnd": {"reason": "other"},
    "sessionEnd": {"reason": "completed", "duration_ms": 45_000},
}


@pytest.mark.parametrize("harness", list(registry.HARNESSES))
def test_mcp_servers_answer_from_a_bare_shell(place: Place, written: Written, harness: str) -> None:
    if harness not in written.servers:
        pytest.skip(f"{harness} gets its tools from a plugin")
    place.remember(MEMORY, place.project("mcp"))
    asked = [
        {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "initialize",
            "params": {
                "protocolVersion": "2025-06-18",
                "capabilities": {},
                "clientInfo": {"name": harness, "version": "1"},
            },
        },
        {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
        {
            "jsonrpc": "2.0",
            "id": 3,
            "method": "tools/call",
            "params": {"name": "memory_search", "arguments": {"query": "heron"}},
        },
    ]
    lines = "".join(f"{json.dumps(one)}\n" for one in asked)
    assert len({*written.servers[harness]}) == 1
    done = _run(place, written.servers[harness][0], lines, place.project("mcp"))
    assert (done.status, done.err) == (0, "")
    answers = {one["id"]: one["result"] for one in map(json.loads, done.out.splitlines())}
    assert sorted(answers) == [1, 2, 3]
    assert "memory_search" in [one["name"] for one in answers[2]["tools"]]
    assert MEMORY in json.dumps(answers[3])


def test_hooks_never_block_a_harness_whatever_they_are_given(
    place: Place, written: Written
) -> None:
    for one in written.hooks:
        done = _run(place, f"{one.command} --from-another-version yes", "{}", place.project("x"))
        assert done.status == 0, one


def test_a_bare_name_from_an_earlier_version_is_reported_and_replaced(
    place: Place, written: Written
) -> None:
    program = place.signet.command()[0]
    for name in (".claude/settings.json", ".codex/hooks.json"):
        path = place.home / name
        path.write_text(path.read_text().replace(program, "signet"))
    shown = place.signet.run("harness", "status")
    assert shown.status == 1 and "signet is not found" in shown.out
    assert "signet is not found" in place.signet.run("doctor").out
    assert place.signet.run("sync").status == 0
    eventually(lambda: program in (place.home / ".claude/settings.json").read_text())
    assert place.signet.run("harness", "status").status == 0


def _run(place: Place, command: str, stdin: str, cwd: Path) -> Any:
    bare = [*SHELL, f"HOME={place.home}", "PATH=/usr/bin:/bin", "/bin/sh", "-c", command]
    return place.run_command(bare, {}, cwd, stdin)
