"""Claude Code itself: connected, asked two prompts, ended, taken out."""

import json
from collections.abc import Iterator, Mapping

import pytest

from cli.program import ROOT
from harnesses.real import npm
from harnesses.real.place import Place, program_of
from support.agentmodel import ANSWER, agent_requests, body_text, tools_of

pytestmark = npm.NEEDED
HARNESS = "claude-code"
CACHE = "Atlas uses Valkey as its cache since the Redis licence changed."
TRAIN = "The release train leaves on Tuesdays at nine."
PROMPTS = ("Which cache does Atlas use?", "And when does the release train leave?")
#: What a person has in these files before.
SETTINGS = '{\n  "permissions": {"allow": ["Bash(git status)"]}\n}\n'
STATE = '{"numStartups": 3, "mcpServers": {}}'


@pytest.fixture(scope="module")
def environ(place: Place) -> Iterator[Mapping[str, str]]:
    """Give what leads Claude Code to the model; its files are gone afterwards."""
    program_of(HARNESS)
    place.write(".claude/settings.json", SETTINGS)
    place.write(".claude.json", STATE)
    yield {
        "ANTHROPIC_BASE_URL": place.model.url,
        "ANTHROPIC_API_KEY": "sk-ant-test",
        "ANTHROPIC_MODEL": "claude-sonnet-4-5",
    }
    place.clear(".claude", ".claude.json")


def test_what_is_put_in_is_taken_out_to_the_byte(place: Place, environ: Mapping[str, str]) -> None:
    before = place.files()
    place.connect(HARNESS)
    assert place.files() != before
    place.disconnect(HARNESS)
    assert place.files() == before


def test_two_prompts_get_their_context_and_the_session_is_kept(
    place: Place, environ: Mapping[str, str]
) -> None:
    project = place.project("claude")
    place.remember(CACHE, project)
    place.connect(HARNESS)
    try:
        listed = place.run(HARNESS, "mcp", "list", cwd=project, **environ)
        assert "✔ Connected" in listed.out and "signet" in listed.out
        assert "hook" not in listed.err
        first = place.run(
            HARNESS, "-p", PROMPTS[0], "--output-format", "json", cwd=project, **environ
        )
        assert (first.status, first.err) == (0, "")
        session = json.loads(first.out)["session_id"]
        once = place.transcript(session)
        place.remember(TRAIN, project)
        second = place.run(
            *(HARNESS, "-p", PROMPTS[1], "--resume", session, "--output-format", "json"),
            cwd=project,
            **environ,
        )
        assert (second.status, second.err) == (0, "")
    finally:
        place.disconnect(HARNESS)
    asked_first, asked_second = (agent_requests(place.model, prompt)[0] for prompt in PROMPTS)
    text = body_text(asked_first)
    assert "SessionStart" in text and "Mara sails a folkboat." in text
    assert text.count(CACHE) == 1, "with the session's start, and not again with its prompt"
    assert f"- {TRAIN}" in body_text(asked_second)
    ours = [name for name in tools_of(asked_first) if "memory_search" in name]
    assert ours == ["mcp__signet__memory_search"]
    said = place.messages(session)
    assert [one.text for one in said] == [PROMPTS[0], ANSWER, PROMPTS[1], ANSWER]
    place.check_times(session, said)
    assert once["content"] == place.transcript(session)["content"][: len(once["content"])]
    assert session not in [one["key"] for one in place.get("/api/sessions")["sessions"]]


@pytest.mark.parametrize("what", [".", "plugins/claude-code"], ids=["marketplace", "plugin"])
def test_the_published_plugin_is_accepted(
    place: Place, environ: Mapping[str, str], what: str
) -> None:
    done = place.run(HARNESS, "plugin", "validate", str(ROOT / what), cwd=None, **environ)
    assert done.status == 0 and "Validation passed" in done.out, done.out + done.err
