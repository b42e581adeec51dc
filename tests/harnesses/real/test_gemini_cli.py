"""Gemini CLI itself: connected, asked two prompts, taken out."""

import json
from collections.abc import Iterator, Mapping

import pytest

from cli.program import ROOT
from harnesses.real import npm
from harnesses.real.place import Place, program_of
from support.agentmodel import ANSWER, GEMINI, agent_requests, body_text, tools_of

pytestmark = npm.NEEDED
HARNESS = "gemini-cli"
CACHE = "Lyra uses KeyDB as its cache since the audit in June."
TRAIN = "The release tram of Lyra leaves on Wednesdays at eight."
PROMPTS = ("Which cache does Lyra use?", "And when does the release tram leave?")
#: A person's settings, with a comment.
SETTINGS = """\
{
  // By key.
  "security": { "auth": { "selectedType": "gemini-api-key" } },
}
"""


@pytest.fixture(scope="module")
def environ(place: Place) -> Iterator[Mapping[str, str]]:
    """Give what leads Gemini CLI to the model; its files are gone afterwards."""
    program_of(HARNESS)
    place.write(".gemini/settings.json", SETTINGS.replace(" },\n}", " }\n}"))
    yield {
        "GEMINI_API_KEY": "test",
        "GOOGLE_GEMINI_BASE_URL": place.model.url,
        "GEMINI_CLI_TRUST_WORKSPACE": "true",
        "GEMINI_TELEMETRY_ENABLED": "false",
    }
    place.clear(".gemini")


def test_two_prompts_get_their_context_the_session_is_kept_and_no_trace_is_left(
    place: Place, environ: Mapping[str, str]
) -> None:
    project = place.project("gemini")
    place.remember(CACHE, project)

    def run(prompt: str, *more: str) -> str:
        asked = ("-m", GEMINI, "-p", prompt, "--output-format", "json", *more)
        done = place.run(HARNESS, *asked, cwd=project, **environ)
        assert done.status == 0, done.err
        return str(json.loads(done.out[done.out.index("{") :])["session_id"])

    before = place.files()
    place.connect(HARNESS)
    try:
        session = run(PROMPTS[0])
        place.remember(TRAIN, project)
        run(PROMPTS[1], "--resume", "latest", "--approval-mode", "yolo")
    finally:
        place.disconnect(HARNESS)
    after = place.files()
    # The program has written files of its own meanwhile: sessions, and what it keeps of itself.
    assert {name: after.get(name) for name in before} == before
    assert ".gemini/GEMINI.md" not in after
    asked_first, asked_second = (agent_requests(place.model, prompt)[0] for prompt in PROMPTS)
    text = body_text(asked_first)
    assert "[memory active" in text and "Mara sails a folkboat." in text
    assert "Signet is your memory across sessions" in text, "its GEMINI.md"
    assert text.count(CACHE) == 1, "with the session's start, and not again with its prompt"
    assert f"- {TRAIN}" in body_text(asked_second)
    # Without a person to ask, it leaves out the tools that it would ask about.
    ours = [name for name in tools_of(asked_second) if "memory_search" in name]
    assert ours == ["mcp_signet_memory_search"]
    said = place.messages(session)
    assert [one.text for one in said] == [PROMPTS[0], ANSWER, PROMPTS[1], ANSWER]
    place.check_times(session, said)


def test_the_published_extension_is_accepted(place: Place, environ: Mapping[str, str]) -> None:
    path = str(ROOT / "plugins/gemini-cli")
    done = place.run(HARNESS, "extensions", "validate", path, cwd=None, **environ)
    assert done.status == 0 and "successfully validated" in done.out + done.err
