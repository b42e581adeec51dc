"""The end of a turn over HTTP: what was said is handed over, and the session goes on."""

import json
from typing import Any

import pytest

from signet.domain.transcripts import transcript
from support.http import Answer, Api

TURNS = [
    f"User: How is step {step} of the heron migration done?\n"
    f"Assistant: Step {step} moves one table, and its indexes are made anew after that. {'It holds. ' * 40}So."
    for step in range(4)
]
#: How each harness says that a turn has ended: its name, its path, and the reason of its call.
SAYS = [
    ("codex", "legacy", "Stop"),
    ("openclaw", "plugin", "agent_end"),
    ("openclaw", "plugin", None),
]


def call(api: Api, hook: str, said: tuple[str, str, str | None], **body: object) -> Answer:
    harness, path, _ = said
    sent = {"harness": harness, "sessionKey": "s1", "runtimePath": path, **body}
    return api.post(f"/api/hooks/{hook}", sent)


def end_turn(api: Api, said: tuple[str, str, str | None], turns: int) -> Any:
    text = "\n".join(TURNS[:turns])
    answer = call(api, "session-end", said, transcript=text, reason=said[2])
    assert answer.status == 200
    return answer.body


def parts(api: Api) -> list[str]:
    return [row["transcript"] for row in api.rows("summary_jobs")]


@pytest.mark.parametrize("said", SAYS, ids=["codex", "openclaw", "published-openclaw"])
def test_a_turn_ends_and_the_session_keeps_everything(
    api: Api, said: tuple[str, str, str | None]
) -> None:
    call(api, "session-start", said)
    call(api, "user-prompt-submit", said, userMessage="How is the heron migration done?")
    [before] = api.rows("session_states")
    first = end_turn(api, said, 1)
    assert first["memoriesSaved"] == 0 and first["queued"] is True
    [after] = api.rows("session_states")
    kept = ("runtime_path", "claimed_at", "is_started", "injected", "continuity")
    assert [after[name] for name in kept] == [before[name] for name in kept]
    assert [one["key"] for one in api.get("/api/sessions").body["sessions"]] == ["s1"]
    assert api.rows("session_checkpoints") == []


def test_after_a_compaction_a_turn_adds_its_messages_once(api: Api) -> None:
    """OpenClaw then tells the kept end of the session, with the time of the last prompt corrected by the next turn."""

    def tell(*messages: tuple[int, str]) -> None:
        lines = [
            {"role": text.split()[0], "content": text.split(maxsplit=1)[1], "timestamp": at * 1000}
            for at, text in messages
        ]
        told = "\n".join(map(json.dumps, lines))
        assert call(api, "session-end", SAYS[1], transcript=told, reason="agent_end").status == 200

    first = [(0, "user Name the importer."), (9, "assistant Heron."), (60, "user Fill it.")]
    first += [(61, "assistant Filled.")]
    tell(*first)
    after = [(61, "assistant Filled."), (170, "user Name the exporter."), (171, "assistant Egret.")]
    tell(*after)
    tell(after[0], (162, after[1][1]), after[2], (240, "user Done?"), (241, "assistant Yes."))
    said = transcript.parse(api.get("/api/sessions/s1/transcript").body["content"])
    assert [one.text for one in said] == [
        *("Name the importer.", "Heron.", "Fill it.", "Filled."),
        *("Name the exporter.", "Egret.", "Done?", "Yes."),
    ]


def test_each_turn_is_handed_on_once_however_often_it_is_told(api: Api) -> None:
    for turns in (1, 1, 2, 1, 3, 3):
        end_turn(api, SAYS[0], turns)
    assert [part.strip() for part in parts(api)] == TURNS[:3]
    [row] = api.rows("session_transcripts")
    assert row["content"] == "\n".join(TURNS[:3]).strip()


def test_the_end_of_the_session_asks_for_the_summary_once(api: Api) -> None:
    said = SAYS[1]
    for turns in (1, 2):
        end_turn(api, said, turns)
    for _ in range(2):
        ended = call(api, "session-end", said, reason="session_end").body
        assert ended["queued"] is True
    assert parts(api).count("") == 1 and len(parts(api)) == 3
    assert api.rows("session_states") == []


def test_a_compacted_session_loses_nothing_of_what_was_handed_over(api: Api) -> None:
    end_turn(api, SAYS[1], 3)
    compacted = "\n".join(["User: So far the migration was spoken of.", *TURNS[2:]])
    call(api, "session-end", SAYS[1], transcript=compacted, reason="agent_end")
    assert api.rows("session_transcripts")[0]["content"] == "\n".join(TURNS).strip()


@pytest.mark.parametrize("hook", ["session-end", "session-checkpoint-extract"])
def test_turns_of_a_bypassed_session_are_not_kept(api: Api, hook: str) -> None:
    call(api, "session-start", SAYS[0])
    api.post("/api/sessions/s1/bypass", {"enabled": True})
    told = call(api, hook, SAYS[0], transcript="\n".join(TURNS), reason="Stop").body
    assert told["bypassed"] is True
    assert api.rows("session_transcripts") == [] and api.rows("summary_jobs") == []
    assert api.get("/api/sessions/s1").body["bypassed"] is True


def test_a_session_that_only_ever_told_of_turns_is_known_so_that_its_silence_ends_it(
    api: Api,
) -> None:
    end_turn(api, SAYS[0], 1)
    assert [row["session_key"] for row in api.rows("session_states")] == ["s1"]
