"""A store with rows of every kind of each owner in each project, marked so that an answer shows whose they are.

The names of owners, projects, sessions and entities appear in requests; a mark never does.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from signet.db import ReadTx
from support.asgi import OVER_SOCKET
from support.database import tables
from support.http import Api, a_workspace, api_over
from support.tokens import a_token, bearer

PROJECTS = {"garden": "/srv/garden", "shed": "/srv/shed"}
#: Owners by the name in tests; the agent ID that the store has for each.
OWNERS = {
    "alice": "alice",
    "bob": "bob",
    "ines": "user:ines",
    "jorn": "user:jorn",
    "default": "default",
}
#: In texts of the machine's owner: tasks, connectors, skills, settings; and in the value of a secret.
MACHINE, VAULT = "zxmachine", "zxvault"
#: The space that a memory of each group is in.
SPACE = "billing"
#: A space for which each group has proposed a memory, and which no key names.
REVIEWED = "board"
_LIMITS = "".join(
    f"    {name}: {{max: 100000}}\n"
    for name in ("forget", "modify", "batchForget", "forceDelete", "admin")
)
#: Tables whose rows are no owner's, or that only hold what others have.
_FILLED_ELSEWHERE = re.compile(
    r".*_fts.*|skill_meta|task_meta|predictor_state|community_runs|connectors|audit_log"
)
_DATE = "2026-11-01T10:00:00.000Z"
#: What makes a memory one that no session uses, that waits for a review, that a removed agent had.
_STATES = {
    "unused": "confidence = 0.1, created_at = '2026-01-01T00:00:00.000Z'",
    "waiting": "review = 'waiting'",
    "archived": "visibility = 'archived'",
}


@dataclass(frozen=True)
class Group:
    """The rows of an owner in a project; `ids` are by the kind of row."""

    owner: str
    place: str
    ids: dict[str, str] = field(default_factory=dict, hash=False, compare=False)

    @property
    def agent(self) -> str:
        """Return the agent ID of the owner."""
        return OWNERS[self.owner]

    @property
    def is_of_user(self) -> bool:
        """Return whether a user owns the rows."""
        return self.agent.startswith("user:")

    @property
    def project(self) -> str:
        """Return the folder of the project."""
        return PROJECTS[self.place]

    @property
    def key(self) -> str:
        """Return the key of its session."""
        return f"session-{self.owner}-{self.place}"

    @property
    def secret(self) -> str:
        """Return the mark of private rows."""
        return f"zxp{self.owner}{self.place}"

    @property
    def shared(self) -> str:
        """Return the mark of rows that every agent and user may read."""
        return f"zxs{self.owner}{self.place}"

    @property
    def spaced(self) -> str:
        """Return the mark of a memory in the space."""
        return f"zxb{self.owner}{self.place}"


GROUPS = tuple(Group(owner, place) for owner in OWNERS for place in PROJECTS)


def settings(mode: str) -> str:
    """Return the settings of a daemon in a mode, without rate limits."""
    return f"auth:\n  mode: {mode}\n  rateLimits:\n{_LIMITS}"


def build(folder: Path) -> Mapping[Group, dict[str, str]]:
    """Make the store and return the IDs of each group's rows."""
    workspace = a_workspace(folder, settings("hybrid"))
    with api_over(workspace, bind="0.0.0.0") as api:
        for name in ("alice", "bob"):
            api.add_agent(name)
        api.connection = OVER_SOCKET
        _post(api, "/api/spaces", {"name": SPACE})
        _post(api, "/api/spaces", {"name": REVIEWED, "review": True})
        machine = _machine(api)
        found = {one: {**machine, **_rows(api, one)} for one in GROUPS}
        api.settle()
        api.all_of(_flush(api))
        for one, ids in found.items():
            _fill(api, one, ids)
    return found


async def _flush(api: Api) -> None:
    for gathering in (api.state.injections, api.state.uses, api.state.seen):
        await gathering.flush()


def _post(api: Api, path: str, body: object) -> dict[str, str]:
    answer = api.post(path, body, x_signet_actor_type="operator")
    assert answer.status in (200, 201, 202), (path, answer.body)
    return dict(answer.body)


def _memory(api: Api, content: str, **fields: str) -> str:
    return _post(api, "/api/memory/remember", {"content": content, **fields})["id"]


def _machine(api: Api) -> dict[str, str]:
    """Store the rows that belong to the machine: a task with a run, a connector, a secret, a skill, a token."""
    notes = api.state.workspace.root.parent / "notes"
    notes.mkdir(exist_ok=True)
    api.run(
        "INSERT INTO scheduled_tasks (id, name, prompt, cron_expression, harness, created_at, updated_at)"
        " VALUES ('task-1', ?, ?, '0 3 * * *', 'claude-code', ?, ?)",
        MACHINE, f"Water the {MACHINE}.", _DATE, _DATE,
    )  # fmt: skip
    api.run(
        "INSERT INTO task_runs (id, task_id, status, started_at, stdout) VALUES ('run-1', 'task-1', 'completed', ?, ?)",
        _DATE, MACHINE,
    )  # fmt: skip
    # As a move to a server leaves it: there a folder can no longer be connected.
    api.run(
        "INSERT INTO connectors (id, provider, display_name, config_json, created_at, updated_at)"
        " VALUES ('connector-1', 'filesystem', ?, ?, ?, ?)",
        MACHINE, json.dumps({"rootPath": str(notes)}), _DATE, _DATE,
    )  # fmt: skip
    _post(api, "/api/secrets/KEY", {"value": VAULT})
    skill = api.state.workspace.root / "skills" / "dig"
    skill.mkdir(parents=True)
    (skill / "SKILL.md").write_text(f"---\nname: dig\ndescription: {MACHINE}\n---\nDig.\n", "utf-8")
    api.run("INSERT INTO tokens (jti, revoked_at) VALUES ('gone', ?)", _DATE)
    token = a_token(api, "agent", sub=MACHINE, jti="jti-of-a-machine")
    assert api.get("/api/auth/whoami", **bearer(token)).status == 200
    return {
        "task": "task-1",
        "connector": "connector-1",
        "secret": "KEY",
        "skill": "dig",
        "jti": "jti-of-a-machine",
    }


def _rows(api: Api, group: Group) -> dict[str, str]:
    """Store rows of a group through the interface; return their IDs."""
    owned = {"agentId": group.agent, "project": group.project, "visibility": "private"}
    memory = {
        **owned,
        "content": f"We decided: the {group.secret} crane of {group.owner} stands in {group.place}.",
        "tags": group.secret,
        "who": group.secret,
        "sessionKey": group.key,
        "sourceType": "session",
        "sourceId": group.key,
        "hints": [f"Where is the {group.secret} crane?"],
        "entities": [
            {"source": f"Crane {group.owner} {group.place}", "relationship": "uses", "target": f"{group.secret} rope"}
        ],
        "aspects": [{"entity": f"Crane {group.owner} {group.place}", "aspect": f"{group.secret} size",
                     "attributes": [f"{group.secret} metres"]}],
    }  # fmt: skip
    private = _post(api, "/api/memory/remember", memory)["id"]
    shared = _memory(api, f"The {group.shared} crane is tall.", **{**owned, "visibility": "global"})
    spaced = _memory(api, f"We decided: the {group.spaced} crane is billed monthly.", **owned)
    proposed = _memory(api, f"A proposed note of {group.secret}.", **owned)
    way = {"space": SPACE, "agentId": group.agent}
    kept = {
        kind: _memory(api, f"A {kind} note of {group.secret}.", **owned)
        for kind in ("forgotten", "erased", "unused", "waiting", "archived")
    }
    for kind, more in (("forgotten", ""), ("erased", "&erase=true")):
        path = f"/api/memory/{kept[kind]}?reason=x&agentId={group.agent}{more}"
        assert api.delete(path).status == 200
    for kind, change in _STATES.items():
        api.run(f"UPDATE memories SET {change} WHERE id = ?", kept[kind])
    document = _post(
        api,
        "/api/documents",
        {
            "source_type": "text",
            "content": f"A {group.secret if group.is_of_user else group.shared} page about a crane.",
            "title": group.secret if group.is_of_user else group.shared,
            "agentId": group.agent,
        },
    )
    call = {
        "harness": "codex",
        "sessionKey": group.key,
        "agentId": group.agent,
        "project": group.project,
    }
    for hook, sent in (
        ("session-start", {}),
        ("user-prompt-submit", {"userMessage": f"Where is the {group.secret} crane?"}),
        ("pre-compaction", {"sessionContext": f"The {group.secret} crane turns."}),
        ("session-checkpoint-extract", {"transcript": f"User: the {group.secret} crane\nAssistant: noted"}),
    ):  # fmt: skip
        _post(api, f"/api/hooks/{hook}", {**call, **sent})
    ended = f"ended-{group.owner}-{group.place}"
    said = f"User: the {group.secret} crane turns\nAssistant: the {group.secret} crane has stopped"
    _post(api, "/api/hooks/session-start", {**call, "sessionKey": ended})
    _post(api, "/api/hooks/session-end", {**call, "sessionKey": ended, "transcript": said})
    found = {
        "memory": private,
        "spaced": spaced,
        "share": _post(api, f"/api/memory/{spaced}/share", way)["id"],
        "proposal": _post(api, f"/api/memory/{proposed}/share", {**way, "space": REVIEWED})["id"],
        "shared": shared,
        **kept,
        "document": document["id"],
        "session": group.key,
        "ended": ended,
        "episode": f"session:{ended}",
    }
    return {**found, **_looked_up(api, group, private)}


def _looked_up(api: Api, group: Group, memory_id: str) -> dict[str, str]:
    def first(sql: str, *params: object) -> str:
        return str(api.state.db.read(lambda tx: tx.value(sql, params)))

    entity = first(
        "SELECT id FROM entities WHERE agent_id = ? AND canonical_name LIKE ?",
        group.agent,
        f"crane {group.owner} {group.place}%",
    )
    job = first("SELECT id FROM memory_jobs WHERE memory_id = ?", memory_id)
    dead = f"dead-{group.owner}-{group.place}"
    api.run(
        "INSERT INTO memory_jobs (id, memory_id, job_type, status, payload, failed_at, error, created_at,"
        " updated_at, queue, due_ms, agent_id, last_error_code) VALUES (?, ?, 'embed', 'dead', ?, ?, ?, ?, ?,"
        " 'default', 0, ?, 'X')",
        dead, memory_id, json.dumps({"text": group.secret}), _DATE, "boom", _DATE, _DATE, group.agent,
    )  # fmt: skip
    return {
        "entity": entity,
        "aspect": first("SELECT id FROM entity_aspects WHERE entity_id = ?", entity),
        "job": job,
        "dead": dead,
    }


def _fill(api: Api, group: Group, ids: Mapping[str, str]) -> None:
    """Insert a row of the group into each table with owners that has none of it yet."""
    for table, sql, columns in tables():
        if "agent_id" not in sql or _FILLED_ELSEWHERE.fullmatch(table):
            continue
        has = f"SELECT 1 FROM {table} WHERE agent_id = ?"
        params: tuple[object, ...] = (group.agent,)
        if re.search(r"^\s*session_key\b", sql, re.MULTILINE):
            has, params = f"{has} AND session_key LIKE ?", (group.agent, f"%{group.place}")
        if api.state.db.read(ReadTx.value, has, params) is None:
            row = dict(_row(table, sql, columns, group, ids))
            marks = ", ".join("?" * len(row))
            api.run(f"INSERT INTO {table} ({', '.join(row)}) VALUES ({marks})", *row.values())


def _row(
    table: str,
    sql: str,
    columns: Sequence[tuple[str, str, int]],
    group: Group,
    ids: Mapping[str, str],
) -> Iterator[tuple[str, object]]:
    is_gone = table in ("forgotten_sessions", "unkept_sessions")
    named: dict[str, object] = {
        "agent_id": group.agent,
        "session_key": f"gone-{group.owner}-{group.place}" if is_gone else ids["ended"],
        "session_id": ids["ended"],
        "project": group.project,
        "project_normalized": group.project,
        "memory_id": ids["memory"],
        "source_memory_id": ids["memory"],
        "entity_id": ids["entity"],
        "source_entity_id": ids["entity"],
        "source_id": ids["ended"],
        "aspect_id": ids["aspect"],
        "focal_entity_id": ids["entity"],
        "superseded_by": None,
        "lease_owner": None,
        "lease_until_ms": None,
        "vector": None,
        "model": None,
        "state": "read",
        "archived_reason": "cold",
    }
    for name, type, pk in columns:
        among = re.search(rf"^\s*{name} TEXT[^,]*CHECK \({name} IN \('(\w+)'", sql, re.MULTILINE)
        if name in named:
            yield name, named[name]
        elif name == "seq":
            continue
        elif pk and type == "TEXT":
            yield name, f"{table}-{group.owner}-{group.place}"
        elif among:
            yield name, among[1]
        elif type in ("INTEGER", "REAL"):
            yield name, 0 if "ms" in name else 1
        elif name.endswith("_at") or name == "since":
            yield name, _DATE
        elif (
            re.search(rf"^\s*{name} TEXT[^\n]*(JSON|as the next)", sql, re.MULTILINE)
            or "_json" in name
            or name in ("decisions", "files")
        ):
            yield name, json.dumps([group.secret])
        else:
            yield name, group.secret
