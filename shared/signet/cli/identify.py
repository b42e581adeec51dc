"""Resolve typed IDs and names to a memory's ID or one row of a list."""

from collections.abc import Callable, Iterable, Sequence
from operator import itemgetter
from typing import Any, TypeVar

from signet import ids
from signet.client import PlainSignet
from signet.errors import Conflict, Invalid, NotFound

Row = TypeVar("Row")

#: A shorter prefix is more likely a typo.
SHORTEST = 8
#: A complete UUID needs no lookup.
UUID_CHARS = 36
#: IDs listed when an ID prefix matches several.
MOST_SHOWN = 5
#: Sessions searched for a key prefix.
MOST_SESSIONS = 200


#: Characters of an ID, and the way to one by words.
_ID_CHARS = frozenset("0123456789abcdef-")
_BY_WORDS = "find the ID with `signet recall WORDS`"


def whole(
    signet: PlainSignet, typed: str, *, agent: str | None = None, find: str = _BY_WORDS
) -> str:
    """Return the ID that `typed` is or begins; `find` names the way to one for errors.

    Raises NotFound, Conflict, or Invalid for a short prefix.
    """
    typed = typed.strip()
    if typed.startswith("session:"):
        raise Invalid(f"{typed} is a session, not a memory; see: signet sessions show {typed[8:]}")
    if len(typed) == UUID_CHARS:
        return typed
    found = signet.ids(typed, agent_id=agent)
    if typed in found:
        return typed
    if len(typed) < SHORTEST:
        is_id = not set(typed.lower()) - _ID_CHARS
        why = f"give at least the first {SHORTEST} characters of the ID" if is_id else find
        raise Invalid(f"{typed!r} is {'too short' if is_id else 'not an ID'}: {why}")
    if not found:
        raise NotFound(f"No memory ID starts with {typed!r}: {find}")
    if len(found) > 1:
        shown = "\n  ".join(map(ids.short, found))
        raise Conflict(
            f"Several IDs start with {typed}; give more characters:\n  {shown}", "ambiguous_id"
        )
    return found[0]


def session(signet: PlainSignet, typed: str, *, agent: str | None) -> str:
    """Resolve a key prefix, or recall's ID of a session, among the latest sessions; else return the input."""
    key = typed.strip().removeprefix("session:")
    listed = signet.all_sessions(limit=MOST_SESSIONS, agent_id=agent)["sessions"]
    keys = [one["key"] for one in listed if one["key"].startswith(key)]
    return one(keys, key, noun="session", see="sessions", id=str) if keys else key


def one(
    rows: Iterable[Row],
    typed: str,
    *,
    noun: str,
    see: str,
    id: Callable[[Any], str] = itemgetter("id"),
    name: Callable[[Row], str] = lambda row: "",
) -> Row:
    """Return the row with this ID, ID prefix or name; raises NotFound, or Conflict for several.

    `see` is the command that lists the rows.
    """
    known = list(rows)
    tests: tuple[Callable[[Row], bool], ...] = (
        lambda row: id(row) == typed,
        lambda row: name(row) == typed,
        lambda row: name(row).casefold() == typed.casefold(),
        lambda row: id(row).startswith(typed),
    )
    for test in tests:
        found = [row for row in known if test(row)]
        if len(found) > 1:
            shown = ", ".join([*beginnings([id(row) for row in found]).values()][:MOST_SHOWN])
            more = ", …" * (len(found) > MOST_SHOWN)
            raise Conflict(f"{typed} matches several {noun}s: {shown}{more}")
        if found:
            return found[0]
    raise NotFound(f"There is no {noun} {typed}; see: signet {see}")


def beginnings(keys: Sequence[str]) -> dict[str, str]:
    """Return the shortest beginning of each key, at least SHORTEST long, that no other of them has."""
    every, found = sorted(set(keys)), {}
    for one, before, after in zip(every, ["", *every], [*every[1:], ""], strict=False):
        shared = max(_shared(one, before), _shared(one, after))
        found[one] = one[: max(SHORTEST, shared + 1)]
    return found


def _shared(one: str, other: str) -> int:
    return next(
        (at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b),
        min(len(one), len(other)),
    )
