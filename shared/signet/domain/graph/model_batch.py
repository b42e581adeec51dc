"""One question to a model about the facts of several jobs, and what becomes of each of these jobs.

The job that is run takes those that wait for the same entity with it (`queue/coalesce.py`). What the model passes over
is asked about again alone: the job itself by failing, another job by waiting on.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from signet import clock
from signet.db import WriteTx
from signet.domain.graph import model_answers
from signet.domain.graph.models import Fact
from signet.errors import Unavailable
from signet.providers import answers
from signet.providers.asking import asked
from signet.providers.ports import LanguageModel, Shape
from signet.queue import coalesce
from signet.queue.job_context import JobContext

T = TypeVar("T")

SECONDS = 90.0
TOKENS = 2_048
#: The model's answer passes a fact over; it is asked about it alone.
DROPPED = Unavailable(
    "dropped_from_llm_output: the answer passes this fact over", "dropped_from_llm_output"
)


def results(model: LanguageModel, request: str, shape: Shape) -> answers.Json | None:
    """Return the results of the model's answer, None when it gives none twice."""
    return asked(
        model,
        request,
        model_answers.results,
        shape=shape,
        timeout_seconds=SECONDS,
        max_tokens=TOKENS,
    )


def finish(
    job: JobContext,
    facts: Sequence[Fact],
    found: Mapping[int, T],
    write: Callable[[WriteTx, Mapping[Fact, T]], dict[str, object]],
) -> None:
    """Write what was found and end the jobs it was found for; raises DROPPED when the run's own is not one.

    `facts` are the facts that were asked about and `found` the answers by their place; `write` writes them and
    returns the job's result.
    """
    answered = {facts[place]: value for place, value in found.items()}
    mine = job.lease.job_id

    def effects(tx: WriteTx) -> dict[str, object]:
        result = write(tx, answered)
        for fact in facts:
            if fact.job_id == mine:
                continue
            if fact in answered:
                coalesce.complete(tx, fact.job_id, by=mine, now=clock.now())
            else:
                coalesce.leave_alone(tx, fact.job_id)
        return result

    if any(fact.job_id == mine for fact in answered):
        job.commit(effects)
        return
    job.progress(effects)
    raise DROPPED
