"""Sends the requests of an identity and finds what is wrong with the answers and with the rows afterwards."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby

from identities.asked import Request
from identities.identities import NOT_PROVEN, Identity
from identities.world import GROUPS, VAULT, Group
from signet.db.driver import connect
from signet.wire import access, operations
from support.database import tables
from support.http import Answer, Api

World = Mapping[Group, Mapping[str, str]]
#: Columns that reading a row changes.
_COUNTS = frozenset({"access_count", "last_accessed"})
#: Tables without rows of an owner.
_OTHERS = re.compile(
    r".*_fts.*|sqlite_.*|schema_.*|runtime_.*|rate_limit_events|error_events|beats|processes"
)
#: Records of what was given to whom; reading adds to them.
_RECORDS = frozenset(
    {
        "session_memories",
        "session_injections",
        "session_readings",
        "session_overviews",  # the title of the first prompt
        "session_states",
        "section_texts",
        "audit_log",
    }
)
#: The app of a test has no other process, and its streams end at once.
_NEVER_READY = frozenset({"health_ready", "ready", "events", "log_stream"})
_NO_WORKER = frozenset({"complete_synthesis", "trigger_synthesis"})
#: The whole store is an operator's to look after: these work on rows of users and show their IDs, but no text.
_UPKEEP = {id for id, one in operations.BY_ID.items() if one.rule is access.OPERATOR}
#: What is recorded of the daemon's work holds no text of a memory and no value of a secret, whoever reads it.
RECORDS_OF_WORK = frozenset({
    "metrics", "logs", "analytics_logs", "usage", "latency", "errors", "memory_safety", "series", "telemetry_events",
    "telemetry_stats", "export_telemetry", "status", "resources", "diagnostics", "diagnosis", "health", "timeline",
    "export_timeline", "config_files", "git_status", "tokens", "audit", "export_audit", "spaces",
})  # fmt: skip
_Row = tuple[object, ...]
_NONE = "(?!)"


@dataclass
class Store:
    """The rows of a store, seen by another connection."""

    api: Api

    def __post_init__(self) -> None:
        self._connection = connect(self.api.state.workspace.database, read_only=True)
        self._version = 0
        self.is_changed()
        self._columns = {
            table.name: [name for name, *_ in table.columns if name not in _COUNTS]
            for table in tables()
            if not _OTHERS.fullmatch(table.name)
        }
        self._before = self._rows()

    def is_changed(self) -> bool:
        """Return whether a connection has written since the last call."""
        before = self._version
        [self._version] = self._connection.execute("PRAGMA data_version").fetchone()
        return before != self._version

    def changes(self) -> Iterator[tuple[str, str, dict[str, object]]]:
        """Yield the rows that are gone and new since the last call: which of both, table, row."""
        before, self._before = self._before, self._rows()
        for table, rows in self._before.items():
            names = self._columns[table]
            for row in before[table] - rows:
                yield "removed", table, dict(zip(names, row, strict=True))
            for row in rows - before[table]:
                yield "added", table, dict(zip(names, row, strict=True))

    def _rows(self) -> dict[str, set[_Row]]:
        return {
            name: set(
                map(tuple, self._connection.execute(f"SELECT {', '.join(columns)} FROM {name}"))
            )
            for name, columns in self._columns.items()
        }

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()


class Walk:
    """The requests of one identity to one app."""

    def __init__(self, api: Api, identity: Identity, world: World) -> None:
        self._api, self._identity = api, identity
        self._headers = identity.sent(api)
        self.store = Store(api)
        self._sent = ""
        locked = [one for one in GROUPS if not identity.changes(one.agent, one.project)]
        unwritten = [one for one in GROUPS if not identity.uses("write", one)]
        self._locked = _any(
            [
                *(mark for one in locked for mark in (one.secret, one.shared)),
                *(one.spaced for one in unwritten),
            ]
        )
        written = [world[one]["spaced"] for one in GROUPS if identity.uses("write", one)]
        self._written = _any(written)
        self._ids = {
            value: f"{kind} of {one.owner} in {one.place}"
            for one in GROUPS
            if not identity.owns(one.agent, one.project)
            for kind, value in world[one].items()
            if kind not in identity.readable(one)
        }
        self._hidden = identity.hidden()
        self._marks = _any(self._hidden)
        marks = (mark for one in GROUPS for mark in (one.secret, one.shared, one.spaced))
        self._texts = _any([VAULT, *marks])
        self._any_hidden = _any([*self._hidden, *self._ids])

    def send(self, request: Request) -> Answer:
        """Send a request."""
        headers = {**self._headers, **dict(request.headers)}
        return self._api.send(request.method, request.path, request.body, headers)

    def faults(self, requests: Iterable[Request]) -> Iterator[str]:
        """Yield the faults of the answers, and of the changes that the requests have made."""
        for operation, same in groupby(requests, key=lambda one: one.operation):
            for request in same:
                answer = self.send(request)
                for one in (*self._of_status(request, answer), *self._of_text(request, answer)):
                    yield f"{self._identity.name}: {request.shown} -> {answer.status} {one}"
            if not self._identity.is_all and self.store.is_changed():
                yield from (
                    f"{self._identity.name}: {operation} {one}" for one in self._of_rows(operation)
                )

    def texts_in_log(self) -> list[str]:
        """Return the entries of the log that hold a text of a memory or a value of a secret."""
        lines = (json.dumps(entry, default=str) for entry in self._api.logged)
        return [line for line in lines if self._texts.search(line)]

    def _of_status(self, request: Request, answer: Answer) -> Iterator[str]:
        id = request.operation
        is_away = answer.status == 503 and id in _NEVER_READY | _NO_WORKER
        is_away |= answer.status == 501 and self._needs_file(answer)
        if answer.status >= 500 and not is_away:
            yield str(answer.body)[:300]
        if id not in operations.BY_ID:
            return
        refusal = self._identity.refusal(operations.BY_ID[id].rule)
        if id == "secret":
            refusal = refusal or "A value is shown on this machine only"
        if refusal:
            said = answer.body["code"] if refusal == NOT_PROVEN else answer.error
            if answer.status != 403 or refusal not in said:
                yield f"not refused with {refusal!r}: {str(answer.body)[:200]}"
        elif answer.status == 401 and id != "exchange":
            yield "an unknown caller"

    def _needs_file(self, answer: Answer) -> bool:
        """Return whether the operation is one on files of this machine, and the memory on a server."""
        is_on_server = self._api.state.db.url is not None
        return is_on_server and answer.body["code"] == "paths_need_local_memory"

    def _of_text(self, request: Request, answer: Answer) -> Iterator[str]:
        self._sent += request.keys if request.method == "GET" else request.text
        text = answer.body if isinstance(answer.body, str) else json.dumps(answer.body)
        text = f"{text} {dict(answer.headers)}".lower()
        hidden = self._marks if request.operation in _UPKEEP else self._any_hidden
        if request.operation in RECORDS_OF_WORK:
            yield from (f"shows {mark}" for mark in set(self._texts.findall(text)))
        for mark in set(hidden.findall(text)):
            if mark not in request.text and mark not in self._sent:
                at = text.find(mark)
                yield f"shows {self._ids.get(mark, mark)}: …{text[max(0, at - 120) : at + 60]}…"

    def _of_rows(self, operation: str) -> Iterator[str]:
        """Yield the rows of others that were changed, removed or added."""
        for what, table, row in self.store.changes():
            if operation in _UPKEEP:
                continue
            if what == "removed":
                is_foreign = bool(self._locked.search(json.dumps(row, default=str)))
                is_of_owner = table in _RECORDS or operation == "cancel_jobs"
                if is_foreign and not (is_of_owner and self._may_write(table, row)):
                    yield f"changed a row of {table}: {_short(row)}"
            elif row.get("job_type") == "clean_texts":
                continue  # what Signet wrote for the agent leaves out a text that the caller changed
            elif row.get("agent_id") is not None and not self._may_write(table, row):
                yield f"added a row to {table}: {_short(row)}"

    def _may_write(self, table: str, row: Mapping[str, object]) -> bool:
        if self._written.search(json.dumps(row, default=str)):
            return True
        project = row.get("project") or self._identity.scope.project
        may = self._identity.owns if table in _RECORDS else self._identity.changes
        return may(str(row["agent_id"]), str(project) if project else None)


def _any(marks: Iterable[str]) -> re.Pattern[str]:
    return re.compile("|".join(sorted(map(re.escape, marks))) or _NONE)


def _short(row: Mapping[str, object]) -> str:
    return json.dumps(row, default=str)[:400]
