"""OpenCode itself: connected, asked two prompts, its session deleted, taken out."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from harnesses.real import npm
from harnesses.real.place import Place, Ran, program_of
from support.agentmodel import ANSWER, agent_requests, body_text, tools_of

pytestmark = npm.NEEDED
HARNESS = "opencode"
CACHE = "Atlas uses Valkey as its cache since the Redis licence changed."
TRAIN = "The release train leaves on Tuesdays at nine."
PROMPTS = ("Which cache does Atlas use?", "And when does the release train leave?")
#: What a person has in this file before.
CONFIG = """{
  // Mine.
  "model": "scripted/scripted",
  "small_model": "scripted/scripted",
  "share": "disabled",
  "provider": {
    "scripted": {
      "npm": "@ai-sdk/openai-compatible",
      "options": { "baseURL": "MODEL/v1", "apiKey": "test" },
      "models": { "scripted": { "limit": { "context": 100000, "output": 4000 } } },
    },
  },
}
"""
FOLDER = ".config/opencode"
#: OpenCode fetches a package before it loads any plugin; without a network it gives up at once.
OFFLINE = {"npm_config_fetch_retries": "0"}


@pytest.fixture(scope="module")
def before(place: Place) -> Iterator[Mapping[str, bytes]]:
    """Give the files of somebody who uses OpenCode: it has run once, and so has made its own."""
    program_of(HARNESS)
    place.write(f"{FOLDER}/opencode.jsonc", CONFIG.replace("MODEL", place.model.url))
    asked(place, "Hello there")
    yield place.files(FOLDER)
    place.clear(".config", ".local", ".cache")


def asked(place: Place, prompt: str, *options: str) -> Ran:
    """Ask one prompt as a person does."""
    project = place.project("opencode")
    command = ("run", prompt, "--format", "json", *options)
    done = place.run(HARNESS, *command, cwd=project, **OFFLINE)
    assert done.status == 0, done.err
    return done


def test_two_prompts_get_their_context_and_the_session_is_kept(
    place: Place, before: dict[str, bytes]
) -> None:
    project = place.project("opencode")
    place.remember(CACHE, project)
    place.connect(HARNESS)
    try:
        listed = place.run(HARNESS, "mcp", "list", cwd=project, **OFFLINE)
        assert listed.status == 0 and "signet" in listed.out and "connected" in listed.out
        first = asked(place, PROMPTS[0])
        session = str(json.loads(first.out.splitlines()[0])["sessionID"])
        once = place.transcript(session)
        place.remember(TRAIN, project)
        asked(place, PROMPTS[1], "--session", session)
        kept = place.transcript(session)
        deleted = place.run(HARNESS, "session", "delete", session, cwd=project, **OFFLINE)
        assert deleted.status == 0, deleted.err
    finally:
        place.disconnect(HARNESS)
    assert place.files(FOLDER) == before
    asked_first, asked_second = (agent_requests(place.model, prompt)[-1] for prompt in PROMPTS)
    for request in (asked_first, asked_second):
        text = body_text(request)
        assert "[memory active" in text and "Mara sails a folkboat." in text
    assert f"- {CACHE}" in body_text(asked_first)
    assert f"- {TRAIN}" in body_text(asked_second)
    titles = [one for one in place.model.requests if PROMPTS[0] in body_text(one)]
    titles = [one for one in titles if not one.body.get("tools")]
    assert titles and all("[memory active" not in body_text(one) for one in titles)
    assert all(CACHE not in body_text(one) for one in titles)
    for request in (asked_first, asked_second):
        names: list[Any] = tools_of(request)
        assert len(names) == len(set(names))
        for tool in ("memory_search", "memory_store", "memory_get", "memory_forget"):
            assert [one for one in names if tool in one] == [f"signet_{tool}"]
    said = place.messages(session)
    assert [one.text.strip('"') for one in said] == [PROMPTS[0], ANSWER, PROMPTS[1], ANSWER]
    place.check_times(session, said)
    # Whether the session has ended is not asked: the program that deletes it may exit before its plugin's call is
    # through, and silence ends it then. That a deletion is handed on is in node/opencode.test.mjs.
    assert once["content"] == kept["content"][: len(once["content"])]


def test_tools_of_an_earlier_install_go_when_it_is_mended(
    place: Place, before: dict[str, bytes]
) -> None:
    """The plugin had the tools of the server too, so that each was offered twice."""
    place.connect(HARNESS)
    plugin = place.home / FOLDER / "plugins/signet.mjs"
    try:
        plugin.write_text("export const Signet = async () => ({ tool: { memory_search: {} } })\n")
        place.connect(HARNESS)
        assert "memory_search" not in plugin.read_text()
    finally:
        place.disconnect(HARNESS)
        place.clear(*(f"{FOLDER}/plugins/{one.name}" for one in plugin.parent.glob("*.bak*")))
