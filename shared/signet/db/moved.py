"""Notes that a move leaves: at a memory that is used no longer, and at a copy that is not used yet.

The note of a file is next to it, that of a server's database a comment on its table of the version. Neither is copied
with the rows.
"""

import json
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from signet import clock, engine, files
from signet.text import json_text

if TYPE_CHECKING:
    from signet.db.postgres.moving import Server


class MovedAway(NamedTuple):
    """Where a memory was moved, and when (ISO 8601)."""

    to: str
    at: str

    @property
    def message(self) -> str:
        """Return the warning for users of the memory that was left."""
        return (
            f"this memory was moved to {self.to} on {self.at[:10]}; texts saved there since then are missing here."
            " To use this one again: signet doctor --fix"
        )


def path_of(database: Path) -> Path:
    """Return the path of a file's note."""
    return database.with_name(f"{database.name}.left")


def note(database: Path, to: str, now: datetime) -> None:
    """Note at a memory that it was moved elsewhere. Raises ServerUnfit."""
    _write(database, json.dumps({"to": to, "at": clock.to_text(now)}))


def read(database: Path) -> MovedAway | None:
    """Return where a memory was moved, None for one that was not. Raises ServerUnfit."""
    found = json_text.an_object(_read(database)) or {}
    return MovedAway(str(found["to"]), str(found.get("at", ""))) if "to" in found else None


def clear(database: Path) -> str:
    """Remove the note, because this memory is used again, and return a message about that. Raises ServerUnfit."""
    _write(database, None)
    return "this memory is used again"


def copy_of(server: "Server", source: Path) -> str:
    """Return the note of a copy of a file that nothing uses yet; another one once rows were added."""
    import platform

    from signet.db.postgres import moving

    place = f"{platform.node()}:{source.resolve()}"
    return json.dumps({"source": place, "state": moving.state_of(server)})


def _read(database: Path) -> str | bytes:
    if (url := engine.url_of(database)) is not None:
        from signet.db.postgres import schema

        with closing(schema.opened(url)) as server:
            return schema.note(server)
    place = path_of(database)
    return files.read_small(place) or b"" if place.exists() else b""


def _write(database: Path, text: str | None) -> None:
    if (url := engine.url_of(database)) is not None:
        from signet.db.postgres import schema

        with closing(schema.opened(url)) as server:
            schema.set_note(server, text)
    elif text is None:
        path_of(database).unlink(missing_ok=True)
    else:
        files.replace_file(path_of(database), text.encode())
