"""Who asks and for what, as one condition on `memories`: every channel and every row passes it."""

from signet.db import fts
from signet.db.visibility import Where, readable
from signet.domain.memory import filters as asked
from signet.domain.recall import times
from signet.domain.recall.models import Filters, Query


def condition(query: Query) -> Where:
    """Return what a row of `memories m` must be to answer this query; raises Invalid for a time that is none."""
    return times.standing(query.as_of) & readable(query.reader) & _filters(query.filters)


def indexed(filters: Filters) -> list[Where]:
    """Return the conditions each of which an index of `memories` answers by itself, without its rows."""
    found: list[Where] = []
    for column, value in (
        ("m.type = ?", filters.type),
        ("m.who = ?", filters.who),
        ("m.project = ?", filters.project),
        ("m.importance >= ?", filters.importance_min),
        ("m.created_at >= ?", asked.instant("since", filters.since)),
        ("m.created_at <= ?", asked.instant("until", filters.until, last=True)),
    ):
        if value is not None:
            found.append(
                Where(column, (fts.encodable(value) if isinstance(value, str) else value,))
            )
    if filters.pinned is not None:
        found.append(Where("m.pinned = ?", (int(filters.pinned),)))
    return found


def _filters(filters: Filters) -> Where:
    where = Where("1")
    for one in indexed(filters):
        where &= one
    for tag in filters.tags:
        where &= asked.has_tag(tag)
    return where
