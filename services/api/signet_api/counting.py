"""The uses of memories, skills and the graph by answers, counted behind them (REC-21).

What comes within a moment is written together: a write for each answer is a tenth of what a recall costs, because
after each commit every reader reads its pages anew.
"""

import asyncio
from collections.abc import Callable
from datetime import datetime
from typing import Generic, TypeVar

from signet.db import Database, ReadTx, WriteTx
from signet.domain.auth import caller
from signet.domain.auth.caller import OWNER
from signet.domain.graph import traversal
from signet.domain.graph.traversal import Origin, Phase
from signet.domain.memory import marks
from signet.domain.recall import recall
from signet.domain.recall.models import Result
from signet.domain.skills import usage
from signet.errors import SignetError
from signet.observe import logs

T = TypeVar("T")

log = logs.get("memory")

#: How long a use waits for others to be written with.
TOGETHER_SECONDS = 0.25

#: An answer, whom it was for, and when.
Use = tuple[Result, str, datetime]


class Gathering(Generic[T]):
    """Writes values behind the answers that they come from, those of a moment together; for the event loop's thread."""

    def __init__(
        self,
        db: Database,
        keep: Callable[[WriteTx, list[T]], None],
        failed: str,
        *,
        prepare: Callable[[ReadTx, list[T]], list[T]] | None = None,
    ) -> None:
        """Write with `keep` what `prepare` makes of the values, outside of the transaction.

        What cannot be written is dropped and logged under the name `failed`.
        """
        self._db = db
        self._keep = keep
        self._failed = failed
        self._prepare = prepare
        self._writing = asyncio.Lock()
        self._waiting: list[T] = []
        self._task: asyncio.Task[None] | None = None

    def put(self, value: T) -> None:
        """Write a value soon: nobody waits for the write lock."""
        self._waiting.append(value)
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._write())

    async def flush(self) -> None:
        """Write what waits now, for somebody who is about to read it."""
        async with self._writing:
            if not self._waiting:
                return
            try:
                # Values of many callers: the one who is about to read does not limit them.
                with caller.acting_for(OWNER):
                    values = self._taken()
                    if self._prepare is not None:
                        values = await self._db.aread(self._prepare, values)
                    await self._db.awrite_quick(self._keep, values)
            except SignetError as error:
                self._tell(error)

    def finish(self) -> None:
        """Write what still waits, at the end of the process."""
        try:
            values = self._taken()
            if self._prepare is not None:
                values = self._db.read(self._prepare, values)
            self._db.write_quick(self._keep, values)
        except SignetError as error:
            self._tell(error)

    async def _write(self) -> None:
        while self._waiting:
            await asyncio.sleep(TOGETHER_SECONDS)
            await self.flush()

    def _taken(self) -> list[T]:
        taken, self._waiting = self._waiting, []
        return taken

    def _tell(self, error: SignetError) -> None:
        log.info(self._failed, code=error.code)


def count(tx: WriteTx, uses: list[Use]) -> None:
    """Count uses; of the walks of an agent the newest stays."""
    newest: dict[str, Use] = {}
    for result, agent_id, now in uses:
        marks.count_use(tx, recall.touched(result), now=now)
        if skills := recall.used_skills(result):
            usage.use(tx, skills, now)
        if result.walk.focal:
            newest[agent_id] = (result, agent_id, now)
    for result, agent_id, now in newest.values():
        traversal.keep(tx, result.walk, Phase.RECALL, Origin.QUERY, agent_id=agent_id, now=now)
