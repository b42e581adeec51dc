"""The tools that agents are offered: each is one route of the HTTP interface under a name that models understand."""

from collections.abc import Mapping

from signet.mcp.arguments import Argument, Kind
from signet.mcp.servers import SERVERS
from signet.mcp.tool import Tool, flag, number, text

EXEC_SECONDS = 30.0

_ID = text("id", "Id of the memory, as memory_search shows it", required=True)
_REASON = text("reason", "Why; it is kept in the memory's history", required=True)
_TYPE = text("type", "Kind of memory: fact, preference, decision, procedural, rationale, …")
_AGENT = text("agent_id", "Agent whose memory it is (default: default)", to="agentId")
_IMPORTANCE = number("importance", "How much it matters, from 0 to 1", least=0, most=1)
_TAGS = text("tags", "Tags, separated by commas")
_SESSION = text("session_key", "Key of the session, as the harness told it", required=True)

_MEMORY = (
    Tool(
        name="memory_search",
        text="Search what is remembered, by meaning and by words. Use it before answering from "
        "memory, when the user refers to earlier work, and before saving what may be known.",
        arguments=(
            text("query", "What to look for, as a question or as key words", required=True),
            number("limit", "At most so many results", default=10, least=1, most=100),
            _TYPE,
            number("min_score", "Leave out results of a lower score", least=0, most=1),
            text("project", "Only memories of this project"),
            text("tags", "Only memories with these tags, separated by commas"),
            text("who", "Only memories that this person or program saved"),
            text("since", "Only memories since this ISO date"),
            text("until", "Only memories until this ISO date"),
            text("keyword_query", "Words to look for instead of the query's", to="keywordQuery"),
            flag("pinned", "Only memories that are pinned, or only others"),
            flag("expand", "Add the transcripts that the results come from", default=False),
            number("importance_min", "Only memories that matter so much", least=0, most=1),
            number("score_min", "Another name of min_score", to="min_score", least=0, most=1),
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
            text("content", "The memory, one self-contained statement", required=True),
            _TYPE,
            _IMPORTANCE,
            _TAGS,
            flag("pinned", "Keep it from fading and from being forgotten by accident"),
            text("project", "Project it belongs to"),
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
            number("limit", "At most so many", default=100, least=1, most=1000),
            number("offset", "Leave out so many of the newest", default=0, least=0),
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
            text("content", "The new text"),
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
        arguments=(_ID, _REASON, flag("force", "Forget it although it is pinned")),
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
            text("entity_name", "Name of the thing", to="entity", required=True),
            text("aspect_filter", "Only aspects whose name holds this", to="aspect"),
            text("question", "What you want to know; it decides the order"),
            number("max_tokens", "Size of the answer", to="maxTokens", default=2000, least=100),
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
            text("agent_id", "The agent that asks (default: default)"),
            text("session_key", "The session that asks"),
            text("project", "Only sessions of this project"),
            flag("include_self", "Also the asking session", default=False),
            number("limit", "At most so many", default=50, least=1, most=200),
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
            text("content", "The message", required=True),
            text("from_agent_id", "The agent that sends", to="fromAgentId"),
            text("from_session_key", "The session that sends", to="fromSessionKey"),
            text("to_agent_id", "The agent that shall get it", to="toAgentId"),
            text("to_session_key", "The session that shall get it", to="toSessionKey"),
            flag("broadcast", "To everybody", default=False),
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
            text("acp_base_url", "Address of the relay, for acp", to="acpBaseUrl"),
            text("acp_target_agent_name", "Agent at the relay, for acp", to="acpTargetAgentName"),
            number("acp_timeout_ms", "Patience with the relay, for acp", to="acpTimeoutMs"),
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
            text("agent_id", "The agent whose inbox it is (default: default)"),
            text("session_key", "The session whose inbox it is"),
            text("since", "Only messages since this ISO date"),
            number("limit", "At most so many", default=100, least=1, most=500),
            flag("include_sent", "Also what it has sent", default=False),
            flag("include_broadcast", "Also what went to everybody", default=True),
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
            text("command", "The command, run by sh", required=True),
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
TOOLS: Mapping[str, Tool] = {tool.name: tool for tool in (*_MEMORY, *_PEERS, *_MACHINE, *SERVERS)}
