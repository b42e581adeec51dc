"""Settings of a running process follow the file from the moment at which it was read."""

from pathlib import Path
from threading import Event, Thread

from signet import config
from signet.paths import Workspace
from signet.process.settings_reload import LiveSettings
from support.processes import PATIENCE_SECONDS


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


def test_who_polls_waits_for_a_reload_of_another_thread(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path)
    file = tmp_path / "agent.yaml"
    file.write_text("search: {alpha: 0.4}\n")
    live = LiveSettings(workspace, config.load(workspace, {}))
    followed, is_following, may_go_on = [], Event(), Event()

    def follow() -> None:
        alpha = live.settings.search.alpha
        is_following.set()
        assert may_go_on.wait(PATIENCE_SECONDS)
        followed.append(alpha)

    live.then(follow)
    polls = [Thread(target=live.poll), Thread(target=live.poll)]
    file.write_text("search: {alpha: 0.6}\n")
    polls[0].start()
    assert is_following.wait(PATIENCE_SECONDS)
    file.write_text("search: {alpha: 0.75}\n")
    polls[1].start()
    polls[1].join(0.05)
    assert polls[1].is_alive()
    may_go_on.set()
    for poll in polls:
        poll.join()
    assert followed == [0.6, 0.75]
