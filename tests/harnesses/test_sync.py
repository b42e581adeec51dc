"""What agents read in the workspace is made from it, and connections are brought up to date."""

from pathlib import Path

import pytest

from harnesses.home import Home, a_home
from signet.config import Settings, settings_from
from signet.domain.harnesses import registry


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return a_home(tmp_path)


def a_sync(home: Home, settings: Settings | None = None) -> registry.Synced:
    return registry.sync_workspace(home.site, settings or Settings())


def configured(yaml: dict[object, object]) -> Settings:
    settings, warnings = settings_from(yaml)
    assert warnings == ()
    return settings


def test_without_instructions_only_the_explanation_is_written(home: Home) -> None:
    (home.site.workspace.root / "AGENTS.md").unlink()
    roster = configured({"agents": {"roster": [{"name": "helm"}]}})
    assert a_sync(home, roster).changed == [str(home.site.workspace.root / registry.ARCHITECTURE)]
    assert a_sync(home, roster).output == "Everything up to date"


def test_named_agents_get_their_own_file(home: Home) -> None:
    home.write(".agents/agents/helm/SOUL.md", "Calm at the helm.\n")
    done = a_sync(home, configured({"agents": {"roster": [{"name": "helm"}]}}))
    path = home.site.workspace.root / "agents/helm/workspace/AGENTS.md"
    assert str(path) in done.changed and "Calm at the helm." in path.read_text()


def test_one_file_that_cannot_be_written_stops_no_other(home: Home) -> None:
    (home.site.workspace.root / registry.ARCHITECTURE).mkdir()
    done = a_sync(home, configured({"agents": {"roster": [{"name": "helm"}]}}))
    assert len(done.failures) == 1 and registry.ARCHITECTURE in done.failures[0]
    assert (home.site.workspace.root / "agents/helm/workspace/AGENTS.md").is_file()


def test_the_explanation_comes_back_when_it_is_deleted(home: Home) -> None:
    a_sync(home)
    path = home.site.workspace.root / registry.ARCHITECTURE
    assert home.site.url in path.read_text()
    path.unlink()
    a_sync(home)
    assert path.is_file()


def test_mending_tells_what_could_not_be_mended(home: Home) -> None:
    registry.connect(home.site, "claude-code")
    home.write(".claude/settings.json", "{ broken")
    done = registry.mend_connected(home.site)
    assert done.failures and "settings.json" in done.failures[0]
    assert home.read(".claude/settings.json") == "{ broken"
