"""Jobs of queues and kinds that this version does not serve."""

from dataclasses import asdict

from signet.config.pipeline import Threads
from signet.db import Database, WriteTx
from signet.queue import QUEUES, NewJob, enqueue, placement, stats
from signet.queue.kinds import DEFAULT_QUEUE, UNKNOWN_KIND
from signet_scheduler.tick import place_jobs
from support.queue import Hands, row


def put(db: Database, hands: Hands, kind: str, queue: str, target: str = "m") -> str:
    job = NewJob(kind=kind, queue=queue, dedupe_key=target)
    return str(db.write(enqueue, job, now=hands.now))


def queue(db: Database, job_id: str) -> str:
    return str(row(db, job_id)["queue"])


def test_known_kinds_move_to_their_queue_and_unknown_kinds_wait(db: Database, hands: Hands) -> None:
    moved = put(db, hands, "extract", "gpu")
    adopted = put(db, hands, "connector_sync", DEFAULT_QUEUE)
    right = put(db, hands, "embed", "vectors")
    foreign = put(db, hands, "fold_proteins", "gpu")
    by_hand = put(db, hands, "my_actor", "light")
    place_jobs(db)
    assert queue(db, moved) == "llm"
    assert queue(db, adopted) == "light"
    assert queue(db, right) == "vectors"
    assert queue(db, foreign) == DEFAULT_QUEUE
    assert queue(db, by_hand) == "light"
    assert db.read(placement.misplaced) == []
    assert row(db, foreign)["status"] == "pending"


def test_a_kind_that_an_older_version_set_aside_starts_without_its_error(
    db: Database, hands: Hands
) -> None:
    job_id = put(db, hands, "extract", DEFAULT_QUEUE)
    db.write(
        WriteTx.run, "UPDATE memory_jobs SET error = 'x', last_error_code = ?", (UNKNOWN_KIND,)
    )
    place_jobs(db)
    found = row(db, job_id)
    assert (found["queue"], found["error"], found["last_error_code"]) == ("llm", None, None)


def test_more_jobs_than_a_batch_all_move(db: Database, hands: Hands) -> None:
    def fill(tx: WriteTx) -> None:
        for number in range(placement.BATCH * 2 + 1):
            enqueue(tx, NewJob(kind="embed", queue="gpu", dedupe_key=str(number)), now=hands.now)

    db.write(fill)
    place_jobs(db)
    assert db.read(placement.misplaced) == []


def test_each_queue_has_a_setting_for_its_threads() -> None:
    assert asdict(Threads()).keys() == QUEUES.keys()


def test_counts_of_a_kind_add_up_over_its_queues(db: Database, hands: Hands) -> None:
    for number, name in enumerate(("gpu", "llm", "llm", DEFAULT_QUEUE)):
        put(db, hands, "extract", name, str(number))
    found = db.read(stats.progress, now=hands.now)
    (extract,) = stats.by_kind(found)
    assert (extract.queue, extract.waiting) == ("llm", 4)
    assert stats.unserved(found) == [
        {"queue": "gpu", "kind": "extract", "jobs": 1},
        {"queue": DEFAULT_QUEUE, "kind": "extract", "jobs": 1},
    ]
