"""One actor for each kind of job: the function of that name in the file of that name."""

import importlib
from collections.abc import Callable

import dramatiq

from signet.queue.job_context import JobContext
from signet.queue.kinds import KINDS, queue_of
from signet_worker.context import Context
from signet_worker.dramatiq_adapter import JobsBroker

Actor = Callable[[JobContext, Context], None]


def actor_of(kind: str) -> Actor:
    """Return the actor of a kind of job."""
    actor: Actor = getattr(importlib.import_module(f"{__name__}.{kind}"), kind)
    return actor


def declare(broker: JobsBroker, context: Context) -> None:
    """Declare every actor on the broker."""
    for kind in KINDS:
        declared = dramatiq.actor(actor_name=kind, queue_name=queue_of(kind), broker=broker)
        declared(_bound(actor_of(kind), context))


def _bound(actor: Actor, context: Context) -> Callable[[JobContext], None]:
    def run(job: JobContext) -> None:
        actor(job, context)

    return run
