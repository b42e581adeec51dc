"""Codex itself: connected, asked two prompts, taken out."""

import json
from collections.abc import Iterator, Mapping

import pytest

from cli.program import ROOT
from harnesses.real import npm
from harnesses.real.place import Place, Ran, program_of
from support.agentmodel import ANSWER, agent_requests, body_text, tools_of
from support.processes import eventually

pytestmark = npm.NEEDED
HARNESS = "codex"
CACHE = "Boreas uses Memcached as its cache since the outage in May."
TRAIN = "The release ferry of Boreas leaves on Thursdays at six."
PROMPTS = ("Which cache does Boreas use?", "And when does the release ferry leave?")
#: A person's settings, which lead it to the model.
CONFIG = """\
# Mine.
model = "scripted"   # the small one
model_provider = "scripted"

[model_providers.scripted]
name = "scripted"
base_url = "{url}/v1"
wire_api = "responses"
env_key = "SCRIPTED_KEY"
"""
#: A person reviews new hooks once, on a terminal.
TRUSTED = ("--skip-git-repo-check", "--dangerously-bypass-hook-trust", "--json")


@pytest.fixture(scope="module")
def environ(place: Place) -> Iterator[Mapping[str, str]]:
    """Give what Codex needs; its files are gone afterwards."""
    program_of(HARNESS)
    place.write(".codex/config.toml", CONFIG.format(url=place.model.url))
    place.write(".codex/hooks.json", '{"hooks": {}}\n')
    yield {"SCRIPTED_KEY": "test"}
    place.clear(".codex")


def test_what_is_put_in_is_taken_out_to_the_byte(place: Place, environ: Mapping[str, str]) -> None:
    before = place.files()
    place.connect(HARNESS)
    assert place.files() != before
    place.disconnect(HARNESS)
    assert place.files() == before


def test_two_prompts_get_their_context_and_the_session_is_kept(
    place: Place, environ: Mapping[str, str]
) -> None:
    project = place.project("codex")
    place.remember(CACHE, project)

    def run(*arguments: str) -> Ran:
        done = place.run(HARNESS, "exec", *arguments, cwd=project, **environ)
        assert done.status == 0, done.err
        return done

    place.connect(HARNESS)
    try:
        listed = place.run(HARNESS, "mcp", "list", cwd=project, **environ)
        assert listed.status == 0
        assert any(
            line.split()[0] == "signet" and "enabled" in line for line in listed.out.splitlines()
        )
        first = run(*TRUSTED, PROMPTS[0])
        session = json.loads(first.out.splitlines()[0])["thread_id"]
        place.remember(TRAIN, project)
        run("resume", session, *TRUSTED, PROMPTS[1])
    finally:
        place.disconnect(HARNESS)
    asked_first, asked_second = (agent_requests(place.model, prompt)[0] for prompt in PROMPTS)
    text = body_text(asked_first)
    assert "[memory active" in text and "Mara sails a folkboat." in text
    assert text.count(CACHE) == 1, "with the session's start, and not again with its prompt"
    assert f"- {TRAIN}" in body_text(asked_second)
    assert [name for name in tools_of(asked_first) if "memory_search" in name] == ["memory_search"]
    said = place.messages(session)
    assert [one.text for one in said] == [PROMPTS[0], ANSWER, PROMPTS[1], ANSWER]
    place.check_times(session, said)


def test_the_published_plugin_is_installed(place: Place, environ: Mapping[str, str]) -> None:
    path = place.home / ".codex" / "config.toml"
    kept = path.read_text()
    for asked in (("marketplace", "add", str(ROOT)), ("add", "signet@signet")):
        done = place.run(HARNESS, "plugin", *asked, cwd=None, **environ)
        assert done.status == 0, done.err
    listed = place.run(HARNESS, "mcp", "list", cwd=None, **environ).out
    assert any(one.split()[:2] == ["signet", "signet-mcp"] for one in listed.splitlines())
    path.write_text(kept)


def test_settings_that_codex_itself_refuses_stay_as_they_were(
    place: Place, environ: Mapping[str, str]
) -> None:
    path = place.home / ".codex" / "config.toml"
    kept = path.read_text()
    path.write_text(f"{kept}\n[mcp_servers.other]\ncommand = 5\n")
    before = place.files()
    done = place.signet.run("harness", "install", HARNESS, PATH=npm.path_of(program_of(HARNESS)))
    assert done.status == 1 and "`codex mcp list` says" in done.err
    assert place.files() == before
    path.write_text(kept)


#: It compacts before a prompt when the context has more tokens than this.
COMPACTING = ("-c", "model_auto_compact_token_limit=10")
AGENTS = "Never touch prod. Run make lint before each commit."


def test_instructions_and_images_are_not_messages_and_no_session_is_lost(
    place: Place, environ: Mapping[str, str]
) -> None:
    project = place.project("codex-agents")
    (project / "AGENTS.md").write_text(f"# Rules\n\n{AGENTS}\n")
    place.write(".codex/AGENTS.md", "Answer in Dutch.\n")
    picture = str(place.image("codex.png"))
    prompts = (
        "What does the picture show?",
        "And which colour is it?",
        "Held while it is stopped.",
    )

    def run(*arguments: str) -> str:
        done = place.run(HARNESS, "exec", *arguments, cwd=project, **environ)
        assert done.status == 0, done.err
        return str(json.loads(done.out.splitlines()[0])["thread_id"])

    place.connect(HARNESS)
    try:
        session = run(*TRUSTED, "--image", picture, "--", prompts[0])
        assert run("resume", session, *TRUSTED, *COMPACTING, prompts[1]) == session
        with place.stopped():
            alone = run(*TRUSTED, prompts[2])
        eventually(lambda: place.is_kept(alone))
    finally:
        place.disconnect(HARNESS)
    logs = [one.read_text() for one in place.home.glob(".codex/sessions/**/*.jsonl")]
    assert [one for one in logs if session in one and '"compacted"' in one]
    assert AGENTS in body_text(agent_requests(place.model, prompts[0])[0])
    said = [one.text for one in place.messages(session)]
    assert said == [prompts[0], ANSWER, prompts[1], ANSWER]
    assert [one.text for one in place.messages(alone)] == [prompts[2], ANSWER]
    assert place.unknown_records(HARNESS) == []
