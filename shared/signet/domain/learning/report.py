"""How learned ranking does, as the routes and the dashboard show it."""

from signet.db import ReadTx, columns
from signet.domain.learning import influence, sql, standing, worth
from signet.domain.learning.sql import ByEntity, ByProject, ComparedRow, TrainingRow
from signet.wire import predictor as wire

#: The fewest sessions that can prove anything: so many wins in a row.
LEAST_SESSIONS = next(n for n in range(100) if standing.evidence(n, 0) >= standing.ENOUGH)


def status(tx: ReadTx, *, agent_id: str, window: int) -> wire.PredictorStatus:
    """Return what is learned and whether it takes part."""
    labels, last = tx.tuples(sql.LABEL_COUNT, (agent_id,))[0]
    stored = influence.state(tx, agent_id)
    found = influence.standing_of(tx, agent_id, window=window)
    trained = bool(tx.value(sql.TRAINED, (agent_id,)))
    return {
        "enabled": True,
        "alive": True,
        "crashCount": 0,
        "crashDisabled": False,
        "status": {
            "trained": trained,
            "training_pairs": labels,
            "model_version": worth.VERSION if trained else None,
            "last_trained": last,
            "native_dimensions": 0,
            "feature_dimensions": 0,
        },
        "state": {
            "alpha": stored.alpha,
            "successRate": found.rate,
            "coldStartExited": found.is_on,
            "sessions": found.wins + found.losses + found.ties,
            "minSessions": LEAST_SESSIONS,
            "activeVersion": worth.VERSION if found.is_on else None,
            "lastRollback": stored.last_rollback,
            "wins": found.wins,
            "losses": found.losses,
            "ties": found.ties,
            "evidence": round(found.evidence, 3),
            "enoughEvidence": standing.ENOUGH,
        },
    }


def count_labels(tx: ReadTx, *, agent_id: str) -> int:
    """Return how many labels there are to learn from."""
    return int(tx.tuples(sql.LABEL_COUNT, (agent_id,))[0][0])


def comparisons(
    tx: ReadTx,
    *,
    agent_id: str,
    project: str | None,
    entity_id: str | None,
    since: str | None,
    until: str | None,
    limit: int,
    offset: int,
) -> wire.ComparisonPage:
    """Return a page of the sessions that were compared, newest first; instants are ISO text."""
    asked = {
        "agent": agent_id,
        "project": project,
        "entity": entity_id,
        "since": since,
        "until": until,
        "limit": limit,
        "offset": offset,
    }
    return {
        "total": int(tx.value(sql.COUNT_COMPARED, asked)),
        "limit": limit,
        "offset": offset,
        "items": [_compared(row) for row in tx.rows(ComparedRow, sql.COMPARED, asked)],
    }


def by_project(tx: ReadTx, *, agent_id: str) -> list[wire.ProjectResult]:
    """Return how it did by project; ties count for neither side (PR-35)."""
    return [
        {
            "project": row.project,
            "wins": row.wins,
            "losses": row.losses,
            "winRate": _rate(row.wins, row.losses),
            "avgMargin": round(row.margin, 4),
        }
        for row in tx.rows(ByProject, sql.BY_PROJECT, (agent_id,))
    ]


def by_entity(tx: ReadTx, *, agent_id: str) -> list[wire.EntityResult]:
    """Return how it did by the entity that a session was about; ties count for neither side (PR-35)."""
    return [
        {
            "entityId": row.entity_id,
            "entityName": row.entity_name,
            "wins": row.wins,
            "losses": row.losses,
            "winRate": _rate(row.wins, row.losses),
            "avgMargin": round(row.margin, 4),
        }
        for row in tx.rows(ByEntity, sql.BY_ENTITY, (agent_id,))
    ]


def trainings(tx: ReadTx, *, agent_id: str, limit: int) -> list[wire.Training]:
    """Return when what was learned was let take part, and when it was stopped, newest first."""
    rows = tx.rows(TrainingRow, sql.TRAININGS, (agent_id, limit))
    return [
        {
            "id": row.id,
            "agentId": row.agent_id,
            "modelVersion": row.model_version,
            "loss": row.loss,
            "sampleCount": row.sample_count,
            "durationMs": row.duration_ms,
            "canaryNdcg": row.canary_ndcg,
            "canaryNdcgDelta": row.canary_ndcg_delta,
            "canaryScoreVariance": row.canary_score_variance,
            "canaryTopkChurn": row.canary_topk_churn,
            "createdAt": row.created_at,
            "accepted": None if row.accepted is None else bool(row.accepted),
            "reason": row.reason,
        }
        for row in rows
    ]


def _compared(row: ComparedRow) -> wire.Compared:
    return {
        "id": row.id,
        "sessionKey": row.session_key,
        "agentId": row.agent_id,
        "predictorNdcg": row.predictor_ndcg,
        "baselineNdcg": row.baseline_ndcg,
        "predictorWon": bool(row.predictor_won),
        "margin": row.margin,
        "alpha": row.alpha,
        "emaUpdated": bool(row.ema_updated),
        "focalEntityId": row.focal_entity_id,
        "focalEntityName": row.focal_entity_name,
        "project": row.project,
        "candidateCount": row.candidate_count,
        "traversalCount": row.traversal_count or 0,
        "constraintCount": row.constraint_count or 0,
        "scorerConfidence": row.scorer_confidence,
        "successRate": row.success_rate,
        "predictorTopIds": list(columns.json_strings(row.predictor_top_ids)),
        "baselineTopIds": list(columns.json_strings(row.baseline_top_ids)),
        "relevanceScores": columns.json_object(row.relevance_scores),
        "ftsOverlapScore": row.fts_overlap_score,
        "createdAt": row.created_at,
    }


def _rate(wins: int, losses: int) -> float:
    return wins / (wins + losses) if wins + losses else 0.0
