"""The tools for agents: each is one route of the HTTP interface under a name that models understand.

A model reads the list at every session start: unlisted arguments keep it under 6 kB
(`tests/mcp_server/test_http.py`).
"""

from collections.abc import Mapping

from signet.mcp import answers
from signet.mcp.arguments import ArgumentKind, flag, mapping, number, share, text, texts
from signet.mcp.tool import Tool

EXEC_SECONDS = 30.0

_ID = text("id", "Id from a result", required=True)
_REASON = text("reason", "Reason, for its history", required=True)
_SESSION = text("session_key", "Session key", required=True)
#: A connection belongs to one agent, named in its address or headers.
_AGENT = text("agent_id", "Agent that owns the memory", to="agentId", listed=False)

_MEMORY = (
    Tool(
        name="memory_search",
        text="Search long-term memory, best match first. Use it when a task starts, when the user "
        "refers to earlier work, and before asking what they may have told you.",
        arguments=(
            text("query", "Question or keywords", required=True),
            number("limit", "Up to 100", default=10, least=1, most=100),
            text("type", "Only this type"),
            text("project", "Only this project folder"),
            text("tags", "Comma-separated", may_be_list=True),
            text("who", "Only saved by this program or person", listed=False),
            text("since", "Earliest ISO date"),
            text("until", "Latest ISO date"),
            share("min_score", "Minimum relevance (0–1)", listed=False),
            flag("expand", "Add the transcripts of their sessions", listed=False),
            text("keyword_query", "Words for the keyword search", to="keywordQuery", listed=False),
            flag("pinned", "Only pinned memories", listed=False),
            share("importance_min", "Minimum importance (0–1)", listed=False),
            share("score_min", "Minimum relevance (0–1)", to="min_score", listed=False),
            _AGENT,
        ),
        method="POST",
        path="/api/memory/recall",
        failed="Search failed",
        is_eager=True,
        shape=answers.found,
    ),
    Tool(
        name="memory_store",
        text="Save one fact, preference, decision or correction that will matter in later sessions, "
        "as a sentence that makes sense on its own. Never a password or key.",
        arguments=(
            text("content", "The memory", required=True),
            text("type", "fact, preference, decision, procedural, rationale…"),
            share("importance", "0 to 1"),
            text("tags", "Comma-separated", may_be_list=True),
            flag("pinned", "Pin it"),
            text("project", "Project folder; default: this session's"),
            text("visibility", "private: this agent", among=("global", "private"), listed=False),
            texts("hints", "Questions that this memory answers", listed=False),
            _AGENT,
        ),
        method="POST",
        path="/api/memory/remember",
        failed="Store failed",
        reads_only=False,
        adds_only=True,
        is_eager=True,
        shape=answers.stored,
    ),
    Tool(
        name="memory_get",
        text="Read one memory in full, e.g. when a result is truncated.",
        arguments=(_ID,),
        method="GET",
        path="/api/memory/{id}",
        failed="Get failed",
        shape=answers.whole,
    ),
    Tool(
        name="memory_list",
        text="List memories, newest first.",
        arguments=(
            number("limit", "Up to 1000", default=100, least=1, most=1000),
            number("offset", "Results to skip", least=0, listed=False),
            text("type", "Only this type", listed=False),
        ),
        method="GET",
        path="/api/memories",
        failed="List failed",
        shape=answers.listed,
    ),
    Tool(
        name="memory_modify",
        text="Correct or complete a memory.",
        arguments=(
            _ID,
            _REASON,
            text("content", "New text"),
            text("type", "New type", listed=False),
            text("tags", "Comma-separated", listed=False, may_be_list=True),
            share("importance", "0 to 1"),
        ),
        method="PATCH",
        path="/api/memory/{id}",
        failed="Modify failed",
        reads_only=False,
        shape=answers.changed,
    ),
    Tool(
        name="memory_forget",
        text="Forget a memory and its facts; 30 days to recover.",
        arguments=(_ID, _REASON, flag("force", "Pinned too"), flag("wrong", "Not true")),
        method="DELETE",
        path="/api/memory/{id}",
        failed="Forget failed",
        reads_only=False,
        shape=answers.changed,
    ),
    Tool(
        name="memory_feedback",
        text="Rate memories that were injected into this session; <memory-feedback> gives session "
        "key and ids.",
        arguments=(
            text("session_key", _SESSION.text, to="sessionKey", required=True),
            mapping(
                "ratings",
                "id: -1 (misled) to 1 (needed)",
                to="feedback",
                required=True,
                values=ArgumentKind.NUMBER,
            ),
        ),
        method="POST",
        path="/api/memory/feedback",
        failed="Feedback failed",
        reads_only=False,
        adds_only=True,
        shape=answers.rated,
    ),
    Tool(
        name="memory_context",
        text="Quote earlier sessions, commits, notes and rules about a task. Or show one of them in full, "
        "by id (session:abc).",
        arguments=(
            text("prompt", "The task"),
            text("id", "Id from a heading"),
            number("page", "Page of a long text", least=1),
            text("project", "Only this project folder", listed=False),
            number("max_chars", "Characters", to="maxChars", least=0, most=20_000, listed=False),
            text("session_key", "Session key", to="sessionKey", listed=False),
            _AGENT,
        ),
        method="POST",
        path="/api/memory/context",
        failed="Context failed",
        is_eager=True,
        shape=answers.context,
    ),
    Tool(
        name="knowledge_expand",
        text="Show everything known about one person, project or other entity: rules, facts, "
        "relations and memories.",
        arguments=(
            text("entity_name", "Name of the entity", to="entity", required=True),
            text("question", "Question, to rank facts", listed=False),
            text("aspect_filter", "Only aspects with this name", to="aspect", listed=False),
            number("max_tokens", "Maximum characters", to="maxTokens", least=100, listed=False),
        ),
        method="POST",
        path="/api/knowledge/expand",
        failed="Expand failed",
        shape=answers.expanded,
    ),
)

_MACHINE = (
    Tool(
        name="secret_list",
        text="List the names of stored secrets, for secret_exec. Values are never shown.",
        arguments=(),
        method="GET",
        path="/api/secrets",
        failed="Failed to list secrets",
    ),
    Tool(
        name="secret_exec",
        text="Run a shell command with secrets as environment variables, redacted in its output.",
        arguments=(
            text("command", "Shell command (sh)", required=True),
            mapping("secrets", "Variable: secret name", required=True),
        ),
        method="POST",
        path="/api/secrets/exec",
        failed="Exec failed",
        reads_only=False,
        seconds=EXEC_SECONDS,
    ),
    Tool(
        name="session_bypass",
        text="Turn automatic memory of a session off or on. Only when the user asks.",
        arguments=(_SESSION, flag("enabled", "true: off", required=True)),
        method="POST",
        path="/api/sessions/{session_key}/bypass",
        failed="Bypass toggle failed",
        reads_only=False,
    ),
)

#: All tools, in list order.
TOOLS: Mapping[str, Tool] = {tool.name: tool for tool in (*_MEMORY, *_MACHINE)}
