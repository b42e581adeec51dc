"""Count the uses of memories, skills and the graph after answers are sent (REC-21).

Uses are written in batches: a write per answer would cost a tenth of a recall, because readers reload their pages
after each commit.
"""

import asyncio
from collections.abc import Callable
from datetime import datetime
from typing import Generic, TypeVar

from signet.db import Database, ReadTx, WriteTx
from signet.domain.auth import caller
from signet.domain.auth.caller import OWNER
from signet.domain.graph import traversal
from signet.domain.graph.traversal import Purpose, TraversalOrigin
from signet.domain.memory import marks
from signet.domain.recall import recall
from signet.domain.recall.models import Result
from signet.domain.skills import files
from signet.errors import SignetError
from signet.observe import logs

T = TypeVar("T")

log = logs.get("memory")

#: Seconds that a use waits for others.
TOGETHER_SECONDS = 0.25

#: A result, its agent, and the time.
Use = tuple[Result, str, datetime]


class Gathering(Generic[T]):
    """Collects values and writes them in batches after the answers; for the event loop's thread."""

    def __init__(
        self,
        db: Database,
        keep: Callable[[WriteTx, list[T]], None],
        failed: str,
        *,
        prepare: Callable[[ReadTx, list[T]], list[T]] | None = None,
        noted: Callable[[T], None] | None = None,
    ) -> None:
        """Write with `keep` the values that `prepare` returns outside of the transaction; `noted` gets each at once.

        Values that cannot be written are dropped and logged as `failed`.
        """
        self._db = db
        self._keep = keep
        self._failed = failed
        self._prepare = prepare
        self._noted = noted
        self._writing = asyncio.Lock()
        self._waiting: list[T] = []
        self._task: asyncio.Task[None] | None = None

    def put(self, value: T) -> None:
        if self._noted is not None:
            self._noted(value)
        self._waiting.append(value)
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._write())

    async def flush(self) -> None:
        """Write queued values now, before a read that needs them."""
        async with self._writing:
            if not self._waiting:
                return
            try:
                # The values come from many callers, so the current caller's scope must not limit them.
                with caller.acting_for(OWNER):
                    values = self._taken()
                    if self._prepare is not None:
                        values = await self._db.aread(self._prepare, values)
                    await self._db.awrite_quick(self._keep, values)
            except SignetError as error:
                self._tell(error)

    def finish(self) -> None:
        """Write the remaining values at the end of the process."""
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
    """Count uses; only the newest graph walk of an agent is stored."""
    newest: dict[str, Use] = {}
    for result, agent_id, now in uses:
        marks.count_use(tx, recall.touched(result), now=now)
        if skills := recall.used_skills(result):
            files.use(tx, skills, now)
        if result.walk.focal:
            newest[agent_id] = (result, agent_id, now)
    for result, agent_id, now in newest.values():
        traversal.keep(
            tx, result.walk, Purpose.RECALL, TraversalOrigin.QUERY, agent_id=agent_id, now=now
        )
