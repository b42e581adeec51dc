"""With which credentials a remote is called (TK-21). A token is handed over by askpass, and to its own host only."""

import os
import re
import shutil
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from urllib.parse import urlsplit

from signet.domain.gitsync.repository import GitFailed, Repository
from signet.files import replace_file

SECRET = "GITHUB_TOKEN"
NO_CREDENTIALS = "No git credentials found. Run `gh auth login` or set GITHUB_TOKEN secret."
_GH_SECONDS = 5.0
_SSH = re.compile(r"ssh://[^\s-][^\s]*|[\w.-]+@[\w.-]+:[^\s]+")
_HTTPS = re.compile(r"https://[^\s]+")

#: Says the token when git asks for it on behalf of its host, and nothing to any other.
_ASKPASS = """#!/bin/sh
case "$1" in
  "Username for 'https://$SIGNET_GIT_HOST': ") printf '%s\\n' x-access-token ;;
  "Password for 'https://"*"@$SIGNET_GIT_HOST': ") printf '%s\\n' "$SIGNET_GIT_TOKEN" ;;
  *) exit 1 ;;
esac
"""


class Method(StrEnum):
    """How the remote learns who we are; `none` needs nothing where the remote is a folder."""

    TOKEN = "token"
    GH = "gh"
    HELPER = "credential-helper"
    SSH = "ssh"
    NO_REMOTE = "no-remote"
    NONE = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """The way to a remote; `environ` is for git alone."""

    method: Method
    is_enough: bool
    environ: Mapping[str, str] = field(default_factory=dict, repr=False)


def find(repository: Repository, url: str | None, secret: Callable[[str], str | None]) -> Access:
    """Return the way to a remote; `secret` looks into the vault. Raises GitFailed for an address that is refused."""
    if url is None:
        return Access(method=Method.NO_REMOTE, is_enough=False)
    match kind_of(url):
        case "ssh":
            return Access(method=Method.SSH, is_enough=True)
        case "folder":
            return Access(method=Method.NONE, is_enough=True)
    host = urlsplit(url).hostname or ""
    if urlsplit(url).password or repository.ask(
        "config", "--get-urlmatch", "credential.helper", url
    ):
        return Access(method=Method.HELPER, is_enough=True)
    token = secret(SECRET) if _is_github(host) else None
    if token:
        return Access(method=Method.TOKEN, is_enough=True, environ=_asked(repository, host, token))
    if _is_github(host) and _gh_knows(host):
        helper = {
            "GIT_CONFIG_COUNT": "1",
            "GIT_CONFIG_KEY_0": "credential.helper",
            "GIT_CONFIG_VALUE_0": "!gh auth git-credential",
        }
        return Access(method=Method.GH, is_enough=True, environ=helper)
    return Access(method=Method.NONE, is_enough=False)


def kind_of(url: str) -> str:
    """Return `https`, `ssh` or `folder`; raises GitFailed for every other address, and for what hides an option."""
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
    """Return whether this is GitHub, or a GitHub of a company: others must not see its token."""
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
    """Return whether `gh` has a token for a host; asks nobody else."""
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
