"""Data of the earlier TypeScript program: its export bundle and its database, at any version, and our own.

A bundle is a folder with `manifest.json` and `memories.jsonl`, and perhaps `entities.jsonl`, `relations.jsonl`,
`identity/*.md` and `skills/NAME/`. Its lines are rows of the program's tables, read as rows of an export, so that an
existing row is known by its ID. Identity files and skills are copied if the user agrees. Its `agent.yaml` is ignored.

A database is copied and the copy is migrated as an adopted workspace is (alembic/versions/0024_baseline), so there
is one translation of the older rows, which are then exported. The file itself is only read, and may be in use.
"""

import contextlib
import json
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from signet.db import ReadTx, WriteTx, copying, migrate
from signet.db.driver import connect, sqlite
from signet.domain.folders.reading import NotAFile, NotAllowed, below, opened
from signet.domain.graph import names
from signet.domain.identity import files as identity
from signet.domain.skills import files as skill_files
from signet.domain.skills import sources
from signet.domain.skills.models import FILE
from signet.domain.transcripts import stored
from signet.domain.transfer import export
from signet.domain.transfer.records import END, Record, SourceRecord
from signet.domain.transfer.sources import formats
from signet.domain.transfer.sources.formats import (
    Format,
    ImportOptions,
    ImportSource,
    kilobytes,
    size_of,
)
from signet.errors import Invalid
from signet.paths import Workspace

MANIFEST, MEMORIES = "manifest.json", "memories.jsonl"
IDENTITY, SKILL = "identity", "skill"
#: The kind of row in each file; rows come before those that name them.
_ROWS = {MEMORIES: "memory", "entities.jsonl": "entity", "relations.jsonl": "relation"}
#: From 0 to 1; the earlier program did not check them.
_SHARES = ("importance", "confidence")


@dataclass(frozen=True, slots=True, kw_only=True)
class Copied:
    """A file or folder of a bundle to copy into the workspace; `kind` is identity or skill."""

    kind: str
    bundle: Path
    source: Path
    place: Path

    def copy(self, workspace: Workspace) -> None:
        """Put it into a workspace, in place of one with its name.

        Raises CannotCopy for a skill with outside links or too many files, Invalid and TooLarge for an identity file,
        and OSError.
        """
        if self.kind == SKILL:
            with sources.stage(workspace.skills_dir) as staged:
                sources.copy(self.source, staged / FILE)
                sources.put_in_place(staged, staged / FILE, workspace.root / self.place)
            return
        with opened(self.source, below(self.bundle)) as file:
            data = file.read(identity.MAX_BYTES + 1)
        identity.write(workspace, self.place.name, data.decode("utf-8", "replace"))


def is_bundle(folder: Path) -> bool:
    return (folder / MANIFEST).is_file() and (folder / MEMORIES).is_file()


def read_bundle(folder: Path, wishes: ImportOptions) -> ImportSource:
    """Return the rows of a bundle, and its files for the workspace."""
    paths = [folder / name for name in _ROWS if (folder / name).is_file()]
    return ImportSource(
        format=Format.BUNDLE,
        records=_bundle_records(folder, paths, wishes),
        total=size_of(paths),
        unit="KB",
        files=tuple(_files(folder)),
    )


def _bundle_records(
    folder: Path, paths: list[Path], wishes: ImportOptions
) -> Iterator[SourceRecord]:
    read = 0
    for path in paths:
        try:
            with opened(path, below(folder)) as stream:
                for number, (length, raw) in enumerate(formats.lines_of(stream), 1):
                    read += length
                    where, done = f"{path.name} line {number}", kilobytes(read)
                    value = formats.parsed_line(raw)
                    if isinstance(value, str):
                        yield SourceRecord(where=where, done=done, fault=value)
                    elif value is not None:
                        row = _row(_ROWS[path.name], value, wishes)
                        yield SourceRecord(where=where, done=done, value=row)
        except (OSError, NotAllowed, NotAFile) as error:
            yield SourceRecord(where=path.name, done=kilobytes(read), fault=str(error))


def _row(kind: str, value: Record, wishes: ImportOptions) -> Record:
    """Return one of their rows as ours; null becomes the default."""
    row = {name: one for name, one in value.items() if one is not None} | {"record": kind}
    for name in _SHARES:
        share = row.get(name)
        if isinstance(share, int | float):
            row[name] = min(max(share, 0), 1)
    if kind == "memory":
        row["tags"] = _tags(row.get("tags"))
        if wishes.project:
            row["project"] = wishes.project
    if kind == "entity":
        named = row.get("name")
        row.setdefault("canonical_name", names.canonical(named) if isinstance(named, str) else "")
    if kind != "relation" and wishes.agent_id:
        row["agent_id"] = wishes.agent_id
    return row


def _tags(tags: object) -> object:
    if not isinstance(tags, str) or tags.startswith("["):
        return tags
    return json.dumps([tag for one in tags.split(",") if (tag := one.strip())])


def _files(folder: Path) -> Iterator[Copied]:
    """Yield the identity files and skills inside the bundle; links may lead elsewhere."""
    for path in sorted((folder / "identity").glob("*.md")):
        if path.is_file() and _is_inside(path, folder):
            yield Copied(kind=IDENTITY, bundle=folder, source=path, place=Path(path.name))
    for path in sorted((folder / "skills").glob("*/")):
        is_skill = _is_inside(path, folder) and (path / FILE).is_file()
        if is_skill and skill_files.is_name(path.name):
            yield Copied(kind=SKILL, bundle=folder, source=path, place=Path("skills", path.name))


def _is_inside(path: Path, folder: Path) -> bool:
    return not path.is_symlink() and path.resolve().is_relative_to(folder.resolve())


@contextlib.contextmanager
def read_database(path: Path, now: datetime) -> Iterator[ImportSource]:
    """Open a database file. Raises Invalid for another file, MigrationFailed for a damaged one."""
    with tempfile.TemporaryDirectory(prefix="signet-import-") as folder:
        copy = Path(folder) / "memories.db"
        _copy_database(path, copy)
        migrate.upgrade(copy, now=now)
        with contextlib.closing(connect(copy)) as connection:
            stored.copy_from_jobs(WriteTx(connection))
            tx, scope = ReadTx(connection), export.Scope()
            first = export.page(tx, scope, None, now=now)
            [header] = first.records
            counts = header["counts"]
            assert isinstance(counts, dict)
            yield ImportSource(
                format=Format.UPSTREAM,
                records=_database_records(tx, scope, first.cursor, now),
                total=sum(counts.values()),
                unit="rows",
            )


def _copy_database(path: Path, copy: Path) -> None:
    """Copy the committed rows. If SQLite cannot lock the file, no one writes to it either."""
    try:
        try:
            with (
                contextlib.closing(connect(path, read_only=True)) as old,
                contextlib.closing(connect(copy)) as new,
            ):
                old.backup(new)
        except sqlite.OperationalError:
            for end in ("", "-wal"):
                with contextlib.suppress(FileNotFoundError):
                    shutil.copyfile(f"{path}{end}", f"{copy}{end}")
        with contextlib.closing(connect(copy)) as new:
            tables = copying.tables(new)
    except sqlite.DatabaseError as error:
        raise Invalid(f"{path} cannot be read as a database: {error}") from error
    if "memories" not in tables:
        raise Invalid(f"{path} is a database without memories")


def _database_records(
    tx: ReadTx, scope: export.Scope, cursor: str | None, now: datetime
) -> Iterator[SourceRecord]:
    done = 0
    while cursor is not None:
        page = export.page(tx, scope, cursor, now=now)
        for record in page.records:
            done += 1
            if record["record"] != END:
                yield SourceRecord(where=_where(record), done=done, value=record)
        cursor = page.cursor


def _where(record: Record) -> str:
    return f"{record['record']} {record.get('id', '')}".strip()
