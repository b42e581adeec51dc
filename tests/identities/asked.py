"""Requests to every operation that name the rows of a group, made from the description of the interface.

An operation that takes an ID under a new name has no case yet: `Unknown` says which.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import quote, urlencode

from identities.world import SPACE, Group
from signet.mcp.tools import TOOLS
from signet.wire import operations

Ids = Mapping[str, str]
Headers = tuple[tuple[str, str], ...]
#: Names under which an operation may take an ID.
_ID = re.compile(
    r"(^|_)(id|ids|key|jti|name|agent|project|projects|entity)$|(Id|Ids|Key|Name|Project)$"
)
#: By the name of a parameter: the kind of row that it names. Where an operation means another, see `_OF`.
KINDS: Mapping[str, str] = {
    "memory_id": "memory",
    "id": "memory",
    "ids": "memory",
    "document_id": "document",
    "entity_id": "entity",
    "entityId": "entity",
    "aspect_id": "aspect",
    "job_id": "job",
    "session_key": "session",
    "task_id": "task",
    "connector_id": "connector",
    "jti": "jti",
    "source_id": "session",
    "sourceId": "session",
    "supersedes": "memory",
    "prefix": "memory",
    "share_id": "proposal",
}
#: The name means another kind of row here.
_OF: Mapping[tuple[str, str], str] = {
    ("agent", "name"): "agent",
    ("remove_agent", "name"): "agent",
    ("put_secret", "name"): "secret",
    ("secret", "name"): "secret",
    ("remove_secret", "name"): "secret",
    ("run_with_secret", "name"): "secret",
    ("skill", "name"): "skill",
    ("remove_skill", "name"): "skill",
    ("asset", "name"): "text",
    ("timeline", "entity_id"): "memory",
    ("export_timeline", "entity_id"): "memory",
    ("retry_jobs", "ids"): "dead",
    ("cancel_jobs", "ids"): "job",
    ("retry_job", "job_id"): "dead",
    ("delete_job", "job_id"): "dead",
    ("requeue_dead", "ids"): "dead",
    ("recover", "memory_id"): "forgotten",
    ("recover_many", "ids"): "forgotten",
    ("lift", "memory_id"): "erased",
    ("approve", "memory_id"): "waiting",
    ("reject", "memory_id"): "waiting",
    ("adopt", "memory_id"): "archived",
    ("forget_session", "session_key"): "ended",
    ("context", "id"): "episode",
    ("replay", "sessionKey"): "ended",
}
#: Who asks and from where: each is left out of one request, and named in another.
AGENT = ("agentId", "agent_id")
PROJECT = ("project", "projects", "cwd")
SESSION = ("sessionKey", "sessionId", "session_id", "session_key")
WAYS: tuple[tuple[str, ...], ...] = ((), AGENT, PROJECT, SESSION, (*AGENT, *PROJECT, *SESSION))
#: Values that are no IDs, by the name of a parameter.
PLAIN: Mapping[str, object] = {
    "query": "crane",
    "q": "crane",
    "prompt": "Where is the crane?",
    "entity": "Crane",
    "entityName": "Crane",
    "harness": "codex",
    "content": "It is mine now.",
    "reason": "tidy",
    "userMessage": "Where is the crane?",
    "userPrompt": "Where is the crane?",
    "sessionContext": "It is mine now.",
    "summary": "It is mine now.",
    "transcript": "User: it is mine now\nAssistant: it is",
    "mode": "execute",
    "enabled": True,
    "limit": 50,
    "expand": True,
    "verdict": "keep",
    "nonce": "0" * 64,
    "file": "SOUL.md",
    "set": {},
    "command": "true",
    "secrets": {"A": "KEY"},
    "value": "x",
    "role": "readonly",
    "code": "none",
    "method": "POST",
    "path": "/api/tasks",
    "records": [],
    "space": SPACE,
    "approve": True,
    "source": "none",
    "name": "none",
    "provider": "filesystem",
    "cronExpression": "0 3 * * *",
    "remote": "https://none.example/x.git",
}
#: Names that look as if they took an ID of a row, and do not.
NO_IDS = frozenset({"idempotencyKey", "displayName", "skillName", "max_aspects_per_entity"})
#: Bodies that an operation reads in another way; `$kind` is an ID of the group.
MORE: Mapping[str, tuple[Mapping[str, object], ...]] = {
    "forget_many": (
        {"mode": "preview", "query": "crane", "reason": "x"},
        {"mode": "execute", "query": "crane", "reason": "x", "force": True},
        {"mode": "execute", "all": True, "type": "decision", "reason": "x"},
        {"mode": "execute", "ids": [" $memory", "$shared\t"], "reason": "x"},
    ),
    "modify_many": (
        {"patches": [{"id": "$memory", "content": "It is mine now.", "reason": "x"},
                     {"id": "$shared", "pinned": True, "reason": "x"}]},
    ),
    "rate": (
        {"sessionKey": "$session", "feedback": {"$memory": 1, "$shared": -1}},
        {"session_id": "s", "memory_id": "$shared", "feedback_type": "correction", "correction_text": "No."},
        {"session_id": "s", "memory_id": "$memory", "feedback_type": "negative"},
    ),
    "remember": (
        {"content": "Mine.", "supersedes": ["$memory", "$shared"]},
        {"content": "Mine.", "sourceType": "session", "sourceId": "$session", "transcript": "User: mine"},
        {"content": "The $shared_text", "visibility": "global"},
    ),
    "retry_jobs": ({"all": True}, {"memory_id": "$memory"}, {"document_id": "$document"}),
    "cancel_jobs": ({"all": True}, {"memory_id": "$memory"}, {"document_id": "$document"}),
    "recall": (
        {"query": "crane", "explain": True, "cards": True, "entities": True, "why_not": "$memory"},
        {"query": "crane", "as_prompt": True},
    ),
    "context": ({"prompt": "crane"}, {"prompt": "crane", "agentId": "$agent"}),
    "expand": ({"entity": "Crane $owner $place", "question": "crane"},),
    "expand_sessions": ({"entityName": "Crane $owner $place"},),
    "judge": ({"verdict": "keep"}, {"verdict": "reject"}),
    "forget_session": ({"mode": "preview"},),
    "prepare_offline": ({"projects": ["", "$project"]},),
    "add_document": (
        {"source_type": "text", "content": "A page.", "connector_id": "$connector"},
        {"source_type": "text", "content": "A page.", "agentId": "$agent"},
    ),
    "add_connector": ({"provider": "filesystem", "settings": {"rootPath": "/srv"}, "agentId": "$agent"},),
    "replay": ({"sessionKey": "$ended", "agentId": "$agent"},),
    "forget_dead_memories": ({"ids": ["$unused"], "reason": "x"},),
}  # fmt: skip
#: Queries that an operation reads in another way.
QUERIES: Mapping[str, tuple[str, ...]] = {
    "memories": ("?ids=$memory,$shared", "?state=forgotten", "?q=crane&facets=who,project,tag&stats=1",
                 "?source_id=$session", "?state=archived"),
    "memory_ids": ("?prefix=0",),
    "search": ("?q=crane&distinct=who",),
    "sessions": ("?state=all",),
    "sessions_context": ("?project=$project",),
    "export": ("?everything=1&vectors=1",),
    "dead_memories": ("?maxConfidence=1&unusedDays=0",),
    "jobs": ("?facets=1&status=dead", "?memory_id=$memory", "?document_id=$document"),
    "documents": ("?include=content",),
    "checkpoints": ("?project=$project",),
    "attributes": ("?status=all",),
    "forget": ("?reason=x&force=1&erase=1",),
}  # fmt: skip


class Unknown(Exception):
    """An operation takes an ID for which this file has no case."""


@dataclass(frozen=True, slots=True)
class Request:
    """One request, and the operation that answers it."""

    operation: str
    method: str
    path: str
    body: bytes = b""
    headers: Headers = ()

    @property
    def keys(self) -> str:
        """Return the keys of sessions that the request names: the record of its answer shows them later."""
        return " ".join(re.findall(r"(?:session|ended)-\w+-\w+", self.text))

    @property
    def shown(self) -> str:
        """Return the request for the message of a failure."""
        return f"{self.method} {self.path} {self.body.decode()} {dict(self.headers) or ''}"

    @property
    def text(self) -> str:
        """Return everything that the request names."""
        return f"{self.path} {self.body.decode()} {self.headers}"


@dataclass(frozen=True, slots=True)
class _Takes:
    """What an operation takes: names of parameters in its address and in its body, and values of a name."""

    query: tuple[str, ...]
    body: Mapping[str, Mapping[str, Any]]
    has_body: bool


class Asked:
    """Makes the requests."""

    def __init__(self, description: Mapping[str, Any]) -> None:
        self._schemas = description["components"]["schemas"]
        self._takes = {
            found["operationId"]: self._of(found)
            for methods in description["paths"].values()
            for found in methods.values()
        }

    def unknown(self) -> set[tuple[str, str]]:
        """Return the operations and the names of IDs for which there is no case."""
        return {
            (id, name)
            for id, operation in operations.BY_ID.items()
            for name in self._names(id)
            if (_ID.search(name) or f"{{{name}}}" in operation.path)
            and not self._is_known(id, name)
        }

    def takes_id(self, id: str) -> bool:
        """Return whether an operation takes an ID of a row."""
        return any(
            name in KINDS or (id, name) in _OF or name in SESSION for name in self._names(id)
        )

    def _names(self, id: str) -> tuple[str, ...]:
        takes = self._of_id(id)
        return (*re.findall(r"{(\w+)}", operations.BY_ID[id].path), *takes.query, *takes.body)

    def _is_known(self, id: str, name: str) -> bool:
        named = {*KINDS, *AGENT, *PROJECT, *SESSION, *NO_IDS, *PLAIN}
        return (id, name) in _OF or name in named or (id, name) == ("diagnosis", "domain")

    def of(self, id: str, group: Group, ids: Ids, *, every: bool = True) -> list[Request]:
        """Return the requests to an operation that name rows of a group; only the plainest unless `every`."""
        operation, takes = operations.BY_ID[id], self._of_id(id)
        path = re.sub(r"{(\w+)}", lambda m: _quoted(_value(id, m[1], group, ids)), operation.path)

        def request(query: str = "", body: bytes = b"", headers: Headers = ()) -> Request:
            return Request(id, operation.method, path + query, body, headers)

        found = []
        for named in WAYS if every else WAYS[:1]:
            sent = {
                name: _value(id, name, group, ids)
                for name in (*takes.query, *takes.body)
                if _is_sent(id, name, named)
            }
            query = urlencode({name: _queried(sent[name]) for name in takes.query if name in sent})
            body = {
                name: _shaped(schema, sent[name])
                for name, schema in takes.body.items()
                if name in sent
            }
            found.append(
                request(f"?{query}" if query else "", _json(body) if takes.has_body else b"")
            )
        if not every:
            return found
        if "dryRun" in takes.body:
            found.append(request(body=_json({"dryRun": True})))
        found += [request(_filled(one, group, ids)) for one in QUERIES.get(id, ())]
        found += [
            request(body=_filled(json.dumps(more), group, ids).encode())
            for more in MORE.get(id, ())
        ]
        named_by = (
            ("x-signet-agent-id", group.agent),
            ("x-signet-project", group.project),
            ("x-signet-session-key", group.key),
        )
        found.append(replace(found[0], headers=named_by))
        # The same about a memory of the space.
        found += [_about(one, ids) for one in found if ids["memory"] in one.text]
        return list(dict.fromkeys(found))

    def _of_id(self, id: str) -> _Takes:
        """Return what an operation takes; pages are not described and take nothing."""
        return self._takes.get(id, _Takes((), {}, False))

    def _of(self, described: Mapping[str, Any]) -> _Takes:
        query = tuple(
            one["name"] for one in described.get("parameters", ()) if one["in"] == "query"
        )
        content = described.get("requestBody", {}).get("content")
        schema = self._resolved(next(iter(content.values()))["schema"]) if content else {}
        return _Takes(query, schema.get("properties", {}), bool(content))

    def _resolved(self, schema: Mapping[str, Any]) -> Mapping[str, Any]:
        for one in schema.get("anyOf", ()):
            if "$ref" in one:
                schema = one
        if "$ref" in schema:
            found: Mapping[str, Any] = self._schemas[schema["$ref"].rpartition("/")[2]]
            return found
        return schema


def _about(request: Request, ids: Ids) -> Request:
    body = request.body.replace(ids["memory"].encode(), ids["spaced"].encode())
    path = request.path.replace(ids["memory"], ids["spaced"])
    return replace(request, path=path, body=body)


def tools(group: Group, ids: Ids) -> Iterator[Request]:
    """Yield calls of every tool of the model context protocol that name rows of a group."""
    for tool in TOOLS.values():
        known = {one.name: one for one in tool.arguments}
        for named in ((), AGENT, PROJECT, SESSION):
            arguments = {
                name: _argument(tool.name, name, group, ids)
                for name, one in known.items()
                if one.required or name in named
            }
            yield _call(tool.name, arguments)


def _call(tool: str, arguments: Mapping[str, object]) -> Request:
    message = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": tool, "arguments": arguments},
    }
    accepts = (("content-type", "application/json"), ("accept", "application/json"))
    return Request(f"tool {tool}", "POST", "/mcp", _json(message), accepts)


def _argument(tool: str, name: str, group: Group, ids: Ids) -> object:
    special: dict[str, object] = {
        "ratings": {ids["memory"]: 1.0},
        "entity_name": f"Crane {group.owner} {group.place}",
    }
    return special.get(name) or _value(tool, name, group, ids)


def _is_sent(id: str, name: str, named: tuple[str, ...]) -> bool:
    if name in (*AGENT, *PROJECT, *SESSION):
        return name in named
    return (id, name) in _OF or name in KINDS or name in PLAIN


def _value(id: str, name: str, group: Group, ids: Ids) -> object:
    kind = _OF.get((id, name)) or KINDS.get(name)
    if kind == "agent" or name in AGENT:
        return group.agent
    if kind == "text":
        return "none"
    if name == "projects":
        return [group.project]
    if name in PROJECT:
        return group.project
    if name in SESSION and kind is None:
        return ids["session"]
    if kind is not None:
        return ids[kind]
    if name in PLAIN:
        return PLAIN[name]
    if name == "domain":
        return "queue"
    raise Unknown(f"{id}: {name}")


def _shaped(schema: Mapping[str, Any], value: object) -> object:
    """Return a value as a list where the schema wants one."""
    types = {schema.get("type"), *(one.get("type") for one in schema.get("anyOf", ()))}
    return (
        [value]
        if "array" in types and "string" not in types and not isinstance(value, list)
        else value
    )


def _quoted(value: object) -> str:
    return quote(str(value), safe="")


def _queried(value: object) -> object:
    return json.dumps(value) if isinstance(value, bool | list | dict) else value


def _filled(text: str, group: Group, ids: Ids) -> str:
    named = {
        **ids,
        "agent": group.agent,
        "owner": group.owner,
        "place": group.place,
        "project": group.project,
        "shared_text": "crane",
    }
    return re.sub(r"\$(\w+)", lambda match: named[match[1]], text)


def _json(value: object) -> bytes:
    return json.dumps(value).encode()
