"""Filters that several requests share, and the changes of `modify_many`, as types."""

from collections.abc import Sequence
from typing import Literal, TypedDict


class Patch(TypedDict, total=False):
    """One change for `modify_many`; `id` is required, omitted fields are unchanged, `tags` None clears them."""

    id: str
    content: str
    type: str
    tags: str | list[str] | None
    importance: float
    pinned: bool
    who: str
    reason: str
    if_version: int


class Choice(TypedDict, total=False):
    """Memories to forget: by `ids`, by the words of `query`, or by filters.

    `offset` pages through the candidates of a preview. `all` selects every match, and `limit` only the number that a
    preview shows.
    """

    ids: Sequence[str] | None
    query: str | None
    type: str | None
    tags: str | Sequence[str] | None
    who: str | None
    project: str | None
    pinned: bool | None
    source_type: str | None
    since: str | None
    until: str | None
    scope: str | None
    limit: int | None
    offset: int | None
    all: bool
    agent_id: str | None


class MemoryFilter(TypedDict, total=False):
    """Filters of a list; omitted ones do not apply, and times are inclusive.

    `q` are words in the text, `who` is the author. `state` is `active`, `superseded` or `forgotten`; default: all
    except forgotten. `as_of` lists memories as of that time. `unreviewed`: only those without a verdict (`judge`).
    """

    q: str | None
    ids: Sequence[str] | None
    type: str | None
    who: str | None
    project: str | None
    tags: str | Sequence[str] | None
    source_type: str | None
    source_id: str | None
    pinned: bool | None
    importance_min: float | None
    since: str | None
    until: str | None
    event_since: str | None
    event_until: str | None
    state: Literal["active", "superseded", "forgotten", "archived"] | None
    as_of: str | None
    unreviewed: bool
    scope: str | None
