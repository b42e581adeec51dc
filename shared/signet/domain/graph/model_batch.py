"""One question to a model about the facts of several jobs, and what becomes of each of these jobs.

The job that is run takes those that wait for the same entity with it (`queue/coalesce.py`). What the model passes over
is asked again alone: the job itself by failing, a sibling by waiting on.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from signet import clock
from signet.db import WriteTx
from signet.domain.graph import model_answers
from signet.domain.graph.models import DroppedFromOutput, Item
from signet.providers import answers
from signet.providers.asking import asked
from signet.providers.ports import LanguageModel, Shape
from signet.queue import coalesce
from signet.queue.job_context import JobContext

T = TypeVar("T")

SECONDS = 90.0
TOKENS = 2_048
DROPPED = DroppedFromOutput("dropped_from_llm_output: the answer passes this fact over")


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


def settle(
    job: JobContext,
    items: Sequence[Item],
    found: Mapping[int, T],
    write: Callable[[WriteTx, Mapping[Item, T]], dict[str, object]],
) -> None:
    """Write what was found and end the jobs it was found for; raises DroppedFromOutput when the run's own is not one.

    `items` are the facts that were asked about and `found` the answers by their place; `write` writes them and
    returns the job's result.
    """
    told = {items[place]: value for place, value in found.items()}
    mine = job.lease.job_id

    def effects(tx: WriteTx) -> dict[str, object]:
        result = write(tx, told)
        for item in items:
            if item.job_id == mine:
                continue
            if item in told:
                coalesce.complete(tx, item.job_id, by=mine, now=clock.now())
            else:
                coalesce.leave_alone(tx, item.job_id)
        return result

    if any(item.job_id == mine for item in told):
        job.commit(effects)
        return
    job.progress(effects)
    raise DROPPED
