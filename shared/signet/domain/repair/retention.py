"""Run the retention sweep on request."""

from signet import clock
from signet.db import ReadTx
from signet.domain.repair.models import Done, Order
from signet.domain.repair.sql import retention as sql
from signet.domain.repair.work import Work
from signet.domain.retention import purge
from signet.domain.retention.purge import Windows, cutoff

#: Names of a sweep's counts in answers (RP-9).
_NAMES = {
    "graphLinksPurged": "graphLinks",
    "entitiesOrphaned": "entitiesOrphaned",
    "embeddingsPurged": "embeddings",
    "tombstonesPurged": "tombstones",
    "historyPurged": "history",
    "completedJobsPurged": "completedJobs",
    "deadJobsPurged": "deadJobs",
    "trainingPairsPurged": "trainingPairs",
    "tasksPurged": "tasks",
    "sessionMemoriesPurged": "sessionMemories",
}


def preview(tx: ReadTx, order: Order) -> Done:
    """Return how many rows have expired."""
    windows = Windows.of(order.settings)
    spans = {
        "tombstones": windows.tombstones,
        "history": windows.history,
        "completedJobs": windows.completed_jobs,
        "deadJobs": windows.dead_jobs,
        "sessionMemories": windows.session_memories,
    }
    due = {
        name: int(tx.value(sql.DUE[name], (cutoff(order.now, span),)))
        for name, span in spans.items()
    }
    total = sum(due.values())
    message = f"dry run: {total} row(s) are old enough to be purged"
    return Done(affected=total, message=message, details=due)


def sweep(work: Work) -> Done:
    """Run every step until nothing is left."""

    def stops() -> bool:
        work.check()
        return False

    settings = work.order.settings.retention
    swept = purge.sweep(
        work.db,
        windows=Windows.of(work.order.settings),
        now=clock.now(),
        limit=settings.batch_limit,
        expired=stops,
    )
    counts = dict.fromkeys(_NAMES.values(), 0)
    counts |= {_NAMES.get(name, name): count for name, count in swept.counts.items()}
    work.affected = sum(counts.values())
    message = swept.held or f"retention sweep completed; {work.affected} row(s) purged"
    return Done(affected=work.affected, message=message, details=counts)
