"""Who goes first when a question comes among many saves: the question.

Both need the interpreter's lock, and 32 clients that save at once leave little of it to the thread that reads. So
while questions are answered, one save passes for each and the others wait, before their bodies are read, until all are
answered, but never longer than 25 ms. And as long as somebody asks now and then, few saves begin or are answered in one
turn of the event loop, so that what else is ready waits for few. A save that comes alone waits for nothing.
"""

import asyncio
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

#: The longest a save waits for questions: about as long as one takes beside other work.
PATIENCE_SECONDS = 0.025

#: Saves that begin or are answered in one turn of the event loop, for so long after a question: turns cost where nobody
#: asks (a twentieth of the saves, in three turns of `loadtests/run.py remember`).
AT_ONCE = 6
LATELY_SECONDS = 2.0


class Admission:
    """Lets saves wait for questions; for one event loop."""

    def __init__(self, patience_seconds: float = PATIENCE_SECONDS) -> None:
        self._patience_seconds = patience_seconds
        self._questions = 0
        self._asked_at: float | None = None
        self._has_passed = False
        self._begun = 0
        self._quiet = asyncio.Event()

    @contextmanager
    def question(self) -> Iterator[None]:
        """Hold saves back for as long as the block lasts."""
        self._has_passed = False
        self._quiet.clear()
        self._questions += 1
        self._asked_at = time.monotonic()
        try:
            yield
        finally:
            self._questions -= 1
            if not self._questions:
                self._quiet.set()

    async def save(self) -> None:
        """Return when a save may go on."""
        if self._questions and self._has_passed:
            with suppress(TimeoutError):
                async with asyncio.timeout(self._patience_seconds):
                    await self._quiet.wait()
        else:
            self._has_passed = True
        await self._few_at_once()

    async def saved(self) -> None:
        """Return when a save that is done may be answered: those of one commit are all done at once."""
        await self._few_at_once()

    async def _few_at_once(self) -> None:
        if self._asked_at is None or time.monotonic() - self._asked_at >= LATELY_SECONDS:
            return
        while self._begun >= AT_ONCE:
            await asyncio.sleep(0)
        if not self._begun:
            asyncio.get_running_loop().call_soon(self._next_turn)
        self._begun += 1

    def _next_turn(self) -> None:
        self._begun = 0
