"""Who may call what: one row for each route, read by the guards and by the tests.

A route without a row stops the start, so that nothing is ever served unguarded.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from starlette.routing import BaseRoute, compile_path

from signet.domain.auth.policy import Operation, Permission
from signet_api import segments

#: The parts of a scope by which routes can limit what they show and change.
EVERY = frozenset({"project", "agent"})
ONLY_AGENT = frozenset({"agent"})
NONE: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Rule:
    """What a route asks of its caller.

    `limit` is the rate limit that each call counts against. `within` names the parts of a token's scope that the
    route keeps to; a token that is limited in any other part is refused, because the route would show or change what
    lies outside. `is_open` lets callers without a token in, in every mode.
    """

    permission: Permission
    limit: Operation | None = None
    within: frozenset[str] = NONE
    is_open: bool = False


_OPEN = Rule(Permission.NONE, within=EVERY, is_open=True)
_NONE = Rule(Permission.NONE, within=EVERY)
_RECALL = Rule(Permission.RECALL, within=EVERY)
_REMEMBER = Rule(Permission.REMEMBER, within=EVERY)
_RECOVER = Rule(Permission.RECOVER, within=EVERY)
#: Documents and entities have owners, but belong to no project.
_DOCUMENTS = Rule(Permission.DOCUMENTS, within=ONLY_AGENT)
_PIN = Rule(Permission.MODIFY, within=ONLY_AGENT)
_JOBS = Rule(Permission.DIAGNOSTICS, within=EVERY)
_JOBS_CHANGE = Rule(Permission.OPERATOR, within=EVERY)
#: What follows is about the whole store or the whole machine.
_CONNECTORS = Rule(Permission.CONNECTORS)
_DIAGNOSTICS = Rule(Permission.DIAGNOSTICS)
_ANALYTICS = Rule(Permission.ANALYTICS)
_ADMIN = Rule(Permission.ADMIN)
_OPERATOR = Rule(Permission.OPERATOR)
_LOCAL = Rule(Permission.LOCAL)

#: Method and path template of every route.
TABLE: Mapping[tuple[str, str], Rule] = {
    ("GET", "/"): _OPEN,
    ("GET", "/health"): _OPEN,
    ("GET", "/health/live"): _NONE,
    ("GET", "/livez"): _NONE,
    ("GET", "/health/ready"): _NONE,
    ("GET", "/readyz"): _NONE,
    ("GET", "/docs"): _NONE,
    ("GET", "/openapi.json"): _NONE,
    ("GET", "/api/status"): _NONE,
    ("GET", "/api/features"): _NONE,
    ("GET", "/api/home/greeting"): _NONE,
    ("GET", "/api/changelog"): _NONE,
    ("GET", "/api/roadmap"): _NONE,
    ("GET", "/api/readme"): _NONE,
    ("GET", "/api/config"): _LOCAL,
    ("POST", "/api/config"): _ADMIN,
    ("GET", "/api/identity"): _LOCAL,
    ("GET", "/api/auth/whoami"): _NONE,
    ("POST", "/api/auth/token"): Rule(Permission.ADMIN, Operation.ADMIN),
    ("GET", "/api/auth/tokens"): _ADMIN,
    ("DELETE", "/api/auth/tokens/{jti}"): _ADMIN,
    # Memories.
    ("POST", "/api/memory/remember"): _REMEMBER,
    ("POST", "/api/memory/save"): _REMEMBER,
    ("POST", "/api/hook/remember"): _REMEMBER,
    ("POST", "/api/memory/recall"): _RECALL,
    ("POST", "/api/memory/context"): _RECALL,
    ("GET", "/api/memory/search"): _RECALL,
    ("GET", "/memory/search"): _RECALL,
    ("GET", "/memory/similar"): _RECALL,
    ("GET", "/api/memories"): _RECALL,
    ("GET", "/api/memories/ids"): _RECALL,
    ("GET", "/api/memory/timeline"): _RECALL,
    ("POST", "/api/memory/forget"): Rule(Permission.FORGET, Operation.BATCH_FORGET, EVERY),
    ("POST", "/api/memory/feedback"): _REMEMBER,
    ("POST", "/api/memory/modify"): Rule(Permission.MODIFY, Operation.MODIFY, EVERY),
    ("GET", "/api/memory/{memory_id}"): _RECALL,
    ("PATCH", "/api/memory/{memory_id}"): Rule(Permission.MODIFY, Operation.MODIFY, EVERY),
    ("DELETE", "/api/memory/{memory_id}"): Rule(Permission.FORGET, Operation.FORGET, EVERY),
    ("GET", "/api/memory/{memory_id}/history"): _RECALL,
    ("POST", "/api/memory/{memory_id}/recover"): _RECOVER,
    ("GET", "/api/export"): _RECALL,
    ("POST", "/api/import"): _ADMIN,
    # Vectors.
    ("GET", "/api/embeddings"): _RECALL,
    ("GET", "/api/embeddings/status"): _RECALL,
    ("GET", "/api/embeddings/health"): _RECALL,
    ("GET", "/api/embeddings/projection"): Rule(Permission.RECALL),
    # Jobs.
    ("GET", "/api/memory/jobs/{job_id}"): Rule(Permission.DOCUMENTS, within=EVERY),
    ("GET", "/api/jobs"): _JOBS,
    ("GET", "/api/jobs/stream"): _DIAGNOSTICS,
    ("GET", "/api/jobs/{job_id}"): _JOBS,
    ("POST", "/api/jobs/{job_id}/retry"): _JOBS_CHANGE,
    ("POST", "/api/jobs/{job_id}/cancel"): _JOBS_CHANGE,
    ("POST", "/api/jobs/retry"): _JOBS_CHANGE,
    ("POST", "/api/jobs/cancel"): _JOBS_CHANGE,
    # Sessions.
    ("POST", "/api/hooks/session-start"): _REMEMBER,
    ("POST", "/api/hooks/user-prompt-submit"): _RECALL,
    ("POST", "/api/hooks/pre-compaction"): _REMEMBER,
    ("POST", "/api/hooks/compaction-complete"): _REMEMBER,
    ("POST", "/api/hooks/recall"): _RECALL,
    ("POST", "/api/hooks/remember"): _REMEMBER,
    ("POST", "/api/hooks/session-end"): _REMEMBER,
    ("POST", "/api/hooks/session-checkpoint-extract"): _REMEMBER,
    ("GET", "/api/sessions"): _RECALL,
    ("GET", "/api/sessions/summaries"): _RECALL,
    ("POST", "/api/sessions/search"): _RECALL,
    ("GET", "/api/sessions/{session_key}"): _RECALL,
    ("POST", "/api/sessions/{session_key}/bypass"): _REMEMBER,
    ("POST", "/api/sessions/{session_key}/renew"): _REMEMBER,
    ("GET", "/api/sessions/{session_key}/transcript"): _RECALL,
    ("GET", "/api/sessions/{session_key}/context"): _RECALL,
    ("GET", "/api/checkpoints"): _RECALL,
    ("GET", "/api/checkpoints/{session_key}"): _RECALL,
    ("GET", "/api/hooks/synthesis/config"): _LOCAL,
    ("POST", "/api/hooks/synthesis"): _LOCAL,
    ("POST", "/api/hooks/synthesis/complete"): _LOCAL,
    ("POST", "/api/synthesis/trigger"): _LOCAL,
    ("GET", "/api/synthesis/status"): _LOCAL,
    # Documents and connectors.
    ("POST", "/api/documents"): _DOCUMENTS,
    ("GET", "/api/documents"): _DOCUMENTS,
    ("GET", "/api/documents/{document_id}"): _DOCUMENTS,
    ("GET", "/api/documents/{document_id}/chunks"): _DOCUMENTS,
    ("DELETE", "/api/documents/{document_id}"): _DOCUMENTS,
    ("GET", "/api/harnesses"): _LOCAL,
    ("POST", "/api/harnesses/regenerate"): _LOCAL,
    ("GET", "/api/connectors"): _CONNECTORS,
    ("POST", "/api/connectors"): _CONNECTORS,
    ("POST", "/api/connectors/resync"): _CONNECTORS,
    ("GET", "/api/connectors/{connector_id}"): _CONNECTORS,
    ("DELETE", "/api/connectors/{connector_id}"): _CONNECTORS,
    ("GET", "/api/connectors/{connector_id}/health"): _CONNECTORS,
    ("POST", "/api/connectors/{connector_id}/sync"): _CONNECTORS,
    ("POST", "/api/connectors/{connector_id}/sync/full"): _CONNECTORS,
    # Knowledge.
    ("GET", "/api/knowledge/entities"): _RECALL,
    ("GET", "/api/knowledge/entities/pinned"): _RECALL,
    ("GET", "/api/knowledge/entities/health"): _RECALL,
    ("GET", "/api/knowledge/entities/{entity_id}"): _RECALL,
    ("GET", "/api/knowledge/entities/{entity_id}/aspects"): _RECALL,
    ("GET", "/api/knowledge/entities/{entity_id}/aspects/{aspect_id}/attributes"): _RECALL,
    ("GET", "/api/knowledge/entities/{entity_id}/dependencies"): _RECALL,
    ("POST", "/api/knowledge/entities/{entity_id}/pin"): _PIN,
    ("DELETE", "/api/knowledge/entities/{entity_id}/pin"): _PIN,
    ("GET", "/api/knowledge/stats"): _RECALL,
    ("GET", "/api/knowledge/traversal/status"): _RECALL,
    ("GET", "/api/knowledge/constellation"): _RECALL,
    ("GET", "/api/knowledge/hygiene"): _RECALL,
    ("GET", "/api/knowledge/communities"): _RECALL,
    ("POST", "/api/knowledge/expand"): _RECALL,
    ("POST", "/api/knowledge/expand/session"): _RECALL,
    ("POST", "/api/graph/impact"): _RECALL,
    # Operation.
    ("POST", "/api/repair/cluster-entities"): _OPERATOR,
    ("POST", "/api/repair/requeue-dead"): _OPERATOR,
    ("POST", "/api/repair/release-leases"): _OPERATOR,
    ("POST", "/api/repair/prune-jobs"): _OPERATOR,
    ("POST", "/api/repair/check-fts"): _OPERATOR,
    ("POST", "/api/repair/retention-sweep"): _OPERATOR,
    ("POST", "/api/repair/re-embed"): _OPERATOR,
    ("POST", "/api/repair/clean-orphans"): _OPERATOR,
    ("POST", "/api/repair/resync-vec"): _OPERATOR,
    ("POST", "/api/repair/rebuild-indexes"): _OPERATOR,
    ("POST", "/api/repair/deduplicate"): _OPERATOR,
    ("POST", "/api/repair/backfill-skipped"): _OPERATOR,
    ("POST", "/api/repair/reclassify-entities"): _OPERATOR,
    ("POST", "/api/repair/prune-chunk-groups"): _OPERATOR,
    ("POST", "/api/repair/prune-singleton-entities"): _OPERATOR,
    ("POST", "/api/repair/prune-generic-entities"): _OPERATOR,
    ("POST", "/api/repair/structural-backfill"): _OPERATOR,
    ("POST", "/api/repair/relink-entities"): _OPERATOR,
    ("POST", "/api/repair/backfill-hints"): _OPERATOR,
    ("GET", "/api/repair/embedding-gaps"): _OPERATOR,
    ("GET", "/api/repair/dedup-stats"): _OPERATOR,
    ("GET", "/api/repair/cold-stats"): _OPERATOR,
    ("GET", "/api/repair/integrity-check"): _OPERATOR,
    ("GET", "/api/repair/dead-memories"): _OPERATOR,
    ("POST", "/api/repair/dead-memories/forget"): _OPERATOR,
    ("GET", "/api/diagnostics"): _DIAGNOSTICS,
    ("GET", "/api/diagnostics/{domain}"): _DIAGNOSTICS,
    ("GET", "/api/pipeline/status"): _DIAGNOSTICS,
    ("GET", "/api/pipeline/models"): _DIAGNOSTICS,
    ("GET", "/api/pipeline/models/by-provider"): _DIAGNOSTICS,
    ("POST", "/api/pipeline/models/refresh"): _OPERATOR,
    ("POST", "/api/pipeline/pause"): _OPERATOR,
    ("POST", "/api/pipeline/resume"): _OPERATOR,
    ("POST", "/api/pipeline/nudge"): _OPERATOR,
    ("GET", "/metrics"): _ANALYTICS,
    ("GET", "/api/analytics/usage"): _ANALYTICS,
    ("GET", "/api/analytics/latency"): _ANALYTICS,
    ("GET", "/api/analytics/errors"): _ANALYTICS,
    ("GET", "/api/analytics/logs"): _ANALYTICS,
    ("GET", "/api/analytics/memory-safety"): _ANALYTICS,
    ("GET", "/api/analytics/continuity"): _ANALYTICS,
    ("GET", "/api/analytics/continuity/latest"): _ANALYTICS,
    ("GET", "/api/telemetry/events"): _ANALYTICS,
    ("GET", "/api/telemetry/stats"): _ANALYTICS,
    ("GET", "/api/telemetry/export"): _ANALYTICS,
    ("GET", "/api/telemetry/training-export"): _ANALYTICS,
    ("GET", "/api/timeline/{entity_id}"): _ANALYTICS,
    ("GET", "/api/timeline/{entity_id}/export"): _ANALYTICS,
    ("GET", "/api/logs"): _LOCAL,
    ("GET", "/api/logs/stream"): _LOCAL,
    # Tools of agents: each acts with the rights of its caller.
    ("POST", "/mcp"): _OPEN,
    ("GET", "/mcp"): _OPEN,
    ("DELETE", "/mcp"): _OPEN,
    # Tool servers of others: whoever may register one runs programs.
    ("GET", "/api/marketplace/mcp"): _LOCAL,
    ("GET", "/api/marketplace/mcp/policy"): _LOCAL,
    ("PATCH", "/api/marketplace/mcp/policy"): _LOCAL,
    ("GET", "/api/marketplace/mcp/browse"): _LOCAL,
    ("GET", "/api/marketplace/mcp/detail"): _LOCAL,
    ("POST", "/api/marketplace/mcp/test"): _LOCAL,
    ("POST", "/api/marketplace/mcp/install"): _LOCAL,
    ("POST", "/api/marketplace/mcp/register"): _LOCAL,
    ("GET", "/api/marketplace/mcp/tools"): _LOCAL,
    ("GET", "/api/marketplace/mcp/search"): _LOCAL,
    ("POST", "/api/marketplace/mcp/call"): _LOCAL,
    ("GET", "/api/marketplace/mcp/{server_id}"): _LOCAL,
    ("PATCH", "/api/marketplace/mcp/{server_id}"): _LOCAL,
    ("DELETE", "/api/marketplace/mcp/{server_id}"): _LOCAL,
    ("GET", "/api/marketplace/reviews"): _LOCAL,
    ("POST", "/api/marketplace/reviews"): _LOCAL,
    ("GET", "/api/marketplace/reviews/config"): _LOCAL,
    ("PATCH", "/api/marketplace/reviews/config"): _LOCAL,
    ("POST", "/api/marketplace/reviews/sync"): _LOCAL,
    ("PATCH", "/api/marketplace/reviews/{review_id}"): _LOCAL,
    ("DELETE", "/api/marketplace/reviews/{review_id}"): _LOCAL,
    # Secrets.
    ("GET", "/api/secrets"): _ADMIN,
    ("POST", "/api/secrets/exec"): _ADMIN,
    ("GET", "/api/secrets/1password/status"): _ADMIN,
    ("POST", "/api/secrets/1password/connect"): _ADMIN,
    ("DELETE", "/api/secrets/1password/connect"): _ADMIN,
    ("GET", "/api/secrets/1password/vaults"): _ADMIN,
    ("POST", "/api/secrets/1password/import"): _ADMIN,
    ("GET", "/api/secrets/{name}"): _ADMIN,
    ("POST", "/api/secrets/{name}"): _ADMIN,
    ("DELETE", "/api/secrets/{name}"): _ADMIN,
    ("POST", "/api/secrets/{name}/exec"): _ADMIN,
    # Tasks that recur.
    ("GET", "/api/tasks"): _LOCAL,
    ("POST", "/api/tasks"): _LOCAL,
    ("GET", "/api/tasks/{task_id}"): _LOCAL,
    ("PATCH", "/api/tasks/{task_id}"): _LOCAL,
    ("DELETE", "/api/tasks/{task_id}"): _LOCAL,
    ("POST", "/api/tasks/{task_id}/run"): _LOCAL,
    ("GET", "/api/tasks/{task_id}/runs"): _LOCAL,
    ("GET", "/api/tasks/{task_id}/stream"): _LOCAL,
    # The workspace as a git repository.
    ("GET", "/api/git/status"): _LOCAL,
    ("POST", "/api/git/pull"): _LOCAL,
    ("POST", "/api/git/push"): _LOCAL,
    ("POST", "/api/git/sync"): _LOCAL,
    ("GET", "/api/git/config"): _LOCAL,
    ("POST", "/api/git/config"): _LOCAL,
    # New versions.
    ("GET", "/api/update/check"): _LOCAL,
    ("GET", "/api/update/config"): _LOCAL,
    ("POST", "/api/update/config"): _LOCAL,
    ("POST", "/api/update/run"): _LOCAL,
    # Skills.
    ("GET", "/api/skills"): _LOCAL,
    ("GET", "/api/skills/search"): _LOCAL,
    ("GET", "/api/skills/browse"): _LOCAL,
    ("POST", "/api/skills/install"): _LOCAL,
    ("GET", "/api/skills/{name}"): _LOCAL,
    ("GET", "/api/skills/{name}/related"): _LOCAL,
    ("DELETE", "/api/skills/{name}"): _LOCAL,
    # Agents.
    ("GET", "/api/agents"): _LOCAL,
    ("POST", "/api/agents"): _LOCAL,
    ("GET", "/api/agents/{name}"): _LOCAL,
    ("DELETE", "/api/agents/{name}"): _LOCAL,
    ("GET", "/api/cross-agent/presence"): _RECALL,
    ("POST", "/api/cross-agent/presence"): _REMEMBER,
    ("DELETE", "/api/cross-agent/presence/{session_key}"): Rule(
        Permission.REMEMBER, within=ONLY_AGENT
    ),
    # Messages belong to no project.
    ("GET", "/api/cross-agent/messages"): Rule(Permission.RECALL, within=ONLY_AGENT),
    ("POST", "/api/cross-agent/messages"): Rule(
        Permission.REMEMBER, Operation.CROSS_AGENT_MESSAGE, ONLY_AGENT
    ),
    ("GET", "/api/cross-agent/stream"): Rule(Permission.RECALL, within=ONLY_AGENT),
}

_PATTERNS = tuple(
    (method, compile_path(path)[0], rule) for (method, path), rule in TABLE.items() if "{" in path
)


def check(routes: Iterable[BaseRoute]) -> None:
    """Raise LookupError for a route that has no row, so that nothing is served unguarded."""
    for route in routes:
        for method in getattr(route, "methods", None) or ("any method",):
            asked = (method, getattr(route, "path", ""))
            if asked not in TABLE:
                raise LookupError(f"{' '.join(asked)} has no row in permissions.TABLE")


def match(method: str, path: str) -> tuple[Rule, Mapping[str, str]] | None:
    """Return the rule of the route that a request means and what its path names; None when there is no such route.

    Paths without parameters are asked first, as the routers do.
    """
    method = "GET" if method == "HEAD" else method
    if (rule := TABLE.get((method, path))) is not None:
        return rule, {}
    for known, pattern, rule in _PATTERNS:
        if known == method and (found := pattern.match(path)) is not None:
            named = found.groupdict()
            return rule, {name: segments.restored(value) for name, value in named.items()}
    return None
