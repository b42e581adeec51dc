"""Rate limits as sliding windows: at most `max` allowed requests of a key in the last `window_ms` (AUTH-24).

The allowed requests are rows, so that all processes count together; a key has no more rows than its limit allows, and
rows of keys that rest are dropped.
"""

import hashlib
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime

from signet.config.sections import RateLimit, RateLimits
from signet.db import WriteTx
from signet.domain.auth import sql
from signet.errors import Kind, SignetError
from signet.wire.access import Quota

#: Longer names of actors are counted under their hash.
LONGEST_ACTOR = 200
#: Number of allowed requests after which rows of idle keys are dropped.
SWEEP_EVERY = 64
#: A row further ahead comes from a clock that was set back; rows of another process may be slightly ahead.
AHEAD_MS = 60_000


class RateLimitExceeded(SignetError, kind=Kind.LIMITED, code="rate_limited"):
    """rate limit exceeded"""

    def __init__(self, *, free_at_ms: int, now_ms: int) -> None:
        #: Whole seconds, one at least.
        self.retry_after_seconds = max(1, math.ceil((free_at_ms - now_ms) / 1_000))
        said = f"rate limit exceeded; try again in {self.retry_after_seconds} s"
        super().__init__(said, retryAfter=free_at_ms)


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    key: str
    limit: RateLimit


def window(actor: str, operation: Quota, limits: RateLimits) -> Window:
    """Return the limit that a request of this actor counts against (AUTH-23)."""
    if len(actor) > LONGEST_ACTOR:
        actor = hashlib.sha256(actor.encode()).hexdigest()
    return Window(key=f"{actor}:{operation}", limit=_LIMITS[operation](limits))


def count(
    tx: WriteTx, asked: Window, *, now: datetime, longest_ms: int, instead_of: Window | None = None
) -> RateLimitExceeded | None:
    """Count a request, or return why it is refused, which costs nothing.

    `instead_of` is what the same request was counted as before: it is taken back when this limit refuses. Returned and
    not raised, because an error would undo the writes of others in the same group.
    """
    at = int(now.timestamp() * 1_000)
    tx.run(sql.DELETE_PASSED, (asked.key, at - asked.limit.window_ms, at + AHEAD_MS))
    [(number, oldest)] = tx.tuples(sql.COUNTED, (asked.key, asked.limit.max))
    if number >= asked.limit.max:
        if instead_of is not None:
            tx.run(sql.UNCOUNT, (instead_of.key,))
        return RateLimitExceeded(free_at_ms=(oldest or 0) + asked.limit.window_ms, now_ms=at)
    tx.run(sql.COUNT, (asked.key, at))
    if int(tx.value(sql.LAST)) % SWEEP_EVERY == 0:
        tx.run(sql.SWEEP, (at - longest_ms,))
    return None


def longest_ms(limits: RateLimits) -> int:
    return max(limit_of(limits).window_ms for limit_of in _LIMITS.values())


_LIMITS: Mapping[Quota, Callable[[RateLimits], RateLimit]] = {
    Quota.FORGET: lambda limits: limits.forget,
    Quota.MODIFY: lambda limits: limits.modify,
    Quota.BATCH_FORGET: lambda limits: limits.batch_forget,
    Quota.FORCE_DELETE: lambda limits: limits.force_delete,
    Quota.ADMIN: lambda limits: limits.admin,
}
