"""The rows that a repair is about: read as they are chosen, and shown by a look at it."""

from collections.abc import Callable, Sequence

from signet.db import ReadTx, Row
from signet.domain.auth import caller
from signet.domain.repair import choice
from signet.domain.repair.models import Done, Order

#: So many of the rows that it counts a look shows.
SHOWN = 20

Find = Callable[[ReadTx, Order], list[Row]]
Show = Callable[[Row], object]


def chosen(statement: str, *, limit: str = "batchSize", **options: str) -> Find:
    """Return what reads the rows that an order chooses, as many as its option says at most.

    `options` are further parameters of the statement, each with the option that it is.
    """

    def find(tx: ReadTx, order: Order) -> list[Row]:
        asked = {name: order.options[option] for name, option in options.items()}
        asked["limit"] = order.number(limit)
        return tx.all(statement, {**choice.parameters(order.chosen), **asked})

    return find


def look(find: Find, would: str, show: Show) -> Callable[[ReadTx, Order], Done]:
    """Return the look that counts the rows which are found; `would` says what is done with so many (`{}`)."""

    def looked(tx: ReadTx, order: Order) -> Done:
        rows = find(tx, order)
        message = f"dry run: would {would.format(len(rows))}"
        return Done(affected=len(rows), message=message, details=sample(rows, show))

    return looked


def sample(rows: Sequence[Row], show: Show) -> dict[str, object]:
    """Return the details of an answer that shows the first rows, without rows of owners hidden from the caller."""
    hides = caller.current().hides
    return {"sample": [show(row) for row in rows if not hides(row["agent_id"])][:SHOWN]}
