"""New database files for tests, quickly: the schema is built once and copied."""

import tempfile
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

from signet.db import migrate

#: When every test database was made.
MADE_AT = datetime(2026, 1, 1, tzinfo=UTC)


def fresh_database(path: Path) -> Path:
    """Write a new database with the whole schema to `path` and return it; nothing may have it open."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(_template())
    return path


@cache
def _template() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        model = Path(folder) / "memories.db"
        migrate.upgrade(model, now=MADE_AT)
        return model.read_bytes()
