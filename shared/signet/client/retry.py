"""Decide whether a failed call is retried, and after how long. Pure.

Only calls that are harmless to repeat are retried (reads, and saves with an idempotency key), and only if the daemon
asked to wait or the connection broke. After a refused connection or a timeout there is no retry.
"""

from typing import Any

from signet.client.call import Call
from signet.client.errors import ConnectionBroken, RateLimited, Unavailable
from signet.errors import Frozen, SignetError

#: The first pause if the daemon names none; each further one is twice as long.
FIRST_PAUSE_SECONDS = 0.1
#: The caller gets the error if the daemon asks to wait longer.
MAX_PAUSE_SECONDS = 5.0


def pause_seconds(
    call: Call[Any], error: SignetError, *, attempt: int, retries: int
) -> float | None:
    """Return the seconds to wait before retrying after the failed `attempt` (from 0), None to give up."""
    if not call.is_safe or attempt >= retries or not _will_pass(error):
        return None
    pause = FIRST_PAUSE_SECONDS * 2**attempt
    if isinstance(error, RateLimited | Unavailable) and error.retry_after is not None:
        pause = error.retry_after
    return pause if pause <= MAX_PAUSE_SECONDS else None


def _will_pass(error: SignetError) -> bool:
    if isinstance(error, ConnectionBroken):
        return True
    is_said = isinstance(error, RateLimited | Unavailable) and "http_status" in error.facts
    return is_said and error.code != Frozen.code
