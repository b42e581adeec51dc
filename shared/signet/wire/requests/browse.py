"""Query parameters: the older search, lists, and the memories of a map (EM-12)."""

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from signet.wire.origin import Origin
from signet.wire.requests.model import (
    BY_COMMAS,
    SAFE_INTEGER,
    ClampedInt,
    Flag,
    Instant,
    Params,
    Tags,
    Text,
    spelled,
)

#: Maximum number of names in one request.
MAX_NAMES = 100
#: Maximum text length; SQLite accepts no pattern above 50,000 bytes.
MAX_CHARS = 2_000


def _names(sent: object) -> object:
    if isinstance(sent, list):
        sent = ",".join(map(str, sent))
    if not isinstance(sent, str):
        return sent
    found = tuple(dict.fromkeys(name for raw in sent.split(",") if (name := raw.strip())))
    if len(found) > MAX_NAMES:
        raise ValueError(f"more than {MAX_NAMES} names")
    return found


#: A comma-separated list, without repetitions.
Names = Annotated[tuple[str, ...], BeforeValidator(_names)]


#: Tags in a query string.
ListedTags = Annotated[Tags, BY_COMMAS]


class PageParams(Params):
    """A page of matching memories, after `cursor` or before the memory `before`.

    `state` is active, superseded, forgotten or archived (of removed agents); default: all except forgotten; `as_of`
    shows the store of that time.
    """

    limit: Annotated[int, ClampedInt(1, 1_000)] = 100
    offset: Annotated[int, ClampedInt(0, SAFE_INTEGER)] = 0
    cursor: Text = None
    before: Text = None
    sort: Literal["created", "updated", "forgotten", "event", "importance", "used"] | None = None
    order: Literal["asc", "desc"] = "desc"
    q: str = Field("", max_length=MAX_CHARS)
    ids: Names = ()
    type: Text = None
    who: Text = None
    project: Text = None
    tags: ListedTags = spelled("tags", "tag", default=())
    source_type: Text = spelled("source_type", "sourceType")
    source_id: Text = spelled("source_id", "sourceId")
    origin: Origin | None = None
    space: Text = None
    not_origin: Origin | None = None
    scope: Text = None
    pinned: bool | None = None
    importance_min: float | None = spelled("importance_min", "importanceMin", "importance")
    since: str | None = None
    until: str | None = None
    event_since: str | None = None
    event_until: str | None = None
    state: Literal["active", "superseded", "forgotten", "archived"] | None = None
    as_of: Instant | None = None
    unreviewed: Flag = False
    stats: Flag = True
    total: Flag = False
    facets: Names = ()


class HistoryParams(Params):
    """Changes of all memories: of one kind, between two times, after `cursor`."""

    limit: Annotated[int, ClampedInt(1, 500)] = 100
    cursor: Text = None
    event: Text = None
    since: str | None = None
    until: str | None = None
    scope: Text = None


class StatusParams(Params):
    """Parts of the status by field name; all by default."""

    parts: Names = ()


class ListParams(Params):
    """A page of a list, after `cursor`."""

    limit: Annotated[int, ClampedInt(1, 1_000)] = 100
    cursor: Text = None


class EventParams(Params):
    """Topics to follow; by default all that the caller may follow."""

    topics: Names = ()


class SeriesParams(Params):
    """Counts of the last `count` ten minutes, hours or days of a time zone; all `metrics` by default."""

    metrics: Names = ()
    step: Literal["10min", "hour", "day"] = "day"
    count: Annotated[int, ClampedInt(0, 1_000)] = 0
    tz: str = Field("", max_length=60)


class GraphParams(Params):
    """The part of a graph to draw: at most `limit` entities, with a minimum of mentions, of these kinds."""

    limit: Annotated[int, ClampedInt(1, 5_000)] = 1_500
    min_mentions: Annotated[int, ClampedInt(0, SAFE_INTEGER)] = spelled(
        "min_mentions", "minMentions", default=2
    )
    kinds: Names = ()
    project: Text = None


class SearchParams(Params):
    """The older search; with `distinct` only the values of `who` or `type`."""

    q: str = ""
    distinct: Literal["who", "type"] | None = None
    limit: Annotated[int, ClampedInt(-1, 200)] = 0
    type: str | None = None
    tags: ListedTags = ()
    who: str | None = None
    pinned: bool = False
    importance_min: float | None = spelled("importance_min", "importanceMin")
    since: str | None = None


class MapParams(Params):
    """The memories of a map, and a part of them; `limit` 0 means all that fit."""

    dimensions: str = "2"
    limit: Annotated[int, ClampedInt(0, 5_000)] = 0
    offset: Annotated[int, ClampedInt(0, 100_000)] = 0
    q: str = Field("", max_length=MAX_CHARS)
    who: Names = ()
    harness: Names = ()
    types: Names = spelled("types", "type", default=())
    source_types: Names = spelled("sourceTypes", "source_type", "sourceType", default=())
    tags: ListedTags = ()
    pinned: bool | None = None
    since: str | None = None
    until: str | None = None
    importance_min: float | None = spelled("importanceMin", "importance_min")
    importance_max: float | None = spelled("importanceMax", "importance_max")
