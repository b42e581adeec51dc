"""Claude Code itself: connected, asked two prompts, ended, taken out."""

import base64
import json
from collections.abc import Iterator, Mapping

import pytest

from cli.program import ROOT
from harnesses.real import npm
from harnesses.real.place import Place, program_of
from support.agentmodel import ANSWER, agent_requests, body_text, tools_of
from support.processes import eventually

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


RULE = "Always deploy with make ship. Never deploy on Fridays."
SKILL = f"---\nname: notes\ndescription: Release notes\n---\n{RULE}\n"


def test_only_messages_are_stored_and_no_session_is_lost(
    place: Place, environ: Mapping[str, str]
) -> None:
    """A compaction, a command file, a skill, an image, a queued prompt, a fork, and a stopped daemon."""
    project = place.project("claude-messages")
    (project / "AGENTS.md").write_text("Never touch prod.\n")
    (project / "CLAUDE.md").write_text("@AGENTS.md\n")
    place.write(".claude/commands/deploy.md", f"Deploy the service. {RULE}\n")
    place.write(".claude/skills/notes/SKILL.md", SKILL)
    data = base64.b64encode(place.image("claude.png").read_bytes()).decode()
    source = {"type": "base64", "media_type": "image/png", "data": data}
    asked = [
        [
            {"type": "text", "text": "What does the picture show?"},
            {"type": "image", "source": source},
        ],
        [{"type": "text", "text": "And while you work: which colour is it?"}],
    ]
    streamed = "".join(
        json.dumps({"type": "user", "message": {"role": "user", "content": content}}) + "\n"
        for content in asked
    )

    def run(*arguments: str, stdin: str = "") -> str:
        done = place.run(HARNESS, "-p", *arguments, cwd=project, stdin=stdin, **environ)
        assert done.status == 0, done.out + done.err
        lines = [json.loads(line) for line in done.out.splitlines()]
        return str(next(one["session_id"] for one in reversed(lines) if "session_id" in one))

    stream = ("--output-format", "stream-json", "--verbose")
    place.connect(HARNESS)
    try:
        session = run("We decided to name the importer Heron.", *stream)
        for prompt in ("/deploy", "/notes", "/compact", "Now add its tests."):
            run(prompt, "--resume", session, *stream)
        run("--resume", session, "--input-format", "stream-json", *stream, stdin=streamed)
        fork = run("Rename it to Egret.", "--resume", session, "--fork-session", *stream)
        with place.stopped():
            alone = run("Held while it is stopped.", *stream)
        eventually(lambda: place.is_kept(alone))
    finally:
        place.disconnect(HARNESS)
    said = [one.text for one in place.messages(session) if one.role == "user"]
    assert said[0] == "We decided to name the importer Heron."
    assert said[-3:] == [
        "Now add its tests.",
        "What does the picture show?",
        "And while you work: which colour is it?",
    ]
    for key in (session, fork, alone):
        text = place.transcript(key)["content"]
        for foreign in (RULE, "Never touch prod", "This session is being continued", data[:40]):
            assert foreign not in text, text
    assert fork != session
    assert place.messages(fork)[-2].text == "Rename it to Egret."
    assert [one.text for one in place.messages(alone)] == ["Held while it is stopped.", ANSWER]
