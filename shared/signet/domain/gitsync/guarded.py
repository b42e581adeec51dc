"""Commits without secrets, and access to the remote: ignored files, leaks, credentials."""

import os
import re
import shutil
import subprocess
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from pathlib import Path, PurePosixPath
from urllib.parse import urlsplit

from signet.config import decisive, manifest, security
from signet.config.manifest import ManifestError
from signet.domain.gitsync.repository import GitFailed, Repository, alone
from signet.files import read_file, replace_file
from signet.paths import Workspace

#: Lines of `.gitignore`.
IGNORED = tuple(
    ".daemon/ .secrets/ memory/*.db memory/*.db-* memory/*.db.* memory/MEMORY.backup-* "
    "*.pre-signet.bak .env".split()
)
_TITLE = "# Signet: data, secrets and what is made anew"
#: The same as git pathspecs, which apply even if `.gitignore` differs.
_PATHS = (
    *(".daemon", ".secrets"),
    *(f":(glob)memory/{one}" for one in ("*.db", "*.db-*", "*.db.*", "MEMORY.backup-*")),
)
#: Private files and the memory folder itself, in lower case.
_PRIVATE = re.compile(
    r"\.(?:daemon|secrets|git)(?:/.*)?|memory(?:/(?:[^/]*\.db(?:[-.][^/]*)?|memory\.backup-[^/]*))?",
    re.DOTALL,
)
#: Files that contain settings, or control how git writes them.
_SETTINGS = tuple(f":(icase){name}" for name in (*manifest.NAMES, ".gitattributes"))
#: The mode of a symbolic link in git.
_LINK = "120000"


def ignore(workspace: Workspace) -> bool:
    """Append missing lines to `.gitignore`; return whether any were missing."""
    path = workspace.root / ".gitignore"
    found = path.read_bytes() if path.exists() else b""
    there = {line.strip() for line in found.decode("utf-8", "replace").splitlines()}
    missing = [line for line in IGNORED if line not in there]
    if missing:
        title = [] if _TITLE in there else [_TITLE]
        added = "".join(f"{line}\n" for line in (*title, *missing)).encode()
        gap = b"" if not found or found.endswith(b"\n") else b"\n"
        replace_file(path, found + gap + added)
    return bool(missing)


def untrack(repository: Repository) -> None:
    """Remove files that must not be committed from the index, but not from disk."""
    repository.run("rm", "-r", "--cached", "--quiet", "--ignore-unmatch", "--", *_PATHS)


def leaks(repository: Repository, commits: str) -> list[str]:
    """Return the guarded files that a range of commits contains."""
    said = repository.run(
        *("log", "--format=", "--name-only", "--diff-filter=ACMRT", commits, "--", *_PATHS)
    )
    return sorted(set(said.splitlines()))


def reached(repository: Repository, coming: str) -> str | None:
    """Return a file that a fast-forward to a commit must not write or delete, and why; None without one.

    Private places count in every spelling that a file system treats as equal. Also guarded are the path of the memory
    folder, because git would overwrite ignored files in it, and new links to a private place or out of the workspace.
    """
    parts = repository.run("diff", "--raw", "-z", "--no-abbrev", *_range(repository, coming))
    rows = parts.split("\0")
    for entry, path in zip(rows[::2], rows[1::2], strict=False):
        _, mode, _, blob, _ = entry.split(" ")
        if _is_private(path):
            return f"{path}, which belongs to this machine"
        if mode == _LINK and _leads_away(repository, path, blob):
            return f"{path} by a link to a private place"
    return None


def _is_private(path: str) -> bool:
    seen = "".join(letter for letter in path if unicodedata.category(letter) != "Cf")
    return _PRIVATE.fullmatch(unicodedata.normalize("NFC", seen).casefold()) is not None


def _leads_away(repository: Repository, path: str, blob: str) -> bool:
    target = PurePosixPath(path).parent / repository.run("cat-file", "blob", blob)
    place: list[str] = []
    for part in target.parts:
        if part == ".." and not place:
            return True
        place = place[:-1] if part == ".." else [*place, part]
    return target.is_absolute() or not place or _is_private("/".join(place))


def decided(repository: Repository, coming: str) -> str | None:
    """Return how a fast-forward to a commit would change decisive settings, None without such a change.

    An unreadable file, a file hidden by another name, another spelling of the name, and git attributes count as
    changes, too: git can write a text that differs from the one in the commit.
    """
    names = _changed(repository, coming, *_SETTINGS)
    if not names:
        return None
    if odd := next((name for name in names if name not in manifest.NAMES), None):
        return odd
    here = manifest.find(repository.workspace)
    after = next((name for name in manifest.NAMES if _is_there(repository, coming, name)), None)
    try:
        old = {} if here is None else manifest.parse(read_file(here), here.name)
        new = {} if after is None else manifest.parse(_content(repository, coming, after), after)
        return ", ".join(decisive.changes(old, new)) or None
    except (ManifestError, security.UnsafeSettings, OSError) as error:
        return f"{after or 'agent.yaml'} ({error})"


def _changed(repository: Repository, coming: str, *paths: str) -> list[str]:
    names = repository.run("diff", "--name-only", *_range(repository, coming), "--", *paths)
    return names.splitlines()


def _range(repository: Repository, coming: str) -> tuple[str, str, str]:
    here = repository.ask("rev-parse", "--verify", "--quiet", "HEAD")
    before = here or repository.run("hash-object", "-t", "tree", "/dev/null")
    return "--no-renames", before, coming


def _is_there(repository: Repository, coming: str, name: str) -> bool:
    if repository.ask("ls-tree", "--name-only", coming, "--", name):
        return True
    is_tracked = repository.ask("ls-tree", "--name-only", "HEAD", "--", name)
    return not is_tracked and (repository.root / name).exists()


def _content(repository: Repository, coming: str, name: str) -> bytes:
    if repository.ask("ls-tree", "--name-only", coming, "--", name):
        return repository.run("cat-file", "blob", f"{coming}:{name}").encode("utf-8", "replace")
    return read_file(repository.root / name)


SECRET = "GITHUB_TOKEN"
NO_CREDENTIALS = "No git credentials found. Run `gh auth login` or set GITHUB_TOKEN secret."
_GH_SECONDS = 5.0
_SSH = re.compile(r"ssh://[^\s-][^\s]*|[\w.-]+@[\w.-]+:[^\s]+")
_HTTPS = re.compile(r"https://[^\s]+")

#: Returns the token to git for the token's host, and nothing to any other.
_ASKPASS = """#!/bin/sh
case "$1" in
  "Username for 'https://$SIGNET_GIT_HOST': ") printf '%s\\n' x-access-token ;;
  "Password for 'https://"*"@$SIGNET_GIT_HOST': ") printf '%s\\n' "$SIGNET_GIT_TOKEN" ;;
  *) exit 1 ;;
esac
"""


class Method(StrEnum):
    """How we authenticate to the remote; `none` is for a remote that is a folder."""

    TOKEN = "token"
    GH = "gh"
    HELPER = "credential-helper"
    SSH = "ssh"
    NO_REMOTE = "no-remote"
    NONE = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class GitAccess:
    """The access to a remote; `environ` is only for git."""

    method: Method
    is_enough: bool
    environ: Mapping[str, str] = field(default_factory=dict, repr=False)


def find_access(
    repository: Repository, url: str | None, secret: Callable[[str], str | None]
) -> GitAccess:
    """Return the access to a remote; `secret` reads the vault. Raises GitFailed for a refused address."""
    if url is None:
        return GitAccess(method=Method.NO_REMOTE, is_enough=False)
    if (kind := kind_of(url)) != "https":
        return GitAccess(method=Method.SSH if kind == "ssh" else Method.NONE, is_enough=True)
    host = urlsplit(url).hostname or ""
    if urlsplit(url).password or repository.ask(
        "config", "--get-urlmatch", "credential.helper", url
    ):
        return GitAccess(method=Method.HELPER, is_enough=True)
    token = secret(SECRET) if _is_github(host) else None
    if token:
        return GitAccess(
            method=Method.TOKEN, is_enough=True, environ=_asked(repository, host, token)
        )
    if _is_github(host) and _gh_knows(host):
        helper = {
            "GIT_CONFIG_COUNT": "1",
            "GIT_CONFIG_KEY_0": "credential.helper",
            "GIT_CONFIG_VALUE_0": "!gh auth git-credential",
        }
        return GitAccess(method=Method.GH, is_enough=True, environ=helper)
    return GitAccess(method=Method.NONE, is_enough=False)


def kind_of(url: str) -> str:
    """Return `https`, `ssh` or `folder`; raises GitFailed for any other address, or one that contains an option."""
    has_control = any(ord(sign) < 32 or ord(sign) == 127 for sign in url)
    if not has_control and not url.startswith("-") and "::" not in url:
        if _HTTPS.fullmatch(url):
            return "https"
        if _SSH.fullmatch(url):
            return "ssh"
        if url.startswith("/"):
            return "folder"
    raise GitFailed("the remote's address is refused: https, ssh or an absolute path is needed")


def _is_github(host: str) -> bool:
    is_own = host.startswith("github.") and not host.startswith("github.com.")
    return host == "github.com" or is_own


def _asked(repository: Repository, host: str, token: str) -> dict[str, str]:
    folder = repository.workspace.runtime_dir
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    script: Path = folder / "askpass"
    if not script.exists() or script.read_text("utf-8") != _ASKPASS:
        replace_file(script, _ASKPASS.encode())
    script.chmod(0o700)
    return {"GIT_ASKPASS": str(script), "SIGNET_GIT_HOST": host, "SIGNET_GIT_TOKEN": token}


def _gh_knows(host: str) -> bool:
    """Return whether `gh` has a token for a host, without network access."""
    if shutil.which("gh") is None:
        return False
    try:
        done = subprocess.run(
            ["gh", "auth", "token", "--hostname", host],
            env={**os.environ, "GH_PROMPT_DISABLED": "1"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=_GH_SECONDS,
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


#: Characters of the title for file names.
NAMES_CHARS = 50


def commit(repository: Repository, *, now: datetime) -> str | None:
    """Commit the changes and return the title; None without changes, or during a merge or rebase.

    Raises GitFailed, BlockingIOError during a pull or push, and OSError if `.gitignore` cannot be written.
    """
    with alone(repository.workspace):
        if not repository.exists or repository.is_in_between:
            return None
        ignore(repository.workspace)
        repository.run("add", "--all")
        untrack(repository)
        changed = repository.run("diff", "--cached", "--name-only", "-z").split("\0")
        if not (names := [name for name in changed if name]):
            return None
        title = title_of(names, now)
        repository.run(*repository.author(), "commit", "--quiet", "--message", title)
        return title


def title_of(names: Sequence[str], now: datetime) -> str:
    """Return the title of a commit of these files at this time, in local time."""
    told = ",".join(re.sub(r"[^\w./-]+", "_", name) for name in names)
    return f"{now.astimezone():%Y-%m-%dT%H-%M-%S}_auto_{told[:NAMES_CHARS]}"
