"""Who asks and for what, as one condition on `memories`: every channel and every row passes it."""

from datetime import timedelta

from signet import clock
from signet.db import fts
from signet.db.visibility import Where, readable
from signet.domain.recall.models import Filters, Query
from signet.errors import Invalid

#: Tags are a JSON array; rows of older files may hold a comma list. Compared whole and in lower case.
_TAG = """
EXISTS (SELECT 1 FROM json_each(
          CASE WHEN json_valid(m.tags) THEN m.tags
               ELSE '["' || replace(replace(replace(m.tags, '\\', ''), '"', ''), ',', '","') || '"]' END) t
        WHERE lower(trim(t.value)) = ?)
"""


def condition(query: Query) -> Where:
    """Return what a row of `memories m` must be to answer this query; raises Invalid for a time that is none."""
    return Where("m.is_deleted = 0") & readable(query.reader) & _filters(query.filters)


def _filters(filters: Filters) -> Where:
    where = Where("1")
    for column, value in (
        ("m.type = ?", filters.type),
        ("m.who = ?", filters.who),
        ("m.project = ?", filters.project),
        ("m.importance >= ?", filters.importance_min),
        ("m.created_at >= ?", _instant("since", filters.since)),
        ("m.created_at <= ?", _instant("until", filters.until, last=True)),
    ):
        if value is not None:
            where &= Where(column, (fts.encodable(value) if isinstance(value, str) else value,))
    if filters.pinned is not None:
        where &= Where("m.pinned = ?", (int(filters.pinned),))
    for tag in filters.tags:
        where &= Where(_TAG, (fts.encodable(tag).strip().lower(),))
    return where


def _instant(name: str, text: str | None, *, last: bool = False) -> str | None:
    """Return a time as it is stored; a day alone is its first instant, or with `last` its last one."""
    if text is None:
        return None
    try:
        instant = clock.parse(text)
    except ValueError as error:
        raise Invalid(f"{name} must be an ISO-8601 time") from error
    if last and len(text.strip()) <= len("2026-01-31"):
        instant += timedelta(days=1, milliseconds=-1)
    return clock.to_text(instant)
