"""A session starts with what was decided, ruled and left open in its project, in the words of its people."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from episodes.world import World, a_world
from providers.native.cases import Models

TALK = [
    ("user", "The ferry tickets are printed twice. What do we do?"),
    (
        "assistant",
        "Either the printer keeps a list, or the server numbers them. Always ask me first.",
    ),
    (
        "user",
        "Decision: the server numbers the tickets, and the printer refuses a number it has seen.",
    ),
    ("assistant", "Done. Open: the printers on Skagen need the new firmware."),
]
GERMAN = [
    ("user", "Ab jetzt heißen die Zweige nach dem Vorgang, also fix/1234."),
    ("assistant", "Gut, so mache ich es."),
]
LONG = [
    (
        "user",
        "I looked at the numbers of the last three seasons with Runa, and most of the complaints came from people who "
        "had booked by telephone. Never overbook the night ferry. The office may tell me what it likes, I have seen "
        "what happens when forty people stand at the pier in the rain and nobody has a cabin for them.",
    ),
    ("assistant", "Understood."),
]


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory, models: Models) -> Iterator[World]:
    with a_world(tmp_path_factory.mktemp("decided"), models) as world:
        for day, (key, talk) in enumerate(
            {"tickets": TALK, "zweige": GERMAN, "night": LONG}.items()
        ):
            world.talk(key, talk, day + 2)
        world.warm()
        world.rest()
        yield world


def _listed(start: str) -> list[str]:
    _, _, rest = start.partition("## Decided and open in this project\n")
    return [line for line in rest.partition("\n</signet-memory>")[0].split("\n") if line]


def test_statements_stand_there_newest_first(world: World) -> None:
    assert _listed(world.hook("session-start", "first")) == [
        "- Never overbook the night ferry. (Mar 4, 2026)",
        "- Ab jetzt heißen die Zweige nach dem Vorgang, also fix/1234. (Mar 3, 2026)",
        "- the printers on Skagen need the new firmware. (open, Mar 2, 2026)",
        "- Decision: the server numbers the tickets, and the printer refuses a number it has seen. (Mar 2, 2026)",
    ]


def test_another_project_starts_without_them(world: World, tmp_path: Path) -> None:
    assert _listed(world.hook("session-start", "elsewhere", cwd=str(tmp_path))) == []


def test_a_prompt_does_not_repeat_them(world: World) -> None:
    world.hook("session-start", "second")
    asked = "The ferry tickets are printed twice again since the update of the printer. Fix the numbers."
    told = world.hook("user-prompt-submit", "second", userPrompt=asked)
    assert "Either the printer keeps a list" in told
    assert "refuses a number it has seen" not in told


def test_a_forgotten_statement_is_not_told(world: World) -> None:
    text = "Never paint the lifeboats while passengers are on board."
    world.talk("boats", [("user", text), ("assistant", "Of course.")], 6)
    saved = world.server.post("/api/memory/remember", {"content": text}).body["id"]
    world.rest()
    assert "lifeboats" in world.hook("session-start", "third")
    asked = {"ids": [saved], "reason": "wrong", "mode": "execute"}
    assert world.server.post("/api/memory/forget", asked).body["deleted"] == 1
    world.rest()
    assert "lifeboats" not in world.hook("session-start", "fourth")
