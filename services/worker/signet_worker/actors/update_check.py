"""`update_check`: look for a new version, where that was allowed, and install it, where that was allowed too."""

from signet import clock
from signet.domain.updates import install
from signet.observe import logs
from signet.queue.job_context import JobContext
from signet_worker import processors
from signet_worker.context import Context

log = logs.get("update")


def update_check(job: JobContext, context: Context) -> None:
    """Ask the index; a new version that is not major is installed when settings say so."""
    with processors.whole():
        done = install.by_itself(context.workspace, context.settings.updates, now=clock.now())
    if done is not None:
        log.info("update.installed" if done.success else "update.failed", detail=done.message)
    job.commit(lambda tx: {"message": done.message if done else "nothing to install"})
