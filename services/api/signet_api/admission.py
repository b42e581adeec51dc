"""Who goes first when a question comes among many saves: the question.

Both need the interpreter's lock, and 32 clients that save at once leave little of it to the thread that reads. So
while questions are answered, one save passes for each and the others wait, before their bodies are read, until all are
answered, but never longer than 25 ms. A save that comes alone waits for nothing.
"""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager, suppress

#: The longest a save waits for questions: about as long as one takes beside other work.
PATIENCE_SECONDS = 0.025


class Admission:
    """Lets saves wait for questions; for one event loop."""

    def __init__(self, patience_seconds: float = PATIENCE_SECONDS) -> None:
        self._patience_seconds = patience_seconds
        self._questions = 0
        self._has_passed = False
        self._quiet = asyncio.Event()

    @contextmanager
    def question(self) -> Iterator[None]:
        """Hold saves back for as long as the block lasts."""
        self._has_passed = False
        self._quiet.clear()
        self._questions += 1
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
