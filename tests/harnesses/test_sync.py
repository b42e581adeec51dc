"""What harnesses and agents read is made from the workspace, says what is true now, and goes without a trace."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from harnesses.home import CLAUDE_MD, Home, a_home
from signet.config import Settings, settings_from
from signet.domain.harnesses import generate, registry, sync

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)
LATER = datetime(2026, 5, 2, 12, tzinfo=UTC)


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return a_home(tmp_path)


def a_sync(home: Home, settings: Settings | None = None, at: datetime = NOW) -> sync.Synced:
    return sync.sync(home.site, settings or Settings(), now=at)


def configured(yaml: dict[object, object]) -> Settings:
    settings, warnings = settings_from(yaml)
    assert warnings == ()
    return settings


def test_a_generated_file_has_a_header_a_block_the_instructions_and_the_identity(
    home: Home,
) -> None:
    root = home.site.workspace.root
    home.write(".agents/USER.md", "\nMina sails.\n\n")
    home.write(".agents/SOUL.md", " \n")
    home.write(
        ".agents/AGENTS.md", f"# Rules\n\n{generate.START}\nold\n{generate.END}\n\nBe kind.\n"
    )
    site = replace(home.site, port=4001)
    done = sync.sync(site, Settings(), now=NOW)
    assert done.failures == []
    text = home.read(".claude/CLAUDE.md")
    header = text.split("\n\n")[0].splitlines()
    assert all(line.startswith("# ") for line in header)
    for words in (
        "# CLAUDE.md",
        f"AUTO-GENERATED from {root}/AGENTS.md by Signet",
        "# Generated: 2026-05-01T12:00:00",
        "http://localhost:4001",
        "SOUL.md, IDENTITY.md, USER.md",
    ):
        assert words in text.split("\n\n")[0]
    assert text.count(generate.START) == 1 and "old" not in text
    assert "\n\n# Rules\n\nBe kind.\n\n## IDENTITY\n" in text
    assert text.endswith("\n\n## USER\n\nMina sails.\n") and "## SOUL" not in text
    assert home.read(".config/opencode/AGENTS.md").startswith("# AGENTS.md\n")


def test_a_second_sync_writes_nothing_until_something_changes(home: Home) -> None:
    a_sync(home)
    before = home.seen()
    assert a_sync(home, at=LATER).output == "Everything up to date"
    assert home.seen() == before
    home.write(".agents/AGENTS.md", "Changed.\n")
    assert a_sync(home, at=LATER).changed != []
    assert "Changed." in home.read(".claude/CLAUDE.md")


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("a\n<!-- SIGNET:START -->x<!-- SIGNET:END -->\n\n\nb", "a\nb"),
        (
            "<!-- SIGNET:START -->1<!-- SIGNET:END --><!-- SIGNET:START -->2<!-- SIGNET:END -->z",
            "z",
        ),
        ("a <!-- SIGNET:START --> never ends", "a <!-- SIGNET:START --> never ends"),
        ("plain\n", "plain\n"),
    ],
    ids=["one", "two", "open", "none"],
)
def test_blocks_are_taken_out_whole(text: str, left: str) -> None:
    assert generate.without_blocks(text) == left


def test_what_a_person_wrote_is_copied_once_and_comes_back(home: Home) -> None:
    home.write(".claude/CLAUDE.md", CLAUDE_MD)
    before = home.seen()
    assert registry.connect(home.site, "claude-code").success
    [warning] = a_sync(home).warnings
    copy = home.path / ".claude/CLAUDE.md.pre-signet.bak"
    assert copy.read_text() == CLAUDE_MD and str(copy) in warning
    assert a_sync(home).warnings == []
    registry.disconnect(home.site, "claude-code")
    after = home.seen()
    assert after.pop(".config/opencode/AGENTS.md") and after == before
    # Taken out on purpose, it is left alone from then on.
    a_sync(home)
    assert home.read(".claude/CLAUDE.md") == CLAUDE_MD


def test_a_file_that_was_only_ours_goes_with_us(home: Home) -> None:
    before = home.seen()
    assert registry.connect(home.site, "opencode").success
    a_sync(home)
    assert (home.path / ".config/opencode/AGENTS.md").is_file()
    registry.disconnect(home.site, "opencode")
    after = home.seen()
    assert after.pop(".claude/CLAUDE.md") and after == before


def test_a_list_of_harnesses_says_whose_files_are_written(home: Home) -> None:
    settings = configured({"harnesses": ["opencode"]})
    a_sync(home, settings)
    assert not (home.path / ".claude/CLAUDE.md").exists()
    assert (home.path / ".config/opencode/AGENTS.md").exists()
    registry.connect(home.site, "claude-code")
    a_sync(home, settings)
    assert (home.path / ".claude/CLAUDE.md").exists()


def test_without_instructions_nothing_is_generated_but_the_explanation(home: Home) -> None:
    (home.site.workspace.root / "AGENTS.md").unlink()
    assert a_sync(home).changed == [str(home.site.workspace.root / sync.ARCHITECTURE)]
    assert not (home.path / ".claude/CLAUDE.md").exists()


def test_a_harness_that_is_not_there_gets_no_folder(tmp_path: Path) -> None:
    home = a_home(tmp_path)
    (home.path / ".config/opencode/opencode.jsonc").unlink()
    (home.path / ".config/opencode").rmdir()
    a_sync(home)
    assert not (home.path / ".config/opencode").exists()


def test_one_file_that_cannot_be_written_stops_no_other(home: Home) -> None:
    (home.path / ".claude/CLAUDE.md").mkdir()
    done = a_sync(home)
    assert len(done.failures) == 1 and "CLAUDE.md" in done.failures[0]
    assert (home.path / ".config/opencode/AGENTS.md").is_file()


def test_named_agents_get_their_own_file(home: Home) -> None:
    home.write(".agents/agents/helm/SOUL.md", "Calm at the helm.\n")
    done = a_sync(home, configured({"agents": {"roster": [{"name": "helm"}]}}))
    path = home.site.workspace.root / "agents/helm/workspace/AGENTS.md"
    assert str(path) in done.changed and "Calm at the helm." in path.read_text()


def test_the_explanation_comes_back_when_it_is_deleted(home: Home) -> None:
    a_sync(home)
    path = home.site.workspace.root / sync.ARCHITECTURE
    assert home.site.url in path.read_text()
    path.unlink()
    a_sync(home)
    assert path.is_file()


def test_mending_tells_what_could_not_be_mended(home: Home) -> None:
    registry.connect(home.site, "claude-code")
    home.write(".claude/settings.json", "{ broken")
    done = sync.mend(home.site, Settings())
    assert done.failures and "settings.json" in done.failures[0]
    assert home.read(".claude/settings.json") == "{ broken"
