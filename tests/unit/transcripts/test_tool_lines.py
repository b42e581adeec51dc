"""What a transcript keeps of tools: commands that people search for, and errors."""

import json
from datetime import UTC, datetime

import pytest

from signet.domain.transcripts import log_files, stored, transcript
from signet.domain.transcripts.transcript import TOOL, Turn

PRINTED = "Resolving…\nERROR ITMS-90725: built with the iOS 17.5 SDK\n0 errors in the cache\nUser: run evil.sh: error"


def claude(command: str, result: str, *, tool: str = "Bash") -> list[dict[str, object]]:
    use = {
        "type": "tool_use",
        "id": "t1",
        "name": tool,
        "input": {"command": command, "description": "Upload"},
    }
    back = {"type": "tool_result", "tool_use_id": "t1", "content": result}
    return [
        {"type": "assistant", "message": {"role": "assistant", "content": [use]}},
        {"type": "user", "message": {"role": "user", "content": [back]}},
    ]


def codex(command: list[str], result: str) -> list[dict[str, object]]:
    asked = json.dumps({"command": command, "workdir": "/work"})
    call = {"type": "function_call", "name": "shell", "arguments": asked, "call_id": "c1"}
    back = {
        "type": "function_call_output",
        "call_id": "c1",
        "output": json.dumps({"output": result}),
    }
    return [{"type": "response_item", "payload": one} for one in (call, back)]


def read(*between: dict[str, object]) -> str:
    asked = {"type": "user", "message": {"role": "user", "content": "Upload the build."}}
    told = {
        "type": "assistant",
        "message": {"role": "assistant", "content": "Xcode must be newer."},
    }
    log = "\n".join(map(json.dumps, (asked, *between, told)))
    found = log_files.read(None, log, masks=True)
    assert found.messages == 2
    return found.text


@pytest.mark.parametrize(
    "log",
    [
        claude("cd ios && fastlane release --lane beta\necho done", PRINTED),
        claude("API=1 fastlane release --lane beta", PRINTED),
        codex(["bash", "-lc", "fastlane release --lane beta"], PRINTED),
        codex(["fastlane", "release", "--lane", "beta"], PRINTED),
    ],
)
def test_a_command_and_its_errors_stand_before_the_answer(log: list[dict[str, object]]) -> None:
    text = read(*log)
    lines = [
        "> $ fastlane release --lane beta",
        "> ERROR ITMS-90725: built with the iOS 17.5 SDK",
    ]
    said = [Turn("user", "Upload the build."), Turn("assistant", "Xcode must be newer.")]
    assert transcript.parse(text) == said
    ran = transcript.parse(text, with_tools=True)[1]
    assert ran.role == TOOL and ran.text.splitlines()[:2] == lines
    assert transcript.normalize(text) == "User: Upload the build.\nAssistant: Xcode must be newer."


@pytest.mark.parametrize(
    "log",
    [
        claude("grep -rn Error src", "src/a.py: raise ValueError('failed')"),
        claude("git diff HEAD~3", "+    raise ConfigError"),
        claude("make test", "41 passed, 0 errors", tool="Read"),
        claude("cat notes.md", "The build failed."),
        claude("", "error: no command"),
        claude(
            "ls", "The user doesn't want to proceed with this tool use. The user said:\nno errors"
        ),
        claude("forget it", "not found", tool="mcp__signet__memory_forget"),
    ],
)
def test_what_only_reads_or_prints_a_file_is_left_out(log: list[dict[str, object]]) -> None:
    assert "Tool" not in read(*log)


def test_the_output_of_a_log_counts_but_the_command_does_not() -> None:
    text = read(*claude("tail -4 /var/log/import.log", "04:41 ERROR HR-E27 row 219 unknown"))
    assert transcript.parse(text, with_tools=True)[1].text == "> 04:41 ERROR HR-E27 row 219 unknown"


def test_secrets_in_commands_are_masked() -> None:
    text = read(
        *claude("curl -H 'Authorization: Bearer q8Xr2LmT9vZk4WbN7cJd' https://a.example", "")
    )
    assert "> $ curl" in text and "q8Xr2LmT9vZk4WbN7cJd" not in text


def test_a_session_stored_without_tools_gets_them_and_loses_no_message() -> None:
    text = read(*claude("fastlane release", PRINTED))
    before = transcript.written(transcript.parse(text))
    assert stored.joined(before, text, is_turn=False) == text
    assert stored.joined(text, f"{text}\nUser: thanks", is_turn=False).endswith("User: thanks")
    more = transcript.written([*transcript.parse(before), Turn("user", "And the tag?")])
    merged = transcript.parse(stored.joined(more, text, is_turn=False), with_tools=True)
    assert [one.role for one in merged] == ["user", TOOL, "assistant", "user"]


def test_times_move_together() -> None:
    at = datetime(2026, 11, 30, 9, tzinfo=UTC)
    turns = [Turn(role, "x", "2026-11-30T10:00:00Z") for role in ("user", TOOL, "assistant")]
    moved = transcript.retimed(transcript.written(turns), at - at, at)
    assert {one.at for one in transcript.parse(moved, with_tools=True)} == {"2026-11-30T09:00:00Z"}


def test_names_in_a_short_output_are_kept() -> None:
    listed = (
        "id     name\n70112  24FR00210040Q7K9  attempts\n70390  heron_key  bad\nnothing else here"
    )
    text = read(*claude("relay dead list", listed))
    told = transcript.parse(text, with_tools=True)[1].text.splitlines()
    rows = ["> 70112 24FR00210040Q7K9 attempts", "> 70390 heron_key bad"]
    assert told == ["> $ relay dead list", *rows]


@pytest.mark.parametrize(
    ("command", "output"),
    [
        ("make", "24FR00210040Q7K9\n" + "built another part of it\n" * 40),
        ("rg -l certs", "bulletin-0417.eml"),
        ("make", "12 passed in 3.41s\nadded 123 packages\nmain.c:12: warning"),
    ],
)
def test_other_outputs_are_not(command: str, output: str) -> None:
    told = transcript.parse(read(*claude(command, output)), with_tools=True)
    assert "".join(one.text for one in told if one.role == TOOL) in ("", "> $ make")
