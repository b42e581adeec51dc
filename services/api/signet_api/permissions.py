"""Who may call what: one row for each route, read by the guards and by the tests.

A route without a row stops the start, so that nothing is ever served unguarded.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from signet.domain.auth.policy import Operation, Permission


@dataclass(frozen=True, slots=True)
class Rule:
    """What a route asks of its caller.

    `limit` is the rate limit that each call counts against. `is_open` lets callers without a token in, in every mode.
    """

    permission: Permission
    limit: Operation | None = None
    is_open: bool = False


_OPEN = Rule(Permission.NONE, is_open=True)
_NONE = Rule(Permission.NONE)
_RECALL = Rule(Permission.RECALL)
_REMEMBER = Rule(Permission.REMEMBER)
_MODIFY = Rule(Permission.MODIFY)
_RECOVER = Rule(Permission.RECOVER)
_DOCUMENTS = Rule(Permission.DOCUMENTS)
_CONNECTORS = Rule(Permission.CONNECTORS)
_DIAGNOSTICS = Rule(Permission.DIAGNOSTICS)
_ANALYTICS = Rule(Permission.ANALYTICS)
_ADMIN = Rule(Permission.ADMIN)
_OPERATOR = Rule(Permission.OPERATOR)
_LOCAL = Rule(Permission.LOCAL)

#: Method and path template of every route.
TABLE: Mapping[tuple[str, str], Rule] = {
    ("GET", "/health"): _OPEN,
    ("GET", "/health/live"): _NONE,
    ("GET", "/livez"): _NONE,
    ("GET", "/health/ready"): _NONE,
    ("GET", "/readyz"): _NONE,
    ("GET", "/docs"): _NONE,
    ("GET", "/openapi.json"): _NONE,
    ("GET", "/api/status"): _NONE,
    ("GET", "/api/features"): _NONE,
    # Memories.
    ("POST", "/api/memory/remember"): _REMEMBER,
    ("POST", "/api/memory/save"): _REMEMBER,
    ("POST", "/api/hook/remember"): _REMEMBER,
    ("POST", "/api/memory/recall"): _RECALL,
    ("GET", "/api/memory/search"): _RECALL,
    ("GET", "/memory/search"): _RECALL,
    ("GET", "/memory/similar"): _RECALL,
    ("GET", "/api/memories"): _RECALL,
    ("GET", "/api/memories/ids"): _RECALL,
    ("POST", "/api/memory/forget"): Rule(Permission.FORGET, Operation.BATCH_FORGET),
    ("POST", "/api/memory/modify"): Rule(Permission.MODIFY, Operation.MODIFY),
    ("GET", "/api/memory/{memory_id}"): _RECALL,
    ("PATCH", "/api/memory/{memory_id}"): Rule(Permission.MODIFY, Operation.MODIFY),
    ("DELETE", "/api/memory/{memory_id}"): Rule(Permission.FORGET, Operation.FORGET),
    ("GET", "/api/memory/{memory_id}/history"): _RECALL,
    ("POST", "/api/memory/{memory_id}/recover"): _RECOVER,
    ("GET", "/api/export"): _RECALL,
    ("POST", "/api/import"): _ADMIN,
    # Vectors.
    ("GET", "/api/embeddings"): _RECALL,
    ("GET", "/api/embeddings/status"): _RECALL,
    ("GET", "/api/embeddings/health"): _RECALL,
    ("GET", "/api/embeddings/projection"): _RECALL,
    # Jobs.
    ("GET", "/api/memory/jobs/{job_id}"): _DOCUMENTS,
    ("GET", "/api/jobs"): _DIAGNOSTICS,
    ("GET", "/api/jobs/stream"): _DIAGNOSTICS,
    ("GET", "/api/jobs/{job_id}"): _DIAGNOSTICS,
    ("POST", "/api/jobs/{job_id}/retry"): _OPERATOR,
    ("POST", "/api/jobs/{job_id}/cancel"): _OPERATOR,
    ("POST", "/api/jobs/retry"): _OPERATOR,
    ("POST", "/api/jobs/cancel"): _OPERATOR,
    # Sessions.
    ("POST", "/api/hooks/recall"): _RECALL,
    ("POST", "/api/hooks/remember"): _REMEMBER,
    ("POST", "/api/hooks/session-end"): _REMEMBER,
    ("POST", "/api/hooks/session-checkpoint-extract"): _REMEMBER,
    ("GET", "/api/sessions/summaries"): _RECALL,
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
    ("POST", "/api/knowledge/entities/{entity_id}/pin"): _MODIFY,
    ("DELETE", "/api/knowledge/entities/{entity_id}/pin"): _MODIFY,
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
    ("GET", "/api/diagnostics"): _DIAGNOSTICS,
    ("GET", "/api/diagnostics/{domain}"): _DIAGNOSTICS,
    ("GET", "/api/pipeline/status"): _DIAGNOSTICS,
    ("POST", "/api/pipeline/pause"): _OPERATOR,
    ("POST", "/api/pipeline/resume"): _OPERATOR,
    ("GET", "/metrics"): _ANALYTICS,
    # Skills.
    ("GET", "/api/skills"): _LOCAL,
    ("GET", "/api/skills/search"): _LOCAL,
    ("GET", "/api/skills/browse"): _LOCAL,
    ("POST", "/api/skills/install"): _LOCAL,
    ("GET", "/api/skills/{name}"): _LOCAL,
    ("GET", "/api/skills/{name}/related"): _LOCAL,
    ("DELETE", "/api/skills/{name}"): _LOCAL,
}
