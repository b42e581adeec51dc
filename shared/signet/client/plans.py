"""Plans of several calls, such as waiting for work or paging, for both clients.

A plan yields the next call or a pause and is sent each answer (see `call.Plan`).
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from signet.client.answers import (
    ConnectorHealth,
    ContextAnswer,
    ContextSource,
    Document,
    Job,
    MemoryPage,
    MemorySummary,
    PipelineStatus,
    QueuedSync,
    Repaired,
)
from signet.client.call import Body, Call, Param, Plan, Wait, ask, part
from signet.client.calls import Calls
from signet.client.method import method
from signet.errors import SignetError
from signet.wire import connectors

#: Seconds between polls; more often would only slow the work.
LOOK_SECONDS = 0.25
#: The daemon's maximum of jobs per request.
JOBS = 500
#: The daemon's maximum of memories per request.
MEMORIES = 1_000
#: Error code of jobs that wait for a provider.
_PROVIDER_DOWN = "provider_down"
#: Final states of jobs and documents.
ENDS = frozenset({"completed", "failed", "done", "dead", "deleted", "ready"})


class Pages:
    """Every memory, page by page, each once, even while others are saved and forgotten."""

    def __init__(self, *, type: str | None, page: int, agent_id: str | None) -> None:
        self._type, self._limit, self._agent_id = type, page, agent_id
        self._last: str | None = None

    def call(self) -> Call[MemoryPage]:
        return Calls.memories(
            limit=self._limit, before=self._last, type=self._type, agent_id=self._agent_id
        )

    def take(self, page: MemoryPage) -> list[MemorySummary] | None:
        """Return the memories of a page, None after the last one."""
        rows = page["memories"]
        self._last = rows[-1]["id"] if rows else self._last
        return rows or None


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """A text for a system prompt, empty without memories, and its sources in order."""

    text: str
    sources: Sequence[ContextSource]

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """Jobs by state.

    `open` jobs run or will run; `waiting` ones need an unreachable provider, named in `reasons`. `completed` and
    `dead` count the whole queue.
    """

    open: int
    waiting: int
    completed: int
    dead: int
    paused: bool
    reasons: tuple[str, ...]


def summed(
    pipeline: PipelineStatus,
    found: Sequence[Job],
    stopped_queues: Mapping[str, object],
    mine: Callable[[Job], bool] | None,
    *,
    is_all: bool,
) -> Work:
    """Return the state of the open jobs selected by `mine`; without it, of all jobs, including those not listed."""
    counts = pipeline["queues"]["memory"]
    wanted = [job for job in found if mine is None or mine(job)]
    waiting = [job for job in wanted if _waits(job, stopped_queues)]
    still = len(wanted) - len(waiting)
    if mine is None and not is_all:
        still = counts["pending"] + counts["leased"] - len(waiting)
    return Work(
        open=max(0, still),
        waiting=len(waiting),
        completed=counts["completed"],
        dead=counts["dead"],
        paused=bool(pipeline["paused"]),
        reasons=tuple(sorted({str(job["error"]) for job in waiting if job["error"]})),
    )


def _waits(job: Job, stopped_queues: Mapping[str, object]) -> bool:
    return job["status"] == "pending" and (
        job["last_error_code"] == _PROVIDER_DOWN or job["queue"] in stopped_queues
    )


class Plans:
    """Plans of several calls, such as waiting for work or paging, for both clients."""

    @method
    def context_for(
        self,
        prompt: str,
        *,
        limit: int = 10,
        max_chars: int = 4_000,
        project: str | None = None,
        min_score: float | None = None,
        scope: str | None = None,
        agent_id: str | None = None,
        session_key: str | None = None,
    ) -> Plan[Context]:
        """Return what is remembered about a prompt, as a text for the system prompt, with its sources.

        It is what sessions are given with their prompts: rules that stand, stretches of earlier sessions, commits and
        documents, then single memories, of at most `max_chars`; `limit` is of the latter.

        >>> stored = signet.remember("Ana moors her boat at the north pier.", type="fact")
        >>> context = signet.context_for("Where does Ana moor her boat?")
        >>> "Ana moors her boat at the north pier." in str(context)
        True
        >>> context.sources[0]["id"] == stored["id"]
        True
        """
        found: ContextAnswer = yield Calls.context(
            prompt,
            limit=limit,
            max_chars=max_chars,
            project=project,
            min_score=min_score,
            scope=scope,
            agent_id=agent_id,
            session_key=session_key,
        )
        return Context(text=found["context"], sources=found["sources"])

    @method
    def wait_for_document(
        self, document_id: str, *, seconds: float = 60.0, agent_id: str | None = None
    ) -> Plan[Document]:
        """Return a document when it is processed, has failed, or after the timeout. Raises NotFound."""
        until = time.monotonic() + seconds
        while True:
            found: Document = yield Calls.document(document_id, agent_id=agent_id)
            if found["status"] in ENDS or time.monotonic() >= until:
                return found
            yield Wait(LOOK_SECONDS)

    @method
    def wait_for_sync(
        self,
        connector_id: str,
        *,
        watch: Callable[[ConnectorHealth], None] | None = None,
        patience_seconds: float = 60.0,
    ) -> Plan[ConnectorHealth]:
        """Return a connector's state when no sync is running, or nothing has changed for `patience_seconds`.

        `watch` receives each poll. Raises NotFound.
        """
        seen: ConnectorHealth | None = None
        moved_at = time.monotonic()
        while True:
            found: ConnectorHealth = yield Calls.connector_health(connector_id)
            if watch is not None:
                watch(found)
            if found != seen:
                seen, moved_at = found, time.monotonic()
            is_stuck = time.monotonic() - moved_at > patience_seconds
            if found["status"] != "syncing" or is_stuck:
                return found
            yield Wait(LOOK_SECONDS)

    @method
    def work(self, mine: Callable[[Job], bool] | None = None) -> Plan[Work]:
        """Return the state of the queue, or of the jobs selected by `mine`."""
        pipeline = yield Calls.pipeline_status()
        # One request for both states: between two requests a job could change state and be missed.
        found = yield Calls.jobs(status="pending,leased", limit=JOBS)
        stopped = (
            (yield Calls.status(parts=("waitingForProvider",)))["waitingForProvider"]
            if found
            else {}
        )
        return summed(pipeline, found, stopped, mine, is_all=len(found) < JOBS)

    @method
    def wait_for_jobs(
        self,
        mine: Callable[[Job], bool] | None = None,
        *,
        watch: Callable[[Work], None] | None = None,
        patience_seconds: float = 60.0,
    ) -> Plan[Work]:
        """Return when no open job is left, the queue is paused, or nothing has changed for `patience_seconds`.

        Does not wait for jobs that wait for a provider. `watch` receives each poll.
        """
        seen: Work | None = None
        moved_at = time.monotonic()
        while True:
            found = yield from Plans.work(mine)
            if watch is not None:
                watch(found)
            if found != seen:
                seen, moved_at = found, time.monotonic()
            is_stuck = time.monotonic() - moved_at > patience_seconds
            if found.open == 0 or found.paused or is_stuck:
                return found
            yield Wait(LOOK_SECONDS)

    @method
    def run_tool(self, name: str, arguments: Mapping[str, object] | str | None = None) -> Plan[str]:
        """Run a tool that a model has called and return the text for the model, of a failure too.

        `arguments` are a mapping, or JSON as OpenAI's interface gives it; `signet.client.tools` describes the tools.

        >>> "id" in signet.run_tool("memory_store", {"content": "The north pier is closed in winter."})
        True
        >>> signet.run_tool("memory_get", '{"id": "none"}')
        'Get failed: not found'
        """
        from signet.client import tools

        asked = tools.call_for(name, arguments)
        if isinstance(asked, str):
            return asked
        try:
            return tools.answer_text(name, (yield asked))
        except SignetError as error:
            return tools.failed(name, error)

    @method
    def repair(self, /, action: str, **options: Any) -> Call[Repaired]:
        """Run a repair by name, such as check-fts or re-embed; raises NotFound for an unknown one.

        Options are the fields of its request; `details` reports that it continues in the background.
        """
        return Call(method="POST", path=f"/api/repair/{part(action)}", body=options)

    @method
    def sync_connector(self, connector_id: str, *, full: bool = False) -> Call[QueuedSync]:
        """Queue new and changed files, with `full` every file; raises NotFound."""
        if full:
            return ask(connectors.FULLY_SYNC_CONNECTOR, connector_id, confirm=True, body={})
        return ask(connectors.SYNC_CONNECTOR, connector_id, body={})

    @method
    def call(
        self,
        /,
        method: str,
        path: str,
        *,
        body: Mapping[str, object] | None = None,
        **params: Param,
    ) -> Call[Body]:
        return Call(method=method, path=path, params=params, body=body, is_safe=method == "GET")
