"""Sessions that are given memories, end, and are looked at as the worker does."""

from collections.abc import Callable
from functools import partial
from typing import Any

from api.test_context import KEY, hook, log
from signet import clock
from signet.config.pipeline import Predictor
from signet.domain.injections import trace
from signet.domain.learning import worth as label_session
from signet.queue import transitions
from signet.queue.job_context import JobContext
from signet.queue.transitions import Lease
from support.http import Api

RUNS: dict[str, Callable[[JobContext], None]] = {
    "trace_use": trace.run,
    "label_session": partial(label_session.run_label, settings=Predictor()),
}


def ends(api: Api, *said: tuple[str, object], key: str = KEY) -> None:
    """End a session in which this was said, and run the jobs that look at it."""
    answer = hook(api, "session-end", key, transcript=log(*said), reason="other")
    assert answer.status == 200, answer.body
    work(api)


def work(api: Api) -> None:
    """Run the jobs that look at sessions until there are none."""
    while held := claimed(api):
        for one in held:
            if one.kind in RUNS:
                RUNS[one.kind](JobContext(lease=one, db=api.state.db))


def claimed(api: Api, kind: str | None = None, queue: str = "light") -> list[Lease]:
    """Claim the jobs of a queue that are due and return them, those of one kind where one is named."""
    held = api.state.db.write(
        transitions.claim,
        queue,
        10,
        owner="me",
        now=clock.now(),
        monotonic_ms=clock.monotonic_ms(),
        lease_ms=60_000,
    )
    return [one for one in held if kind in (None, one.kind)]


def labels(api: Api) -> dict[str, tuple[float, float, str]]:
    """Return the label, weight and reason of each memory."""
    return {
        row["memory_id"]: (row["label"], row["weight"], row["reason"])
        for row in api.rows("memory_labels")
    }


def worth(api: Api) -> dict[str, Any]:
    """Return what is stored of the worth of each memory."""
    return {row["memory_id"]: row for row in api.rows("memory_worth")}
