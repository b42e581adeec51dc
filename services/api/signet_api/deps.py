"""Dependencies of route handlers.

All are `async def`: the framework runs plain functions in a thread pool, which costs several times as much as the
request.
"""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from typing import Annotated, TypeVar
from weakref import WeakValueDictionary

from fastapi import Depends, Query, Request
from pydantic import BaseModel

from signet import clock
from signet.config import Settings
from signet.config.sections import AuthMode
from signet.db import Database, ReadTx
from signet.db.commits import Commits
from signet.domain.activity.events import Flusher
from signet.domain.agents import registry as agents
from signet.domain.audit import log
from signet.domain.audit.log import Audited
from signet.domain.auth import caller, issued
from signet.domain.auth.caller import CallerStanding
from signet.domain.graph.browse import tolerate_missing_tables
from signet.domain.injections import record
from signet.domain.injections.models import Injection
from signet.domain.memory import filters
from signet.domain.memory.models import Actor, Rules
from signet.errors import Frozen
from signet.ids import DEFAULT_AGENT, agent_of_session, is_of_user
from signet.paths import Workspace
from signet.process.pulse import Pulse
from signet.process.settings_reload import LiveSettings
from signet.wire.access import Permission
from signet.wire.origin import Origin, lowest
from signet_api import audited, counting
from signet_api.admission import Admission
from signet_api.authority import Authority
from signet_api.confirmations import Confirmations
from signet_api.counting import Gathering, Use
from signet_api.health import Health, Reports
from signet_api.oidc import OidcKeys
from signet_api.probe import Models, Probe
from signet_api.projects import Projects
from signet_api.stream import Listeners
from signet_api.vectors import QueryVectors

Value = TypeVar("Value")
Other = TypeVar("Other")
Sent = TypeVar("Sent", bound=BaseModel)

#: Concurrent recalls; they are CPU-bound, and each connection caches some MB of pages.
RECALLS = 2

#: Largest difference between two machines' clocks that is ignored, because requests take time to arrive. ACTOR_TYPES
#: are those that a caller may claim; others count as operator (MEM-44).
CLOCKS_AGREE = timedelta(seconds=5)
ACTOR_TYPES = frozenset({"operator", "agent", "pipeline", "harness", "sdk", "daemon"})


@dataclass(slots=True, kw_only=True)
class State:
    """The resources of the process that all routes share."""

    db: Database
    live: LiveSettings
    workspace: Workspace
    vectors: QueryVectors
    health: Health
    port: int
    authority: Authority = field(default_factory=Authority)
    probe: Probe = field(default_factory=Probe)
    models: Models = field(default_factory=Models)
    pulse: Pulse = field(default_factory=Pulse)
    confirmations: Confirmations = field(default_factory=Confirmations)
    is_stopping: bool = False
    recalls: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(RECALLS))
    admission: Admission = field(default_factory=Admission)
    started_at: datetime = field(default_factory=clock.now)
    started_ms: int = field(default_factory=clock.elapsed_ms)
    #: Bytes read from the logs of active sessions, by agent and session; and tasks that outlive their request.
    following: dict[tuple[str, str], int] = field(default_factory=dict)
    tasks: set[asyncio.Task[None]] = field(default_factory=set)
    #: One hook of a session at a time, by agent and session.
    turns: WeakValueDictionary[tuple[str, str], asyncio.Lock] = field(
        default_factory=WeakValueDictionary
    )
    event_listeners: Listeners = field(default_factory=partial(Listeners, "follow events"))
    log_listeners: Listeners = field(default_factory=partial(Listeners, "follow the log"))
    commits: Commits = field(init=False)
    projects: Projects = field(init=False)
    uses: Gathering[Use] = field(init=False)
    injections: Gathering[Injection] = field(init=False)
    seen: Gathering[tuple[str, datetime]] = field(init=False)
    audits: Gathering[Audited] = field(init=False)
    oidc: OidcKeys = field(init=False)
    flusher: Flusher = field(init=False)
    reports: Reports = field(init=False)

    def __post_init__(self) -> None:
        self.commits = self.db.commits()
        self.projects = Projects(self.db)
        self.uses = Gathering(self.db, counting.count, "recall.accesses_not_counted")
        self.injections = Gathering(
            self.db,
            record.insert,
            "injections.not_recorded",
            prepare=record.located,
            noted=None if self.authority.mode is AuthMode.LOCAL else audited.injected,
        )
        self.audits = Gathering(self.db, log.record, "audit.not_recorded")
        self.seen = Gathering(self.db, issued.saw, "tokens.not_noted")
        self.oidc = OidcKeys(lambda: self.settings.auth.oidc)
        self.flusher = Flusher(self.db, self.live, gathers=True)
        self.reports = Reports(self.db)

    @property
    def settings(self) -> Settings:
        return self.live.settings

    def check_writable(self) -> None:
        """Raise Frozen while changes are disabled."""
        if self.settings.pipeline.mutations_frozen:
            raise Frozen


async def state_of(request: Request) -> State:
    state: State = request.app.state.signet
    return state


async def _database(request: Request) -> Database:
    return (await state_of(request)).db


@dataclass(frozen=True, slots=True)
class Asker:
    """A request and what it acts on: the shared state, its agent, and the actor for the history."""

    request: Request
    state: State
    headers: Mapping[str, str]

    async def agent(self, body: BaseModel | None = None, named: str | None = None) -> str:
        """Return the agent that `named`, the body, its session or a header names, as `agent_of`."""
        named = getattr(body, "agent_id", None) or named
        return await agent_of(named, getattr(body, "session_key", None), self.request)

    def actor(self, changed_by: str | None = None) -> Actor:
        """Return the actor: a token's, else a header's, else `changed_by` (MEM-44)."""
        headers = self.headers
        claims = caller.current().claims
        is_named = claims is not None or headers.get("x-signet-actor")
        if claims is not None and claims.own:
            claims = None  # one of the user's own clients, which names the program that it acts for
        claimed = headers.get("x-signet-actor-type", "")
        named = said(headers, "x-signet-actor") or "daemon"
        if changed_by and not is_named:
            named = changed_by
        origin, may_claim = _origin_of(claimed, said(headers, "x-signet-origin"))
        return Actor(
            name=claims.sub if claims else named,
            type=claims.role if claims else claimed if claimed in ACTOR_TYPES else "operator",
            origin=origin,
            may_claim=may_claim,
            session_id=said(headers, "x-signet-session-id"),
            request_id=self.request.scope.get("signet.request_id"),
        )

    async def change(self, change: Callable[..., Value], *args: object, **fields: object) -> Value:
        """Change memories in one transaction, as this request's actor unless `fields` name another."""
        usual = {"rules": Rules.from_settings(self.state.settings), "now": clock.now()}
        fields.setdefault("actor", self.actor())
        return await self.state.db.awrite(change, *args, **usual, **fields)


async def _asker(request: Request) -> Asker:
    return Asker(request, await state_of(request), request.headers)


async def _actor(request: Request) -> Actor:
    return (await _asker(request)).actor()


def _origin_of(type: str, named: str | None) -> tuple[Origin, Origin]:
    """Return the default origin of the caller's texts, and the best that it may claim (AUTH-26).

    The user speaks through a client that acts for a person (`operator`) and has the permission. Clients and tokens
    that act for agents or programs count as agent. A peer proves neither, so it counts as `inferred`.
    """
    asked = caller.current()
    if asked.standing is CallerStanding.PEER:
        return Origin.INFERRED, Origin.INFERRED
    may_speak = Permission.SPEAK in asked.permissions and type == "operator"
    best = own = Origin.USER if may_speak else Origin.AGENT
    if named in tuple(Origin):
        own = lowest(Origin(named), best)
        best = lowest(own, best) if named != Origin.USER else best
    return own, best


def clock_offset(headers: Mapping[str, str]) -> timedelta:
    """Return how far the daemon's clock is ahead of the client's (`X-Signet-Sent-At`); 0 if unknown or small."""
    sent = clock.parsed(headers.get("x-signet-sent-at"))
    offset = clock.now() - sent if sent else timedelta()
    return offset if abs(offset) > CLOCKS_AGREE else timedelta()


async def agent_of(named: str | None, session_key: str | None, request: Request) -> str:
    """Return the agent of a request; raises ScopeDenied if the caller's token is limited to another.

    Without other registered agents it is always the default one, whatever name the harness sends (HN-77).
    """
    found = named_agent(named, session_key, request.headers)
    db = (await state_of(request)).db
    return found if caller.is_certain(found) else await db.aread(agents.known_as, found)


def named_agent(named: str | None, session_key: str | None, headers: Mapping[str, str]) -> str:
    """Return the agent named in the request or its session key, else the default one (MEM-41).

    A token limited to an agent means that agent; raises ScopeDenied if another is named. A token limited to a user
    means the user, whatever names the harness sends; another user is refused (AUTH-27).
    """
    found = (
        (named or "").strip()
        or agent_of_session(session_key)
        or said(headers, "x-signet-agent-id")
        or agent_of_session(said(headers, "x-signet-session-key"))
    )
    asked = caller.current()
    if asked.scope.user is not None and not is_of_user(found or ""):
        found = asked.scope.agent
    asked.check_row(agent=found)
    return found or asked.scope.agent or DEFAULT_AGENT


def bound(project: str | None) -> str | None:
    """Return a project, by default the one to which the caller's token is limited; raises ScopeDenied for another."""
    asked = caller.current()
    asked.check_row(project=project or None)
    return project or asked.scope.project


async def project_of(named: str | None, state: State) -> str | None:
    """Return the project of a folder, or the one to which the caller's token is limited; raises ScopeDenied."""
    return bound(await state.projects.named(named))


async def filed(asked: Sent, state: State) -> Sent:
    """Return a request with the folder in `project` replaced by its stored project."""
    project = await state.projects.named(getattr(asked, "project", None))
    return asked.model_copy(update={"project": project}) if project else asked


async def _project(request: Request, project: str | None = None) -> str | None:
    state = await state_of(request)
    return await state.projects.named(project)


def said(headers: Mapping[str, str], name: str) -> str | None:
    """Return a header, decoded as UTF-8; the framework decodes Latin-1."""
    value = headers.get(name)
    try:
        return value and value.encode("latin-1").decode()
    except UnicodeError:
        return value


#: The stored project of the folder in the query parameter `project`.
Project = Annotated[str | None, Depends(_project)]
Shared = Annotated[State, Depends(state_of)]
Db = Annotated[Database, Depends(_database)]
Who = Annotated[Actor, Depends(_actor)]
Ask = Annotated[Asker, Depends(_asker)]


Model = TypeVar("Model", bound=BaseModel)


def _instant(text: str | None, name: str) -> str | None:
    return filters.instant(name, (text or "").strip() or None)


async def _since(since: str | None = None) -> str | None:
    return _instant(since, "since")


async def _until(until: str | None = None) -> str | None:
    return _instant(until, "until")


async def _agent(
    request: Request,
    agent_id: Annotated[str | None, Query()] = None,
) -> str:
    return await agent_of(agent_id, None, request)


#: The agent named by `agent_id` or the headers; raises ScopeDenied.
Agent = Annotated[str, Depends(_agent)]
#: `since` and `until` as stored instants; raise Invalid.
Since = Annotated[str | None, Depends(_since)]
Until = Annotated[str | None, Depends(_until)]


@dataclass(frozen=True, slots=True)
class OwnReader:
    """Reads what an agent may read; each call is one read transaction."""

    state: State
    agent: str

    async def read(
        self, find: Callable[..., Value], *args: object, scope: str | None = None, **fields: object
    ) -> Value:
        """Return the result of `find`, which gets the agent's `reader=`."""

        def found(tx: ReadTx) -> Value:
            return find(tx, *args, reader=agents.reader(tx, self.agent, scope=scope), **fields)

        return await self.state.db.aread(found)

    async def rows(self, find: Callable[..., Value], *args: object, **fields: object) -> Value:
        """Return the result of `find`, which gets `agent_id=`."""
        return await self.state.db.aread(find, *args, agent_id=self.agent, **fields)

    async def graph(
        self, otherwise: Other, find: Callable[..., Value], *args: object, **fields: object
    ) -> Value | Other:
        """Return the result of `find` as `read` does, `otherwise` if the tables of the graph are missing."""

        def found(tx: ReadTx) -> Value | Other:
            reader = agents.reader(tx, self.agent)
            return tolerate_missing_tables(tx, otherwise, find, *args, reader=reader, **fields)

        return await self.state.db.aread(found)


async def _own(agent: Agent, state: Shared) -> OwnReader:
    return OwnReader(state, agent)


Mine = Annotated[OwnReader, Depends(_own)]


def merged(query: Model, body: Model | None) -> Model:
    """Return the query's fields, overridden by those of the body."""
    said = {name: getattr(body, name) for name in body.model_fields_set} if body else {}
    return query.model_copy(update=said)
