"""What a session shows is read from the log of every harness, as it hands that over."""

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from pathlib import Path

import pytest

from api.test_context import ASK_FALCON, ASK_WALRUS, FALCON, WALRUS
from learning.talk import labels, work
from signet import clock
from signet.domain.sessions import session_end
from support.http import Api

KEY = "5d0c7a1e-harness"
SAYS = "It sleeps on the northern pier at night, next to crane 4711."
DOES = "echo 'the falcon hunts mice behind the customs shed' > notes.md"
Record = Mapping[str, object]


def claude_code(tool: str) -> Sequence[Record]:
    parts = [{"type": "text", "text": "I note it."}]
    call = {"type": "tool_use", "id": "t", "name": "Bash", "input": {"command": tool}}
    return [
        {"type": "user", "message": {"role": "user", "content": ASK_WALRUS}},
        {"type": "assistant", "message": {"role": "assistant", "content": SAYS}},
        {"type": "user", "message": {"role": "user", "content": ASK_FALCON}},
        {"type": "assistant", "message": {"role": "assistant", "content": [*parts, call]}},
    ]


def codex(tool: str) -> Sequence[Record]:
    said = [("user", ASK_WALRUS), ("agent", SAYS), ("user", ASK_FALCON), ("agent", "I note it.")]
    call = {"type": "function_call", "call_id": "t", "name": "shell"}
    arguments = json.dumps({"command": ["sh", "-c", tool]})
    return [
        *(
            {"type": "event_msg", "payload": {"type": f"{who}_message", "message": text}}
            for who, text in said
        ),
        {"type": "response_item", "payload": {**call, "arguments": arguments}},
    ]


def gemini_cli(tool: str) -> Sequence[Record]:
    call = {"id": "t", "name": "run_shell_command", "args": {"command": tool}, "result": []}
    return [
        {"sessionId": KEY, "kind": "main"},
        {"type": "user", "content": [{"text": ASK_WALRUS}]},
        {"type": "gemini", "content": SAYS},
        {"type": "user", "content": [{"text": ASK_FALCON}]},
        {"type": "gemini", "content": "I note it.", "toolCalls": [call]},
    ]


def cursor(tool: str) -> Sequence[Record]:
    def line(role: str, text: str, *more: Record) -> Record:
        return {"role": role, "message": {"content": [{"type": "text", "text": text}, *more]}}

    def asked(text: str) -> Record:
        return line("user", f"<user_query>\n{text}\n</user_query>")

    call = {"type": "tool_use", "name": "Shell", "input": {"command": tool}}
    return [
        asked(ASK_WALRUS),
        line("assistant", SAYS),
        asked(ASK_FALCON),
        line("assistant", "I note it.", call),
    ]


def handed_by_plugin(call: Record) -> Sequence[Record]:
    """Return messages as our plugins hand them over (`client.js`)."""
    said = [("user", ASK_WALRUS), ("assistant", SAYS), ("user", ASK_FALCON)]
    parts = [{"type": "text", "text": "I note it."}, call]
    return [
        *({"role": role, "content": text} for role, text in said),
        {"role": "assistant", "content": parts},
    ]


def opencode(tool: str) -> Sequence[Record]:
    return handed_by_plugin(
        {"type": "tool", "tool": "bash", "state": {"input": {"command": tool}, "output": ""}}
    )


def openclaw(tool: str) -> Sequence[Record]:
    return handed_by_plugin({"type": "toolCall", "name": "exec", "arguments": {"command": tool}})


def copilot(tool: str) -> Sequence[Record]:
    call = {"toolCallId": "t", "name": "bash", "arguments": {"command": tool}}
    return [
        {"type": "session.start", "data": {"version": 1}},
        {"type": "user.message", "data": {"content": ASK_WALRUS}},
        {"type": "assistant.message", "data": {"content": SAYS, "toolRequests": []}},
        {"type": "user.message", "data": {"content": ASK_FALCON}},
        {"type": "assistant.message", "data": {"content": "I note it.", "toolRequests": [call]}},
    ]


#: Its log, how it is handed over, and what the harness says at the end of a turn and of a session, if it says that.
LOGS: Mapping[str, tuple[Callable[[str], Sequence[Record]], str, str, str | None]] = {
    "claude-code": (claude_code, "legacy", "Stop", "other"),
    "codex": (codex, "legacy", "Stop", None),
    "opencode": (opencode, "plugin", "session.idle", "deleted"),
    "openclaw": (openclaw, "plugin", "agent_end", "session_end"),
    "gemini-cli": (gemini_cli, "legacy", "AfterAgent", "exit"),
    "cursor": (cursor, "legacy", "stop", "completed"),
    "copilot": (copilot, "legacy", "Stop", "complete"),
}


@pytest.mark.parametrize("harness", list(LOGS))
def test_what_was_said_and_done_with_a_memory_is_its_label(
    api: Api, harness: str, tmp_path: Path
) -> None:
    log, way, turn, end = LOGS[harness]
    ids = {
        text: str(api.post("/api/memory/remember", {"content": text}).body["id"])
        for text in (WALRUS, FALCON)
    }
    path = tmp_path / "log.jsonl"
    path.write_text("\n".join(map(json.dumps, log(DOES))), "utf-8")
    handed = {"transcript": path.read_text()} if way == "plugin" else {"transcriptPath": str(path)}

    def hook(name: str, **said: object) -> None:
        about = {"harness": harness, "sessionKey": KEY, "cwd": "/w/harbour", "runtimePath": way}
        answer = api.post(f"/api/hooks/{name}", {**about, **said})
        assert answer.status == 200, answer.body

    hook("session-start")
    for asked in (ASK_WALRUS, ASK_FALCON):
        hook("user-prompt-submit", userMessage=asked)
    hook("session-end", reason=turn, **handed)
    work(api)
    assert labels(api) == {}, "the session goes on"
    if end:
        hook("session-end", reason=end, **handed)
    else:  # nobody says that it is over
        later = clock.now() + timedelta(days=1)
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(clock, "now", lambda: later)
            api.state.db.write(session_end.end_silent, api.state.settings, now=later)
            work(api)
    work(api)
    used = {id_: reason for id_, (_, _, reason) in labels(api).items()}
    assert used == {ids[WALRUS]: "used", ids[FALCON]: "used"}
    places = [json.loads(row["place"]) for row in api.rows("memory_labels")]
    assert any("tool" in one for one in places)
