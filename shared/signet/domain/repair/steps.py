"""Tools of repairs: selected rows, previews, and the steps of a long repair.

A long repair runs short transactions and may stop between them. In the worker each step checks the job's lease and
stores the progress with the job; in other processes no progress survives them.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from signet.db import Database, ReadTx, Row, WriteTx
from signet.domain.auth import caller
from signet.domain.repair import sql
from signet.domain.repair.models import RepairDone, RepairOrder
from signet.paths import Workspace
from signet.providers.ports import Embedder, LanguageModel
from signet.text.plural import count

#: Rows to show in a preview.
SHOWN = 20

Find = Callable[[ReadTx, RepairOrder], list[Row]]
Show = Callable[[Row], object]


def selecting(statement: str, *, limit: str = "batchSize", **options: str) -> Find:
    """Return a reader of the rows that an order selects, up to its limit option.

    `options` are further parameters of the statement, each with its option.
    """

    def find(tx: ReadTx, order: RepairOrder) -> list[Row]:
        asked = {name: order.options[option] for name, option in options.items()}
        asked["limit"] = order.number(limit)
        return tx.all(statement, {**sql.parameters(order.chosen), **asked})

    return find


def previewing(
    find: Find, would: str, noun: str, show: Show
) -> Callable[[ReadTx, RepairOrder], RepairDone]:
    """Return a preview that counts the found rows; `would` describes the change of `{}`, which `noun` names."""

    def looked(tx: ReadTx, order: RepairOrder) -> RepairDone:
        rows = find(tx, order)
        message = f"dry run: would {would.format(count(len(rows), noun))}"
        return RepairDone(len(rows), message, sample(rows, show))

    return looked


def sample(rows: Sequence[Row], show: Show) -> dict[str, object]:
    """Return the first rows for an answer, without rows of owners hidden from the caller."""
    hides = caller.current().hides
    return {"sample": [show(row) for row in rows if not hides(row["agent_id"])][:SHOWN]}


class RepairModels(Protocol):
    """The models for embedding and text, if available."""

    def embedder(self) -> Embedder | None: ...
    def language_model(self) -> LanguageModel | None: ...


class NoModels:
    def embedder(self) -> Embedder | None:
        return None

    def language_model(self) -> LanguageModel | None:
        return None


@dataclass(slots=True, kw_only=True)
class RepairWork:
    """A running long repair.

    `affected` counts changed rows, `steps` transactions, including those of an earlier attempt.
    """

    order: RepairOrder
    db: Database
    workspace: Workspace
    models: RepairModels = field(default_factory=NoModels)
    #: Raises when the repair should stop.
    check: Callable[[], None] = lambda: None
    #: Stores the progress in the transaction of a step.
    keep: Callable[[WriteTx, int, int], None] = lambda tx, affected, steps: None
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
