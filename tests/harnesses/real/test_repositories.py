"""What every harness program does in repositories: a decision of a worktree, a stopped daemon, other repositories."""

import json
import uuid
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import pytest

from harnesses.real import (
    npm,
    test_claude_code,
    test_codex,
    test_gemini_cli,
    test_openclaw,
    test_opencode,
)
from harnesses.real.place import Place, Ran, program_of
from support.agentmodel import ANSWER, GEMINI, agent_requests, body_text
from support.processes import eventually
from support.repositories import a_repository, needs_git

pytestmark = [npm.NEEDED, needs_git]
#: What was decided with each program. No request in another repository may hold any of them.
WORDS = {
    "claude-code": "HERON",
    "codex": "EGRET",
    "gemini-cli": "DUNLIN",
    "copilot": "PLOVER",
    "opencode": "CURLEW",
    "openclaw": "OSPREY",
}
DECISIONS = (
    "Decision: invoice numbers get the prefix {0}, because the auditors want it.",
    "Decision: exports use the date format {0}, because German Excel reads it.",
    "Decision: the mail queue retries through the relay {0}, because the gateway bans callers.",
)
QUESTIONS = (
    "Which prefix do invoice numbers get?",
    "Which date format do exports use?",
    "The mail queue: which relay?",
)
#: Prompts that have nothing to do with what was decided.
OTHERS = (
    "Write a haiku about rain.",
    "What must every importer do?",
    "Continue with the last decision.",
    "Run the tests, then commit.",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Driver:
    """How a program is led to the model and asked; `name` is the session that a run had, from its output."""

    arguments: Callable[[str, str, Path], tuple[str, ...]]
    name: Callable[[Ran, str, Path], str]
    files: Mapping[str, str] = field(default_factory=dict)
    environ: Mapping[str, str] = field(default_factory=dict)
    connect: tuple[str, ...] = ()
    clear: tuple[str, ...] = ()


def _first_line(key: str) -> Callable[[Ran, str, Path], str]:
    return lambda ran, _, __: str(json.loads(ran.out.splitlines()[0])[key])


def _agent(folder: Path) -> str:
    """Return the agent of OpenClaw that works in a folder."""
    return folder.name.lower()


def drivers(url: str, folders: list[Path]) -> Mapping[str, Driver]:
    """Return how each program is led to the model at `url` and works in these folders."""
    agents = [{"id": _agent(one), "workspace": str(one)} for one in folders]
    claw = test_openclaw.CONFIG.replace("URL", url).replace(
        "agents: {", f"agents: {{ ownership: 'explicit', list: {json.dumps(agents)},"
    )
    return {
        "claude-code": Driver(
            arguments=lambda prompt, _, __: ("-p", prompt, "--output-format", "json"),
            name=lambda ran, _, __: str(json.loads(ran.out)["session_id"]),
            files={".claude/settings.json": test_claude_code.SETTINGS},
            environ={
                "ANTHROPIC_BASE_URL": url,
                "ANTHROPIC_API_KEY": "sk-ant-test",
                "ANTHROPIC_MODEL": "claude-sonnet-4-5",
            },
            clear=(".claude", ".claude.json"),
        ),
        "codex": Driver(
            arguments=lambda prompt, _, __: ("exec", *test_codex.TRUSTED, prompt),
            name=_first_line("thread_id"),
            files={".codex/config.toml": test_codex.CONFIG.format(url=url)},
            environ={"SCRIPTED_KEY": "test"},
            clear=(".codex",),
        ),
        "gemini-cli": Driver(
            arguments=lambda prompt, _, __: (
                *("-m", GEMINI, "-p", prompt, "--output-format", "json"),
            ),
            name=lambda ran, _, __: str(json.loads(ran.out[ran.out.index("{") :])["session_id"]),
            files={".gemini/settings.json": test_gemini_cli.SETTINGS.replace(" },\n}", " }\n}")},
            environ={
                "GEMINI_API_KEY": "test",
                "GOOGLE_GEMINI_BASE_URL": url,
                "GEMINI_CLI_TRUST_WORKSPACE": "true",
                "GEMINI_TELEMETRY_ENABLED": "false",
            },
            clear=(".gemini",),
        ),
        "copilot": Driver(
            arguments=lambda prompt, key, _: (
                *("-p", prompt, "--session-id", key, "--allow-all-tools"),
            ),
            name=lambda _, key, __: key,
            environ={
                "COPILOT_OFFLINE": "true",
                "COPILOT_PROVIDER_BASE_URL": f"{url}/v1",
                "COPILOT_PROVIDER_API_KEY": "test",
                "COPILOT_MODEL": "scripted",
            },
            clear=(".copilot", ".cache/copilot"),
        ),
        "opencode": Driver(
            arguments=lambda prompt, _, __: ("run", prompt, "--format", "json"),
            name=_first_line("sessionID"),
            files={
                f"{test_opencode.FOLDER}/opencode.jsonc": test_opencode.CONFIG.replace("MODEL", url)
            },
            environ=test_opencode.OFFLINE,
            clear=(".config", ".local", ".cache"),
        ),
        "openclaw": Driver(
            arguments=lambda prompt, key, folder: (
                *("agent", "--local", "--agent", _agent(folder), "--session-id", key, "-m", prompt),
            ),
            name=lambda _, key, folder: f"agent:{_agent(folder)}:explicit:{key}",
            files={test_openclaw.FILE: claw},
            connect=("--allow-conversations",),
            clear=(".openclaw",),
        ),
    }


@pytest.fixture(params=WORDS)
def harness(request: pytest.FixtureRequest) -> Iterator[str]:
    program_of(request.param)
    yield request.param


def test_a_decision_of_a_worktree_reaches_its_repository_and_no_other(
    place: Place, harness: str
) -> None:
    """The project of OpenClaw is the workspace of its agent; that of the others is where they run."""
    work = place.project(f"of-{harness}")
    atlas, other = a_repository(work / "atlas"), a_repository(work / "other")
    # OpenClaw makes a repository of an empty workspace.
    atlas.commit("client/AGENTS.md", "Answer in one sentence.")
    tree, link = work / "fix", work / "link"
    atlas.git("worktree", "add", "--quiet", str(tree), "-b", "fix")
    link.symlink_to(atlas.root)
    folders = [tree, atlas.root, atlas.root / "client", link, other.root]
    driver = drivers(place.model.url, folders)[harness]
    for name, text in driver.files.items():
        place.write(name, text)

    def ask(folder: Path, prompt: str) -> str:
        key = str(uuid.uuid4())
        # A shell names a link as it was entered, and a program may ask for that.
        done = place.run(
            harness,
            *driver.arguments(prompt, key, folder),
            cwd=folder,
            **{**driver.environ, "PWD": str(folder)},
        )
        assert done.status == 0, done.out + done.err
        return driver.name(done, key, folder)

    def told(folder: Path, prompt: str) -> str:
        ask(folder, prompt)
        return body_text(agent_requests(place.model, prompt)[-1])

    word = WORDS[harness]
    place.connect(harness, *driver.connect)
    try:
        for decision in DECISIONS:
            decided = ask(tree, decision.format(word))
            eventually(partial(place.is_kept, decided))
        for folder, question in zip((link, *folders[1:3]), QUESTIONS, strict=True):
            assert word in told(folder, question), folder
        for prompt in OTHERS:
            text = told(other.root, prompt)
            assert not [one for one in WORDS.values() if one in text], text
        with place.stopped():
            alone = ask(atlas.root, "Held while it is stopped.")
        eventually(lambda: place.is_kept(alone))
    finally:
        place.disconnect(harness)
        place.clear(*driver.clear)
    assert [one.text.strip('"') for one in place.messages(alone)] == [
        "Held while it is stopped.",
        ANSWER,
    ]
