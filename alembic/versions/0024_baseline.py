"""Create every table from `0024_baseline/*.sql`, one file per noun.

The number continues those of the development versions, so that a file at their last revision, which made this schema,
opens without a change.

A file of the TypeScript implementation is adopted: its tables are renamed, ours are created, rows are copied by
column name, counts are compared, values with another meaning are translated (`0024_baseline/adopt/*.sql`), and then
the old tables are dropped. Detection uses tables and columns, never version numbers, so files of any age work.
Unknown columns are kept at the end of their table; unknown tables are not touched.

A released revision imports nothing from the product, because its effect must not change with that code.
"""

import hashlib
import math
import re
import struct
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from alembic import context, op

revision = "0024"
down_revision = None

FOLDER = Path(__file__).with_suffix("")
ASIDE = "upstream_"
FULL_TEXT = ("memories_fts", "memory_hints_fts", "entities_fts", "episode_chunks_fts")

#: Our columns and their earlier names.
RENAMED = {
    "entity_aspects": {"aspect_name": "name"},
    "entity_attributes": {
        "attribute_value": "content",
        "normalized_value": "normalized_content",
        "source_memory_id": "memory_id",
    },
    "summary_jobs": {"session_id": "session_key", "result_path": "result"},
    "umap_cache": {"result_json": "payload", "cached_at": "created_at"},
}
#: New columns. Full text uses row numbers, so rows keep theirs; the earlier program ran every task without asking for
#: permission.
COMPUTED = {"seq": "rowid", "skip_permissions": "1"}

#: Source types of texts that strangers wrote: on the web, or for tools.
STRANGERS = re.compile(
    r"\b(?:(url|web|browser|extension|page|feed|rss|e?mail|crawl)|tool|mcp)", re.I
)
#: Instructions from unknown sources wait for approval; an abridged pattern, later versions check more.
ORDERS = re.compile(
    r"(?:^|[.!?:;>*-]|\bplease\b)\s*[\"'“(]?(?:you (?:must|should|have to|need to|are now|will)|do not|don['’]t"
    r"|never|always|ignore|disregard|forget|run|execute|call|invoke|use|send|post|open|visit|fetch|download|install"
    r"|delete|remove|write|create|add|set|change|update|commit|push|tell|reply|respond|answer|say|act|pretend|remember"
    r"|make sure|ensure|follow|copy)\b",
    re.I | re.M,
)


def upgrade() -> None:
    """Create the schema; adopt the rows of an upstream file."""
    script = [s for path in sorted(FOLDER.glob("*.sql")) for s in statements(path)]
    tables = [s for s in script if s.startswith("CREATE TABLE")]
    now: datetime = context.config.attributes["now"]
    stamp = now.astimezone(UTC).isoformat(timespec="milliseconds")[:-6] + "Z"
    times = {"now": stamp, "now_ms": int(now.timestamp() * 1000)}
    adopted = move_aside([s.split()[2] for s in tables])
    for statement in tables:
        run(statement)
    if adopted:
        adopt(adopted, times)
    for statement in script:
        if statement not in tables:
            run(statement)
    run(
        "INSERT INTO agents (id, name, read_policy, created_at, updated_at)"
        " VALUES ('default', 'default', 'shared', :now, :now) ON CONFLICT DO NOTHING",
        **times,
    )
    if adopted:
        for index in FULL_TEXT:
            run(f"INSERT INTO {index} ({index}) VALUES ('rebuild')")
        found = {row[0] for table in adopted for row in run(f"PRAGMA integrity_check({table})")}
        if found != {"ok"}:
            raise ValueError("; ".join(sorted(found - {"ok"})))


def adopt(tables: list[str], times: dict[str, Any]) -> None:
    """Copy the rows of the renamed tables, and translate their values."""
    connection = op.get_bind().connection.driver_connection
    assert connection is not None
    for function, arguments in (
        (hash_of, 1),
        (text_of, 1),
        (is_vector, 2),
        (stranger, 1),
        (is_order, 1),
    ):
        connection.create_function(function.__name__, arguments, function, deterministic=True)
    has_origins = "origin" in columns(ASIDE + "memories")
    run("PRAGMA ignore_check_constraints = ON")  # until rows.sql has made the rows legal
    for table in tables:
        copy_rows(table, times["now"])
        mend_texts(table, connection)
    scripts = ("rows.sql",) if has_origins else ("rows.sql", "origins.sql")
    for statement in (s for name in scripts for s in statements(FOLDER / "adopt" / name)):
        run(statement, **times)
    run("PRAGMA ignore_check_constraints = OFF")


def run(statement: str, **values: Any) -> list[Any]:
    """Run one statement verbatim: colons in it are not parameters."""
    result = op.get_bind().exec_driver_sql(statement, values)
    return list(result) if result.returns_rows else []


def driver() -> Any:
    return op.get_bind().dialect.dbapi


def statements(path: Path) -> Iterator[str]:
    """Yield the statements of a script, without comments between them."""
    found = ""
    for line in path.read_text("utf-8").splitlines(keepends=True):
        if found or not (line.startswith("--") or line.isspace()):
            found += line
        if driver().complete_statement(found):
            yield found.strip().rstrip(";")
            found = ""


def move_aside(ours: list[str]) -> list[str]:
    """Rename upstream tables that have names of ours; return those names."""
    if "predictor_ndcg" in columns("predictor_comparisons"):
        run("ALTER TABLE predictor_comparisons RENAME TO predictor_session_comparisons")
    master = {row.name: row for row in run("SELECT type, name, tbl_name, sql FROM sqlite_master")}
    found = [name for name in ours if name in master]
    for row in master.values():
        source = re.search(r"USING fts5.*\bcontent\s*=\s*['\"]?(\w+)", row.sql or "", re.I | re.S)
        if (source and source[1] in found) or row.name in FULL_TEXT:
            run(f'DROP TABLE "{row.name}"')
        elif row.type in ("index", "trigger") and row.tbl_name in found and row.sql:
            run(f'DROP {row.type} "{row.name}"')
        elif row.type == "view" and f"{row.name.removesuffix('_words')}_fts" in FULL_TEXT:
            run(f"DROP VIEW {row.name}")
    # References and views of unknown tables must keep the old names.
    run("PRAGMA legacy_alter_table = ON")
    for name in found:
        run(f"ALTER TABLE {name} RENAME TO {ASIDE}{name}")
    run("PRAGMA legacy_alter_table = OFF")
    return found


def columns(table: str) -> dict[str, Any]:
    """Return a table's columns by name, as `PRAGMA table_info` describes them."""
    return {row.name: row for row in run(f"PRAGMA table_info({table})")}


def copy_rows(table: str, now: str) -> None:
    """Copy all rows of a renamed table by column name, and drop it."""
    source, target = columns(ASIDE + table), columns(table)
    former = RENAMED.get(table, {}).items()
    renamed = {new: old for new, old in former if old in source and new not in source}
    values: dict[str, str] = {}
    for name, column in target.items():
        old = name if name in source else renamed.get(name)
        otherwise = column.dflt_value or substitute(name, column.type, now)
        if old and column.notnull:
            values[name] = f"COALESCE({legal(old, column.type, otherwise)}, {otherwise})"
        elif old:
            values[name] = legal(old, column.type, column.dflt_value or "NULL")
        elif name in COMPUTED:
            values[name] = COMPUTED[name]
        elif column.notnull:
            values[name] = otherwise
    for name in source.keys() - target.keys() - set(renamed.values()):
        run(f'ALTER TABLE {table} ADD COLUMN "{name}" {source[name].type}')
        values[f'"{name}"'] = f'"{name}"'
    run(
        f"INSERT INTO {table} ({', '.join(values)}) SELECT {', '.join(values.values())} FROM {ASIDE}{table}"
    )
    before, after = (run(f"SELECT count(*) FROM {name}")[0][0] for name in (ASIDE + table, table))
    if before != after:
        raise ValueError(f"{table}: {before} rows before, {after} after")
    run(f"DROP TABLE {ASIDE}{table}")


def legal(name: str, kind: str, otherwise: str) -> str:
    """Return an old value as the new column's type requires; SQLite columns accept values of any type."""
    if kind in ("TEXT", "BLOB"):
        other = "blob" if kind == "TEXT" else "text"
        return f'CASE typeof("{name}") WHEN \'{other}\' THEN CAST("{name}" AS {kind}) ELSE "{name}" END'
    return f"""CASE typeof("{name}") WHEN 'integer' THEN "{name}" WHEN 'null' THEN NULL
      WHEN 'real' THEN iif(abs("{name}") < 9e999, "{name}", {otherwise}) ELSE {otherwise} END"""


def mend_texts(table: str, connection: Any) -> None:
    """Make every text of a table valid UTF-8; the earlier program also wrote lone surrogates."""
    texts = [f'"{name}"' for name, column in columns(table).items() if column.type == "TEXT"]
    try:
        for _ in connection.execute(f"SELECT {', '.join(texts)} FROM {table}"):
            pass
    except driver().OperationalError:
        for name in texts:
            mended = f"text_of(CAST({name} AS BLOB))"
            run(f"UPDATE {table} SET {name} = {mended} WHERE {name} IS NOT {mended}")


def text_of(value: bytes | None) -> str | None:
    """Return a stored text with U+FFFD for each invalid byte."""
    return None if value is None else value.decode("utf-8", "replace")


def hash_of(content: bytes) -> str:
    """Return the content hash of a text: its words in lower case, without punctuation at the end."""
    words = " ".join(content.decode("utf-8", "replace").replace("\0", " ").split()).lower()
    return hashlib.sha256((words.rstrip(".,!?;:").strip() or words).encode()).hexdigest()


def is_vector(vector: bytes, dimensions: int) -> bool:
    """Return whether a vector has these dimensions and only finite numbers."""
    if not 0 < 4 * dimensions == len(vector):
        return False
    return math.isfinite(sum(struct.unpack(f"<{dimensions}f", vector)))


def stranger(source_type: str | None) -> str | None:
    """Return the origin that a source type shows: `web`, `tool` or none."""
    found = STRANGERS.search(source_type or "")
    return ("web" if found[1] else "tool") if found else None


def is_order(content: str) -> bool:
    return ORDERS.search(content) is not None


def substitute(name: str, kind: str, now: str) -> str:
    """Return a substitute for a required value that is missing."""
    if name.endswith("_at"):
        return f"'{now}'"
    if name == "id":  # an old key of texts may be NULL, and in many rows
        return "lower(hex(randomblob(16)))"
    return "''" if kind == "TEXT" else "0"
