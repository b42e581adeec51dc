"""The states of a job.

pending → leased → completed; a failing run moves back to pending, or to dead when no attempt is left or none
would help; a requeue moves dead to pending. lease.py, finish.py and admin.py hold these moves, and CHECKs of
the table refuse half of one. `failed` is a name of the state set that no row ever rests in.
"""

from enum import StrEnum

#: How many past errors a row keeps, newest last.
ERRORS_KEPT = 5


class Status(StrEnum):
    """Where a job is; the strings are what the table stores."""

    PENDING = "pending"
    LEASED = "leased"
    COMPLETED = "completed"
    FAILED = "failed"
    DEAD = "dead"
