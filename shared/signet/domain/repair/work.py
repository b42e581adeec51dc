"""What a long repair holds in its hand: short transactions, and a way to be stopped between them.

The same repair runs as a job of the worker, where each step names the job's lease and what was done so far is kept
with the job, and inside any other process, where nothing survives it.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from signet.db import Database, WriteTx
from signet.domain.repair.models import Order
from signet.paths import Workspace
from signet.providers.ports import Embedder, LanguageModel


class Models(Protocol):
    """Whoever makes vectors and reads texts, where somebody does."""

    def embedder(self) -> Embedder | None: ...
    def language_model(self) -> LanguageModel | None: ...


class NoModels:
    """Nobody."""

    def embedder(self) -> Embedder | None:
        """Return None."""
        return None

    def language_model(self) -> LanguageModel | None:
        """Return None."""
        return None


def _never() -> None:
    """Go on."""


def _forget(tx: WriteTx, affected: int, steps: int) -> None:
    """Keep nothing."""


@dataclass(slots=True, kw_only=True)
class Work:
    """One long repair while it runs.

    `affected` counts the rows that it has changed, `steps` the transactions that did it; those of an earlier try too.
    """

    order: Order
    db: Database
    workspace: Workspace
    models: Models = field(default_factory=NoModels)
    #: Raises when the repair should stop.
    check: Callable[[], None] = _never
    #: Keeps what was done so far, in the transaction that does it.
    keep: Callable[[WriteTx, int, int], None] = _forget
    #: Runs a function in a short transaction.
    write: Callable[[Callable[[WriteTx], int]], int] = field(init=False)
    affected: int = 0
    steps: int = 0

    def __post_init__(self) -> None:
        self.write = self.db.write_quick

    def step(self, change: Callable[[WriteTx], int]) -> int:
        """Change some rows in one transaction and return how many; safe to be stopped before and after."""
        self.check()

        def counted(tx: WriteTx) -> int:
            count = change(tx)
            self.keep(tx, self.affected + count, self.steps + (count > 0))
            return count

        count = self.write(counted)
        self.affected += count
        self.steps += count > 0
        return count
