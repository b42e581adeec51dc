"""Log the ends of runs, so that a thousand equal failures are two lines and none is missed.

Burying a job always gets a line. An end that is retried gets one the first time; more of the same kind and code are
counted for a while and logged in one line `job.repeated`. (A line costs as much as a short job.) Each row keeps its
own errors, and the metrics count every run.
"""

import math
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from signet.errors import SignetError
from signet.observe import logs
from signet.queue.job_context import JobContext
from signet.queue.retry import End, RunOutcome

log = logs.get("pipeline")

#: Seconds of counting equal ends before their number is logged.
COUNT_SECONDS = 10.0


@dataclass(slots=True)
class _Repeats:
    """Ends of one sort since the first one's line."""

    until: float
    count: int = 0


class JobLogger:
    """Logs the ends of runs; thread-safe."""

    def __init__(self, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._monotonic = monotonic
        self._repeats: dict[tuple[str, End, str], _Repeats] = {}
        #: When the first of them must be logged; until then passing jobs check nothing more.
        self._until = math.inf
        self._lock = threading.Lock()

    def log_end(
        self, job: JobContext, outcome: RunOutcome, error: BaseException | None, took: float
    ) -> None:
        """Log or count the end of a run; an unexpected error that buries the job is logged with its traceback."""
        kind = job.lease.kind
        if outcome.end is End.COMPLETED:
            log.debug(
                "job.completed", job_id=job.lease.job_id, kind=kind, took_ms=round(took * 1000)
            )
            return
        is_last = job.is_buried_by(outcome)
        if not is_last and self._is_repeated((kind, outcome.end, outcome.code)):
            return
        with_trace = is_last and error is not None and not isinstance(error, SignetError)
        usual = outcome.end in (End.POSTPONED, End.RELEASED)
        (log.info if usual else log.warning)(
            f"job.{outcome.end}",
            job_id=job.lease.job_id,
            kind=kind,
            attempt=job.lease.attempts,
            took_ms=round(took * 1000),
            **({"code": outcome.code} if outcome.code else {}),
            **({"exc_info": error} if with_trace else {}),
        )

    def flush(self, *, everything: bool = False) -> None:
        """Log what was counted long enough, or everything."""
        now = self._monotonic()
        if now < self._until and not everything:
            return
        with self._lock:
            over = [
                sort for sort, found in self._repeats.items() if everything or found.until <= now
            ]
            counted = [(sort, self._repeats.pop(sort).count) for sort in over]
            self._until = min((left.until for left in self._repeats.values()), default=math.inf)
        for (kind, end, code), count in counted:
            if count:
                log.warning("job.repeated", kind=kind, end=end, code=code, count=count)

    def _is_repeated(self, sort: tuple[str, End, str]) -> bool:
        """Count this end if an equal one was logged; otherwise start counting."""
        with self._lock:
            found = self._repeats.get(sort)
            if found is None:
                until = self._monotonic() + COUNT_SECONDS
                self._repeats[sort] = _Repeats(until)
                self._until = min(self._until, until)
                return False
            found.count += 1
            return True
