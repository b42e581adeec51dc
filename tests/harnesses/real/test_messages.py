"""Command files, skills, pictures and compactions leave nothing but messages: programs without a test of their own."""

import base64
import shutil
from pathlib import Path

import pytest

from harnesses.real import npm, test_gemini_cli, test_opencode
from harnesses.real.place import Place, program_of
from harnesses.real.test_repositories import drivers
from support.agentmodel import FULL, GEMINI, body_text
from support.processes import eventually

pytestmark = npm.NEEDED
RULE = "Always deploy with make ship. Never deploy on Fridays."
FILES = {
    "opencode": {f"{test_opencode.FOLDER}/command/deploy.md": f"Deploy the service. {RULE}\n"},
    "gemini-cli": {
        ".gemini/commands/deploy.toml": f'prompt = "Deploy the service. {RULE}"\n',
        # It compacts before a prompt when the context fills this share of the window.
        ".gemini/settings.json": test_gemini_cli.SETTINGS.replace(
            " },\n}", ' },\n  "model": { "compressionThreshold": 0.000001 }\n}'
        ),
    },
    "copilot": {
        ".copilot/skills/deploy/SKILL.md": f"---\nname: deploy\ndescription: How to deploy\n---\n{RULE}\n"
    },
    "openclaw": {
        ".openclaw/skills/deploy/SKILL.md": f"---\nname: deploy\ndescription: How to deploy\n---\n{RULE}\n"
    },
}
#: What the request for a summary holds, of programs that compact without a person.
COMPACTION = {
    "opencode": "the summary process",
    "gemini-cli": "state_snapshot",
    "copilot": "summary of the conversation so far",
    "openclaw": "compacted into the following summary",
}
#: A command and no message.
COMPACT = "/compact"
SESSION = "0db180bb-9439-4b3c-9661-6098a323de62"


def _runs(harness: str, session: str, picture: str) -> list[tuple[str, ...]]:
    shown = "What does the picture show?"
    more: tuple[str, ...]
    match harness:
        case "opencode":
            more = ("--session", session, "--format", "json")
            return [
                ("run", "--command", "deploy", "now", *more),
                ("run", FULL, *more),
                ("run", shown, "-f", picture, *more),
            ]
        case "gemini-cli":
            more = ("-m", GEMINI, "--resume", "latest", "--output-format", "json")
            return [("-p", "/deploy", *more), ("-p", f"{shown} @{picture}", *more)]
        case "copilot":
            more = ("--session-id", session, "--allow-all-tools", "--allow-all-paths")
            prompts = ("/deploy now", FULL, COMPACT, f"{shown} @{picture}")
            return [("-p", one, *more) for one in prompts]
    more = ("agent", "--local", "--agent", "messages", "--session-id", SESSION, "-m")
    # Its command takes no /command.
    return [(*more, FULL), (*more, f"{shown} {picture}")]


@pytest.mark.parametrize("harness", FILES)
def test_only_messages_are_stored(place: Place, harness: str) -> None:
    program_of(harness)
    folder = place.project(f"in-{harness}") / "messages"
    folder.mkdir()
    picture = Path(shutil.copy(place.image(f"{harness}.png"), folder / "picture.png"))
    driver = drivers(place.model.url, [folder])[harness]
    for name, text in {**driver.files, **FILES[harness]}.items():
        place.write(name, text)
    place.connect(harness, *driver.connect)
    first_request = len(place.model.requests)
    try:
        prompt = "We decided to name the importer Heron."
        first = place.run(
            harness, *driver.arguments(prompt, SESSION, folder), cwd=folder, **driver.environ
        )
        assert first.status == 0, first.out + first.err
        session = driver.name(first, SESSION, folder)
        for arguments in _runs(harness, session, picture.name):
            done = place.run(harness, *arguments, cwd=folder, **driver.environ)
            assert done.status == 0, done.out + done.err
        last = place.run(harness, *_last(harness, session, folder), cwd=folder, **driver.environ)
        assert last.status == 0, last.out + last.err
        eventually(lambda: "Now add its tests." in place.transcript(session)["content"])
    finally:
        place.disconnect(harness)
        place.clear(*driver.clear)
    text = place.transcript(session)["content"]
    data = base64.b64encode(picture.read_bytes()).decode()
    assert "name the importer Heron" in text and "What does the picture show?" in text
    asked = "\n".join(map(body_text, place.model.requests[first_request:]))
    assert COMPACTION.get(harness, "") in asked, "it compacts the session"
    for foreign in (RULE, data[:40], "state_snapshot", "Continue if you have next steps"):
        assert foreign not in text, text
    prompts = [one for one in _runs(harness, "", "") if COMPACT not in one]
    said = [one.text for one in place.messages(session)]
    assert len(said) == 2 * (len(prompts) + 2), said
    assert place.unknown_records(harness) == []


def _last(harness: str, session: str, folder: Path) -> tuple[str, ...]:
    prompt = "Now add its tests."
    match harness:
        case "opencode":
            return ("run", prompt, "--session", session, "--format", "json")
        case "gemini-cli":
            return ("-m", GEMINI, "-p", prompt, "--resume", "latest", "--output-format", "json")
        case "copilot":
            return ("-p", prompt, "--session-id", session, "--allow-all-tools")
    return ("agent", "--local", "--agent", "messages", "--session-id", SESSION, "-m", prompt)
