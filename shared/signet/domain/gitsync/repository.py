"""Run git in a workspace, within a time limit, without prompts, never in another repository.

Hooks and signing keys belong to the person; automatic commits do not use them. Git's output is never repeated with
a user or password in an address.
"""

import os
import re
import signal
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from signet.errors import SignetError
from signet.files import locked
from signet.paths import Workspace

SECONDS = 60.0
#: Fetching and pushing.
NETWORK_SECONDS = 300.0
#: The author of commits if git has none.
NAME, EMAIL = "Signet", "signet@localhost"
#: Variables that would make git use another repository or other programs.
_ELSEWHERE = frozenset(
    "GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE GIT_OBJECT_DIRECTORY GIT_COMMON_DIR GIT_PREFIX GIT_NAMESPACE"
    " GIT_ASKPASS SSH_ASKPASS".split()
)
_QUIET = (
    *("-c", "core.hooksPath=/dev/null"),
    *("-c", "core.fsmonitor=false"),
    *("-c", "commit.gpgsign=false"),
    *("-c", "gc.auto=0"),
    *("-c", "core.quotePath=false"),
)
#: For a repository that others may have prepared: a program named in its configuration must not fetch missing objects.
ALONE: Mapping[str, str] = {"GIT_ALLOW_PROTOCOL": "none", "GIT_NO_LAZY_FETCH": "1"}
#: To the last @ before the path: a password may contain one.
_USERINFO = re.compile(r"(?<=//)[^/\s]+(?=@)")


class GitFailed(SignetError, code="git_failed"):
    """Git failed."""


@dataclass(frozen=True, slots=True)
class Repository:
    """The repository of a workspace, if it is its root."""

    workspace: Workspace
    #: Variables for network commands (see credentials.py); never shown.
    environ: Mapping[str, str] = field(default_factory=dict, repr=False)

    @property
    def root(self) -> Path:
        return self.workspace.root

    @property
    def exists(self) -> bool:
        return (self.root / ".git").exists()

    @property
    def is_in_between(self) -> bool:
        """Return whether a merge, rebase or the like is under way."""
        marks = ("MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "rebase-merge", "rebase-apply")
        folder = Path(self.run("rev-parse", "--absolute-git-dir"))
        return any((folder / mark).exists() for mark in marks)

    def run(self, *arguments: str, seconds: float = SECONDS) -> str:
        """Return the output of git without the last line feed; raises GitFailed with its last lines."""
        kept = {name: value for name, value in os.environ.items() if name not in _ELSEWHERE}
        fixed = {
            "LC_ALL": "C",
            "GIT_TERMINAL_PROMPT": "0",
            "GIT_OPTIONAL_LOCKS": "0",
            "GIT_ALLOW_PROTOCOL": "file:https:ssh",
            "GIT_CEILING_DIRECTORIES": str(self.root.parent),
        }
        ssh = {} if "GIT_SSH_COMMAND" in kept else {"GIT_SSH_COMMAND": "ssh -o BatchMode=yes"}
        try:
            process = subprocess.Popen(
                ["git", *_QUIET, *arguments],
                cwd=self.root,
                env=kept | fixed | ssh | dict(self.environ),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                errors="replace",
                start_new_session=True,
            )
        except OSError as error:
            raise GitFailed(f"git cannot be run: {error.strerror}") from error
        try:
            out, err = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired as error:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            raise GitFailed(f"git {arguments[0]} took longer than {seconds:g} s") from error
        if process.returncode != 0:
            raise GitFailed(_words(err or out) or f"git {arguments[0]}: exit {process.returncode}")
        return out.rstrip("\n")

    def ask(self, *arguments: str) -> str | None:
        """Return git's output, None if it fails or prints nothing."""
        try:
            return self.run(*arguments) or None
        except GitFailed:
            return None

    def added(self) -> str | None:
        """Return the lines that any commit has added, each once; None if git fails."""
        try:
            shown = self.run(*"log --all --reflog --patch --unified=0 --no-color --format=".split())
        except GitFailed:
            return None
        return "\n".join(dict.fromkeys(one[1:] for one in shown.splitlines() if one[:1] == "+"))

    def count(self, commits: str) -> int:
        """Return the number of commits in a range; 0 for an invalid range."""
        return int(self.ask("rev-list", "--count", commits, "--") or 0)

    def author(self) -> Sequence[str]:
        """Return the options with the author of commits, none if git knows one."""
        if self.ask("config", "user.email") and self.ask("config", "user.name"):
            return ()
        return ("-c", f"user.name={NAME}", "-c", f"user.email={EMAIL}")


def alone(workspace: Workspace) -> AbstractContextManager[None]:
    """Hold the repository's lock; raises BlockingIOError if another process has it."""
    return locked(workspace.daemon_dir / "git.lock", wait=False)


def shown(text: str) -> str:
    """Return a text without the users and passwords of addresses in it."""
    return _USERINFO.sub("***", text)


def _words(said: str) -> str:
    lines = [line.strip() for line in said.strip().splitlines() if line.strip()]
    why = [line for line in lines if line.startswith(("fatal:", "error:", "! "))]
    return shown((why or lines or [""])[0 if why else -1])
