"""OpenClaw itself: connected, asked two prompts in two processes, taken out."""

import json
from collections.abc import Iterator

import pytest

from harnesses.real import npm
from harnesses.real.place import Place, Ran, program_of
from support.agentmodel import ANSWER, agent_requests, body_text

pytestmark = npm.NEEDED
HARNESS = "openclaw"
CACHE = "Atlas uses Valkey as its cache since the Redis licence changed."
TRAIN = "The release train leaves on Tuesdays at nine."
PROMPTS = ("Which cache does Atlas use?", "And when does the release train leave?")
SESSION = "agent:main:explicit:s1"
#: What a person has in this file before.
CONFIG = """// Mine.
{
  gateway: { mode: 'local' },
  models: { providers: { scripted: { baseUrl: 'URL/v1', apiKey: 'x', api: 'openai-completions', models: [
    { id: 'scripted', name: 'scripted', input: ['text'], contextWindow: 100000, maxTokens: 4000 },
  ] } } },
  agents: { defaults: { model: { primary: 'scripted/scripted' } } },
}
"""
FILE = ".openclaw/openclaw.json"


@pytest.fixture(scope="module")
def settings(place: Place) -> Iterator[str]:
    """Give the settings of somebody who uses OpenClaw; its files are gone afterwards."""
    program_of(HARNESS)
    text = CONFIG.replace("URL", place.model.url)
    place.write(FILE, text)
    yield text
    place.clear(".openclaw")


def asked(place: Place, prompt: str) -> Ran:
    """Ask one prompt as a person does."""
    command = ("agent", "--local", "--session-id", "s1", "-m", prompt)
    done = place.run(HARNESS, *command, cwd=place.project("openclaw"))
    assert done.status == 0, done.err
    return done


def test_what_is_put_in_is_valid_and_taken_out_to_the_byte(place: Place, settings: str) -> None:
    before = place.files()
    place.connect(HARNESS, "--no-conversations")
    assert place.files() != before
    assert place.run(HARNESS, "config", "validate").status == 0
    place.disconnect(HARNESS)
    assert place.files() == before


def test_what_it_refuses_is_taken_back(place: Place, settings: str) -> None:
    broken = settings.replace("gateway:", "gatewway:")
    place.write(FILE, broken)
    before = place.files()
    try:
        with pytest.raises(AssertionError, match="gatewway"):
            place.connect(HARNESS)
        assert place.files() == before
    finally:
        place.write(FILE, settings)


def test_two_prompts_get_their_context_and_the_session_is_kept(place: Place, settings: str) -> None:
    # Its project is the workspace of the agent, wherever it is started.
    project = place.home / ".openclaw" / "workspace"
    place.remember(CACHE, project)
    place.connect(HARNESS, "--allow-conversations")
    try:
        assert place.run(HARNESS, "config", "validate").status == 0
        first = asked(place, PROMPTS[0])
        once = place.transcript(SESSION)
        place.remember(TRAIN, project)
        second = asked(place, PROMPTS[1])
        inspected = place.run(
            HARNESS, "plugins", "inspect", "signet-memory-openclaw", "--runtime", "--json"
        )
        assert inspected.status == 0, inspected.err
    finally:
        place.disconnect(HARNESS)
    assert (place.home / FILE).read_text() == settings
    assert not (place.home / ".openclaw/extensions").exists()
    for one in (first, second):
        assert "conflict" not in one.out + one.err and "blocked" not in one.out + one.err
    assert "conflict" not in json.dumps(json.loads(inspected.out))
    asked_first, asked_second = (agent_requests(place.model, prompt)[-1] for prompt in PROMPTS)
    for request in (asked_first, asked_second):
        text = body_text(request)
        assert "[memory active" in text and "Mara sails a folkboat." in text
        for tool in ("search", "store", "get", "list", "modify", "forget"):
            assert text.count(f"signet_memory_{tool}") == 1
        assert text.count("memory_search") == 1, "its own is off"
    assert f"- {CACHE}" in body_text(asked_first)
    assert f"- {TRAIN}" in body_text(asked_second)
    said = place.messages(SESSION)
    assert [one.text for one in said] == [PROMPTS[0], ANSWER, PROMPTS[1], ANSWER]
    place.check_times(SESSION, said)
    assert len(once["content"]) < len(place.transcript(SESSION)["content"])
