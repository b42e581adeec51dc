"""Declare an actor for each kind of job; an idle worker has not imported the job code."""

from collections.abc import Callable

import dramatiq

from signet.queue.job_context import JobContext
from signet.queue.kinds import KINDS, queue_of
from signet_worker.context import Context
from signet_worker.dramatiq_adapter import JobsBroker


def declare(broker: JobsBroker, context: Context) -> None:
    for kind in KINDS:
        declared = dramatiq.actor(actor_name=kind, queue_name=queue_of(kind), broker=broker)
        declared(_bound(kind, context))


def _bound(kind: str, context: Context) -> Callable[[JobContext], None]:
    def run(job: JobContext) -> None:
        from signet_worker import actors

        actors.actor_of(kind)(job, context)

    return run
