"""Finds the project that a request names, in bounded time: a folder may lie on a file system that hangs."""

import asyncio
import contextlib
import threading
from collections import OrderedDict
from contextvars import copy_context
from dataclasses import dataclass, field

from signet.db import Database
from signet.domain.auth import caller
from signet.domain.projects import folder, registry
from signet.domain.projects.folder import Place
from signet.domain.projects.registry import Elsewhere
from signet.errors import SignetError
from signet.observe import logs

log = logs.get("hooks")

#: Longest wait of a request for a folder (s), and most threads that hang at folders that never answer.
MOST_SECONDS, MOST_HANGING = 0.3, 8
#: Folders whose last answer is kept for the time when they hang.
MOST_KEPT = 500


@dataclass(slots=True)
class Projects:
    """Where folders are; one for each process."""

    db: Database
    _kept: OrderedDict[tuple[str, str], Place] = field(default_factory=OrderedDict)
    _hanging: set[threading.Thread] = field(default_factory=set)

    async def named(self, named: str | None) -> str | None:
        """Return the project of a folder, None for no name."""
        return (await self.find(named)).project or None if named and named.strip() else None

    async def find(self, named: str, elsewhere: Elsewhere | None = None) -> Place:
        """Return where a folder is, within `MOST_SECONDS`; what could not be looked up is where it last was."""
        asked = caller.current()
        scope = asked.scope.project
        spelled = folder.spelled(named)
        if scope is not None and scope in (named, spelled):
            return Place(scope, root=scope)
        if not asked.is_local_user and elsewhere is None:
            elsewhere = Elsewhere("", Place(spelled, root=spelled))
        name = (elsewhere.machine if elsewhere else "here", spelled)
        found = await self._looked_up(named, elsewhere, may_register=scope is None)
        if found is None:
            log.warning("project.not_looked_up", folder=spelled)
            return self._kept.get(name) or Place(spelled, root=spelled)
        self._kept[name] = found
        self._kept.move_to_end(name)
        while len(self._kept) > MOST_KEPT:
            self._kept.popitem(last=False)
        return found

    async def _looked_up(
        self, named: str, elsewhere: Elsewhere | None, *, may_register: bool
    ) -> Place | None:
        if len(self._hanging) >= MOST_HANGING:
            return None
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[Place | None] = loop.create_future()

        def work() -> None:
            found = None
            with contextlib.suppress(SignetError, OSError, ValueError):
                found = registry.find(
                    self.db, named, elsewhere=elsewhere, may_register=may_register
                )
            self._hanging.discard(threading.current_thread())
            with contextlib.suppress(RuntimeError):  # the process stops
                loop.call_soon_threadsafe(_answer, answer, found)

        # A new thread: one that hangs cannot be ended, and a pool would wait for it at its end.
        thread = threading.Thread(target=copy_context().run, args=(work,), daemon=True)
        self._hanging.add(thread)
        thread.start()
        try:
            return await asyncio.wait_for(answer, MOST_SECONDS)
        except TimeoutError:
            return None


def _answer(answer: asyncio.Future[Place | None], found: Place | None) -> None:
    if not answer.done():
        answer.set_result(found)
