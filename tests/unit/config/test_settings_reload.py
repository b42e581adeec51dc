"""Settings of a running process follow the file from the moment at which it was read."""

from pathlib import Path

from signet import config
from signet.paths import Workspace
from signet.process.settings_reload import LiveSettings


def test_a_change_between_reading_the_file_and_following_it_is_seen(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path)
    file = tmp_path / "agent.yaml"
    file.write_text("search: {alpha: 0.4}\n")
    loaded = config.load(workspace, {})
    file.write_text("search: {alpha: 0.6}\n")
    live = LiveSettings(workspace, loaded)
    assert live.settings.search.alpha == 0.4
    live.poll()
    assert live.settings.search.alpha == 0.6


def test_a_file_that_stays_as_it_is_is_read_once(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path)
    (tmp_path / "agent.yaml").write_text("search: {alpha: 0.4}\n")
    live = LiveSettings(workspace, config.load(workspace, {}))
    before = live.loaded
    live.poll()
    assert live.loaded is before
