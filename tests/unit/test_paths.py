"""Which workspace is chosen, and that every path stays below it."""

import json
import os
from pathlib import Path

import pytest

from signet.paths import Workspace, find_workspace


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path


def save(home: Path, content: str) -> dict[str, str]:
    """Write the saved default and return the environment that points to it."""
    folder = home / "config" / "signet"
    folder.mkdir(parents=True)
    (folder / "workspace.json").write_text(content)
    return {"XDG_CONFIG_HOME": str(home / "config")}


def test_the_first_that_applies_is_chosen(home: Path) -> None:
    environ = save(home, json.dumps({"workspace": "/saved"}))
    assert find_workspace(None, environ).root == Path("/saved")
    environ["SIGNET_WORKSPACE"] = "/second"
    assert find_workspace(None, environ).root == Path("/second")
    environ["SIGNET_PATH"] = "/first"
    assert find_workspace(None, environ).root == Path("/first")
    assert find_workspace("/given", environ).root == Path("/given")


def test_without_anything_it_is_in_the_home_folder(home: Path) -> None:
    assert find_workspace(None, {}).root == home / ".agents"


@pytest.mark.parametrize("blank", ["", " ", "\t"])
def test_blank_counts_as_unset(home: Path, blank: str) -> None:
    environ = {"SIGNET_PATH": blank, "SIGNET_WORKSPACE": "/second"}
    assert find_workspace(blank, environ).root == Path("/second")
    environ["SIGNET_WORKSPACE"] = blank
    assert find_workspace(None, environ).root == home / ".agents"


@pytest.mark.parametrize(
    "content", ["", "[]", "{}", '{"workspace": 3}', '{"workspace": " "}', "{x"]
)
def test_a_saved_default_that_cannot_be_used_is_passed_over(home: Path, content: str) -> None:
    assert find_workspace(None, save(home, content)).root == home / ".agents"


def test_home_is_expanded_and_relative_paths_are_made_absolute(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert find_workspace("~/w", {}).root == home / "w"
    monkeypatch.chdir(home)
    assert find_workspace(" w ", {}).root == home / "w"


def test_private_folders_are_made_for_the_owner_alone(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path / "ws")
    workspace.make()
    workspace.make()
    folders = (workspace.root, workspace.memory_dir, workspace.daemon_dir, workspace.log_dir)
    for private in (*folders, workspace.runtime_dir):
        assert private.stat().st_mode & 0o777 == 0o700


def test_a_deep_workspace_keeps_its_sockets_within_the_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    deep = Workspace(Path("/" + "d" * 120))
    assert deep.runtime_dir.parent == tmp_path
    assert deep.runtime_dir != Workspace(Path("/" + "e" * 120)).runtime_dir
    assert Workspace(Path("/w")).runtime_dir == Path("/w/.daemon/run")
    assert str(os.getuid()) in deep.runtime_dir.name
