"""What was forgotten is in no channel of recall, no page, note or brief; recovering brings it back."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from episodes.world import World, a_world
from providers.native.cases import Models
from support.http import Answer

TALK = [
    ("user", "I want to talk about the walks. My dog is named Quillbert and fears thunder."),
    ("assistant", "Noted: your dog Quillbert fears thunder, so we plan walks by the forecast."),
    ("user", "Right. And the flat in Bergen has a balcony with room for two chairs."),
    ("assistant", "Good: two chairs fit on the balcony of the flat in Bergen."),
    ("user", "Decided: we walk before seven, never after lunch, and the lead is always blue."),
    ("assistant", "Settled: walks before seven, never after lunch, always with the blue lead."),
]
DOG = "The user's dog is named Quillbert and fears thunder. Quillbert walks before seven."
WORD = "quillbert"
ASKED = "What is the name of my dog, the one that fears thunder, and when do we walk?"


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory, models: Models) -> Iterator[World]:
    with a_world(tmp_path_factory.mktemp("forgotten"), models) as made:
        made.warm()
        yield made


def said(answer: Answer) -> str:
    """Return what an answer says, without the question that it repeats."""
    assert answer.status == 200, answer.body
    body: Any = answer.body
    if isinstance(body, Mapping):
        body = {
            name: value
            for name, value in body.items()
            if name not in ("query", "prompt", "entityName")
        }
    return json.dumps(body, ensure_ascii=False).lower()


def walk(world: World, word: str, asked: str, *, turn: str) -> dict[str, str]:
    """Return what every channel says of a word; `turn` makes sessions of this walk new."""
    get, post = world.server.get, world.server.post
    project = str(world.project)
    found = {
        name: said(post("/api/memory/recall", {"query": query, "limit": 50, "expand": True}))
        for name, query in (("recall by word", word), ("recall by meaning", asked))
    }
    found |= {
        f"context {number}": said(post("/api/memory/context", {"prompt": query}))
        for number, query in enumerate((word, asked))
    }
    for path in (
        f"/api/memory/search?q={word}",
        f"/memory/search?q={word}",
        "/api/memories?limit=1000",
        "/api/knowledge/entities?limit=200",
        "/api/knowledge/constellation",
        "/api/knowledge/communities",
        "/api/knowledge/hygiene",
        "/api/sessions/summaries",
        "/api/sessions/walks/transcript",
        "/api/checkpoints/walks",
        f"/api/checkpoints?project={project}",
        "/api/embeddings",
        "/api/skills",
    ):
        answer = get(path)
        if answer.status != 404:
            found[path] = said(answer)
    for path in ("/api/knowledge/expand", "/api/knowledge/expand/session"):
        answer = post(path, {"entityName": word})
        found[path] = said(answer) if answer.status == 200 else ""
    found["synthesis request"] = said(post("/api/hooks/synthesis", {}))
    for name, sent in (
        ("session-start", {"query": asked}),
        ("user-prompt-submit", {"userPrompt": asked}),
        ("user-prompt-submit", {"userPrompt": f"Tell me all about {word}, please."}),
    ):
        key = f"{turn}-{len(found)}"
        found[f"{name} {len(found)}"] = world.hook(name, key, **sent).lower()
    root = world.server.workspace.root
    for file in (root / "MEMORY.md", *sorted((root / "memory").glob("20*.md"))):
        if file.is_file():
            found[file.name] = file.read_text("utf-8").lower()
    return found


def told(found: Mapping[str, str], word: str) -> set[str]:
    """Return which channels have the word."""
    return {re.sub(r" \d+$", "", name) for name, text in found.items() if word in text}


def test_a_forgotten_word_is_in_no_channel_and_comes_back_with_its_memory(world: World) -> None:
    remember = {"content": DOG, "sessionKey": "walks", "sessionId": "walks", "pinned": False}
    saved = world.server.post("/api/memory/remember", remember).body["id"]
    world.talk("walks", TALK, 4)
    world.rest()
    assert world.server.post("/api/synthesis/trigger", {}).status in (200, 202)
    world.rest()
    before = told(walk(world, WORD, ASKED, turn="before"), WORD)
    assert before >= {"recall by word", "recall by meaning", "context", "/api/memories?limit=1000"}
    assert before >= {"/api/sessions/walks/transcript", "user-prompt-submit", "MEMORY.md"}
    asked = {"mode": "execute", "ids": [saved], "reason": "private"}
    assert world.server.post("/api/memory/forget", asked).body["deleted"] == 1
    at_once = told(walk(world, WORD, ASKED, turn="at-once"), WORD)
    assert at_once <= {"MEMORY.md"} | {name for name in at_once if name.startswith("20")}
    world.rest()
    after = walk(world, WORD, ASKED, turn="after")
    assert told(after, WORD) == set()
    assert "blue" in after["/api/sessions/walks/transcript"]
    back = world.server.post(f"/api/memory/{saved}/recover", {"reason": "was right"})
    assert back.status == 200, back.body
    world.rest()
    assert told(walk(world, WORD, ASKED, turn="back"), WORD) >= before - {"MEMORY.md"}
