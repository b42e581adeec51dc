"""How a remote learns who we are: the token goes to its host, and appears nowhere else."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from signet.config.sections import Git
from signet.domain.gitsync import guarded, sync
from signet.domain.gitsync.repository import GitFailed, Repository, shown
from signet.paths import Workspace
from support.repositories import Trio, lonely, needs_git, trio

pytestmark = needs_git

TOKEN = "ghp_pineapple0123456789"


def knows(name: str) -> str | None:
    """Know one secret."""
    return TOKEN if name == "GITHUB_TOKEN" else None


@pytest.fixture
def three(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Trio:
    lonely(monkeypatch, tmp_path / "home")
    return trio(tmp_path, Workspace(tmp_path / "agents"))


def found(three: Trio, url: str) -> guarded.GitAccess:
    """Return the way to a remote."""
    return guarded.find_access(Repository(three.workspace), url, knows)


def test_a_password_is_not_shown_whatever_it_holds() -> None:
    told = "fatal: unable to access 'https://ada:p@ss:w@rd@example.org/a@b.git/': no"
    assert shown(told) == "fatal: unable to access 'https://***@example.org/a@b.git/': no"


def test_each_kind_of_remote_has_its_way(three: Trio, monkeypatch: pytest.MonkeyPatch) -> None:
    for url, method, is_enough in (
        ("git@github.com:ada/agents.git", "ssh", True),
        ("ssh://git@example.org/agents.git", "ssh", True),
        (str(three.remote), "none", True),
        ("https://github.com/ada/agents.git", "token", True),
        ("https://github.example.org/ada/agents.git", "token", True),
        # Others must not see the token of GitHub.
        ("https://example.org/ada/agents.git", "none", False),
        ("https://github.com.example.org/agents.git", "none", False),
    ):
        way = found(three, url)
        assert (way.method, way.is_enough) == (method, is_enough), url
        assert TOKEN not in repr(way)
    three.here.git("config", "credential.https://example.org.helper", "store")
    assert found(three, "https://example.org/ada/agents.git").method == "credential-helper"


@pytest.mark.parametrize(
    "url",
    [
        "ext::sh -c 'touch /tmp/x'",
        "--upload-pack=touch",
        "-oProxyCommand=x:y",
        "http://github.com/a/b",
        "git://github.com/a/b",
        "file:///etc",
        "https://github.com/a\nb",
        "relative/path",
        "ssh://-oProxyCommand=x/y",
        "",
    ],
    ids=range(10),
)
def test_other_addresses_are_refused(three: Trio, url: str) -> None:
    with pytest.raises(GitFailed):
        found(three, url)


def asked(three: Trio, environ: dict[str, str], host: str) -> "subprocess.CompletedProcess[str]":
    """Let git ask for the credentials of a host."""
    return subprocess.run(
        ["git", "credential", "fill"],
        cwd=three.here.root,
        env={**os.environ, **environ, "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"},
        input=f"protocol=https\nhost={host}\n\n",
        capture_output=True,
        text=True,
    )


def test_git_is_told_the_token_for_its_host_and_for_no_other(three: Trio) -> None:
    environ = dict(found(three, "https://github.com/ada/agents.git").environ)
    told = asked(three, environ, "github.com").stdout
    assert f"username=x-access-token\npassword={TOKEN}\n" in told
    other = asked(three, environ, "evil.example")
    assert other.returncode != 0 and TOKEN not in other.stdout + other.stderr
    script = Path(environ["GIT_ASKPASS"])
    assert TOKEN not in script.read_text()
    assert script.stat().st_mode & 0o077 == 0


def test_the_token_is_in_no_argument_message_or_file(
    three: Trio, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = shutil.which("git")
    three.here.git("remote", "set-url", "origin", "https://ada:hush@github.com/ada/agents.git")
    three.here.git("remote", "add", "hub", "https://github.com/ada/agents.git")
    fake = tmp_path / "bin" / "git"
    fake.parent.mkdir()
    fake.write_text(
        f"""#!/bin/sh
echo "$@" >> '{tmp_path}/arguments'
case " $* " in
  *" fetch "*)
    test -n "$GIT_ASKPASS" && "$GIT_ASKPASS" "Password for 'https://x-access-token@github.com': " > '{tmp_path}/given'
    echo "fatal: unable to access 'https://ada:hush@github.com/ada/agents.git/': no" >&2; exit 128 ;;
esac
exec {real} "$@"
"""
    )
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", f"{fake.parent}{os.pathsep}{os.environ['PATH']}")
    for remote in ("hub", "origin"):
        done = sync.pull(three.workspace, Git(remote=remote), knows)
        assert done["message"] == (
            "Fetch failed: fatal: unable to access 'https://***@github.com/ada/agents.git/': no"
        )
    assert (tmp_path / "given").read_text() == f"{TOKEN}\n"
    assert TOKEN not in (tmp_path / "arguments").read_text()
    for path in three.here.root.rglob("*"):
        assert not path.is_file() or TOKEN.encode() not in path.read_bytes(), path


def test_without_credentials_nobody_is_called(three: Trio) -> None:
    three.here.git("remote", "set-url", "origin", "https://github.com/ada/agents.git")
    done = sync.pull(three.workspace, Git(), lambda name: None)
    if shutil.which("gh") is None:
        assert (done["success"], done["message"]) == (False, guarded.NO_CREDENTIALS)
