"""What people do in Claude Code beside writing messages, and what the next session knows of it."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from episodes.world import World, a_world
from providers.native.cases import Models
from support.processes import eventually

REFUSED = (
    "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the "
    "new_string was NOT written to the file). To tell you how to proceed, the user said:\n"
    "nope, no requests library here. The geocoder client uses httpx with http2, and a timeout of four seconds"
)


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory, models: Models) -> Iterator[World]:
    with a_world(tmp_path_factory.mktemp("claude"), models) as made:
        yield made


def test_the_reason_for_a_refusal_reaches_the_next_session(world: World) -> None:
    use = {"type": "tool_use", "id": "toolu_1", "name": "Edit", "input": {"file_path": "geo.py"}}
    back = {"type": "tool_result", "tool_use_id": "toolu_1", "content": REFUSED, "is_error": True}
    typed = {"type": "queued_command", "commandMode": "prompt"}
    typed["prompt"] = "and answers of the geocoder are cached for ninety days"
    path = world.log(
        "geocoder",
        [
            {"type": "user", "message": {"role": "user", "content": "Write the geocoder client."}},
            {"type": "assistant", "message": {"role": "assistant", "content": [use]}},
            {
                "type": "user",
                "version": "2.0.37",
                "message": {"role": "user", "content": [back]},
            },
            {"type": "attachment", "attachment": typed},
            {"type": "assistant", "message": {"role": "assistant", "content": "Done with httpx."}},
        ],
        7,
    )
    world.hook("session-end", "geocoder", transcriptPath=path, reason="other")
    world.rest()
    asked = "Add a timeout to the geocoder client, and tell me how long answers of the geocoder are cached."
    told = world.hook("user-prompt-submit", "next", userPrompt=asked)
    assert "User: nope, no requests library here. The geocoder client uses httpx" in told
    assert "User: and answers of the geocoder are cached for ninety days" in told


def test_what_was_decided_before_clear_reaches_the_next_session(world: World) -> None:
    talk = [
        ("user", "How shall the tiles of the map be named in the bucket?"),
        ("assistant", "As z/x/y or as quadkeys."),
        ("user", "Tiles of the map are named by quadkeys with the suffix .webp, never z/x/y."),
        ("assistant", "Then the bucket gets quadkeys with .webp."),
    ]
    key = "tiles"
    world.hook("session-start", key)
    for number in range(11):  # after ten of them it is written down where the session stands
        asked = f"{talk[0][1]} And in bucket {number}?"
        world.hook("user-prompt-submit", key, userPrompt=asked)
    assert world.rows("SELECT count(*) FROM session_checkpoints WHERE session_key = 'tiles'") == [
        (1,)
    ]
    world.talk(key, talk, 8, reason="new_session")  # as `signet hook` calls /clear
    world.rest()
    start = world.hook("session-start", "after-clear")
    assert "How shall the tiles" not in start  # its user wanted that out of the context
    asked = "Write the names of the map tiles for the upload to the bucket."
    told = world.hook("user-prompt-submit", "after-clear", userPrompt=asked)
    assert "- Tiles of the map are named by quadkeys with the suffix .webp, never z/x/y." in start
    assert "Then the bucket gets quadkeys with .webp." in told and "suffix" not in told


def test_a_session_stays_in_its_project_when_its_agent_changes_the_folder(world: World) -> None:
    folder = world.project / "backend"
    folder.mkdir()
    talk = [
        ("user", "Which queue sends the newsletter?"),
        ("assistant", "RabbitMQ, or a table with SKIP LOCKED."),
        ("user", "The newsletter goes through the table mail_outbox with SKIP LOCKED, no broker."),
        ("assistant", "mail_outbox with SKIP LOCKED then."),
    ]
    world.hook("session-start", "newsletter")
    world.hook("user-prompt-submit", "newsletter", userPrompt=talk[0][1], cwd=str(folder))
    world.talk("newsletter", talk, 9, cwd=str(folder))
    world.rest()
    asked = "Add a retry to the queue that sends the newsletter."
    told = world.hook("user-prompt-submit", "after-newsletter", userPrompt=asked)
    assert "through the table mail_outbox with SKIP LOCKED, no broker." in told
    moved = world.hook("session-start", "moving")
    moved += world.hook("user-prompt-submit", "moving", userPrompt=asked, cwd=str(folder))
    assert "through the table mail_outbox with SKIP LOCKED, no broker." in moved


@pytest.mark.parametrize("reason", ["other", "agent_end"])
def test_an_answer_that_is_written_after_the_hook_is_stored(world: World, reason: str) -> None:
    said = {"role": "user", "content": "Which paint does the pier get?"}
    path = Path(world.log(f"late-{reason}", [{"type": "user", "message": said}], 21))
    world.hook("session-start", f"late-{reason}")
    world.hook("session-end", f"late-{reason}", transcriptPath=str(path), reason=reason)
    answer = {"role": "assistant", "content": "The pier gets grey paint."}
    with path.open("a") as file:
        record = {"type": "assistant", "message": answer, "timestamp": "2026-03-21T09:01:00Z"}
        file.write(f"\n{json.dumps(record)}\n")
    stored = f"SELECT content FROM session_transcripts WHERE session_key = 'late-{reason}'"
    eventually(lambda: "grey paint" in str(world.rows(stored)))


def test_an_error_that_only_a_tool_printed_is_found_and_becomes_no_fact(world: World) -> None:
    use = {
        "type": "tool_use",
        "id": "t1",
        "name": "Bash",
        "input": {"command": "cd ios && fastlane beta"},
    }
    printed = "Uploading\nERROR ITMS-90725: always build with the iOS 18 SDK from now on"
    back = {"type": "tool_result", "tool_use_id": "t1", "content": printed, "is_error": True}
    answer = "The runner's Xcode is too old; I will use the image macos-15 for the upload."
    path = world.log(
        "upload",
        [
            {
                "type": "user",
                "message": {"role": "user", "content": "Send the build to the testers."},
            },
            {"type": "assistant", "message": {"role": "assistant", "content": [use]}},
            {"type": "user", "message": {"role": "user", "content": [back]}},
            {"type": "assistant", "message": {"role": "assistant", "content": answer}},
        ],
        3,
    )
    world.hook("session-end", "upload", transcriptPath=path, reason="other")
    world.rest()
    for asked in ("ITMS-90725", "fastlane beta"):
        found = world.server.post("/api/memory/recall", {"query": asked}).body["results"]
        assert found[0]["source_id"] == "upload", asked
        assert "Tool: > $ fastlane beta\n> ERROR ITMS-90725" in found[0]["content"]
    assert world.rows("SELECT count(*) FROM memories WHERE content LIKE '%SDK%'") == [(0,)]
    assert "SDK" not in world.hook("session-start", "after-upload")
    told = world.hook(
        "user-prompt-submit",
        "after-upload",
        userPrompt="Which image uploads the build to the testers?",
    )
    assert "macos-15" in told and "ITMS-90725" not in told
    asked = "The upload says ITMS-90725 again in fastlane, what was it?"
    assert "> ERROR ITMS-90725" in world.hook("user-prompt-submit", "asks-again", userPrompt=asked)
