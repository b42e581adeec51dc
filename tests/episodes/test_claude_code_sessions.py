"""What people do in Claude Code beside writing messages, and what the next session knows of it."""

from collections.abc import Iterator

import pytest

from episodes.world import World, a_world
from providers.native.cases import Models

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
