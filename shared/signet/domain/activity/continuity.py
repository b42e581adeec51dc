"""How well recall served past sessions (AN-15)."""

from signet.db import ReadTx
from signet.domain.activity import sql
from signet.wire.analytics import Continuity, ProjectScore, ScoreSummary, SessionScore


def report(tx: ReadTx, *, project: str | None, limit: int) -> Continuity:
    """Return the scores of sessions, newest first, with their count, average, trend (newest − oldest) and newest."""
    found = tx.records(SessionScore, sql.SCORES, {"project": project, "limit": limit})
    return {"scores": found, "summary": _summary([one["score"] for one in found])}


def latest(tx: ReadTx) -> list[ProjectScore]:
    """Return the newest score of each project, newest first."""
    return tx.records(ProjectScore, sql.LATEST_SCORES)


def _summary(scores: list[float]) -> ScoreSummary:
    if not scores:
        return {"count": 0, "average": 0, "trend": 0, "latest": None}
    return {
        "count": len(scores),
        "average": round(sum(scores) / len(scores), 2),
        "trend": round(scores[0] - scores[-1], 2),
        "latest": scores[0],
    }
