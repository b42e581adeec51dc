"""The spaces."""

from datetime import datetime

from signet import clock
from signet.db import ReadTx, WriteTx
from signet.domain.auth import caller
from signet.domain.auth.tokens import BAD_SPACE_NAME, SPACE_NAME
from signet.domain.memory.models import Actor
from signet.domain.spaces import sql
from signet.errors import Conflict, Invalid, NotFound
from signet.wire import spaces as wire
from signet.wire.access import Verb


def every(tx: ReadTx, name: str | None = None) -> list[wire.Space]:
    """Return the spaces in which the caller has a verb; only this one with `name`."""
    asked = caller.current()
    found = []
    for row in tx.all(sql.SPACES, {"name": name}):
        verbs = [str(verb) for verb in Verb if asked.may_in(row["name"], verb)]
        if verbs:
            found.append(_space(dict(row), verbs))
    return found


def get(tx: ReadTx, name: str) -> wire.Space:
    """Return a space; raises NotFound."""
    found = every(tx, name)
    if not found:
        raise NotFound(f"no space is called '{name}'")
    return found[0]


def is_reviewed(tx: ReadTx, name: str) -> bool:
    """Return whether a space asks for review; raises NotFound."""
    found = tx.value(sql.IS_REVIEWED, (name,))
    if found is None:
        raise NotFound(f"no space is called '{name}'")
    return bool(found)


def add(
    tx: WriteTx, name: str, description: str, review: bool, *, actor: Actor, now: datetime
) -> wire.Space:
    """Create a space; raises Invalid for a bad name and Conflict for a known one."""
    if not SPACE_NAME.fullmatch(name):
        raise Invalid(BAD_SPACE_NAME)
    row = (name, description.strip(), int(review), actor.name, clock.to_text(now))
    if not tx.run(sql.ADD_SPACE, row):
        raise Conflict(f"A space called '{name}' already exists", "space_exists")
    return get(tx, name)


def change(tx: WriteTx, name: str, description: str | None, review: bool | None) -> wire.Space:
    if not tx.run(sql.CHANGE_SPACE, (description, None if review is None else int(review), name)):
        raise NotFound(f"no space is called '{name}'")
    return get(tx, name)


def remove(tx: WriteTx, name: str) -> None:
    """Delete a space that nothing is in any more."""
    tx.run(sql.DELETE_SPACE, (name,))


def _space(row: dict[str, object], verbs: list[str]) -> wire.Space:
    return {
        "name": str(row["name"]),
        "description": str(row["description"]),
        "review": bool(row["review"]),
        "createdBy": str(row["created_by"]),
        "createdAt": str(row["created_at"]),
        "memories": int(str(row["memories"])),
        "waiting": int(str(row["waiting"])),
        "verbs": verbs,
    }
