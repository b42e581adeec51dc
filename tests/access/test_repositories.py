"""A project's repository cannot make the daemon run anything."""

import subprocess
from pathlib import Path

import pytest

from signet import clock
from signet.domain.episodes import commits
from signet.queue import transitions
from signet.queue.job_context import JobContext
from signet.queue.kinds import KINDS
from support.http import Api

PROGRAM = '#!/bin/sh\necho ran >> {}\nexec git-upload-pack "$@"\n'


def git(folder: Path, *arguments: str) -> str:
    who = ("-c", "user.name=Eve", "-c", "user.email=eve@example.org")
    done = subprocess.run(
        ["git", *who, *arguments], cwd=folder, check=True, capture_output=True, text=True
    )
    return done.stdout.strip()


@pytest.fixture
def prepared(tmp_path: Path) -> tuple[Path, Path]:
    """Return a repository whose configuration names a program everywhere, and what the program leaves behind."""
    trace, source, evil = (tmp_path / name for name in ("trace", "source", "evil"))
    program = tmp_path / "program"
    program.write_text(PROGRAM.format(trace), "utf-8")
    program.chmod(0o700)
    for folder in (source, evil):
        folder.mkdir()
        git(folder, "init", "-q", "-b", "main")
    git(source, "commit", "-q", "--allow-empty", "-m", "The pump is primed by hand.")
    settings = {
        "core.repositoryformatversion": "1",
        "extensions.partialClone": "origin",
        "remote.origin.url": f"file://{source}",
        "remote.origin.promisor": "true",
        "remote.origin.uploadpack": str(program),
        "core.fsmonitor": str(program),
        "core.pager": str(program),
        "core.sshCommand": str(program),
        "gpg.program": str(program),
        "log.showSignature": "true",
        "diff.external": str(program),
    }
    for name, value in settings.items():
        git(evil, "config", name, value)
    (evil / ".git/refs/heads/main").write_text(git(source, "rev-parse", "HEAD") + "\n", "utf-8")
    return evil, trace


def indexed(api: Api, project: Path) -> None:
    """Index the commits of a project as the worker does."""
    api.state.db.write(commits.ask, "default", str(project), str(project))
    (lease,) = api.state.db.write(
        transitions.claim,
        KINDS[commits.KIND].queue,
        1,
        owner="me",
        now=clock.now(),
        monotonic_ms=clock.monotonic_ms(),
        lease_ms=60_000,
    )
    commits.run(JobContext(lease=lease, db=api.state.db), model=None, masks=True)


def test_a_missing_object_is_not_fetched_by_a_program_of_the_repository(
    api: Api, prepared: tuple[Path, Path]
) -> None:
    project, trace = prepared
    indexed(api, project)
    assert not trace.exists()
    subprocess.run(["git", "rev-list", "HEAD"], cwd=project, capture_output=True, check=False)
    assert trace.exists(), "git itself would have run it"
    trace.unlink()
    indexed(api, project)
    assert not trace.exists()
