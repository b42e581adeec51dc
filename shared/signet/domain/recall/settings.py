"""From agent.yaml to the numbers of recall."""

from signet.config import Settings
from signet.domain.graph.traversal import TraversalBounds
from signet.domain.recall.models import RecallSettings
from signet.domain.skills import find
from signet.providers.scale import FITTED, Scale


def of(settings: Settings, *, embedding_model: str | None, scale: Scale = FITTED) -> RecallSettings:
    """Return the recall settings; vectors of another model than `embedding_model` are left out (None: none are)."""
    search, pipeline = settings.search, settings.pipeline
    traversal = pipeline.traversal
    return RecallSettings(
        alpha=search.alpha,
        top_k=search.top_k,
        min_score=search.min_score,
        floor=search.floor,
        hints=pipeline.hints.enabled,
        embedding_model=embedding_model,
        scale=scale,
        graph=pipeline.graph.enabled,
        traversal=traversal.enabled,
        traversal_timeout_ms=traversal.timeout_ms,
        bounds=TraversalBounds(
            aspects_per_entity=traversal.max_aspects_per_entity,
            attributes_per_aspect=traversal.max_attributes_per_aspect,
            branching=traversal.max_branching,
            hops=traversal.max_dependency_hops,
            memories=traversal.max_traversal_paths,
            min_strength=traversal.min_dependency_strength,
            min_confidence=traversal.min_confidence,
        ),
        truncate_chars=pipeline.guardrails.recall_truncate_chars,
        skill_limits=find.limits(settings),
        skills=pipeline.procedural.enabled,
        commits=settings.hooks.session_start.read_commits,
        learns=pipeline.predictor.enabled,
        skill_importance=pipeline.procedural.min_importance,
    )
