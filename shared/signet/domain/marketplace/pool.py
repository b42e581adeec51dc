"""The servers that run now: started when they are needed, asked by several at once, stopped when nobody asks.

`call`, `discover` and `probe` block for as long as a server may take, so each is called in a thread of its own
(signet_api/routed.py); the others return at once. A slow server holds up nobody but those who ask it.
"""

import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial

from signet.domain.marketplace import config as configs
from signet.domain.marketplace.clean import cleaned
from signet.domain.marketplace.models import (
    START_SECONDS,
    Busy,
    Config,
    NoSuchTool,
    Remote,
    Server,
    ServerFailed,
    Tool,
)
from signet.domain.marketplace.rpc import Gone, Late, Message, Wire
from signet.domain.marketplace.session import Session
from signet.errors import SignetError
from signet.observe import logs

log = logs.get("system")

#: A server of which no tool was called for so long is stopped; its tools stay known. (Agents ask for the list all the
#: time, which must not keep it awake.)
IDLE_SECONDS = 600.0
#: Calls of one server at the same time.
AT_ONCE = 8
#: A list is read again by itself when it is so old, and on demand when it is older than that.
OLD_SECONDS = 300.0
FRESH_SECONDS = 10.0
#: A server that failed is not started again by itself before so long.
COOL_SECONDS = 60.0
#: After a call that was not answered: one that does not answer this either is ended.
PING_SECONDS = 2.0

#: From a config to the secrets it names; raises SignetError.
Keys = Callable[[Config], Mapping[str, str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """How a server stands, and its tools as they were last known.

    `state` is `off`, `waiting`, `starting`, `ready`, `sleeping` or `failed`.
    """

    state: str
    tools: tuple[Tool, ...] = ()
    error: str | None = None


@dataclass(slots=True, kw_only=True)
class _Entry:
    """One server; `lock` is held while it is started or asked for its tools."""

    server: Server
    lock: threading.Lock = field(default_factory=threading.Lock)
    session: Session | None = None
    secrets: Sequence[str] = ()
    tools: tuple[Tool, ...] | None = None
    listed_at: float = 0.0
    has_changed: bool = False
    error: str | None = None
    failed_at: float = 0.0
    used_at: float = 0.0
    calls: int = 0
    is_dropped: bool = False

    @property
    def is_open(self) -> bool:
        session = self.session
        return session is not None and session.is_open

    def failed(self, error: SignetError) -> None:
        """Keep what went wrong."""
        self.error, self.failed_at = error.message, time.monotonic()


class Pool:
    """Runs the servers of one process."""

    def __init__(self, keys: Keys, *, idle_seconds: float = IDLE_SECONDS) -> None:
        self.idle_seconds = idle_seconds
        self._keys = keys
        self._lock = threading.Lock()
        self._entries: dict[str, _Entry] = {}

    def call(self, server: Server, tool: str, arguments: Mapping[str, object]) -> Message:
        """Return what a tool gave; raises NoSuchTool, Busy or ServerFailed."""
        entry = self._entry(server)
        until = time.monotonic() + server.config.seconds
        with self._counted(entry), _told(entry):
            for is_last in (False, True):
                session = self._session(entry, until)
                if entry.has_changed:
                    self._list_again(entry, session, until)
                if all(tool != known.name for known in entry.tools or ()):
                    raise NoSuchTool(f"{server.name} has no tool '{tool}'")
                try:
                    given = session.call(tool, arguments, max(until - time.monotonic(), 0.0))
                    return cleaned(given, entry.secrets)
                except Gone:
                    session.close()
                    if is_last:
                        raise
                except Late:
                    end = partial(_end_if_dead, session)
                    threading.Thread(target=end, name="tool-server-ping", daemon=True).start()
                    raise
        raise AssertionError("unreachable")

    def discover(self, server: Server) -> None:
        """Start a server, or ask one that runs, for its tools; what goes wrong is kept for `look`."""
        entry = self._entry(server)
        until = time.monotonic() + server.config.seconds
        was_open = entry.is_open
        try:
            with _told(entry):
                session = self._session(entry, until)
                if was_open:
                    self._list_again(entry, session, until)
        except SignetError as error:
            entry.failed(error)

    def look(self, server: Server) -> Look:
        """Return how a server stands."""
        entry = self._entries.get(server.id)
        if not server.enabled:
            return Look(state="off")
        if entry is None or entry.server.config != server.config:
            return Look(state="waiting")
        tools = entry.tools or ()
        if entry.lock.locked() and not entry.is_open:
            return Look(state="starting", tools=tools)
        if entry.error is not None:
            return Look(state="failed", tools=tools, error=entry.error)
        if entry.tools is None:
            return Look(state="waiting")
        return Look(
            state="ready" if entry.is_open or _is_remote(entry) else "sleeping", tools=tools
        )

    def is_due(self, server: Server, *, is_asked: bool) -> bool:
        """Return whether the tools of a server should be read now: because they are not known, changed or old.

        One that sleeps is not woken for that. `is_asked` when somebody wants them fresh.
        """
        entry = self._entries.get(server.id)
        if entry is None or entry.server.config != server.config:
            return True
        if entry.lock.locked():
            return False
        now = time.monotonic()
        if entry.error is not None:
            return now - entry.failed_at > (FRESH_SECONDS if is_asked else COOL_SECONDS)
        if entry.tools is None:
            return True
        if not (entry.is_open or _is_remote(entry)):
            return False
        age = now - entry.listed_at
        return entry.has_changed or age > (FRESH_SECONDS if is_asked else OLD_SECONDS)

    def probe(self, server: Server) -> tuple[Tool, ...]:
        """Start a server only to see its tools, and stop it again; raises ServerFailed."""
        entry = _Entry(server=server)
        with _told(entry):
            try:
                self._session(entry, time.monotonic() + server.config.seconds)
                return entry.tools or ()
            finally:
                _drop(entry)

    def keep(self, servers: Mapping[str, Server]) -> None:
        """Stop the servers that are not among these, are switched off or are started in another way now."""
        with self._lock:
            gone = [
                entry
                for id_, entry in self._entries.items()
                if id_ not in servers
                or not servers[id_].enabled
                or servers[id_].config != entry.server.config
            ]
            for entry in gone:
                del self._entries[entry.server.id]
        for entry in gone:
            _drop(entry)

    def stop_idle(self) -> None:
        """Stop the servers that nobody has asked for a while."""
        before = time.monotonic() - self.idle_seconds
        for entry in list(self._entries.values()):
            if entry.calls == 0 and entry.used_at < before and entry.lock.acquire(blocking=False):
                try:
                    session, entry.session = entry.session, None
                finally:
                    entry.lock.release()
                if session is not None:
                    session.close()

    def close(self) -> None:
        """Stop all servers."""
        self.keep({})

    def _entry(self, server: Server) -> _Entry:
        with self._lock:
            entry = self._entries.get(server.id)
            if entry is None or entry.server.config != server.config:
                if entry is not None:
                    _drop(entry)
                entry = self._entries[server.id] = _Entry(server=server)
            return entry

    def _session(self, entry: _Entry, until: float) -> Session:
        """Return a session that is open and whose tools are known, starting the server if need be."""
        with _held(entry, until):
            if entry.session is not None and entry.session.is_open:
                return entry.session
            entry.session = None
            try:
                with _told(entry):
                    session = self._started(entry, until)
                entry.used_at, entry.session = time.monotonic(), session
            except SignetError as error:
                entry.failed(error)
                log.warning("tool_server.failed", server=entry.server.id, detail=error.message)
                raise
            log.info("tool_server.started", server=entry.server.id, tools=len(entry.tools or ()))
            if entry.is_dropped:
                session.close()
            return session

    def _started(self, entry: _Entry, until: float) -> Session:
        secrets = self._keys(entry.server.config)
        values, entry.secrets = configs.filled(entry.server.config, secrets)
        session = Session(_wire(entry, values))
        try:
            session.begin(min(max(until - time.monotonic(), 0.0), START_SECONDS))
            self._list(entry, session, until)
        except SignetError:
            session.close()
            raise
        return session

    def _list_again(self, entry: _Entry, session: Session, until: float) -> None:
        with _held(entry, until):
            self._list(entry, session, until)

    def _list(self, entry: _Entry, session: Session, until: float) -> None:
        entry.has_changed = False
        found = session.tools(max(until - time.monotonic(), 0.0))
        entry.tools = _clean(found, entry.secrets)
        entry.listed_at, entry.error = time.monotonic(), None

    @contextmanager
    def _counted(self, entry: _Entry) -> Iterator[None]:
        with self._lock:
            if entry.calls >= AT_ONCE:
                raise Busy(f"{entry.server.name} has {AT_ONCE} parallel calls already")
            entry.calls += 1
        try:
            yield
        finally:
            with self._lock:
                entry.calls -= 1
                entry.used_at = time.monotonic()


def _wire(entry: _Entry, values: Mapping[str, str]) -> Wire:
    config = entry.server.config
    if isinstance(config, Remote):
        from signet.domain.marketplace.remote import RemoteWire

        return RemoteWire(config, values)
    from signet.domain.marketplace.stdio import StdioWire

    return StdioWire(config, values, changed=partial(setattr, entry, "has_changed", True))


def _drop(entry: _Entry) -> None:
    """Let go of a server for good; one that is just being started is stopped when it is there."""
    entry.is_dropped = True
    if entry.session is not None:
        entry.session.close()


def _is_remote(entry: _Entry) -> bool:
    return isinstance(entry.server.config, Remote)


def _clean(tools: Sequence[Tool], secrets: Sequence[str]) -> tuple[Tool, ...]:
    said = [(tool.description, tool.input_schema) for tool in tools]
    if cleaned(said, secrets) is said:
        return tuple(tools)
    return tuple(
        replace(
            tool,
            description=cleaned(tool.description, secrets),
            input_schema=cleaned(tool.input_schema, secrets),
        )
        for tool in tools
    )


@contextmanager
def _held(entry: _Entry, until: float) -> Iterator[None]:
    if not entry.lock.acquire(timeout=max(until - time.monotonic(), 0.0)):
        raise Late("it is still starting")
    try:
        yield
    finally:
        entry.lock.release()


def _end_if_dead(session: Session) -> None:
    if not session.lives(PING_SECONDS):
        session.close()


@contextmanager
def _told(entry: _Entry) -> Iterator[None]:
    """Let errors name the server, once, and hold no secret of it."""
    name = f"{entry.server.name}: "
    try:
        yield
    except (NoSuchTool, Busy):
        raise
    except SignetError as error:
        message = cleaned(name + error.message.removeprefix(name), entry.secrets)
        failed = type(error) if isinstance(error, ServerFailed) else ServerFailed
        raise failed(message) from None
