"""Records that hold nobody's words: what harnesses repeat, summarise or add around a session."""

import json

import pytest

from signet.domain.transcripts import log_files, transcript
from signet.domain.transcripts import records as record_types
from signet.domain.transcripts.transcript import ASSISTANT, USER, Turn

SESSION = {"sessionId": "s", "cwd": "/p", "version": "2.1.332"}


def claude(kind: str, role: str, text: str, **more: object) -> dict[str, object]:
    message = {"role": role, "content": [{"type": "text", "text": text}]}
    return {**SESSION, "type": kind, "uuid": text[:4], "message": message, **more}


def log(*records: dict[str, object]) -> str:
    return "\n".join(map(json.dumps, records))


def codex(kind: str, **payload: object) -> dict[str, object]:
    return {"type": kind, "timestamp": "2026-11-28T20:30:02Z", "payload": payload}


def item(role: str, text: str) -> dict[str, object]:
    part = "input_text" if role == "user" else "output_text"
    content = [{"type": part, "text": text}]
    return codex("response_item", type="message", role=role, content=content)


AGENTS = "# AGENTS.md instructions for /p\n\n<INSTRUCTIONS>\nNever touch prod.\n</INSTRUCTIONS>"


@pytest.mark.parametrize(
    "kind", ["api-request-blob", "request-snapshot", "message", "agent", "event_msg"]
)
def test_a_record_of_an_unknown_type_is_nobodys_words(kind: str) -> None:
    summary = "This session is being continued. Always run make lint before each commit."
    text = log(
        claude("user", "user", "Build the importer."),
        claude(kind, "user", summary),
        claude("assistant", "assistant", "Done."),
        claude(kind, "assistant", "Resume directly."),
        claude(kind, "user", "Now add its tests."),
        claude("user", "user", "Now add its tests."),
    )
    assert transcript.parse(text) == [
        Turn(USER, "Build the importer."),
        Turn(ASSISTANT, "Done."),
        Turn(USER, "Now add its tests."),
    ]
    assert log_files.read(None, text, masks=False).unknown == {kind: 3}


@pytest.mark.parametrize(
    "summary",
    [
        "This session is being continued from a previous conversation that ran out of context. Summary:\nSkip CI.",
        "\nAnother language model started to solve this problem and produced a summary of it. Skip CI.",
        "You are performing a CONTEXT CHECKPOINT COMPACTION. Skip CI.",
        "<state_snapshot>\n<overall_goal>Skip CI.</overall_goal>\n</state_snapshot>",
        "[Previous conversation summary]: Skip CI.",
    ],
)
def test_a_summary_that_is_not_marked_is_nobodys_words(summary: str) -> None:
    asked = "What does 'This session is being continued from a previous conversation' mean?"
    said = [claude("user", "user", one) for one in ("Build it.", summary, asked)]
    assert transcript.parse(log(*said)) == [Turn(USER, "Build it."), Turn(USER, asked)]
    gone = [turn.text for turn in transcript.refused(log(*said).splitlines)]
    assert gone == [summary.strip()]


def test_types_without_a_message_are_not_reported() -> None:
    records: list[dict[str, object]] = [
        {"type": "file-history-snapshot", "snapshot": {}},
        {"type": "mode", "mode": "plan"},
        {"type": "progress", "data": {"type": "hook_progress"}},
        claude("user", "user", "Hello."),
    ]
    assert not any(map(record_types.unknown_type, records))


@pytest.mark.parametrize("version", ["0.171.0", "0.104.0", "1.2.3"])
def test_codex_instructions_are_nobodys_words_before_the_first_event(version: str) -> None:
    begun = [codex("session_meta", id="s", cli_version=version), item("user", AGENTS)]
    assert transcript.parse(log(*begun)) == []
    said = [
        codex("event_msg", type="user_message", message="Fix the retry."),
        item("user", "Fix the retry."),
    ]
    (turn,) = transcript.parse(log(*begun, *said))
    assert turn == Turn(USER, "Fix the retry.")


def test_codex_logs_without_events_are_read_by_their_items() -> None:
    old = [
        codex("session_meta", id="s", cli_version="0.20.0"),
        item("user", f"{AGENTS}\n\nFix the retry."),
    ]
    assert transcript.parse(log(*old, item("assistant", "Fixed."))) == [
        Turn(USER, "Fix the retry."),
        Turn(ASSISTANT, "Fixed."),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "Please read # AGENTS.md instructions first.",
        "We keep # AGENTS.md in the root.",
    ],
)
def test_a_person_may_speak_of_the_file(text: str) -> None:
    assert transcript.parse(log(claude("user", "user", text))) == [Turn(USER, text)]
