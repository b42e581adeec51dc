"""Installing with the tool that installed this version, and only what was allowed by itself."""

import os
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from signet import __version__, clock
from signet.config.sections import Updates
from signet.domain.updates import check, install
from signet.domain.updates.check import KnownRelease
from signet.domain.updates.install import InstalledUpdate, InstallPlace, command
from signet.paths import Workspace

NEXT = "0.999.0"


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    made = Workspace(tmp_path / "agents")
    made.make()
    return made


def test_each_tool_updates_what_it_has_installed(tmp_path: Path) -> None:
    def line(installer: str | None, *files: str, editable: bool = False) -> Sequence[str] | None:
        for name in files:
            (tmp_path / name).touch()
        place = InstallPlace(prefix=tmp_path, installer=installer, is_editable=editable)
        return command(place, NEXT)

    wanted = f"signetai=={NEXT}"
    assert line(None) is None
    assert line("pip", editable=True) is None
    assert line("pip") == (
        sys.executable,
        "-m",
        "pip",
        "install",
        "--no-input",
        "--upgrade",
        wanted,
    )
    assert line("uv") == ("uv", "pip", "install", "--python", sys.executable, wanted)
    assert line("pip", "pipx_metadata.json") == (
        *("pipx", "runpip", "signetai", "install", "--upgrade"),
        wanted,
    )
    assert line("uv", "uv-receipt.toml") == ("uv", "tool", "upgrade", wanted)


@pytest.mark.parametrize(("status", "success"), [(0, True), (3, False)])
def test_what_the_tool_says_is_told(
    workspace: Workspace,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    status: int,
    success: bool,
) -> None:
    tool = tmp_path / "bin" / "uv"
    tool.parent.mkdir()
    tool.write_text(f'#!/bin/sh\necho "uv $*"\nls uv.toml\nexit {status}\n')
    monkeypatch.chdir(tmp_path)
    (tmp_path / "uv.toml").touch()  # whoever can write here must not decide what is installed
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tool.parent}{os.pathsep}{os.environ['PATH']}")
    place = InstallPlace(prefix=tmp_path, installer="uv")
    (tmp_path / "uv-receipt.toml").touch()
    done = install.install(workspace, Updates(), NEXT, now=clock.now(), place=place)
    assert done.success is success
    assert done.output is not None and done.output.startswith(f"uv tool upgrade signetai=={NEXT}\n")
    assert "uv.toml\n" not in done.output.splitlines(keepends=True)
    assert done.message == (
        f"Update {NEXT} installed. Restart daemon to apply."
        if success
        else "uv failed with status 3"
    )
    assert done.installed_version == (NEXT if success else None)


def test_nothing_is_done_where_nothing_is_to_be_done(workspace: Workspace) -> None:
    now = clock.now()
    same = install.install(workspace, Updates(), __version__, now=now)
    assert same == InstalledUpdate(success=True, message="Already running the latest version.")
    with check.alone(workspace):
        assert check.is_installing(workspace)
        busy = install.install(workspace, Updates(), NEXT, now=now)
    assert busy == InstalledUpdate(success=False, message="Update already in progress")
    assert not check.is_installing(workspace)


@pytest.mark.parametrize(
    ("latest", "auto"), [(NEXT, False), ("99.0.0", True), (__version__, True), (None, True)]
)
def test_only_what_was_allowed_is_installed_by_itself(
    workspace: Workspace, latest: str | None, auto: bool
) -> None:
    now = clock.now()
    check.write_known(workspace, KnownRelease(latest_version=latest, checked_at=clock.to_text(now)))
    assert install.automatically(workspace, Updates(auto_install=auto), now=now) is None


def test_a_failed_installation_by_itself_is_remembered(workspace: Workspace) -> None:
    now = clock.now()
    check.write_known(workspace, KnownRelease(latest_version=NEXT, checked_at=clock.to_text(now)))
    place = InstallPlace.here()
    if not place.is_editable:
        pytest.skip("this would install something")
    done = install.automatically(workspace, Updates(auto_install=True), now=now)
    assert done is not None and not done.success
    known = check.read_known(workspace)
    assert (known.last_auto_update_at, known.last_auto_update_error) == (
        clock.to_text(now),
        done.message,
    )
