"""The tools that agents are offered: each is one route of the HTTP interface under a name that models understand."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import quote, urlencode

from signet.errors import Invalid
from signet.mcp.arguments import Argument, Kind, checked, schema

#: Seconds that a tool may take (MC-13).
SECONDS = 10.0
EXEC_SECONDS = 30.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """One request to the HTTP interface; `path` has its query, `body` is JSON or empty."""

    method: str
    path: str
    body: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """One tool; `{name}` in its path is replaced by the argument of that name.

    `failed` leads the text of a failure. `reads_only` tells a harness that nothing is changed by it.
    """

    name: str
    text: str
    arguments: tuple[Argument, ...]
    method: str
    path: str
    failed: str
    reads_only: bool = True
    seconds: float = SECONDS

    @property
    def described(self) -> dict[str, object]:
        """Return the tool as `tools/list` shows it."""
        return {
            "name": self.name,
            "description": self.text,
            "inputSchema": schema(self.arguments),
            "annotations": {"readOnlyHint": self.reads_only},
        }

    def operation(self, given: object) -> Operation:
        """Return the request that a call means; raises Invalid for arguments that do not fit."""
        values = checked(self.arguments, given)
        if self.name == "secret_exec" and not values["secrets"]:
            raise Invalid("secrets map must contain at least one entry")
        if self.name == "memory_feedback" and not values["feedback"]:
            raise Invalid("ratings must contain at least one entry")
        path = self.path
        for name in [name for name in values if f"{{{name}}}" in path]:
            path = path.replace(f"{{{name}}}", _quoted(values.pop(name)))
        if self.method in ("GET", "DELETE"):
            queried = {name: _queried(value) for name, value in values.items()}
            query = urlencode(queried, errors="replace")
            return Operation(
                method=self.method, path=f"{path}?{query}" if query else path, body=b""
            )
        return Operation(method=self.method, path=path, body=json.dumps(values).encode())


def _quoted(value: object) -> str:
    """Return a value as one part of a path; half of a surrogate pair becomes a question mark."""
    return quote(str(value), safe="", errors="replace")


def _queried(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _text(name: str, text: str, *, to: str = "", required: bool = False) -> Argument:
    return Argument(name=name, kind=Kind.TEXT, text=text, to=to, required=required)


def _bool(name: str, text: str, *, to: str = "", default: bool | None = None) -> Argument:
    return Argument(name=name, kind=Kind.BOOL, text=text, to=to, default=default)


def _number(
    name: str,
    text: str,
    *,
    to: str = "",
    default: float | None = None,
    least: float | None = None,
    most: float | None = None,
) -> Argument:
    return Argument(
        name=name, kind=Kind.NUMBER, text=text, to=to, default=default, least=least, most=most
    )


_ID = _text("id", "Id of the memory, as memory_search shows it", required=True)
_REASON = _text("reason", "Why; it is kept in the memory's history", required=True)
_TYPE = _text("type", "Kind of memory: fact, preference, decision, procedural, rationale, …")
_AGENT = _text("agent_id", "Agent whose memory it is (default: default)", to="agentId")
_IMPORTANCE = _number("importance", "How much it matters, from 0 to 1", least=0, most=1)
_TAGS = _text("tags", "Tags, separated by commas")
_SESSION = _text("session_key", "Key of the session, as the harness told it", required=True)

_MEMORY = (
    Tool(
        name="memory_search",
        text="Search what is remembered, by meaning and by words. Use it before answering from "
        "memory, when the user refers to earlier work, and before saving what may be known.",
        arguments=(
            _text("query", "What to look for, as a question or as key words", required=True),
            _number("limit", "At most so many results", default=10, least=1, most=100),
            _TYPE,
            _number("min_score", "Leave out results of a lower score", least=0, most=1),
            _text("project", "Only memories of this project"),
            _text("tags", "Only memories with these tags, separated by commas"),
            _text("who", "Only memories that this person or program saved"),
            _text("since", "Only memories since this ISO date"),
            _text("until", "Only memories until this ISO date"),
            _text("keyword_query", "Words to look for instead of the query's", to="keywordQuery"),
            _bool("pinned", "Only memories that are pinned, or only others"),
            _bool("expand", "Add the transcripts that the results come from", default=False),
            _number("importance_min", "Only memories that matter so much", least=0, most=1),
            _number("score_min", "Another name of min_score", to="min_score", least=0, most=1),
            _AGENT,
        ),
        method="POST",
        path="/api/memory/recall",
        failed="Search failed",
    ),
    Tool(
        name="memory_store",
        text="Save one fact, preference or decision that will matter in later sessions. Write a "
        "sentence that is understood without this conversation.",
        arguments=(
            _text("content", "The memory, one self-contained statement", required=True),
            _TYPE,
            _IMPORTANCE,
            _TAGS,
            _bool("pinned", "Keep it from fading and from being forgotten by accident"),
            _text("project", "Project it belongs to"),
            Argument(
                name="hints",
                kind=Kind.TEXTS,
                text="Questions that this memory answers",
            ),
            _AGENT,
            Argument(
                name="visibility",
                kind=Kind.TEXT,
                text="Who may read it",
                among=("global", "private"),
            ),
        ),
        method="POST",
        path="/api/memory/remember",
        failed="Store failed",
        reads_only=False,
    ),
    Tool(
        name="memory_get",
        text="Read one memory whole, with its tags, source and version. Use it when a search "
        "result was cut or its details matter.",
        arguments=(_ID,),
        method="GET",
        path="/api/memory/{id}",
        failed="Get failed",
    ),
    Tool(
        name="memory_list",
        text="List memories, newest first. Use it to see what is kept; to find something, use "
        "memory_search.",
        arguments=(
            _number("limit", "At most so many", default=100, least=1, most=1000),
            _number("offset", "Leave out so many of the newest", default=0, least=0),
            _TYPE,
        ),
        method="GET",
        path="/api/memories",
        failed="List failed",
    ),
    Tool(
        name="memory_modify",
        text="Correct or complete a memory whose content, type, tags or importance is no longer "
        "right. Its history keeps the old text.",
        arguments=(
            _ID,
            _REASON,
            _text("content", "The new text"),
            _TYPE,
            _TAGS,
            _IMPORTANCE,
        ),
        method="PATCH",
        path="/api/memory/{id}",
        failed="Modify failed",
        reads_only=False,
    ),
    Tool(
        name="memory_forget",
        text="Forget a memory that is wrong, outdated or that the user wants gone. It can be "
        "recovered for thirty days.",
        arguments=(_ID, _REASON, _bool("force", "Forget it although it is pinned")),
        method="DELETE",
        path="/api/memory/{id}",
        failed="Forget failed",
        reads_only=False,
    ),
    Tool(
        name="memory_feedback",
        text="Say how useful the memories were that were brought into this session, so that the "
        "right ones come next time.",
        arguments=(
            Argument(
                name="session_key",
                kind=Kind.TEXT,
                text=_SESSION.text,
                to="sessionKey",
                required=True,
            ),
            Argument(
                name="ratings",
                kind=Kind.MAP,
                text="Memory id to a number from -1 (harmful) over 0 (unused) to 1 (helpful)",
                to="feedback",
                required=True,
                values=Kind.NUMBER,
            ),
        ),
        method="POST",
        path="/api/memory/feedback",
        failed="Feedback failed",
        reads_only=False,
    ),
    Tool(
        name="knowledge_expand",
        text="Tell all that is known of one person, project, tool or other thing: its aspects, "
        "facts, constraints and relations.",
        arguments=(
            _text("entity_name", "Name of the thing", to="entity", required=True),
            _text("aspect_filter", "Only aspects whose name holds this", to="aspect"),
            _text("question", "What you want to know; it decides the order"),
            _number("max_tokens", "Size of the answer", to="maxTokens", default=2000, least=100),
        ),
        method="POST",
        path="/api/knowledge/expand",
        failed="Expand failed",
    ),
)

_PEERS = (
    Tool(
        name="agent_peers",
        text="List the other sessions that work now, with their agents and projects. Use it "
        "before asking a peer or when work may overlap.",
        arguments=(
            _text("agent_id", "The agent that asks (default: default)"),
            _text("session_key", "The session that asks"),
            _text("project", "Only sessions of this project"),
            _bool("include_self", "Also the asking session", default=False),
            _number("limit", "At most so many", default=50, least=1, most=200),
        ),
        method="GET",
        path="/api/cross-agent/presence",
        failed="Peer list failed",
    ),
    Tool(
        name="agent_message_send",
        text="Send a message to another agent or session, or to all: ask for help, tell of a "
        "decision, ask a question.",
        arguments=(
            _text("content", "The message", required=True),
            _text("from_agent_id", "The agent that sends", to="fromAgentId"),
            _text("from_session_key", "The session that sends", to="fromSessionKey"),
            _text("to_agent_id", "The agent that shall get it", to="toAgentId"),
            _text("to_session_key", "The session that shall get it", to="toSessionKey"),
            _bool("broadcast", "To everybody", default=False),
            Argument(
                name="type",
                kind=Kind.TEXT,
                text="What the message is",
                among=("assist_request", "decision_update", "info", "question"),
            ),
            Argument(
                name="via",
                kind=Kind.TEXT,
                text="How it travels",
                among=("local", "acp"),
            ),
            _text("acp_base_url", "Address of the relay, for acp", to="acpBaseUrl"),
            _text("acp_target_agent_name", "Agent at the relay, for acp", to="acpTargetAgentName"),
            _number("acp_timeout_ms", "Patience with the relay, for acp", to="acpTimeoutMs"),
        ),
        method="POST",
        path="/api/cross-agent/messages",
        failed="Send failed",
        reads_only=False,
    ),
    Tool(
        name="agent_message_inbox",
        text="Read the messages that other agents and sessions have sent to this one.",
        arguments=(
            _text("agent_id", "The agent whose inbox it is (default: default)"),
            _text("session_key", "The session whose inbox it is"),
            _text("since", "Only messages since this ISO date"),
            _number("limit", "At most so many", default=100, least=1, most=500),
            _bool("include_sent", "Also what it has sent", default=False),
            _bool("include_broadcast", "Also what went to everybody", default=True),
        ),
        method="GET",
        path="/api/cross-agent/messages",
        failed="Inbox read failed",
    ),
)

_MACHINE = (
    Tool(
        name="secret_list",
        text="List the names of the stored secrets. Values are never shown; use secret_exec to "
        "run a command that needs one.",
        arguments=(),
        method="GET",
        path="/api/secrets",
        failed="Failed to list secrets",
    ),
    Tool(
        name="secret_exec",
        text="Run a shell command with secrets in its environment. The values are redacted from "
        "the output. Use it for whatever needs a key or password.",
        arguments=(
            _text("command", "The command, run by sh", required=True),
            Argument(
                name="secrets",
                kind=Kind.MAP,
                text="Environment variable to name of the secret (or op:// reference)",
                required=True,
            ),
        ),
        method="POST",
        path="/api/secrets/exec",
        failed="Exec failed",
        reads_only=False,
        seconds=EXEC_SECONDS,
    ),
    Tool(
        name="session_bypass",
        text="Switch the automatic memory of a session off or on. Use it only when the user asks "
        "for it; the tools go on working.",
        arguments=(
            _SESSION,
            Argument(
                name="enabled",
                kind=Kind.BOOL,
                text="True to leave the session alone",
                required=True,
            ),
        ),
        method="POST",
        path="/api/sessions/{session_key}/bypass",
        failed="Bypass toggle failed",
        reads_only=False,
    ),
)

#: Every tool, in the order in which it is listed.
TOOLS: Mapping[str, Tool] = {tool.name: tool for tool in (*_MEMORY, *_PEERS, *_MACHINE)}
