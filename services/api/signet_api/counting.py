"""The uses of memories, skills and the graph by answers, counted behind them (REC-21).

What comes within a moment is written together: a write for each answer is a tenth of what a recall costs, because
after each commit every reader reads its pages anew.
"""

import asyncio
from datetime import datetime

from signet import clock
from signet.db import Database, WriteTx
from signet.domain.knowledge import walks
from signet.domain.knowledge.walks import Origin, Phase
from signet.domain.recall import recall, store
from signet.domain.recall.models import Result
from signet.domain.skills import usage
from signet.errors import SignetError
from signet.observe import logs

log = logs.get("memory")

#: How long a use waits for others to be written with.
TOGETHER_SECONDS = 0.25

#: An answer, whom it was for, and when.
Use = tuple[Result, str, datetime]


class Counting:
    """Counts the uses of one database; for the thread of the event loop."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._waiting: list[Use] = []
        self._task: asyncio.Task[None] | None = None

    def later(self, result: Result, agent_id: str) -> None:
        """Count what an answer used, soon: recall never waits for the write lock."""
        if not (result.hits or result.walk.focal):
            return
        self._waiting.append((result, agent_id, clock.now()))
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._count())

    def finish(self) -> None:
        """Count what still waits, at the end of the process."""
        try:
            self._db.write_quick(counted, self._taken())
        except SignetError as error:
            _tell(error)

    async def _count(self) -> None:
        while self._waiting:
            await asyncio.sleep(TOGETHER_SECONDS)
            try:
                await self._db.awrite_quick(counted, self._taken())
            except SignetError as error:
                _tell(error)

    def _taken(self) -> list[Use]:
        taken, self._waiting = self._waiting, []
        return taken


def counted(tx: WriteTx, uses: list[Use]) -> None:
    """Count uses; of the walks of an agent the newest stays."""
    newest: dict[str, Use] = {}
    for result, agent_id, now in uses:
        store.touch(tx, recall.touched(result), now)
        if skills := recall.used_skills(result):
            usage.use(tx, skills, now)
        if result.walk.focal:
            newest[agent_id] = (result, agent_id, now)
    for result, agent_id, now in newest.values():
        walks.keep(tx, result.walk, Phase.RECALL, Origin.QUERY, agent_id=agent_id, now=now)


def _tell(error: SignetError) -> None:
    log.info("recall.accesses_not_counted", code=error.code)
