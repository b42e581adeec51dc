"""What hooks need of the process that serves them."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Concatenate, ParamSpec, TypeVar

from signet.config import Settings
from signet.db import Database, WriteTx
from signet.db.visibility import Here
from signet.domain.injections.models import Injection
from signet.domain.recall.models import QueryVector, RecallSettings, Result
from signet.errors import StorageBusy, StorageFull
from signet.observe import logs
from signet.paths import Workspace

if TYPE_CHECKING:
    from signet.wire.requests.recall import RecallBody

P = ParamSpec("P")
T = TypeVar("T")
log = logs.get("hooks")


@dataclass(frozen=True, slots=True, kw_only=True)
class Services:
    """What hooks need of the process that serves them, for one request."""

    db: Database
    settings: Settings
    workspace: Workspace
    #: Returns what gives the vector of a text; to be called off the event loop.
    vector: Callable[[str], Awaitable[QueryVector]]
    #: The numbers of recall.
    tuning: RecallSettings
    #: Answers a question for an agent; unasked only with what belongs where its session works.
    recall: "Callable[[RecallBody, str, Here | None], Awaitable[Result]]"
    #: Records what a session was given, behind the answer; and makes sure that all of it is recorded.
    record: Callable[[Injection], None]
    flush: Callable[[], Awaitable[None]]

    async def note(
        self, function: Callable[Concatenate[WriteTx, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T | None:
        """Write what a hook notes; None on a full or locked disk, because its answer is only read."""
        try:
            return await self.db.awrite_quick(function, *args, **kwargs)
        except (StorageFull, StorageBusy) as error:
            log.warning("hook.not_noted", code=error.code)
            return None
