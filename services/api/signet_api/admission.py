"""Give questions priority over concurrent saves.

Both need the interpreter lock, and 32 concurrent saves leave little of it to a reading thread. While questions are
being answered, one save is admitted per question; the others wait, before their bodies are read, for at most 25 ms.
For a while after a question, only a few saves start or finish in one turn of the event loop. A save without
concurrent questions does not wait.
"""

import asyncio
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

#: Maximum wait of a save; about the duration of one recall under load.
PATIENCE_SECONDS = 0.025

#: Saves that start or finish in one turn of the event loop after a recent question. Without recent questions there is
#: no limit, because turns cost a twentieth of the saves (`loadtests/run.py remember`, three turns).
AT_ONCE = 6
LATELY_SECONDS = 2.0


class Admission:
    """Delays saves while questions are answered; for one event loop."""

    def __init__(self, patience_seconds: float = PATIENCE_SECONDS) -> None:
        self._patience_seconds = patience_seconds
        self._questions = 0
        self._asked_at: float | None = None
        self._has_passed = False
        self._begun = 0
        self._quiet = asyncio.Event()

    @contextmanager
    def question(self) -> Iterator[None]:
        """Hold saves back during the block."""
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
        """Wait until a save may start."""
        if self._questions and self._has_passed:
            with suppress(TimeoutError):
                async with asyncio.timeout(self._patience_seconds):
                    await self._quiet.wait()
        else:
            self._has_passed = True
        await self._few_at_once()

    async def saved(self) -> None:
        """Wait until the answer of a finished save may be sent; a commit finishes several saves at once."""
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
