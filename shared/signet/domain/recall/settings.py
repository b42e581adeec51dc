"""The numbers of recall, from agent.yaml."""

from signet.config import Settings
from signet.domain.graph.traverse import Bounds
from signet.domain.recall.models import RecallSettings


def of(settings: Settings, *, embedding_model: str | None) -> RecallSettings:
    """Return what the settings say about recall; vectors of another model than this are not compared."""
    search, pipeline = settings.search, settings.pipeline
    walk = pipeline.traversal
    return RecallSettings(
        alpha=search.alpha,
        top_k=search.top_k,
        min_score=search.min_score,
        hints=pipeline.hints.enabled,
        embedding_model=embedding_model,
        graph=pipeline.graph.enabled,
        graph_weight=pipeline.graph.boost_weight,
        graph_timeout_ms=pipeline.graph.boost_timeout_ms,
        traversal=walk.enabled,
        traversal_primary=walk.primary,
        traversal_weight=walk.boost_weight,
        traversal_timeout_ms=walk.timeout_ms,
        bounds=Bounds(
            aspects_per_entity=walk.max_aspects_per_entity,
            attributes_per_aspect=walk.max_attributes_per_aspect,
            branching=walk.max_branching,
            hops=walk.max_dependency_hops,
            memories=walk.max_traversal_paths,
            min_strength=walk.min_dependency_strength,
            min_confidence=walk.min_confidence,
        ),
        rehearsal_weight=search.rehearsal_weight if search.rehearsal_enabled else 0.0,
        rehearsal_half_life_days=search.rehearsal_half_life_days,
        rerank=pipeline.reranker.enabled,
        rerank_top_n=pipeline.reranker.top_n,
        rerank_timeout_ms=pipeline.reranker.timeout_ms,
        truncate_chars=pipeline.guardrails.recall_truncate_chars,
    )
