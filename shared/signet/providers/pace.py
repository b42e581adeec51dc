"""Call a local model server only as often at once as it answers without slowing down.

llama.cpp with one slot, LM Studio and Ollama on a small machine answer one request after the other: parallel requests
only wait in the server's queue until our own deadlines end them. Servers that batch gain from parallel requests. Only
their speed tells the two apart, so the limit begins at one and follows it (additive increase, multiplicative
decrease). The limit belongs to this process; only the worker calls language models.
"""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Protocol

from signet.errors import ProviderBusy, ProviderDown, ProviderFailed, ProviderTimeout
from signet.providers.capacity import Capacity
from signet.providers.ports import Completion, LanguageModel, Shape

#: A call that takes this many times as long as one alone has waited for others.
SLOWER = 1.5
#: Calls at the present limit before one more is tried, and after a decrease.
CALLS_BEFORE_MORE, CALLS_AFTER_LESS = 4, 64
#: Weight of the newest call in the average duration.
NEWEST = 0.3
#: Share of a call's time that it may wait for its turn.
WAIT_SHARE = 0.5
#: Seconds before a job without a turn retries.
BUSY_SECONDS = 1.0
#: A server that does not answer a short question in this many seconds hangs, or still writes an abandoned answer; it is
#: asked again after a minute.
HUNG_SECONDS, HUNG_WAIT_SECONDS = 30.0, 60.0
HUNG_QUESTION, HUNG_TOKENS = "Answer with the one word: yes", 8


@dataclass(slots=True)
class Pace:
    """The number of parallel calls that one server takes, at most `most`."""

    most: int
    limit: int = 1
    #: Whether the server did not even answer a short question.
    is_hung: bool = False
    _running: int = 0
    _alone: float = 0.0
    _together: float = 0.0
    _until_more: int = CALLS_BEFORE_MORE
    _changed: threading.Condition = field(default_factory=threading.Condition)

    @contextmanager
    def turn(self, seconds: float) -> Iterator[int]:
        """Wait for a turn, at most `seconds`, and yield the number of running calls; raises TimeoutError."""
        with self._changed:
            if not self._changed.wait_for(lambda: self._running < self.limit, seconds):
                raise TimeoutError
            self._running += 1
            running = self._running
        try:
            yield running
        finally:
            with self._changed:
                self._running -= 1
                self._changed.notify_all()

    @property
    def is_rising(self) -> bool:
        """Whether the next answer may raise the limit."""
        return self._until_more <= 1 and self.limit < self.most

    def answered(self, seconds: float, running: int) -> None:
        """Learn from an answer that took `seconds` (per token where tokens are known) next to `running` calls."""
        with self._changed:
            if running == 1:
                self._alone = _averaged(self._alone, seconds)
            else:
                self._together = _averaged(self._together, seconds)
            if running > 1 and self._alone and self._together > SLOWER * self._alone:
                self._lower()
                return
            if running < self.limit:
                return
            self._until_more -= 1
            if self._until_more <= 0 and self.limit < self.most:
                self.limit += 1
                self._until_more, self._together = CALLS_BEFORE_MORE, 0.0
                self._changed.notify_all()

    def failed(self) -> None:
        """Learn from a call without an answer."""
        with self._changed:
            self._lower()

    def _lower(self) -> None:
        self.limit, self._until_more = max(self.limit // 2, 1), CALLS_AFTER_LESS
        self._together = 0.0


class ServerModel(LanguageModel, Protocol):
    """A model that can tell the capacity of its server."""

    def capacity(self) -> Capacity: ...


class PacedModel:
    """A LanguageModel that keeps the pace of its server."""

    def __init__(self, model: LanguageModel, pace: Pace, server: ServerModel) -> None:
        """`server` is the model without meters: it tells its slots, and answers a short question."""
        self._model = model
        self._pace = pace
        self._server = server

    @property
    def name(self) -> str:
        return self._model.name

    def available(self) -> bool:
        """Return whether the provider answers and has the model; never raises."""
        return self._model.available()

    def generate(
        self, prompt: str, *, timeout_seconds: float, max_tokens: int, shape: Shape | None = None
    ) -> Completion:
        """Return the model's answer within `timeout_seconds` after its turn.

        Raises ProviderBusy without a turn, ProviderTimeout from a server that works, ProviderDown from one that hangs.
        """
        try:
            with self._pace.turn(timeout_seconds * WAIT_SHARE) as running:
                if self._pace.is_hung:
                    self._wake(timeout_seconds)
                return self._asked(prompt, timeout_seconds, max_tokens, shape, running)
        except TimeoutError:
            raise busy(self.name, self._pace.limit) from None

    def _asked(
        self, prompt: str, seconds: float, max_tokens: int, shape: Shape | None, running: int
    ) -> Completion:
        started = time.monotonic()
        try:
            found = self._model.generate(
                prompt, timeout_seconds=seconds, max_tokens=max_tokens, shape=shape
            )
        except ProviderTimeout:
            self._pace.failed()
            self._wake(seconds)
            raise
        took = time.monotonic() - started
        if self._pace.is_rising and (slots := self._server.capacity().slots):
            self._pace.most = min(self._pace.most, slots)
        self._pace.answered(took / max(found.output_tokens or 1, 1), running)
        return found

    def _wake(self, most_seconds: float) -> None:
        """Ask a server a short question after a late answer; raises ProviderDown if it hangs."""
        seconds = min(HUNG_SECONDS, most_seconds)
        self._pace.is_hung = True
        try:
            self._server.generate(HUNG_QUESTION, timeout_seconds=seconds, max_tokens=HUNG_TOKENS)
        except ProviderTimeout as error:
            text = f"{self.name}: the server hangs: it did not answer one word within {seconds:g} s"
            raise ProviderDown(
                text, retry_after_seconds=HUNG_WAIT_SECONDS, provider=self.name
            ) from error
        except ProviderFailed:
            pass  # an unusable answer is an answer
        self._pace.is_hung = False


def busy(name: str, calls: int) -> ProviderBusy:
    """Return the error of a call that got no turn next to `calls` others."""
    text = f"{name}: {calls} parallel calls already"
    return ProviderBusy(text, retry_after_seconds=BUSY_SECONDS, provider=name)


def _averaged(average: float, newest: float) -> float:
    return newest if not average else average + NEWEST * (newest - average)
