"""Find the project of a folder in bounded time, even on a file system that hangs."""

import asyncio
import contextlib
import threading
from collections import OrderedDict
from collections.abc import Iterable
from contextvars import ContextVar, copy_context
from dataclasses import dataclass, field

from pydantic import ValidationError

from signet.db import Database
from signet.domain.auth import caller
from signet.domain.projects import folder, registry
from signet.domain.projects.folder import FolderEvidence, ProjectPlace
from signet.domain.projects.registry import Elsewhere
from signet.errors import Invalid, SignetError
from signet.observe import logs
from signet.wire.requests.hooks import RepositoryBody

log = logs.get("hooks")

#: Maximum wait for a folder (s), and maximum number of hanging threads.
MOST_SECONDS, MOST_HANGING = 0.3, 8
#: Number of cached folders, for when they hang.
MOST_KEPT = 500


#: The repository of a request's project, as a client on another machine describes it.
HEADER = b"x-signet-repository"
#: The client's folder, as the current request describes it.
TOLD: ContextVar[Elsewhere | None] = ContextVar("told", default=None)


def elsewhere(told: RepositoryBody | None) -> Elsewhere | None:
    """Return the folder of a client on another machine; local clients cannot describe one."""
    if told is None or caller.current().is_local_user:
        return None
    mark = told.machine if told.is_repository else ""
    place = ProjectPlace(told.root, told.sub_path, told.root, told.tree, common=mark)
    return Elsewhere(
        f"client:{told.machine}", place, FolderEvidence(told.remote, tuple(told.commits))
    )


def described(headers: Iterable[tuple[bytes, bytes]]) -> Elsewhere | None:
    """Return the folder that the headers describe; raises Invalid."""
    told = dict(headers).get(HEADER)
    if told is None:
        return None
    try:
        return elsewhere(RepositoryBody.model_validate_json(told))
    except ValidationError as error:
        raise Invalid("X-Signet-Repository does not describe a repository") from error


@dataclass(slots=True)
class Projects:
    """Folder lookups of this process."""

    db: Database
    _kept: OrderedDict[tuple[str, str], ProjectPlace] = field(default_factory=OrderedDict)
    _hanging: set[threading.Thread] = field(default_factory=set)

    async def named(self, named: str | None) -> str | None:
        """Return the project of a folder, None without a name."""
        return (await self.find(named)).project or None if named and named.strip() else None

    async def find(self, named: str, elsewhere: Elsewhere | None = None) -> ProjectPlace:
        """Return the place of a folder within `MOST_SECONDS`; the last known one if the lookup times out."""
        asked, elsewhere = caller.current(), elsewhere or TOLD.get()
        scope = asked.scope.project
        spelled = folder.spelled(named)
        if scope is not None and scope in (named, spelled):
            return ProjectPlace(scope, root=scope)
        if not asked.is_local_user and elsewhere is None:
            elsewhere = Elsewhere("", ProjectPlace(spelled, root=spelled))
        name = (elsewhere.machine if elsewhere else "here", spelled)
        found = await self._looked_up(named, elsewhere, may_register=scope is None)
        if found is None:
            log.warning("project.lookup_failed", folder=spelled)
            return self._kept.get(name) or ProjectPlace(spelled, root=spelled)
        self._kept[name] = found
        self._kept.move_to_end(name)
        while len(self._kept) > MOST_KEPT:
            self._kept.popitem(last=False)
        return found

    async def _looked_up(
        self, named: str, elsewhere: Elsewhere | None, *, may_register: bool
    ) -> ProjectPlace | None:
        if len(self._hanging) >= MOST_HANGING:
            return None
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[ProjectPlace | None] = loop.create_future()

        def work() -> None:
            found = None
            with contextlib.suppress(SignetError, OSError, ValueError):
                found = registry.find(
                    self.db, named, elsewhere=elsewhere, may_register=may_register
                )
            self._hanging.discard(threading.current_thread())
            with contextlib.suppress(RuntimeError):  # the process is stopping
                loop.call_soon_threadsafe(_answer, answer, found)

        # A separate thread: a hanging thread cannot be stopped, and a pool would wait for it at exit.
        thread = threading.Thread(target=copy_context().run, args=(work,), daemon=True)
        self._hanging.add(thread)
        thread.start()
        try:
            return await asyncio.wait_for(answer, MOST_SECONDS)
        except TimeoutError:
            return None


def _answer(answer: asyncio.Future[ProjectPlace | None], found: ProjectPlace | None) -> None:
    if not answer.done():
        answer.set_result(found)
