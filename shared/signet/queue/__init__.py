"""The durable job queue over `memory_jobs`: enqueue in your own transaction, run in a worker.

Importing this package loads neither dramatiq nor a thread: the API only enqueues and reads. The worker claims and runs
jobs: its dispatcher, executor and lease heartbeat.
"""

from signet.queue.enqueue import BULK, DUE, MAX_ATTEMPTS, NORMAL, NOW, PERIODIC, NewJob, enqueue
from signet.queue.kinds import KINDS, QUEUES, JobStatus

__all__ = [
    "BULK",
    "DUE",
    "KINDS",
    "MAX_ATTEMPTS",
    "NORMAL",
    "NOW",
    "PERIODIC",
    "QUEUES",
    "JobStatus",
    "NewJob",
    "enqueue",
]
