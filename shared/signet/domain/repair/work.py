"""Tools of a long repair: short transactions, and a way to stop between them.

The same repair runs as a job of the worker, where each step checks the job's lease and stores the progress with the
job, and in other processes, where no progress survives them.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from signet.db import Database, WriteTx
from signet.domain.repair.models import Order
from signet.paths import Workspace
from signet.providers.ports import Embedder, LanguageModel


class Models(Protocol):
    """The models for embedding and text, if available."""

    def embedder(self) -> Embedder | None: ...
    def language_model(self) -> LanguageModel | None: ...


class NoModels:
    """No models."""

    def embedder(self) -> Embedder | None:
        return None

    def language_model(self) -> LanguageModel | None:
        return None


def _never() -> None:
    """Never stop."""


def _forget(tx: WriteTx, affected: int, steps: int) -> None:
    """Store no progress."""


@dataclass(slots=True, kw_only=True)
class Work:
    """A running long repair.

    `affected` counts changed rows, `steps` transactions, including those of an earlier attempt.
    """

    order: Order
    db: Database
    workspace: Workspace
    models: Models = field(default_factory=NoModels)
    #: Raises when the repair should stop.
    check: Callable[[], None] = _never
    #: Stores the progress in the transaction of a step.
    keep: Callable[[WriteTx, int, int], None] = _forget
    #: Runs a function in a short transaction.
    write: Callable[[Callable[[WriteTx], int]], int] = field(init=False)
    affected: int = 0
    steps: int = 0

    def __post_init__(self) -> None:
        self.write = self.db.write_quick

    def step(self, change: Callable[[WriteTx], int]) -> int:
        """Change some rows in one transaction and return their number; may be interrupted before and after."""
        self.check()

        def counted(tx: WriteTx) -> int:
            count = change(tx)
            self.keep(tx, self.affected + count, self.steps + (count > 0))
            return count

        count = self.write(counted)
        self.affected += count
        self.steps += count > 0
        return count
