"""Where the harness programs come from: quick to decide that they cannot be had, and never half installed."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from harnesses.real import npm
from support.harness import install as stand_in

#: Like npm: makes the program on the first step, or fails when there is a file `refuse`.
NPM = """#!/bin/sh
[ "$1" = ping ] && exit 0
[ -e "$REFUSE" ] && { echo "no such version" >&2; exit 1; }
mkdir -p node_modules/.bin
printf '#!/bin/sh\\nexit 0\\n' > node_modules/.bin/tool
chmod +x node_modules/.bin/tool
"""


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[npm.Package]:
    npm._npm_problem.cache_clear()
    monkeypatch.setenv("SIGNET_TEST_HARNESSES", str(tmp_path / "cache"))
    monkeypatch.setenv("REFUSE", str(tmp_path / "refuse"))
    stand_in(tmp_path / "bin", monkeypatch, "npm", "node", script=NPM)
    yield npm.Package(program="tool", steps=["tool@1"])
    npm._npm_problem.cache_clear()


def test_a_program_is_installed_once(package: npm.Package, monkeypatch: pytest.MonkeyPatch) -> None:
    programs = npm.install(package)
    assert (programs / "tool").exists()
    monkeypatch.setenv("PATH", "")
    assert npm.install(package) == programs


def test_an_installation_that_fails_leaves_nothing(package: npm.Package, tmp_path: Path) -> None:
    (tmp_path / "refuse").touch()
    with pytest.raises(npm.Unavailable, match="no such version"):
        npm.install(package)
    (tmp_path / "refuse").unlink()
    assert (npm.install(package) / "tool").exists()


def test_a_registry_that_cannot_be_reached_is_said(
    package: npm.Package, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stand_in(tmp_path / "offline", monkeypatch, "npm", script="#!/bin/sh\nexit 1\n")
    with pytest.raises(npm.Unavailable, match="cannot be reached"):
        npm.install(package)


def test_without_npm_it_says_so(package: npm.Package, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(npm.Unavailable, match="npm is not installed"):
        npm.install(package)


def test_nothing_is_installed_unless_a_folder_is_named(
    package: npm.Package, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SIGNET_TEST_HARNESSES")
    with pytest.raises(npm.Unavailable, match="names no folder"):
        npm.install(package)
