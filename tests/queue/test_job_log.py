"""What the log says of many equal failures: the first in full, then how many."""

import pytest

from signet.db import Database
from signet.queue.job_context import JobContext
from signet.queue.retry import End, RunOutcome
from signet_worker import finisher
from signet_worker.finisher import COUNT_SECONDS, JobLogger
from support.queue import Hands, add, take

FAILED = RunOutcome(end=End.FAILED, code="boom", error="boom")


class Lines:
    """A logger that keeps its lines."""

    def __init__(self) -> None:
        self.said: list[tuple[str, object]] = []

    def warning(self, event: str, **fields: object) -> None:
        self.said.append((event, fields.get("count", fields.get("attempt"))))

    info = debug = warning


@pytest.fixture
def lines(monkeypatch: pytest.MonkeyPatch) -> Lines:
    found = Lines()
    monkeypatch.setattr(finisher, "log", found)
    return found


@pytest.fixture
def run(db: Database, hands: Hands) -> JobContext:
    add(db, hands, "a")
    (held,) = take(db, hands)
    return JobContext(lease=held, db=db)


def test_equal_failures_are_one_line_and_then_a_number(run: JobContext, lines: Lines) -> None:
    seconds = [0.0]
    logger = JobLogger(lambda: seconds[0])
    for _ in range(5):
        logger.log_end(run, FAILED, RuntimeError("boom"), 0.0)
    logger.flush()
    assert lines.said == [("job.failed", 1)]
    seconds[0] = COUNT_SECONDS
    logger.flush()
    assert lines.said[1:] == [("job.repeated", 4)]
    logger.log_end(run, FAILED, RuntimeError("boom"), 0.0)
    assert lines.said[2:] == [("job.failed", 1)], "it is news again"


def test_what_was_counted_is_logged_at_the_end(run: JobContext, lines: Lines) -> None:
    logger = JobLogger()
    logger.log_end(run, FAILED, None, 0.0)
    logger.log_end(run, FAILED, None, 0.0)
    logger.flush(everything=True)
    assert lines.said == [("job.failed", 1), ("job.repeated", 1)]


def test_each_burial_has_its_own_line(run: JobContext, lines: Lines) -> None:
    logger = JobLogger()
    for _ in range(3):
        logger.log_end(run, RunOutcome(end=End.PERMANENT, code="boom"), None, 0.0)
    assert lines.said == [("job.permanent", 1)] * 3
