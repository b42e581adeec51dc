"""GitHub Copilot's command itself: connected, asked a prompt, taken out."""

from collections.abc import Iterator, Mapping

import pytest

from harnesses.real import npm
from harnesses.real.place import Place, program_of
from support.agentmodel import ANSWER, agent_requests, body_text, tools_of
from support.processes import eventually

pytestmark = npm.NEEDED
HARNESS = "copilot"
SESSION = "0db180bb-9439-4b3c-9661-6098a323de61"
CACHE = "Vega uses Dragonfly as its cache since the talk in April."
PROMPT = "Which cache does Vega use?"


@pytest.fixture(scope="module")
def environ(place: Place) -> Iterator[Mapping[str, str]]:
    """Give what leads Copilot to the model; its files are gone afterwards."""
    program_of(HARNESS)
    place.write(".copilot/mcp-config.json", '{"mcpServers": {}}\n')
    place.write(".config/Code/User/mcp.json", "// Mine.\n{}\n")
    yield {
        "COPILOT_OFFLINE": "true",
        "COPILOT_PROVIDER_BASE_URL": f"{place.model.url}/v1",
        "COPILOT_PROVIDER_API_KEY": "test",
        "COPILOT_MODEL": "scripted",
    }
    place.clear(".copilot", ".config/Code", ".cache/copilot")


def test_a_prompt_gets_its_context_the_session_is_kept_and_no_trace_is_left(
    place: Place, environ: Mapping[str, str]
) -> None:
    project = place.project("copilot")
    place.remember(CACHE, project)
    before = place.files(".copilot", ".config")
    place.connect(HARNESS)
    try:
        asked = ("-p", PROMPT, "--session-id", SESSION, "--allow-all-tools")
        done = place.run(HARNESS, *asked, cwd=project, **environ)
        assert done.status == 0 and ANSWER.split()[0] in done.out, done.err
        # It writes the turn to its log after its last hook has returned.
        eventually(lambda: place.is_kept(SESSION))
    finally:
        place.disconnect(HARNESS)
    after = place.files(".copilot", ".config")
    assert {name: after.get(name) for name in before} == before
    assert not [name for name in after if "signet" in name]
    [request] = agent_requests(place.model, PROMPT)
    text = body_text(request)
    assert "[memory active" in text and "Mara sails a folkboat." in text
    assert "Signet is your memory across sessions" in text, "its instructions"
    assert text.count(CACHE) == 1, "with the session's start, and not again with its prompt"
    assert [name for name in tools_of(request) if "memory_search" in name]
    said = place.messages(SESSION)
    assert [one.text for one in said] == [PROMPT, ANSWER]
    place.check_times(SESSION, said)
