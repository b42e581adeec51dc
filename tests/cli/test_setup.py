"""`signet setup` without a daemon: what it writes, what it refuses, what it leaves alone."""

import json
import re
import shutil
import stat
import subprocess
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from cli.program import Done, Program
from migrations import upstream
from signet import config
from signet.cli import main as entry
from signet.config import manifest
from signet.config.sections import Settings
from signet.db import migrate
from signet.domain.identity.files import IDENTITY
from signet.domain.secrets.vault import Vault
from signet.paths import Workspace
from support.pages import Page, a_site
from support.strict import KEY, MODEL, Limits, strict

FLAGS = ("--non-interactive", "--embedding-provider", "none", "--extraction-provider", "none")
STILL = ("--no-daemon", "--no-model")
has_git = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


def setup(program: Program, *arguments: str, **environ: str) -> Done:
    """Run a setup that starts nothing."""
    return program.run("setup", *STILL, *arguments, **environ)


def git(program: Program, *arguments: str) -> str:
    """Return what git says of the workspace."""
    done = subprocess.run(
        ["git", *arguments],
        cwd=program.workspace,
        env=program.environment(),
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


def titles(program: Program) -> list[str]:
    """Return the titles of the commits, oldest first, without their dates."""
    found = git(program, "log", "--reverse", "--format=%s").splitlines()
    assert all(re.match(r"\d{4}-\d\d-\d\d_", one) for one in found)
    return [one[11:] for one in found]


def content(folder: Path) -> dict[str, bytes]:
    """Return every file that is not machine-made, by its place."""
    skipped = {".git", ".daemon"}
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not skipped & set(path.parts) and "memories.db" not in path.name
    }


def settings_of(program: Program) -> Settings:
    """Return the settings that agent.yaml says, which must say nothing wrong."""
    loaded = config.load(Workspace(program.workspace), {})
    assert (loaded.error, loaded.warnings) == (None, ())
    return loaded.settings


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Program:
    home = tmp_path_factory.mktemp("made")
    program = Program(home=home, workspace=home / "agents")
    more = ("--name", 'Juno "the $first"', "--harness", "codex", "--json")
    done = setup(program, *FLAGS, *more)
    assert done.status == 0, done.err
    (home / "first.json").write_text(done.out)
    return program


def test_a_fresh_workspace_has_everything_and_is_private(made: Program) -> None:
    told = json.loads((made.home / "first.json").read_text())
    assert told["state"] == "fresh"
    assert told["created"] == ["agent.yaml", *IDENTITY, ".gitignore"]
    for name in (*told["created"], "memory/scripts", "harnesses", "skills/onboarding/SKILL.md"):
        assert (made.workspace / name).exists(), name
    assert migrate.is_current(made.workspace / "memory" / "memories.db")
    for path in (made.workspace, *made.workspace.rglob("*")):
        if path.is_dir() or path.parent == made.workspace:
            assert not stat.S_IMODE(path.stat().st_mode) & 0o077, path


def test_settings_hold_what_was_chosen_and_no_more(made: Program) -> None:
    settings = settings_of(made)
    assert settings.agent.name == 'Juno "the $first"'
    assert settings.harnesses == ("codex",)
    assert (settings.embedding.provider, settings.pipeline.extraction.provider) == ("none", "none")
    raw = manifest.parse((made.workspace / "agent.yaml").read_bytes())
    assert set(raw) == {"version", "schema", "agent", "harnesses", "embedding", "memory"}
    assert "Juno" in (made.workspace / "AGENTS.md").read_text()
    assert '- name: Juno "the $first"' in (made.workspace / "IDENTITY.md").read_text()


@has_git
def test_the_first_commit_needs_no_name_and_holds_no_data(made: Program) -> None:
    assert titles(made) == ["signet-setup"]
    assert git(made, "log", "-1", "--format=%ae").strip() == "signet@localhost"
    assert not git(made, "status", "--porcelain")
    listed = git(made, "ls-files").split()
    assert "agent.yaml" in listed and "skills/recall/SKILL.md" in listed
    assert not [one for one in listed if "memories.db" in one or one.startswith(".daemon")]
    # Nothing was written down for other commits.
    assert "email" not in (made.workspace / ".git" / "config").read_text()


def test_the_same_command_again_leaves_the_same_files(made: Program) -> None:
    before = content(made.workspace) | content(made.home / ".codex")
    again = setup(made, *FLAGS, "--name", 'Juno "the $first"', "--harness", "codex", "--json")
    assert (again.status, again.json()["state"]) == (0, "repair")
    assert content(made.workspace) | content(made.home / ".codex") == before
    told = again.json()
    assert not told["created"] and not told["changed"] and not told["git"]["commits"]
    assert not told["harnesses"][0]["changed"]
    plain = setup(made)
    assert (plain.status, "nothing was changed" in plain.out) == (0, True), plain.err
    assert content(made.workspace) | content(made.home / ".codex") == before


@pytest.mark.parametrize("how", [("--yes",), ("--yes", "--json")])
def test_a_named_harness_that_is_not_connected_makes_the_status_1(
    tmp_path: Path, how: tuple[str, ...]
) -> None:
    program = Program(home=tmp_path, workspace=tmp_path / "agents")
    settings = tmp_path / ".claude" / "settings.json"
    settings.parent.mkdir()
    settings.write_text("{broken")
    arguments = (*how, *FLAGS, "--harness", "codex,claude-code")
    done = setup(program, *arguments)
    assert (done.status, (program.workspace / "agent.yaml").exists()) == (1, True), done.err
    assert settings.read_text() == "{broken"
    settings.unlink()
    assert setup(program, *arguments).status == 0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (
            (),
            "Non-interactive setup requires --embedding-provider (native, ollama, openai, or none).",
        ),
        (
            ("--embedding-provider", "none"),
            "Non-interactive setup requires --extraction-provider (",
        ),
        (
            (*FLAGS[1:], "--harness", "codex,cluade-code"),
            "Unknown harness: cluade-code. Did you mean claude-code? Valid choices: "
            "claude-code, opencode, openclaw, codex",
        ),
        (("--embedding-provider", "olama"), "Did you mean ollama?"),
        (("--extraction-provider", "gpt"), "Unknown --extraction-provider value: gpt."),
        ((*FLAGS[1:], "--search-balance", "1.5"), "--search-balance must be a number from 0 to 1"),
        ((*FLAGS[1:], "--openclaw-runtime-path", "x"), "Valid choices: plugin, legacy"),
    ],
    ids=["no-vectors", "no-texts", "harness", "vectors", "texts", "balance", "runtime-path"],
)
def test_what_is_missing_or_wrong_is_named_before_anything_is_written(
    alone: Program,
    arguments: tuple[str, ...],
    words: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("HOME", str(alone.home))
    monkeypatch.setenv("SIGNET_PATH", str(alone.workspace))
    assert entry.main(["setup", "--non-interactive", *STILL, *arguments]) == 1
    told = capsys.readouterr()
    assert (told.out, words in told.err) == ("", True)
    assert not [*alone.home.iterdir()]


def test_who_may_not_be_asked_is_told_the_flag(alone: Program) -> None:
    done = setup(alone)
    assert (done.status, "--non-interactive" in done.err) == (1, True)
    assert "Ask the user" in setup(alone, "--non-interactive").err.splitlines()[1]
    assert not alone.workspace.exists()


OWN = """# mine
agent:
  name: Bea # for short
embedding: {provider: none}
memory:
  pipelineV2: {extraction: {provider: rules}}
harnesses: [codex]
extra: kept
"""


def test_a_repair_changes_only_what_flags_say(alone: Program) -> None:
    alone.workspace.mkdir()
    (alone.workspace / "agent.yaml").write_text(OWN)
    (alone.workspace / "AGENTS.md").write_text("mine alone\n")
    assert setup(alone, "--non-interactive", "--skip-git").status == 0
    assert (alone.workspace / "agent.yaml").read_text() == OWN
    assert (alone.workspace / "AGENTS.md").read_text() == "mine alone\n"
    more = ("--harness", "claude-code", "--embedding-provider", "ollama", "--search-balance", "0.4")
    done = setup(alone, "--non-interactive", "--skip-git", *more, "--json").json()
    assert set(done["changed"]) == {
        "harnesses",
        "search.alpha",
        "embedding.provider",
        "embedding.model",
        "embedding.dimensions",
    }
    settings = settings_of_other(alone)
    assert settings.agent.name == "Bea"
    assert settings.harnesses == ("codex", "claude-code")
    assert (settings.embedding.provider, settings.embedding.model) == ("ollama", "nomic-embed-text")
    text = (alone.workspace / "agent.yaml").read_text()
    assert text.startswith("# mine\n") and "# for short" in text and "extra: kept" in text
    assert not (alone.workspace / ".git").exists()


def settings_of_other(program: Program) -> Settings:
    """Return the settings of a file that has an unknown key."""
    return config.load(Workspace(program.workspace), {}).settings


@has_git
def test_files_that_somebody_wrote_are_kept_and_committed_before(alone: Program) -> None:
    alone.workspace.mkdir()
    (alone.workspace / "AGENTS.md").write_text("mine\n")
    (alone.workspace / "SOUL.md").write_text("also mine\n")
    (alone.workspace / ".secrets").mkdir()
    (alone.workspace / ".secrets" / "secrets.enc").write_text("x")
    done = setup(alone, *FLAGS, "--json").json()
    assert done["state"] == "migration"
    assert "AGENTS.md" not in done["created"] and "USER.md" in done["created"]
    assert (alone.workspace / "SOUL.md").read_text() == "also mine\n"
    assert titles(alone) == ["pre-signet-backup", "signet-setup"]
    backup = git(alone, "ls-tree", "-r", "--name-only", "HEAD~1").split()
    assert sorted(backup) == [".gitignore", "AGENTS.md", "SOUL.md"]


def test_without_git_the_workspace_is_made_all_the_same(alone: Program, tmp_path: Path) -> None:
    done = setup(alone, *FLAGS, "--json", PATH=str(tmp_path / "empty"))
    assert (done.status, done.json()["git"]["problem"]) == (0, "git is not installed")
    assert (alone.workspace / "AGENTS.md").exists()


def test_settings_that_cannot_be_read_stop_it_and_stay_as_they_are(alone: Program) -> None:
    alone.workspace.mkdir()
    (alone.workspace / "agent.yaml").write_text("agent: [\n")
    done = setup(alone, *FLAGS)
    assert (done.status, "agent.yaml line" in done.err) == (1, True)
    assert content(alone.workspace) == {"agent.yaml": b"agent: [\n"}


def test_a_folder_that_holds_more_is_no_workspace(alone: Program) -> None:
    done = setup(alone, *FLAGS, "--path", str(alone.home))
    assert (done.status, "contains other files" in done.err) == (1, True)
    assert not [*alone.home.iterdir()]


@pytest.mark.sqlite_file
def test_a_database_of_the_typescript_program_is_taken_over_with_a_copy(alone: Program) -> None:
    database = alone.workspace / "memory" / "memories.db"
    database.parent.mkdir(parents=True)
    with closing(upstream.write(database, 43)):
        pass
    done = setup(alone, *FLAGS, "--skip-git", "--json").json()
    assert "a copy of the previous one is in" in done["database"]
    assert migrate.is_current(database)
    assert [*database.parent.glob("memories.db.bak-v43-*")]


@pytest.fixture
def theirs(alone: Program) -> Iterator[tuple[Program, Path]]:
    """Give a program on whose port a TypeScript daemon answers, and that daemon's workspace."""
    place = alone.home / "theirs"
    (place / "memory").mkdir(parents=True)
    with closing(upstream.write(place / "memory" / "memories.db", 43)):
        pass
    health = json.dumps({"agentsDir": str(place), "version": "0.58.0"}).encode()
    with a_site({"/health": Page(body=health)}) as site:
        alone.port = site.port
        yield alone, place


def test_a_typescript_daemon_on_the_port_is_named_and_nothing_is_written(
    theirs: tuple[Program, Path],
) -> None:
    program, place = theirs
    done = program.run("setup", "--no-model", *FLAGS, "--port", str(program.port))
    assert done.status == 1
    assert f"used by the TypeScript Signet 0.58.0 of {place}" in done.err
    assert "--port" in done.err
    own = setup(program, *FLAGS, "--port", str(program.port), "--path", str(place))
    assert (own.status, "stop it first" in own.err) == (1, True)
    assert not program.workspace.exists() and not (place / "agent.yaml").exists()


def test_memories_of_a_typescript_program_are_offered(theirs: tuple[Program, Path]) -> None:
    program, place = theirs
    done = setup(program, *FLAGS, "--skip-git", "--port", str(program.port))
    assert (done.status, "has 2 memories" in done.out) == (0, True), done
    assert f"signet import {place / 'memory' / 'memories.db'}" in done.out


def test_a_person_is_asked_what_to_connect_and_told_the_other_choices(alone: Program) -> None:
    (alone.home / ".codex").mkdir()
    drawn = alone.on_terminal("setup", *STILL, typed="\n", columns=80)
    assert re.findall(r"(\d) of (\d)", drawn) == [("1", "1")]
    assert "Found here: Codex" in drawn
    for option in ("--name", "--embedding-provider", "--extraction-provider", "--skip-git"):
        assert option in drawn
    settings = settings_of(alone)
    assert (settings.agent.name, settings.harnesses) == ("My Agent", ("codex",))
    assert (settings.embedding.provider, settings.pipeline.extraction.provider) == (
        "native",
        "auto",
    )
    assert max(len(line) for line in drawn.splitlines() if "\x1b" not in line) <= 80


def test_openclaw_is_connected_without_conversations_until_they_are_allowed(
    alone: Program,
) -> None:
    config = alone.home / ".openclaw" / "openclaw.json"
    config.parent.mkdir()
    config.write_text('{"meta": {"lastTouchedVersion": "2026.9.6"}}\n')
    drawn = alone.on_terminal("setup", *STILL, "--skip-git", typed="\n", columns=200)
    told = " ".join(drawn.split())
    assert "signet harness install openclaw --allow-conversations" in told
    assert "allowConversationAccess" not in config.read_text()
    assert setup(alone, "--allow-conversations").status == 0
    assert '"allowConversationAccess": true' in config.read_text()


def test_answers_are_understood_and_asked_again(alone: Program) -> None:
    (alone.home / ".codex").mkdir()
    typed = "nobody\ncodex claude-code\n"
    options = ("--skip-git", "--name", "Bea", "--embedding-provider", "none")
    drawn = alone.on_terminal("setup", *STILL, *options, typed=typed, columns=120)
    assert "Unknown harness: nobody." in drawn
    settings = settings_of(alone)
    assert settings.agent.name == "Bea"
    assert settings.harnesses == ("claude-code", "codex")
    assert settings.embedding.provider == "none"


def test_stopping_at_a_question_leaves_nothing_behind(alone: Program) -> None:
    (alone.home / ".codex").mkdir()
    drawn = alone.on_terminal("setup", *STILL, typed="\x04")
    assert "nothing was written" in drawn.lower()
    assert not alone.workspace.exists()


def test_a_workspace_that_is_there_is_asked_about_harnesses_that_nobody_connected(
    alone: Program,
) -> None:
    assert setup(alone, *FLAGS, "--skip-git").status == 0
    assert settings_of(alone).harnesses == ()
    quiet = alone.on_terminal("setup", *STILL, "--skip-git", typed="\n")
    assert "of 1" not in quiet and "No harness found on this machine" in quiet
    for name in (".claude", ".codex"):
        (alone.home / name).mkdir()
    told = setup(alone, "--skip-git")
    assert told.status == 0, "nobody can be asked, and nothing has to be"
    assert "Found but not connected: Claude Code, Codex" in told.out
    drawn = alone.on_terminal("setup", *STILL, "--skip-git", typed="\n")
    assert "1 of 1" in drawn and "[claude-code, codex]" in drawn
    assert settings_of(alone).harnesses == ("claude-code", "codex")
    assert (alone.home / ".claude/settings.json").exists()
    assert (alone.home / ".codex/hooks.json").exists()
    assert "1 of 1" not in alone.on_terminal("setup", *STILL, "--skip-git", typed="\n")
    (alone.home / ".config/opencode").mkdir(parents=True)
    assert alone.run("harness", "uninstall", "codex").status == 0
    drawn = alone.on_terminal("setup", *STILL, "--skip-git", typed="n\n")
    assert "1 of 1" in drawn and "[opencode]" in drawn
    assert not (alone.home / ".config/opencode/opencode.json").exists()
    assert alone.run("harness", "uninstall", "claude-code").status == 0
    again = setup(alone, "--skip-git").out
    assert "Disconnected by you: Claude Code, Codex. Connect with: signet setup --harness" in again
    assert "No harness found" not in again


def test_after_a_quickstart_setup_asks_and_connects_what_is_there(alone: Program) -> None:
    (alone.home / ".codex").mkdir()
    alone.workspace = alone.home / ".agents"
    done = alone.run("quickstart", "--no-model")
    assert done.status == 0, done.err
    assert not alone.workspace.exists()
    drawn = alone.on_terminal("setup", *STILL, "--skip-git", typed="\n" * 6)
    assert "Found here: Codex" in drawn and "Connected: Codex" in drawn
    assert (alone.home / ".codex/hooks.json").exists()


def test_yes_takes_the_usual_answers_without_a_terminal(alone: Program) -> None:
    (alone.home / ".claude").mkdir(parents=True)
    refused = setup(alone)
    assert refused.status == 1 and "--yes" in refused.err
    done = setup(alone, "--yes")
    assert done.status == 0, done.err
    made = config.load(Workspace(alone.workspace)).settings
    assert made.embedding.provider == "native" and made.pipeline.extraction.provider == "auto"
    assert "signet hook session-start" in (alone.home / ".claude" / "settings.json").read_text()
    before = content(alone.workspace)
    assert setup(alone, "--yes").status == 0 and content(alone.workspace) == before


def facts_line(program: Program, kind: str, address: str, model: str) -> str:
    """Return what a setup says about a model server."""
    flags = ("--extraction-provider", kind, "--extraction-endpoint", address)
    done = setup(program, *flags, "--extraction-model", model, "--embedding-provider", "none", "-y")
    assert done.status == 0, done.err
    return " ".join(done.out.split())


def test_setup_asks_the_model_server_once_and_names_the_corrected_value(alone: Program) -> None:
    with strict("llama.cpp", "yes") as server:
        told = facts_line(alone, "openai", server.url, MODEL)
        assert "a short answer took" in told
        extraction = settings_of(alone).pipeline.extraction
        assert (extraction.endpoint, extraction.model) == (server.url, MODEL)
        root = server.url.removesuffix("/v1")
        fix = f"signet config set memory.pipelineV2.extraction.endpoint {root}/v1"
        assert fix in facts_line(alone, "openai", f"{root}/v1/chat/completions", MODEL)
        assert fix in alone.run("doctor").out
    assert "try again with: signet doctor" in facts_line(alone, "openai", server.url, MODEL)


def test_setup_and_doctor_use_the_key_from_the_vault(alone: Program) -> None:
    with strict("openai", "yes", limits=Limits(needs_key=True)) as server:
        told = facts_line(alone, "openai", server.url, MODEL)
        assert "extraction.apiKey '$secret:NAME'" in told
        Vault(Workspace(alone.workspace).vault).put("MODEL_KEY", KEY)
        key = "memory.pipelineV2.extraction.apiKey"
        assert alone.run("config", "set", key, "$secret:MODEL_KEY").status == 0
        assert "a short answer took" in facts_line(alone, "openai", server.url, MODEL)
        [found] = [
            one for one in alone.run("doctor", "--json").json() if one["check"] == "extraction"
        ]
        assert found["status"] == "ok", found
