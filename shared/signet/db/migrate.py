"""Migrate a database file from any earlier schema to the schema of this program.

`upgrade` runs once at daemon start, before any other process opens the file. One process migrates (file lock), others
wait and find the work done. A file with data is first copied, next to it. All pending revisions are one transaction: a
failure leaves the file unchanged. A file of a newer program is not touched.

`current`, `head` and `is_current` are cheap and load no migration library, so every process may call them at its start.
"""

import contextlib
import hashlib
import json
import re
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from signet import clock, engine
from signet.db import damage
from signet.db.driver import Connection, connect, sqlite
from signet.errors import SignetError
from signet.files import locked, replace_file
from signet.paths import cache_home
from signet.resources import alembic_dir

if TYPE_CHECKING:
    from sqlalchemy.engine import Engine

VERSION_TABLE = "signet_schema_version"
#: Number of copies kept next to the file.
COPIES = 2
#: Free disk space needed for a copy and the migration, in multiples of the file's size.
FREE_DISK_FACTOR = 2


#: The earlier TypeScript program reads `schema_migrations` and runs every step whose number is missing. On our files
#: its steps delete vectors, rebuild `memory_jobs` without our columns, and leave a unique index on
#: `embeddings.content_hash` that makes later vectors fail. So all numbers up to this one count as done; the newest
#: known is 147. No revision does it, so that an older version of ours can still open the file.
RESERVED = 400
_OWN_VERSION = "SELECT max(version) FROM schema_migrations WHERE checksum <> 'not-run'"
_RESERVED = "SELECT count(*) FROM schema_migrations WHERE version BETWEEN 1 AND ?"
_RESERVE = """
WITH RECURSIVE step (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM step WHERE number < ?)
INSERT OR IGNORE INTO schema_migrations (version, applied_at, checksum) SELECT number, ?, 'not-run' FROM step"""

#: For a reader that has opened the file already.
READ_VERSION = "SELECT version_num FROM signet_schema_version"


class SchemaTooNew(SignetError, code="schema_too_new"):
    """The database was made by another version of Signet."""


class MigrationFailed(SignetError, code="migration_failed"):
    """The database could not be upgraded to the schema of this version."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Migration:
    """The result of an upgrade: the revision before (None: a new or an adopted file) and after, and the copy."""

    before: str | None
    after: str
    copy: Path | None


@dataclass(frozen=True, slots=True)
class Definition:
    """The stored definition of a table, index or trigger, with its table."""

    table: str
    sql: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Differences:
    """Differences between a file and the schema of the revisions, by names such as `index idx_memories_type`.

    `foreign` are indexes and triggers of other programs on our tables, `guards` those that can make writes fail.
    """

    missing: tuple[str, ...] = ()
    differs: tuple[str, ...] = ()
    foreign: tuple[str, ...] = ()
    guards: tuple[str, ...] = ()

    def told(self) -> list[str]:
        """Describe every difference, in the order of the names."""
        return sorted(
            [f"{key} is missing" for key in self.missing]
            + [f"{key} differs" for key in self.differs]
            + [f"{key} belongs to another program" for key in self.foreign]
        )


def upgrade(database: Path, *, now: datetime) -> Migration:
    """Migrate the file to the newest schema; a missing one is created.

    Safe to call again and from several processes at once. Raises SchemaTooNew, MigrationFailed and StorageDamaged; the
    file is then unchanged.
    """
    if (url := engine.url_of(database)) is not None:
        from signet.db.postgres import address
        from signet.db.postgres import schema as served

        before = served.upgrade(url, _revisions(), _for_server, now)
        if before is not None:
            check_known(before, address.shown(url))
        return Migration(before=before, after=head(), copy=None)
    damage.check_not_emptied(database)
    before, done = current(database), None
    if before != head() or not _is_reserved(database):
        with _lock(database):
            if (before := current(database)) != head():
                done = _migrate(database, before, now)
            _reserve(database, now)
    return done or Migration(before=before, after=head(), copy=None)


def current(database: Path) -> str | None:
    """Return the revision of the file; None for a missing, empty or not yet adopted one.

    Raises SchemaTooNew for an unknown revision, MigrationFailed for a file that is not a database.
    """
    if (url := engine.url_of(database)) is not None:
        from signet.db.postgres import address
        from signet.db.postgres import schema as served

        version = served.current(url)
        if version is not None:
            check_known(version, address.shown(url))
        return version
    if not database.exists():
        return None
    try:
        with contextlib.closing(connect(database, read_only=True)) as connection:
            version = _version(connection)
    except sqlite.DatabaseError as error:
        what = f"{database} cannot be read as a database: {error}. {damage.WAY_BACK}"
        raise MigrationFailed(what) from error
    if version is not None:
        known = [one for one in _copies(database) if _version_of(one) in _revisions()]
        check_known(version, str(database), copies=known)
    return version


def check_known(version: str, what: str, *, copies: Sequence[Path] = ()) -> None:
    """Raise SchemaTooNew for a revision of `what` that this program does not know.

    `copies` are of known ones.
    """
    if version not in _revisions():
        way_back = f" The copy made before the upgrade is {copies[-1]}." if copies else ""
        raise SchemaTooNew(
            f"{what} has schema {version}, this version of Signet knows {_revisions()[0]} to {head()}; "
            f"install the version that made it again. Nothing was changed.{way_back}",
            found=version,
            known=head(),
        )


def head() -> str:
    """Return the newest revision this program knows."""
    return _revisions()[-1]


def is_current(database: Path) -> bool:
    """Return whether the file has the newest schema; raises like `current`."""
    return current(database) == head()


def drift(database: Path) -> list[str]:
    """Return the differences to a new file as sorted sentences, without foreign indexes and triggers."""
    return replace(compare(database), foreign=()).told()


def compare(database: Path) -> Differences:
    """Return how a file differs from a new one in tables, indexes and triggers.

    Extra columns at the end of a table and extra tables do not count: adopted files keep theirs.
    """
    if engine.url_of(database) is not None:
        return Differences()  # no other program has changed it
    wanted, found = _model(), _definitions(database)
    differs = [
        key
        for key in wanted.keys() & found.keys()
        if found[key].sql != wanted[key].sql and not _has_all(found[key].sql, wanted[key].sql)
    ]
    strange = [
        key
        for key, one in found.items()
        if key not in wanted and f"table {one.table}" in wanted and not key.startswith("table ")
    ]
    return Differences(
        missing=tuple(sorted(wanted.keys() - found.keys())),
        differs=tuple(sorted(differs)),
        foreign=tuple(sorted(strange)),
        guards=tuple(sorted(key for key in strange if _may_refuse(found[key].sql))),
    )


def mend(database: Path) -> list[str]:
    """Drop foreign indexes and triggers of our tables and restore our own; return the changes.

    Rows and tables are not touched. Raises MigrationFailed if one of our indexes does not fit the rows; the file is
    then unchanged.
    """
    found, wanted, done = compare(database), _model(), []
    with _lock(database), contextlib.closing(connect(database)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        try:
            for key in (*found.foreign, *found.differs):
                if not key.startswith("table "):
                    kind, name = key.replace('"', '""').split(" ", 1)
                    connection.execute(f'DROP {kind} IF EXISTS "{name}"')
                    done += [f"removed {key}"] if key in found.foreign else []
            for key in (*found.missing, *found.differs):
                if not key.startswith("table "):
                    connection.execute(wanted[key].sql)
                    done.append(f"made {key}")
            connection.execute("COMMIT")
        except sqlite.Error as error:
            connection.execute("ROLLBACK")
            raise MigrationFailed(
                f"{database} could not be repaired and was not changed: {error}"
            ) from error
    return done


def schema(database: Path) -> dict[str, str]:
    """Return the text of each table (without its last parenthesis), index and trigger by name: `table memories`."""
    return {key: _plain(one.sql) for key, one in _definitions(database).items()}


def _model() -> "dict[str, Definition]":
    """Return the definitions that the revisions create in an empty file.

    Kept in the user's cache under a digest of the revisions: making the file loads Alembic, which takes a second.
    """
    kept = cache_home() / "schema" / f"{_digest()}.json"
    with contextlib.suppress(OSError, ValueError, TypeError):
        return {key: Definition(**one) for key, one in json.loads(kept.read_bytes()).items()}
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        model = Path(folder) / "model.db"
        upgrade(model, now=datetime.now(UTC))
        found = _definitions(model)
    with contextlib.suppress(OSError):
        kept.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        replace_file(kept, json.dumps({key: asdict(one) for key, one in found.items()}).encode())
    return found


def _digest() -> str:
    """Return a digest of the revisions and their statements."""
    found = hashlib.sha256()
    for path in sorted((alembic_dir() / "versions").rglob("*.*")):
        if path.suffix in (".py", ".sql"):
            found.update(path.read_bytes())
    return found.hexdigest()[:32]


def _definitions(database: Path) -> "dict[str, Definition]":
    statement = """
        SELECT type || ' ' || name, tbl_name, sql FROM sqlite_master
         WHERE sql IS NOT NULL AND name NOT IN (SELECT name FROM pragma_table_list WHERE type = 'shadow')
         ORDER BY 1"""
    with contextlib.closing(connect(database, read_only=True)) as connection:
        return {
            key: Definition(table=table, sql=sql)
            for key, table, sql in connection.execute(statement)
        }


def _may_refuse(sql: str) -> bool:
    return re.match(r"\s*CREATE\s+(UNIQUE|TEMP|TRIGGER)", sql, re.I) is not None


def _revisions() -> list[str]:
    """Return the revisions, oldest first, by the names of their files.

    Alembic knows them too, but takes most of a second to load, and every process needs them at its start.
    """
    files = (alembic_dir() / "versions").glob("[0-9]*.py")
    return sorted(path.name.partition("_")[0] for path in files)


def _for_server(revision: str) -> str:
    """Return the statements of a revision for PostgreSQL, whose first schema is 0027."""
    [path] = (alembic_dir() / "versions").glob(f"{revision}_*.sql")
    return path.read_text("utf-8")


def _version(connection: Connection) -> str | None:
    if not _has_table(connection, VERSION_TABLE):
        return None
    row = connection.execute(f"SELECT version_num FROM {VERSION_TABLE}").fetchone()
    return None if row is None else str(row[0])


def _has_table(connection: Connection, name: str) -> bool:
    statement = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name GLOB ?"
    return connection.execute(statement, (name,)).fetchone() is not None


@contextlib.contextmanager
def _lock(database: Path) -> Iterator[None]:
    """Hold the migration lock; waits for another process that has it."""
    with contextlib.ExitStack() as held:
        try:
            held.enter_context(locked(Path(f"{database}.migrate.lock")))
        except OSError as error:
            raise MigrationFailed(
                f"{database} needs an upgrade and cannot be written: {error}"
            ) from error
        yield


def _migrate(database: Path, before: str | None, now: datetime) -> Migration:
    try:
        with contextlib.closing(connect(database)) as connection:
            has_rows = _has_table(connection, "*")
            copy = _copy(connection, database, before, now) if has_rows else None
        _run_revisions(database, now)
    except Exception as error:  # any error: the transaction is rolled back, and the user learns why
        reason = getattr(error, "orig", error)  # the driver's own message, without the statement
        raise MigrationFailed(
            f"{database} could not be upgraded to schema {head()} and was not changed: {reason}"
        ) from error
    if has_rows and before is None:
        database.chmod(0o600)  # the earlier program lets every user of the machine read it
        _compact(database)
    return Migration(before=before, after=head(), copy=copy)


def _run_revisions(database: Path, now: datetime, *, to: str = "head") -> None:
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(alembic_dir()).replace("%", "%%"))
    config.attributes["now"] = now
    engine = _engine(database)
    with engine.connect() as connection, connection.begin():
        config.attributes["connection"] = connection
        command.upgrade(config, to)


def _is_reserved(database: Path) -> bool:
    with contextlib.closing(connect(database, read_only=True)) as connection:
        if not _has_table(connection, "schema_migrations"):  # doctor reports that
            return True
        return bool(connection.execute(_RESERVED, (RESERVED,)).fetchone()[0] >= RESERVED)


def _reserve(database: Path, now: datetime) -> None:
    """Record every step of the earlier program as done; an adopted file keeps its own rows."""
    if _is_reserved(database):
        return
    try:
        with contextlib.closing(connect(database)) as connection:
            connection.execute(_RESERVE, (RESERVED, clock.to_text(now)))
    except sqlite.Error as error:
        raise MigrationFailed(f"{database} cannot be written: {error}") from error


def _engine(database: Path) -> "Engine":
    from sqlalchemy import create_engine, event
    from sqlalchemy.pool import NullPool

    def open_plain() -> Connection:
        connection = connect(database)
        connection.row_factory = None
        return connection

    engine = create_engine("sqlite://", module=sqlite, creator=open_plain, poolclass=NullPool)
    event.listen(engine, "begin", lambda c: c.exec_driver_sql("BEGIN IMMEDIATE"))
    return engine


def _copy(connection: Connection, database: Path, before: str | None, now: datetime) -> Path | None:
    """Write a copy named after its version and the time; None if the disk lacks space for one."""
    if not _has_room(database):
        return None
    for unfinished in database.parent.glob(f"{database.name}.bak-*.part"):
        unfinished.unlink()
    stamp = now.astimezone(UTC).strftime("%Y%m%dT%H%M%SZ")
    version = before or _upstream_version(connection)
    copy = database.with_name(f"{database.name}.bak-v{version}-{stamp}")
    unfinished = copy.with_name(f"{copy.name}.part")
    connection.execute("VACUUM INTO ?", (str(unfinished),))
    unfinished.chmod(0o600)
    unfinished.rename(copy)
    for old in _copies(database)[:-COPIES]:
        old.unlink()
    return copy


def _copies(database: Path) -> list[Path]:
    beside = database.parent.glob(f"{database.name}.bak-v*Z")
    return sorted(beside, key=lambda path: path.name.rpartition("-")[2])


def _version_of(copy: Path) -> str:
    return copy.name.partition(".bak-v")[2].rpartition("-")[0]


def _upstream_version(connection: Connection) -> int:
    if not _has_table(connection, "schema_migrations"):
        return 0
    return int(connection.execute(_OWN_VERSION).fetchone()[0] or 0)


def _has_room(database: Path) -> bool:
    free = shutil.disk_usage(database.parent).free
    return free >= FREE_DISK_FACTOR * database.stat().st_size


def _compact(database: Path) -> None:
    """Free the space of the moved tables, and switch the adopted file to incremental vacuum."""
    if not _has_room(database):
        return
    with contextlib.closing(connect(database)) as connection:
        connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
        with contextlib.suppress(
            sqlite.OperationalError
        ):  # the disk is full after all: the file stays larger
            connection.execute("VACUUM")


def _plain(sql: str) -> str:
    plain = " ".join(re.sub("--[^\n]*", "", sql).split())
    return plain.removesuffix(")") if plain.startswith("CREATE TABLE") else f"{plain};"


def _has_all(found: str, wanted: str) -> bool:
    """Return whether two definitions are equal, except for additional columns of a table."""
    ours, theirs = _dense(wanted), _dense(found)
    if theirs.startswith(ours):
        return True
    name, is_table, columns = ours.partition("(")
    if not is_table or not name.startswith("CREATE TABLE") or not theirs.startswith(f"{name}("):
        return False
    return set(_columns(columns)) <= set(_columns(theirs.removeprefix(f"{name}(")))


def _columns(body: str) -> list[str]:
    """Return the column and constraint definitions of a table, given its text without the last parenthesis."""
    parts, depth = [""], 0
    for mark in body:
        depth += (mark == "(") - (mark == ")")
        if mark == "," and not depth:
            parts.append("")
        elif depth >= 0:
            parts[-1] += mark
    return parts


def _dense(sql: str) -> str:
    return re.sub(r"\s*([(),=;])\s*", r"\1", _plain(sql).replace('"', "")).strip()
