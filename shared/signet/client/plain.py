"""The requests of a client, without the plans that take several: what most commands need, and loaded sooner."""

import time
from typing import Any, Unpack

from signet.client import transport
from signet.client.call import Call, Plan, T, answer
from signet.client.calls import Calls
from signet.client.errors import ConnectionBroken, RateLimited
from signet.client.target import CallTarget, Options, find
from signet.errors import Frozen, SignetError, Unavailable


class PlainSignet(Calls):
    """A client of single requests. Every call raises as those of `Signet` do."""

    def __init__(self, **options: Unpack[Options]) -> None:
        self._target = find(**options)
        self.url = self._target.url

    @property
    def target(self) -> CallTarget:
        return self._target

    def perform(self, asked: Call[T] | Plan[T]) -> T:
        assert isinstance(asked, Call)
        found: T = self.send(asked)
        return found

    def send(self, call: Call[T]) -> T:
        """Return the answer to a call, retrying a safe one when the daemon is temporarily unavailable."""
        attempt = 0
        while True:
            try:
                return answer(call, transport.send(self._target, call))
            except SignetError as error:
                pause = pause_seconds(call, error, attempt=attempt, retries=self._target.retries)
                if pause is None:
                    raise
            time.sleep(pause)
            attempt += 1


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
