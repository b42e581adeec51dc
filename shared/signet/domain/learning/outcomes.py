"""How sessions went, one row each, to compare those with memory and those without."""

from signet.db import ReadTx, WriteTx
from signet.domain.learning import sql


def experience(tx: ReadTx, agent_id: str) -> tuple[int, str | None]:
    """Return how many sessions of an agent that were given memories have ended, and when the first of them did."""
    [(sessions, first)] = tx.tuples(sql.EXPERIENCE, (agent_id,))
    return sessions, first


def helped(tx: ReadTx, agent_id: str, limit: int) -> list[str]:
    """Return the keys of the newest sessions that something helped in, newest first."""
    return tx.column(sql.HELPED_IN, (agent_id, limit))


def relevance(tx: ReadTx, agent_id: str, key: str) -> dict[str, float]:
    """Return what memories were worth to a session, 0..1, by id; silence is 0."""
    return dict(tx.tuples(sql.RELEVANCE, (agent_id, key)))


def delete_old_comparisons(tx: WriteTx, before: str, limit: int) -> int:
    """Delete the oldest comparisons of both orders and return how many."""
    return tx.run(sql.DELETE_COMPARISONS, (before, limit))


def delete_old(tx: WriteTx, before: str, limit: int) -> int:
    """Delete the oldest outcomes and return how many."""
    return tx.run(sql.DELETE_OUTCOMES, (before, limit))
