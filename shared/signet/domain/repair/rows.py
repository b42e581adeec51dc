"""Select and preview the rows of a repair."""

from collections.abc import Callable, Sequence

from signet.db import ReadTx, Row
from signet.domain.auth import caller
from signet.domain.repair import choice
from signet.domain.repair.models import Done, Order

#: Rows to show in a preview.
SHOWN = 20

Find = Callable[[ReadTx, Order], list[Row]]
Show = Callable[[Row], object]


def chosen(statement: str, *, limit: str = "batchSize", **options: str) -> Find:
    """Return a reader of the rows that an order selects, up to its limit option.

    `options` are further parameters of the statement, each with its option.
    """

    def find(tx: ReadTx, order: Order) -> list[Row]:
        asked = {name: order.options[option] for name, option in options.items()}
        asked["limit"] = order.number(limit)
        return tx.all(statement, {**choice.parameters(order.chosen), **asked})

    return find


def previewing(find: Find, would: str, show: Show) -> Callable[[ReadTx, Order], Done]:
    """Return a preview that counts the found rows; `would` describes the change of `{}` rows."""

    def looked(tx: ReadTx, order: Order) -> Done:
        rows = find(tx, order)
        message = f"dry run: would {would.format(len(rows))}"
        return Done(affected=len(rows), message=message, details=sample(rows, show))

    return looked


def sample(rows: Sequence[Row], show: Show) -> dict[str, object]:
    """Return the first rows for an answer, without rows of owners hidden from the caller."""
    hides = caller.current().hides
    return {"sample": [show(row) for row in rows if not hides(row["agent_id"])][:SHOWN]}
