"""Limit calls of a paid or shared model: concurrent calls, calls per hour, tokens per hour.

The limits apply to the workspace, not to a process. A slot is a file lock, which the kernel frees when its holder
ends. Calls and tokens are counted in `provider_usage`, the call before it is made, so that a crash loop is bounded
too. A provider over its hourly budget is down until the next hour: jobs wait and lose no attempt.
"""

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from signet import clock
from signet.db import Database, ReadTx, WriteTx, provider_usage
from signet.db.provider_usage import ProviderUsage
from signet.errors import ProviderDown
from signet.providers.pace import WAIT_SHARE, busy
from signet.providers.ports import Completion, LanguageModel, Shape

#: Seconds between attempts to get a slot.
LOOK_SECONDS = 0.05
#: Retention of the hourly counts, for cost overviews.
KEPT = timedelta(days=30)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ration:
    """The limits of one provider; 0 calls or tokens means unlimited."""

    at_once: int
    calls_per_hour: int
    tokens_per_hour: int


def used(tx: ReadTx, provider: str, *, now: datetime) -> ProviderUsage:
    """Return a provider's usage (by kind, without the model) in the hour of `now`."""
    return provider_usage.used(tx, provider, _hour(now))


def count(tx: WriteTx, provider: str, *, now: datetime, calls: int = 0, tokens: int = 0) -> None:
    """Add to a provider's usage, and delete counts older than a month."""
    provider_usage.add(tx, provider, _hour(now), ProviderUsage(calls, tokens))
    provider_usage.delete_old(tx, _hour(now - KEPT))


class RationedModel:
    """A LanguageModel within its limits."""

    def __init__(
        self,
        model: LanguageModel,
        db: Database,
        folder: Path,
        ration: Ration,
        *,
        yields: bool = False,
    ) -> None:
        """`folder` holds the slot files and is created if missing.

        A model that yields never takes the last free slot, leaving it to interactive work.
        """
        self._model = model
        self._db = db
        self._folder = folder
        self._ration = ration
        self._needs = 2 if yields and ration.at_once > 1 else 1
        self._kind = model.name.partition(":")[0]

    @property
    def name(self) -> str:
        return self._model.name

    def generate(
        self, prompt: str, *, timeout_seconds: float, max_tokens: int, shape: Shape | None = None
    ) -> Completion:
        """Return the model's answer; raises ProviderDown when the hour's budget is used up.

        Raises ProviderBusy when no slot becomes free in time.
        """
        started = time.monotonic()
        with self._slot(started + timeout_seconds * WAIT_SHARE):
            self._take_call()
            left = started + timeout_seconds - time.monotonic()
            found = self._model.generate(
                prompt, timeout_seconds=left, max_tokens=max_tokens, shape=shape
            )
        tokens = (found.input_tokens or 0) + (found.output_tokens or 0)
        self._db.write_quick(count, self._kind, now=clock.now(), tokens=tokens)
        return found

    def available(self) -> bool:
        return self._model.available()

    def _take_call(self) -> None:
        now, ration = clock.now(), self._ration
        so_far = self._db.read(used, self._kind, now=now)
        if ration.calls_per_hour and so_far.calls >= ration.calls_per_hour:
            raise self._over(f"{ration.calls_per_hour} calls", now)
        if ration.tokens_per_hour and so_far.tokens >= ration.tokens_per_hour:
            raise self._over(f"{ration.tokens_per_hour} tokens", now)
        self._db.write_quick(count, self._kind, now=now, calls=1)

    def _over(self, budget: str, now: datetime) -> ProviderDown:
        wait = 3600 - now.minute * 60 - now.second
        return ProviderDown(
            f"{self.name}: the budget of {budget} an hour is used up",
            retry_after_seconds=wait,
            provider=self.name,
        )

    @contextmanager
    def _slot(self, until: float) -> Iterator[None]:
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        while (slot := self._free_slot()) is None:
            if time.monotonic() >= until:
                raise busy(self.name, self._ration.at_once)
            time.sleep(LOOK_SECONDS)
        try:
            yield
        finally:
            os.close(slot)

    def _free_slot(self) -> int | None:
        """Return the descriptor of an acquired slot, held until it is closed."""
        found: list[int] = []
        for number in range(self._ration.at_once):
            slot = self._locked(self._folder / f"{number}.lock")
            found += [] if slot is None else [slot]
            if len(found) == self._needs:
                for other in found[1:]:
                    os.close(other)
                return found[0]
        for slot in found:
            os.close(slot)
        return None

    @staticmethod
    def _locked(path: Path) -> int | None:
        slot = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(slot, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(slot)
            return None
        return slot


def _hour(at: datetime) -> str:
    """Return the UTC hour of an instant, as text that sorts by time."""
    return clock.to_text(at)[:13]
