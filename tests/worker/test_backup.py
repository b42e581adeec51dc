"""The copy of the day: the scheduler asks for it, a worker makes it, and nobody makes it twice."""

import json
from collections.abc import Iterator
from datetime import timedelta

import pytest

from signet import clock
from signet.config import Settings, settings_from
from signet.domain.backup import archive, create, kept
from signet.domain.backup.kept import BackupReason, locked_backups
from signet.domain.memory import forget
from signet.errors import NotNow
from signet_scheduler import beats
from support.processes import eventually
from worker.home import Home, a_home, manifest

JOBS = "SELECT * FROM memory_jobs WHERE job_type = 'backup' ORDER BY created_at"
(BEAT,) = (beat for beat in beats.BEATS if beat.name == "backup")


@pytest.fixture
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    with a_home(tmp_path_factory.mktemp("w")) as made:
        made.configure(manifest("none"))
        yield made


def test_a_day_without_memories_or_without_the_wish_needs_no_copy(home: Home) -> None:
    beats.run(home.db, BEAT, Settings(), clock.now())
    assert home.rows(JOBS) == []
    home.remember("The ibis harbour opens at nine.")
    off, _ = settings_from({"backup": {"daily": False}})
    beats.run(home.db, BEAT, off, clock.now() + timedelta(days=1))
    assert home.rows(JOBS) == []
    for hours in (0, 1, 23):
        beats.run(home.db, BEAT, Settings(), clock.now() + timedelta(days=2, hours=hours))
    assert len(home.rows(JOBS)) == 1


def at_once(home: Home) -> None:
    """Let jobs be due that wait for another try, or for tomorrow."""
    home.run("UPDATE memory_jobs SET due_ms = 0")


def test_a_worker_makes_the_copy_and_waits_while_somebody_else_makes_one(home: Home) -> None:
    home.remember("The ibis harbour opens at nine.")
    with home.worker():
        with locked_backups(home.workspace):
            beats.run(home.db, BEAT, Settings(), clock.now())
            eventually(lambda: bool(home.rows(JOBS)[0]["errors"]))
        at_once(home)
        eventually(lambda: home.rows(JOBS)[0]["status"] == "completed")
        beats.run(home.db, BEAT, Settings(), clock.now() + timedelta(days=1))
        at_once(home)
        eventually(lambda: [row["status"] for row in home.rows(JOBS)] == ["completed"] * 2)
    (copy,) = kept.backups(home.workspace)
    assert copy.reason is BackupReason.DAILY
    assert {json.loads(row["result"])["path"] for row in home.rows(JOBS)} == {str(copy.path)}
    with archive.opened(copy.path) as reader:
        assert reader.manifest.counts["memories"] == 1


def test_no_copy_is_made_while_something_is_erased(home: Home) -> None:
    home.remember("The ibis harbour opens at nine.")
    home.db.write(forget.rewrite_later, now=clock.now())
    later = "UPDATE memory_jobs SET due_ms = due_ms + 600000 WHERE job_type = 'rewrite_store'"
    home.run(later)
    with home.worker():
        beats.run(home.db, BEAT, Settings(), clock.now())
        eventually(lambda: "erased" in (home.rows(JOBS)[0]["errors"] or ""))
        assert kept.backups(home.workspace) == []
        at_once(home)
        eventually(
            lambda: (
                home.value("SELECT status FROM memory_jobs WHERE job_type = 'rewrite_store'")
                == "completed"
            )
        )
        at_once(home)
        eventually(lambda: home.rows(JOBS)[0]["status"] == "completed")
    assert len(kept.backups(home.workspace)) == 1


def test_a_copy_in_which_something_may_be_that_was_erased_meanwhile_is_not_kept(home: Home) -> None:
    home.remember("The ibis harbour opens at nine.")
    said = iter((False, True))
    with pytest.raises(NotNow):
        create.daily(
            home.workspace,
            keep=2,
            now=clock.now(),
            tell=lambda done, total: None,
            erases=lambda: next(said),
        )
    assert kept.backups(home.workspace) == []


def test_as_many_days_stay_as_are_wanted(home: Home) -> None:
    now = clock.now()
    for day in range(4):
        create.daily(
            home.workspace,
            keep=2,
            now=now + timedelta(days=day),
            tell=lambda done, total: None,
            erases=lambda: False,
        )
    assert len(kept.backups(home.workspace)) == 2
