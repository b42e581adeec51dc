"""Questions in an address: the older search, and which memories a map shows (EM-12)."""

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from signet.wire.requests.model import (
    BY_COMMAS,
    SAFE_INTEGER,
    Flag,
    Instant,
    Params,
    Tags,
    Text,
    Whole,
    spelled,
)

#: More names than this are no question of a person.
MAX_NAMES = 100
#: Longer texts are looked for by nobody, and SQLite takes no pattern of more than 50,000 bytes.
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


#: A comma list, without repetitions.
Names = Annotated[tuple[str, ...], BeforeValidator(_names)]


#: Tags in an address.
ListedTags = Annotated[Tags, BY_COMMAS]


class PageParams(Params):
    """Which page of memories: those that pass all filters, from the one behind `cursor` or the memory `before` on.

    `state` is active, superseded, forgotten or archived (of agents that were removed), by default all that are not
    forgotten; `as_of` shows what stood then.
    """

    limit: Annotated[int, Whole(1, 1_000)] = 100
    offset: Annotated[int, Whole(0, SAFE_INTEGER)] = 0
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
    scope: Text = None
    pinned: bool | None = None
    importance_min: float | None = spelled("importance_min", "importanceMin", "importance")
    since: str | None = None
    until: str | None = None
    event_since: str | None = None
    event_until: str | None = None
    state: Literal["active", "superseded", "forgotten", "archived"] | None = None
    as_of: Instant | None = None
    #: Only those of which no person has said what they are worth.
    unreviewed: Flag = False
    stats: Flag = True
    total: Flag = False
    facets: Names = ()


class HistoryParams(Params):
    """Which changes of all memories: of one kind, between two times, from the one behind `cursor` on."""

    limit: Annotated[int, Whole(1, 500)] = 100
    cursor: Text = None
    event: Text = None
    since: str | None = None
    until: str | None = None
    scope: Text = None


class StatusParams(Params):
    """Which parts of the status, by the names of its fields; without any all of it."""

    parts: Names = ()


class ForgottenParams(Params):
    """Which page of forgotten values."""

    limit: Annotated[int, Whole(1, 1_000)] = 100
    offset: Annotated[int, Whole(0, SAFE_INTEGER)] = 0


class EventParams(Params):
    """Which topics are followed; without any all that the caller may follow."""

    topics: Names = ()


class SeriesParams(Params):
    """What is counted: the last `count` ten minutes, hours or days of a time zone; without `metrics` all."""

    metrics: Names = ()
    step: Literal["10min", "hour", "day"] = "day"
    count: Annotated[int, Whole(0, 1_000)] = 0
    tz: str = Field("UTC", max_length=60)


class GraphParams(Params):
    """How much of a graph is drawn: at most `limit` entities that so many memories mention, of the named kinds."""

    limit: Annotated[int, Whole(1, 5_000)] = 1_500
    min_mentions: Annotated[int, Whole(0, SAFE_INTEGER)] = spelled(
        "min_mentions", "minMentions", default=2
    )
    kinds: Names = ()


class SearchParams(Params):
    """What the older search looks for; with `distinct` only the values of `who` or `type` are wanted."""

    q: str = ""
    distinct: str | None = None
    limit: Annotated[int, Whole(-1, 200)] = 0
    type: str | None = None
    tags: ListedTags = ()
    who: str | None = None
    pinned: bool = False
    importance_min: float | None = spelled("importance_min", "importanceMin")
    since: str | None = None


class MapParams(Params):
    """Which memories a map shows, and which part of them; `limit` 0 is for all that fit."""

    dimensions: str = "2"
    limit: Annotated[int, Whole(0, 5_000)] = 0
    offset: Annotated[int, Whole(0, 100_000)] = 0
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
