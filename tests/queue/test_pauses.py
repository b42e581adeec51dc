"""Paused queues: nothing new starts, and periodic jobs do not pile up."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from signet import clock
from signet.config import Settings
from signet.db import Database
from signet.queue import NewJob, enqueue, pauses
from signet.queue.wakeup import Listener, Notifier
from signet_scheduler import beats
from signet_worker.dispatcher import Dispatcher
from support.processes import PATIENCE_SECONDS
from support.queue import Hands, statuses


@pytest.fixture
def dispatcher(db: Database) -> Iterator[Dispatcher]:
    with tempfile.TemporaryDirectory(prefix="signet-") as folder:
        notifier = Notifier(Path(folder))
        db.writer.listen(lambda signals: notifier.notify())
        listener = Listener(Path(folder), "me")
        made = Dispatcher(
            db, listener, owner="me", concurrency={"llm": 1, "light": 1}, lease_ms=60_000
        )
        made.start()
        yield made
        made.stop()
        listener.close()
        notifier.close()


def save(db: Database, kind: str) -> None:
    db.write(enqueue, NewJob(kind=kind, dedupe_key="one"), now=clock.now())


@pytest.mark.parametrize("paused", ["llm", pauses.ALL])
def test_a_paused_queue_starts_nothing_until_it_is_resumed(
    db: Database, dispatcher: Dispatcher, paused: str
) -> None:
    db.write(pauses.pause, paused, now=clock.now(), actor="test")
    save(db, "extract")
    save(db, "backfill")
    if paused == "llm":
        assert dispatcher.fetch("light", PATIENCE_SECONDS) is not None
    assert statuses(db).get("leased", 0) == (paused == "llm")
    assert dispatcher.fetch("llm", 0) is None
    db.write(pauses.resume, paused)
    job = dispatcher.fetch("llm", PATIENCE_SECONDS)
    assert job is not None and job.lease.kind == "extract"


def test_a_paused_queue_collects_one_periodic_job(db: Database, hands: Hands) -> None:
    (beat,) = (one for one in beats.BEATS if one.name == "retention")
    for _ in range(5):
        beats.run(db, beat, Settings(), hands.now)
        hands.move(beat.every_ms(Settings()))
    assert statuses(db) == {"pending": 1}
