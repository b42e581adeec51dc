"""The states of a job and the legal moves between them.

`failed` is a name of the state set that no row ever rests in: a failing job moves to pending or dead in the
same update.
"""

from enum import StrEnum


class Status(StrEnum):
    """Where a job is; the strings are what the table stores."""

    PENDING = "pending"
    LEASED = "leased"
    COMPLETED = "completed"
    FAILED = "failed"
    DEAD = "dead"


#: From each state, where a job may go next.
MOVES: dict[Status, frozenset[Status]] = {
    Status.PENDING: frozenset({Status.LEASED, Status.DEAD}),
    Status.LEASED: frozenset({Status.PENDING, Status.COMPLETED, Status.DEAD}),
    Status.COMPLETED: frozenset(),
    Status.FAILED: frozenset(),
    Status.DEAD: frozenset({Status.PENDING}),
}

OPEN = frozenset({Status.PENDING, Status.LEASED})
