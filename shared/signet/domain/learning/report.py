"""State and results of learned ranking for routes and dashboard."""

from signet.db import ReadTx
from signet.domain.learning import influence, sql, worth
from signet.wire import predictor as wire

#: Minimum number of sessions that can prove anything, all won.
LEAST_SESSIONS = next(n for n in range(100) if influence.evidence(n, 0) >= influence.ENOUGH)


def status(tx: ReadTx, *, agent_id: str, window: int) -> wire.PredictorStatus:
    """Return the state of learned ranking."""
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
            "enoughEvidence": influence.ENOUGH,
        },
    }


def count_labels(tx: ReadTx, *, agent_id: str) -> int:
    """Return the number of labels."""
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
    """Return a page of compared sessions, newest first; instants are ISO text."""
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
        "items": tx.records(wire.Compared, sql.COMPARED, asked),
    }


def by_project(tx: ReadTx, *, agent_id: str) -> list[wire.ProjectResult]:
    """Return the results by project, most sessions first."""
    return tx.records(wire.ProjectResult, sql.BY_PROJECT, (agent_id,))


def by_entity(tx: ReadTx, *, agent_id: str) -> list[wire.EntityResult]:
    """Return the results by the session's entity, most sessions first."""
    return tx.records(wire.EntityResult, sql.BY_ENTITY, (agent_id,))


def trainings(tx: ReadTx, *, agent_id: str, limit: int) -> list[wire.Training]:
    """Return activations and stops of learned ranking, newest first."""
    return tx.records(wire.Training, sql.TRAININGS, (agent_id, limit))
