"""What was stored under folders is filed under their repositories, however often the worker is killed meanwhile."""

import signal
from collections.abc import Sequence
from pathlib import Path

import pytest

from signet import clock
from signet.db import WriteTx
from signet.domain.projects import sql
from signet.domain.projects.folder import locate
from signet.queue import NewJob, enqueue
from support.processes import PATIENCE_SECONDS
from support.repositories import Copy, needs_git
from worker.home import Home

pytestmark = needs_git

#: Tables whose rows this test makes by hand, and what a row needs.
ROWS = (
    "INSERT INTO session_transcripts (agent_id, session_key, content, project, created_at)"
    " VALUES ('p', ?2, 'x', ?1, '')",
    "INSERT INTO session_states (agent_id, session_key, harness, project, expires_at, is_warned, is_bypassed,"
    " is_started, injected, updated_at) VALUES ('p', ?2, 'codex', ?1, '9', 0, 0, 0, '[]', '9')",
    "INSERT INTO episode_chunks (agent_id, source_type, source_id, project, position, content, said_at)"
    " VALUES ('p', 'session', ?2, ?1, 0, 'x', '')",
    "INSERT INTO episode_chunks (agent_id, source_type, source_id, project, position, content, said_at)"
    " VALUES ('p', 'commit', substr('c0ffee' || ?2, 1, 6), ?1, 0, 'x', '')",
    "INSERT INTO memories (id, type, content, content_hash, agent_id, visibility, project, created_at, updated_at,"
    " updated_by, importance) VALUES (?2, 'fact', ?2, ?2, 'p', 'private', ?1, '', '', 't', 0.5)",
)


@pytest.fixture
def atlas(tmp_path: Path) -> Copy:
    root = tmp_path / "atlas"
    (root / "src").mkdir(parents=True)
    copy = Copy(root)
    copy.git("init", "--quiet")
    copy.commit("README", "text")
    copy.git("worktree", "add", "--quiet", ".claude/worktrees/fix", "-b", "fix")
    (tmp_path / "link").symlink_to(root)
    return copy


def fill(home: Home, folders: Sequence[str]) -> None:
    def write(tx: WriteTx) -> None:
        for number, folder in enumerate(folders):
            for statement in ROWS:
                tx.run(statement, (folder, f"{number}"))
        job = NewJob(kind="file_projects", dedupe_key="test")
        enqueue(tx, job, now=clock.now(), max_attempts=20)

    home.db.write(write)


def projects(home: Home) -> dict[str, list[object]]:
    tables = {table for table, _ in sql.COLUMNS}
    rows = {
        one: [
            row[0] for row in home.rows(f"SELECT DISTINCT project FROM {one} WHERE project <> ''")
        ]
        for one in sorted(tables)
    }
    return {one: found for one, found in rows.items() if found}


@pytest.mark.parametrize("count", [0, 1, 4])
def test_stored_folders_become_their_repository_though_the_worker_is_killed(
    home: Home, atlas: Copy, monkeypatch: pytest.MonkeyPatch, count: int
) -> None:
    base = atlas.root.parent
    gone = f"{atlas.root}/.claude/worktrees/gone"
    folders = [f"{atlas.root}/src", f"{base}/link", f"{atlas.root}/.claude/worktrees/fix", gone]
    fill(home, [*folders, str(atlas.root)])
    stops = {"STOP_AFTER": "named", "STOP_COUNT": str(count)}
    if count:
        with home.runs("worker.stops_at", env=stops) as victim:
            assert victim.wait(PATIENCE_SECONDS) == -signal.SIGKILL
        home.run(
            "UPDATE memory_jobs SET status = 'pending', lease_owner = NULL, lease_until_ms = NULL, due_ms = 0"
        )
    with home.worker():
        home.drained("file_projects")
    found = projects(home)
    assert set(map(tuple, found.values())) == {(str(atlas.root),)}
    assert {"memories", "session_transcripts", "session_states", "episode_chunks"} <= found.keys()
    # The commit was known in all of them, and is known once.
    assert home.value("SELECT count(*) FROM episode_chunks WHERE source_type = 'commit'") == 1
    assert home.value("SELECT count(*) FROM episode_chunks WHERE source_type = 'session'") == 5
    assert locate(gone).project == str(atlas.root)
