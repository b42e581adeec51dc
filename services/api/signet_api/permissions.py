"""Who may call what: one row for each route, read by the guards and by the tests.

A route without a row stops the start, so that nothing is ever served unguarded.
"""

from collections.abc import Iterable, Mapping

from starlette.routing import BaseRoute, compile_path

from signet.wire import access, operations
from signet.wire.access import Permission, Rule
from signet_api import segments, serving

_DECLARED: dict[tuple[str, str], Rule] = {
    (one.method, one.path): one.rule for one in operations.BY_ID.values()
}
#: Method and path template of every route.
TABLE: Mapping[tuple[str, str], Rule] = _DECLARED | {
    ("GET", "/"): access.OPEN,
    ("GET", "/health"): access.OPEN,
    ("GET", "/health/live"): access.KNOWN,
    ("GET", "/livez"): access.KNOWN,
    ("GET", "/health/ready"): access.KNOWN,
    ("GET", "/readyz"): access.KNOWN,
    ("GET", "/docs"): access.KNOWN,
    ("GET", "/openapi.json"): access.KNOWN,
    ("GET", "/api/status"): access.KNOWN,
    ("GET", "/api/features"): access.KNOWN,
    ("GET", "/api/home/greeting"): access.KNOWN,
    ("GET", "/api/changelog"): access.KNOWN,
    ("GET", "/api/roadmap"): access.KNOWN,
    ("GET", "/api/readme"): access.KNOWN,
    ("GET", "/api/config"): access.LOCAL,
    ("POST", "/api/config"): access.ADMIN,
    ("GET", "/api/identity"): access.LOCAL,
    # Vectors.
    ("GET", "/api/embeddings"): access.RECALL,
    ("GET", "/api/embeddings/status"): access.RECALL,
    ("GET", "/api/embeddings/health"): access.RECALL,
    ("GET", "/api/embeddings/projection"): Rule(Permission.RECALL),
    # Jobs.
    ("GET", "/api/jobs/stream"): access.DIAGNOSTICS,
    # Sessions.
    ("POST", "/api/hooks/session-start"): access.REMEMBER,
    ("POST", "/api/hooks/user-prompt-submit"): access.RECALL,
    ("POST", "/api/hooks/pre-compaction"): access.REMEMBER,
    ("POST", "/api/hooks/compaction-complete"): access.REMEMBER,
    ("POST", "/api/hooks/recall"): access.RECALL,
    ("POST", "/api/hooks/remember"): access.REMEMBER,
    ("POST", "/api/hooks/session-end"): access.REMEMBER,
    ("POST", "/api/hooks/session-checkpoint-extract"): access.REMEMBER,
    ("GET", "/api/sessions"): access.RECALL,
    ("GET", "/api/sessions/summaries"): access.RECALL,
    ("POST", "/api/sessions/search"): access.RECALL,
    ("GET", "/api/sessions/{session_key}"): access.RECALL,
    ("POST", "/api/sessions/{session_key}/bypass"): access.REMEMBER,
    ("POST", "/api/sessions/{session_key}/renew"): access.REMEMBER,
    ("GET", "/api/sessions/{session_key}/transcript"): access.RECALL,
    ("GET", "/api/sessions/{session_key}/context"): access.RECALL,
    ("GET", "/api/checkpoints"): access.RECALL,
    ("GET", "/api/checkpoints/{session_key}"): access.RECALL,
    ("GET", "/api/hooks/synthesis/config"): access.LOCAL,
    ("POST", "/api/hooks/synthesis"): access.LOCAL,
    ("POST", "/api/hooks/synthesis/complete"): access.LOCAL,
    ("POST", "/api/synthesis/trigger"): access.LOCAL,
    ("GET", "/api/synthesis/status"): access.LOCAL,
    ("GET", "/api/harnesses"): access.LOCAL,
    ("POST", "/api/harnesses/regenerate"): access.LOCAL,
    # Knowledge.
    ("GET", "/api/knowledge/entities"): access.RECALL,
    ("GET", "/api/knowledge/entities/pinned"): access.RECALL,
    ("GET", "/api/knowledge/entities/health"): access.RECALL,
    ("GET", "/api/knowledge/entities/{entity_id}"): access.RECALL,
    ("GET", "/api/knowledge/entities/{entity_id}/aspects"): access.RECALL,
    ("GET", "/api/knowledge/entities/{entity_id}/aspects/{aspect_id}/attributes"): access.RECALL,
    ("GET", "/api/knowledge/entities/{entity_id}/dependencies"): access.RECALL,
    ("POST", "/api/knowledge/entities/{entity_id}/pin"): access.PIN,
    ("DELETE", "/api/knowledge/entities/{entity_id}/pin"): access.PIN,
    ("GET", "/api/knowledge/stats"): access.RECALL,
    ("GET", "/api/knowledge/traversal/status"): access.RECALL,
    ("GET", "/api/knowledge/constellation"): access.RECALL,
    ("GET", "/api/knowledge/hygiene"): access.RECALL,
    ("GET", "/api/knowledge/communities"): access.RECALL,
    ("POST", "/api/knowledge/expand"): access.RECALL,
    ("POST", "/api/knowledge/expand/session"): access.RECALL,
    ("POST", "/api/graph/impact"): access.RECALL,
    # Operation.
    ("POST", "/api/repair/cluster-entities"): access.OPERATOR,
    ("POST", "/api/repair/requeue-dead"): access.OPERATOR,
    ("POST", "/api/repair/release-leases"): access.OPERATOR,
    ("POST", "/api/repair/prune-jobs"): access.OPERATOR,
    ("POST", "/api/repair/check-fts"): access.OPERATOR,
    ("POST", "/api/repair/retention-sweep"): access.OPERATOR,
    ("POST", "/api/repair/re-embed"): access.OPERATOR,
    ("POST", "/api/repair/clean-orphans"): access.OPERATOR,
    ("POST", "/api/repair/resync-vec"): access.OPERATOR,
    ("POST", "/api/repair/rebuild-indexes"): access.OPERATOR,
    ("POST", "/api/repair/deduplicate"): access.OPERATOR,
    ("POST", "/api/repair/backfill-skipped"): access.OPERATOR,
    ("POST", "/api/repair/reclassify-entities"): access.OPERATOR,
    ("POST", "/api/repair/prune-chunk-groups"): access.OPERATOR,
    ("POST", "/api/repair/prune-singleton-entities"): access.OPERATOR,
    ("POST", "/api/repair/prune-generic-entities"): access.OPERATOR,
    ("POST", "/api/repair/structural-backfill"): access.OPERATOR,
    ("POST", "/api/repair/relink-entities"): access.OPERATOR,
    ("POST", "/api/repair/backfill-hints"): access.OPERATOR,
    ("GET", "/api/repair/embedding-gaps"): access.OPERATOR,
    ("GET", "/api/repair/dedup-stats"): access.OPERATOR,
    ("GET", "/api/repair/cold-stats"): access.OPERATOR,
    ("GET", "/api/repair/integrity-check"): access.OPERATOR,
    ("GET", "/api/repair/dead-memories"): access.OPERATOR,
    ("POST", "/api/repair/dead-memories/forget"): access.OPERATOR,
    ("GET", "/api/diagnostics"): access.DIAGNOSTICS,
    ("GET", "/api/diagnostics/{domain}"): access.DIAGNOSTICS,
    ("GET", "/api/pipeline/status"): access.DIAGNOSTICS,
    ("GET", "/api/pipeline/models"): access.DIAGNOSTICS,
    ("GET", "/api/pipeline/models/by-provider"): access.DIAGNOSTICS,
    ("POST", "/api/pipeline/models/refresh"): access.OPERATOR,
    ("POST", "/api/pipeline/pause"): access.OPERATOR,
    ("POST", "/api/pipeline/resume"): access.OPERATOR,
    ("POST", "/api/pipeline/nudge"): access.OPERATOR,
    ("GET", "/metrics"): access.ANALYTICS,
    ("GET", "/api/analytics/usage"): access.ANALYTICS,
    ("GET", "/api/analytics/latency"): access.ANALYTICS,
    ("GET", "/api/analytics/errors"): access.ANALYTICS,
    ("GET", "/api/analytics/logs"): access.ANALYTICS,
    ("GET", "/api/analytics/memory-safety"): access.ANALYTICS,
    ("GET", "/api/analytics/continuity"): access.ANALYTICS,
    ("GET", "/api/analytics/continuity/latest"): access.ANALYTICS,
    ("GET", "/api/telemetry/events"): access.ANALYTICS,
    ("GET", "/api/telemetry/stats"): access.ANALYTICS,
    ("GET", "/api/telemetry/export"): access.ANALYTICS,
    ("GET", "/api/telemetry/training-export"): access.ANALYTICS,
    ("GET", "/api/timeline/{entity_id}"): access.ANALYTICS,
    ("GET", "/api/timeline/{entity_id}/export"): access.ANALYTICS,
    ("GET", "/api/logs"): access.LOCAL,
    ("GET", "/api/logs/stream"): access.LOCAL,
    # Tools of agents: each acts with the rights of its caller.
    ("POST", "/mcp"): access.OPEN,
    ("GET", "/mcp"): access.OPEN,
    ("DELETE", "/mcp"): access.OPEN,
    # Tool servers of others: whoever may register one runs programs.
    ("GET", "/api/marketplace/mcp"): access.LOCAL,
    ("GET", "/api/marketplace/mcp/policy"): access.LOCAL,
    ("PATCH", "/api/marketplace/mcp/policy"): access.LOCAL,
    ("GET", "/api/marketplace/mcp/browse"): access.LOCAL,
    ("GET", "/api/marketplace/mcp/detail"): access.LOCAL,
    ("POST", "/api/marketplace/mcp/test"): access.LOCAL,
    ("POST", "/api/marketplace/mcp/install"): access.LOCAL,
    ("POST", "/api/marketplace/mcp/register"): access.LOCAL,
    ("GET", "/api/marketplace/mcp/tools"): access.LOCAL,
    ("GET", "/api/marketplace/mcp/search"): access.LOCAL,
    ("POST", "/api/marketplace/mcp/call"): access.LOCAL,
    ("GET", "/api/marketplace/mcp/{server_id}"): access.LOCAL,
    ("PATCH", "/api/marketplace/mcp/{server_id}"): access.LOCAL,
    ("DELETE", "/api/marketplace/mcp/{server_id}"): access.LOCAL,
    ("GET", "/api/marketplace/reviews"): access.LOCAL,
    ("POST", "/api/marketplace/reviews"): access.LOCAL,
    ("GET", "/api/marketplace/reviews/config"): access.LOCAL,
    ("PATCH", "/api/marketplace/reviews/config"): access.LOCAL,
    ("POST", "/api/marketplace/reviews/sync"): access.LOCAL,
    ("PATCH", "/api/marketplace/reviews/{review_id}"): access.LOCAL,
    ("DELETE", "/api/marketplace/reviews/{review_id}"): access.LOCAL,
    # Secrets.
    ("GET", "/api/secrets"): access.ADMIN,
    ("POST", "/api/secrets/exec"): access.ADMIN,
    ("GET", "/api/secrets/1password/status"): access.ADMIN,
    ("POST", "/api/secrets/1password/connect"): access.ADMIN,
    ("DELETE", "/api/secrets/1password/connect"): access.ADMIN,
    ("GET", "/api/secrets/1password/vaults"): access.ADMIN,
    ("POST", "/api/secrets/1password/import"): access.ADMIN,
    ("GET", "/api/secrets/{name}"): access.ADMIN,
    ("POST", "/api/secrets/{name}"): access.ADMIN,
    ("DELETE", "/api/secrets/{name}"): access.ADMIN,
    ("POST", "/api/secrets/{name}/exec"): access.ADMIN,
    # Tasks that recur.
    ("GET", "/api/tasks"): access.LOCAL,
    ("POST", "/api/tasks"): access.LOCAL,
    ("GET", "/api/tasks/{task_id}"): access.LOCAL,
    ("PATCH", "/api/tasks/{task_id}"): access.LOCAL,
    ("DELETE", "/api/tasks/{task_id}"): access.LOCAL,
    ("POST", "/api/tasks/{task_id}/run"): access.LOCAL,
    ("GET", "/api/tasks/{task_id}/runs"): access.LOCAL,
    ("GET", "/api/tasks/{task_id}/stream"): access.LOCAL,
    # The workspace as a git repository.
    ("GET", "/api/git/status"): access.LOCAL,
    ("POST", "/api/git/pull"): access.LOCAL,
    ("POST", "/api/git/push"): access.LOCAL,
    ("POST", "/api/git/sync"): access.LOCAL,
    ("GET", "/api/git/config"): access.LOCAL,
    ("POST", "/api/git/config"): access.LOCAL,
    # New versions.
    ("GET", "/api/update/check"): access.LOCAL,
    ("GET", "/api/update/config"): access.LOCAL,
    ("POST", "/api/update/config"): access.LOCAL,
    ("POST", "/api/update/run"): access.LOCAL,
    # Skills.
    ("GET", "/api/skills"): access.LOCAL,
    ("GET", "/api/skills/search"): access.LOCAL,
    ("GET", "/api/skills/browse"): access.LOCAL,
    ("POST", "/api/skills/install"): access.LOCAL,
    ("GET", "/api/skills/{name}"): access.LOCAL,
    ("GET", "/api/skills/{name}/related"): access.LOCAL,
    ("DELETE", "/api/skills/{name}"): access.LOCAL,
    # Agents.
    # Messages belong to no project.
}

_PATTERNS = tuple(
    (method, compile_path(path)[0], rule)
    for (method, path), rule in sorted(TABLE.items(), key=lambda row: -serving.literal(row[0][1]))
    if "{" in path
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
