"""What the looks at the graph share: the refusal of an unknown entity, and which attributes may be shown."""

from signet.db.visibility import Reader, Where, readable
from signet.errors import NotFound


class UnknownEntity(NotFound):
    """Entity not found."""


def shown(reader: Reader) -> Where:
    """Return the condition on an attribute `a` whose text this reader may see.

    A text follows the memory it was read from. One whose memory is gone is shown only while it holds: it was told
    outright then, and not left over from something forgotten.
    """
    where = readable(reader)
    return Where(
        "(CASE WHEN a.source_memory_id IS NULL THEN a.status = 'active' ELSE EXISTS ("
        "SELECT 1 FROM memories m WHERE m.id = a.source_memory_id AND m.is_deleted = 0"
        f" AND {where.sql}) END)",
        where.params,
    )
