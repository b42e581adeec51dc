"""A worker whose first job holds the lock of the models for ever, as one does whose model file is on a dead disk.

Its limits are short, and it thinks itself silent at once, so that it comes to give its models up.
"""

import os
import sys
import threading
from dataclasses import replace

from signet.paths import find_workspace
from signet.process import memory
from signet.queue import kinds
from signet.queue.job_context import JobContext
from signet_worker import actors, executor, main, serve
from signet_worker.context import Context

actor_of = actors.actor_of


def stuck(job: JobContext, context: Context) -> None:
    """Hold the lock for ever, in the first process that runs the job."""
    marker = find_workspace().runtime_dir / "stuck"
    if marker.exists():
        job.commit(lambda tx: None)
        return
    marker.touch()
    with context._lock:
        threading.Event().wait()


kinds.KINDS["update_check"] = replace(kinds.KINDS["update_check"], time_limit_seconds=1)
actors.actor_of = lambda kind: stuck if kind == "update_check" else actor_of(kind)
executor.GRACE_SECONDS = executor.STUCK_SECONDS = 0.5
memory.LOOK_SECONDS, memory.SILENT_SHARE = 0.05, 100.0
serve.DRAIN_SECONDS, serve.LOST_SECONDS = 0.2, 0.5
serve.NICENESS = 0
code = main.main()
sys.stdout.flush()
os._exit(code)
