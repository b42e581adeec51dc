"""Git repositories for tests: a workspace, a bare remote, another copy, and a git that knows nothing of us."""

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from signet.paths import Workspace

needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="this machine has no git")


@dataclass(frozen=True, slots=True)
class Copy:
    """One copy of a repository."""

    root: Path

    def git(self, *arguments: str) -> str:
        """Run git as a person would, and return what it says."""
        author = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")
        done = subprocess.run(
            ["git", *author, *arguments], cwd=self.root, capture_output=True, text=True, check=True
        )
        return done.stdout.strip()

    def write(self, name: str, text: str) -> Path:
        """Write a file."""
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
        return path

    def commit(self, name: str, text: str, *, only: bool = False) -> None:
        """Write a file and commit it, with everything else unless `only`: a daemon's files change under git's eyes."""
        self.write(name, text)
        self.git("add", "--", name) if only else self.git("add", "--all")
        self.git("commit", "--quiet", "--message", f"change {name}")

    @property
    def tracked(self) -> set[str]:
        return set(self.git("ls-tree", "-r", "--name-only", "HEAD").splitlines())

    @property
    def titles(self) -> list[str]:
        return self.git("log", "--format=%s").splitlines()


def a_repository(path: Path) -> Copy:
    """Make a repository with one commit."""
    path.mkdir(parents=True)
    copy = Copy(path)
    copy.git("init", "--quiet", "--initial-branch", "main")
    copy.commit("README", path.name)
    return copy


@dataclass(frozen=True, slots=True)
class Trio:
    """A workspace, the remote that it is kept in step with, and somebody else's copy."""

    workspace: Workspace
    here: Copy
    there: Copy
    remote: Path


def lonely(patch: pytest.MonkeyPatch, home: Path) -> None:
    """Let git know nothing: no identity, no settings of the user or the machine."""
    home.mkdir(exist_ok=True)
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        patch.delenv(name)
    patch.setenv("HOME", str(home))
    patch.setenv("XDG_CONFIG_HOME", str(home / "config"))
    patch.setenv("GIT_CONFIG_NOSYSTEM", "1")


def trio(folder: Path, workspace: Workspace) -> Trio:
    """Make the three, with one commit that all of them have."""
    remote = folder / "remote.git"
    other = folder / "other"
    workspace.root.mkdir(parents=True, exist_ok=True)
    here = Copy(workspace.root)
    subprocess.run(
        ["git", "init", "--quiet", "--bare", "--initial-branch=main", str(remote)], check=True
    )
    here.git("init", "--quiet", "--initial-branch=main")
    here.git("remote", "add", "origin", str(remote))
    here.write(".gitignore", "/agent.yaml\n/.daemon/\n/memory/memories.db*\n")
    here.commit("SOUL.md", "Calm.\n")
    here.git("push", "--quiet", "origin", "main")
    subprocess.run(["git", "clone", "--quiet", str(remote), str(other)], check=True)
    return Trio(workspace, here, Copy(other), remote)
