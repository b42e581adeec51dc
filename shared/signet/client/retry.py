"""Whether a call that failed is sent again, and after how long. Pure.

Only calls that do no harm when they arrive twice: reads, and saves with an idempotency key. Only when the daemon said
"later" or the connection broke on the way; a daemon that is not there, or that used up the caller's time, is not asked
again.
"""

from typing import Any

from signet.client.call import Call
from signet.client.errors import ConnectionBroken, RateLimited, Unavailable
from signet.errors import Frozen, SignetError

#: The first pause when nobody says how long; each further one is twice as long.
FIRST_PAUSE_SECONDS = 0.1
#: Who is told to wait longer than this hears of it instead.
MAX_PAUSE_SECONDS = 5.0


def pause_seconds(
    call: Call[Any], error: SignetError, *, attempt: int, retries: int
) -> float | None:
    """Return how long to wait before sending again after the failed `attempt` (from 0), None for giving up."""
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
