"""What a person corrected by an edit (MEM-71): agents get the new text; the old one only where it was said later."""

import json
from collections.abc import Iterator

import pytest

from episodes.world import World, a_world
from providers.native.cases import Models
from signet import clock

TALK = [
    ("user", "The nightly export of the invoices takes 40 minutes. Find out why."),
    ("assistant", "It opened a connection for each invoice. I moved that out of the loop."),
    ("user", "We decided: the nightly export runs at 02:30 UTC and writes Parquet files."),
    ("assistant", "Noted: the export runs at 02:30 UTC. Both tests of the export pass."),
]
NEW = "The nightly export runs at 04:00 UTC and writes Parquet files."
ASKED = "When does the nightly export of the invoices run?"


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory, models: Models) -> Iterator[World]:
    with a_world(tmp_path_factory.mktemp("edited"), models) as made:
        made.warm()
        yield made


def delivered(world: World, turn: str) -> str:
    """Return what a new session gets at its start and with a prompt, and what a search finds."""
    start = world.hook("session-start", turn)
    prompt = world.hook("user-prompt-submit", turn, userPrompt=ASKED)
    found = world.server.post("/api/memory/recall", {"query": ASKED}).body["results"]
    return "\n".join([start, prompt, *(hit["content"] for hit in found)])


def test_the_old_text_is_quoted_only_where_it_was_said_after_the_edit(world: World) -> None:
    world.talk("export", TALK, 4)
    world.rest()
    assert "02:30" in delivered(world, "before")
    [(memory_id,)] = world.rows("SELECT id FROM memories WHERE content LIKE '%02:30%'")
    sent = json.dumps({"content": NEW, "reason": "it changed"}).encode()
    by_a_person = {"X-Signet-Actor-Type": "operator"}
    answer = world.server.send("PATCH", f"/api/memory/{memory_id}", sent, by_a_person)
    assert answer.status == 200, answer.body
    world.rest()
    after = delivered(world, "after")
    assert "02:30" not in after
    assert "04:00" in after
    assert "40 minutes" in after
    stored = world.server.get("/api/sessions/export/transcript").body["content"]
    assert "02:30" in stored
    later: object = {
        "role": "user",
        "content": "We decided: the nightly export runs at 02:30 UTC again.",
    }
    said: dict[str, object] = {
        "type": "user",
        "timestamp": clock.to_text(clock.now()),
        "message": later,
    }
    world.hook("session-end", "again", transcriptPath=world.log("again", [said], 5), reason="other")
    world.rest()
    assert "02:30 UTC again" in delivered(world, "again-asked")
