"""The steps of a log: messages, calls of tools, and what is new in their results."""

import json

import pytest

from signet.domain.transcripts import log_files, steps, transcript
from signet.domain.transcripts.steps import StepType

TOKEN = "ghp_" + "1aB2" * 9
CLAUDE = [
    {"type": "user", "message": {"role": "user", "content": "Which port?"}},
    {
        "type": "assistant",
        "message": {
            "role": "assistant",
            "content": [
                {"type": "text", "text": "I look."},
                {"type": "tool_use", "id": "a", "name": "Bash", "input": {"command": "cat conf"}},
                {
                    "type": "tool_use",
                    "id": "b",
                    "name": "mcp__signet__memory_search",
                    "input": {"query": "port"},
                },
            ],
        },
    },
    {
        "type": "user",
        "message": {
            "role": "user",
            "content": [
                {
                    "type": "tool_result",
                    "tool_use_id": "a",
                    "content": [{"type": "text", "text": "port 8080 port"}],
                },
                {"type": "tool_result", "tool_use_id": "b", "content": "secret of memory"},
            ],
        },
    },
    {
        "type": "assistant",
        "isSidechain": True,
        "message": {
            "role": "assistant",
            "content": [{"type": "tool_use", "name": "Read", "input": {"path": "x"}}],
        },
    },
    {"type": "assistant", "message": {"role": "assistant", "content": "Port\n8080."}},
]
CODEX = [
    {"type": "event_msg", "payload": {"type": "user_message", "message": "Which port?"}},
    {"type": "event_msg", "payload": {"type": "agent_message", "message": "I look."}},
    {
        "type": "response_item",
        "payload": {
            "type": "function_call",
            "name": "Bash",
            "arguments": json.dumps({"command": "cat conf"}),
            "call_id": "a",
        },
    },
    {
        "type": "response_item",
        "payload": {"type": "function_call_output", "call_id": "a", "output": "port 8080 port"},
    },
    {"type": "event_msg", "payload": {"type": "agent_message", "message": "Port 8080."}},
]
OPENCODE = [
    {"role": "user", "content": "Which port?"},
    {
        "role": "assistant",
        "content": [
            {"type": "text", "text": "I look."},
            {
                "type": "tool",
                "tool": "Bash",
                "state": {"input": {"command": "cat conf"}, "output": "port 8080 port"},
            },
        ],
    },
    {"role": "assistant", "content": "Port 8080."},
]


@pytest.mark.parametrize("log", [CLAUDE, CODEX, OPENCODE], ids=["claude", "codex", "opencode"])
def test_every_log_gives_the_same_steps(log: list[dict[str, object]]) -> None:
    raw = "\n".join(map(json.dumps, log))
    read = log_files.read(None, raw, masks=True)
    text, stored = read.text, read.steps
    assert text == "User: Which port?\nAssistant: I look.\nAssistant: Port 8080."
    found = steps.read(stored)
    said = {
        step.text: turn.text for turn in transcript.parse(text) if (step := steps.of_turn(turn))
    }
    assert [(one.type, said.get(one.text, one.text), one.name) for one in found] == [
        (StepType.USER, "Which port?", ""),
        (StepType.ASSISTANT, "I look.", ""),
        (StepType.CALL, "cat conf", "Bash"),
        (StepType.RESULT, "port 8080", ""),
        (StepType.ASSISTANT, "Port 8080.", ""),
    ]


def test_what_is_no_log_has_no_steps() -> None:
    text = "User: Which port?\nAssistant: Port 8080."
    assert log_files.read(None, text, masks=True).steps == ""


SID = "sid=" + "q7Xk2m9" * 2


@pytest.mark.parametrize(
    ("command", "kept"),
    [
        (f'curl -H "Cookie: {SID}" https://a.example', 'curl -H "Cookie: [masked: cookie]" '),
        (f'echo "a\\b" && curl -H "Cookie: {SID}"', 'echo "a\\b" && curl -H "Cookie: [masked: cookie]"'),
        (f'API_TOKEN="{SID}"\nprintf "\\n"', 'API_TOKEN="[masked: password or key]"\n'),
        ("echo one\u2028two\x85three", "one\u2028two\x85three"),
        ("x" * (steps.CALL_CHARS - 9) + f" {TOKEN}", " [masked:"),
    ],
)  # fmt: skip
def test_steps_can_be_read_after_their_secrets_are_masked(command: str, kept: str) -> None:
    log: list[dict[str, object]] = [
        {"role": "user", "content": "Try it."},
        {
            "role": "assistant",
            "content": [
                {"type": "tool", "tool": "Bash", "state": {"input": {"command": command}}},
                {"type": "tool_result", "content": f'said "Cookie: {SID}" and token {TOKEN}'},
            ],
        },
    ]
    raw = "\n".join(map(json.dumps, log))
    stored = log_files.read(None, raw, masks=True).steps
    _, call, result = steps.read(stored)
    assert kept in call.text
    assert result.type is StepType.RESULT and "[masked:" in result.text
    assert SID not in stored and TOKEN[:9] not in stored
    unmasked = log_files.read(None, raw, masks=False).steps
    assert steps.read(unmasked)[1].text == command[: steps.CALL_CHARS]


def test_of_a_long_log_the_newest_steps_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(steps, "MOST_CHARS", 200)
    log = [{"role": "user", "content": f"Question {number}?"} for number in range(50)]
    read = log_files.read(None, "\n".join(map(json.dumps, log)), masks=False)
    found = steps.read(read.steps)
    assert 0 < len(found) < 10
    assert found[-1].text == steps.hash_of("Question 49?")
