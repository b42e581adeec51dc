"""Connected folders: settings, lookup, registration, start of a sync, and removal."""

import contextlib
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from enum import StrEnum
from pathlib import Path, PurePath
from typing import NamedTuple

from signet import clock, ids
from signet.db import ReadTx, WriteTx, columns
from signet.db.dialect import as_list
from signet.db.driver import connect, sqlite
from signet.domain.connectors import sql
from signet.domain.documents import records
from signet.domain.documents.records import DocumentRules
from signet.domain.folders.private import Places, find_places
from signet.domain.folders.reading import check_local, real_folder
from signet.domain.memory.models import Actor
from signet.domain.tasks import run, scheduled
from signet.domain.tasks.models import Task
from signet.errors import Frozen, Invalid, Kind, NotFound, SignetError
from signet.paths import Workspace
from signet.queue import NewJob, enqueue, transitions
from signet.wire.connectors import ConnectorHealth, StoredConnector, SyncError, SyncProgress

#: Errors of single files that are stored; further ones are only counted.
ERRORS_KEPT = 100


class Provider(StrEnum):
    """The source of a connector; only folders are supported."""

    FILESYSTEM = "filesystem"
    GITHUB_DOCS = "github-docs"
    GDRIVE = "gdrive"


class ConnectorStatus(StrEnum):
    IDLE = "idle"
    SYNCING = "syncing"
    ERROR = "error"


@dataclass(frozen=True, slots=True, kw_only=True)
class Folder:
    """The files of a folder that become documents; `max_file_size` in bytes."""

    root_path: str
    patterns: tuple[str, ...] = ("**/*.md", "**/*.txt")
    ignore_patterns: tuple[str, ...] = (".git", "node_modules", ".DS_Store")
    max_file_size: int = 1_048_576


def with_errors(progress: SyncProgress, more: Sequence[SyncError]) -> SyncProgress:
    """Add errors to the progress; the list has a limit, the count has none."""
    kept = [*progress["errors"], *more][:ERRORS_KEPT]
    return {**progress, "errorCount": progress["errorCount"] + len(more), "errors": kept}


def continued(text: str | None, job_id: str) -> SyncProgress:
    """Return the totals over all runs of a sync, without the files and errors of the last run."""
    earlier = columns.json_object(text)
    is_same = earlier.get("jobId") == job_id
    return {
        "jobId": job_id,
        "filesSeen": 0,
        "documentsAdded": earlier["documentsAdded"] if is_same else 0,
        "documentsUpdated": earlier["documentsUpdated"] if is_same else 0,
        "documentsRemoved": earlier["documentsRemoved"] if is_same else 0,
        "errorCount": 0,
        "errors": [],
    }


def folder_json(folder: Folder) -> dict[str, object]:
    values = asdict(folder)
    return {_NAMES[name]: value for name, value in values.items()}


_NAMES = {
    "root_path": "rootPath",
    "patterns": "patterns",
    "ignore_patterns": "ignorePatterns",
    "max_file_size": "maxFileSize",
}


#: What to do instead of reading a private folder.
REMEDY = "Choose a folder with nothing but the files to remember, such as ~/notes"


_DEFAULT = Folder(root_path="/")
#: More or longer patterns do not describe a folder.
MAX_PATTERNS, MAX_PATTERN_CHARS = 100, 1_000
#: More of `**` and of `{` in one pattern could make matching it slow.
MAX_WIDE = 8


def folder_of(settings: Mapping[str, object]) -> Folder:
    """Return the folder in a client's settings, without reading the disk; raises Invalid."""
    root = settings.get("rootPath") or settings.get("path")
    if not isinstance(root, str) or not PurePath(root.strip()).is_absolute() or "\0" in root:
        raise Invalid("settings.rootPath must be an absolute path")
    size = settings.get("maxFileSize", _DEFAULT.max_file_size)
    if isinstance(size, bool) or not isinstance(size, int) or size < 1:
        raise Invalid("settings.maxFileSize must be a number of bytes")
    patterns = settings.get("patterns", settings.get("glob"))
    ignored = settings.get("ignorePatterns")
    return Folder(
        root_path=root.strip(),
        patterns=_texts("patterns", patterns) or _DEFAULT.patterns,
        ignore_patterns=_DEFAULT.ignore_patterns
        if ignored is None
        else _texts("ignorePatterns", ignored),
        max_file_size=size,
    )


def checked_folder(folder: Folder, places: Places) -> Folder:
    """Return the folder with its real path. Raises Invalid if it is private or cannot be listed now (CON-1, CON-11)."""
    try:
        root = real_folder(folder.root_path)
        os.scandir(root).close()
    except OSError as error:
        told = f"settings.rootPath: {folder.root_path} cannot be read: {error.strerror}"
        raise Invalid(told) from error
    if reason := places.folder_reason(root):
        raise Invalid(f"{folder.root_path} is private: {reason}. {REMEDY}", "private_folder")
    return replace(folder, root_path=root)


def stored_folder(connector: StoredConnector) -> Folder:
    """Return the folder of a stored connector; raises Invalid if an older file has none."""
    settings = columns.json_object(connector["config_json"])
    inner = settings.get("settings")
    return folder_of(inner if isinstance(inner, dict) else settings)


def _texts(name: str, value: object) -> tuple[str, ...]:
    """Return a list of patterns; a single one may be a plain text."""
    found = [value] if isinstance(value, str) else [] if value is None else value
    if not isinstance(found, list) or not all(isinstance(text, str) for text in found):
        raise Invalid(f"settings.{name} must be a list of texts")
    patterns = tuple(text.strip() for text in found if text.strip())
    if len(patterns) > MAX_PATTERNS or any(len(text) > MAX_PATTERN_CHARS for text in patterns):
        raise Invalid(f"settings.{name} is too long")
    if any(max(text.count("**"), text.count("{")) > MAX_WIDE for text in patterns):
        raise Invalid(f"a pattern of settings.{name} has ** or {{ more than {MAX_WIDE} times")
    return patterns


def newest(tx: ReadTx) -> list[StoredConnector]:
    return tx.records(StoredConnector, sql.NEWEST)


def get(tx: ReadTx, connector_id: str) -> StoredConnector:
    connector = tx.record(StoredConnector, sql.BY_ID, (connector_id,))
    if connector is None:
        raise NotFound("Connector not found")
    return connector


def health(tx: ReadTx, connector_id: str) -> ConnectorHealth:
    """Return the state of a connector, and its documents by status; raises NotFound."""
    connector = get(tx, connector_id)
    root = root_of(connector)
    below = sql.below(root) if root else {"low": "", "high": ""}
    values = {"id": connector["id"], "agent_id": connector["agent_id"], **below}
    documents = dict(tx.tuples(sql.COUNTS, values))
    return {
        "id": connector["id"],
        "status": connector["status"],
        "lastSyncAt": connector["last_sync_at"],
        "lastError": connector["last_error"],
        "documentCount": sum(documents.values()),
        "documents": documents,
        "progress": columns.json_value(connector["progress_json"]),
    }


def adopt_documents(tx: WriteTx, connector: StoredConnector, root: str) -> None:
    """Give the connector its agent's documents below its folder that have no connector."""
    values = {"id": connector["id"], "agent_id": connector["agent_id"], **sql.below(root)}
    records.adopt(tx, connector["id"], tx.column(sql.ADOPTABLE, values))


def root_of(connector: StoredConnector) -> str | None:
    if connector["provider"] != Provider.FILESYSTEM:
        return None
    try:
        return stored_folder(connector).root_path
    except Invalid:
        return None


def draft(
    provider: str | None,
    *,
    display_name: str | None,
    settings: Mapping[str, object],
    agent_id: str,
    workspace: Workspace,
    now: datetime,
) -> StoredConnector:
    """Return the connector that a client describes, with complete settings.

    Raises Invalid for wrong settings and for a folder that is private or unreadable (CON-1, CON-11), and
    SharedByHosts.
    """
    if provider not in set(Provider):
        raise Invalid("provider must be filesystem, github-docs, or gdrive")
    if provider == Provider.FILESYSTEM:
        check_local(workspace)
        folder = checked_folder(folder_of(settings), find_places(workspace))
        settings = folder_json(folder)
    at = clock.to_text(now)
    return {
        "id": ids.new_id(),
        "provider": provider,
        "display_name": (display_name or "").strip() or provider,
        "config_json": json.dumps(settings, ensure_ascii=False),
        "cursor_json": None,
        "status": ConnectorStatus.IDLE,
        "last_sync_at": None,
        "last_error": None,
        "created_at": at,
        "updated_at": at,
        "agent_id": agent_id,
        "progress_json": None,
    }


def register(tx: WriteTx, connector: StoredConnector) -> str:
    tx.run(sql.INSERT, connector)
    return connector["id"]


class Unsupported(SignetError, kind=Kind.UNSUPPORTED, code="unsupported_provider"):
    """This provider cannot be synced yet."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StartedSync:
    """The job of a sync; None if one is already running."""

    job_id: str | None


def start(
    tx: WriteTx, connector_id: str, *, is_full: bool, rules: DocumentRules, now: datetime
) -> StartedSync:
    """Queue a sync unless one is running. Raises NotFound, Unsupported, and Frozen."""
    connector = get(tx, connector_id)
    if connector["provider"] != Provider.FILESYSTEM:
        raise Unsupported(f"Provider {connector['provider']} not yet supported")
    if rules.frozen:
        raise Frozen
    job_id = enqueue(tx, job_of(connector, is_full=is_full), now=now, max_attempts=rules.attempts)
    if job_id is not None:
        tx.run(sql.BEGIN, (clock.to_text(now), connector_id))
    return StartedSync(job_id=job_id)


def job_of(connector: StoredConnector, *, is_full: bool = False) -> NewJob:
    """Return the job of a connector's sync; only one is open at a time."""
    return NewJob(
        kind="connector_sync",
        dedupe_key=connector["id"],
        payload={"connectorId": connector["id"], "full": is_full},
        agent_id=connector["agent_id"],
    )


#: Documents that go in one transaction; each forgets its chunks.
DOCUMENTS_PER_WRITE = 10
#: Documents read in one query.
DOCUMENTS_PER_READ = 500
REASON = "connector removed"


def prepare_removal(tx: WriteTx, connector_id: str, *, rules: DocumentRules, now: datetime) -> None:
    """Stop the sync before deleting documents. Raises NotFound and Frozen."""
    if rules.frozen:
        raise Frozen
    connector = get(tx, connector_id)
    _stop(tx, connector, now)
    root = root_of(connector)
    if root is not None:
        adopt_documents(tx, connector, root)


def documents(tx: ReadTx, connector_id: str) -> list[Sequence[str]]:
    """Return the next documents to delete, in groups for one transaction each; empty at the end."""
    found = tx.column(sql.SOME, (connector_id, DOCUMENTS_PER_READ))
    return [
        found[first : first + DOCUMENTS_PER_WRITE]
        for first in range(0, len(found), DOCUMENTS_PER_WRITE)
    ]


def delete_group(tx: WriteTx, ids: Sequence[str], *, actor: Actor, now: datetime) -> None:
    for document_id in ids:
        records.remove_text(tx, document_id, reason=REASON, actor=actor, now=now)


def remove(
    tx: WriteTx,
    connector_id: str,
    *,
    cascade: bool,
    actor: Actor,
    rules: DocumentRules,
    now: datetime,
) -> None:
    """Remove the connector, and with `cascade` its remaining documents. Raises NotFound and Frozen."""
    if cascade:
        prepare_removal(tx, connector_id, rules=rules, now=now)
        while groups := documents(
            tx, connector_id
        ):  # documents that a sync has added since the last query
            for group in groups:
                delete_group(tx, group, actor=actor, now=now)
    _stop(tx, get(tx, connector_id), now)
    tx.run(sql.DELETE, (connector_id,))


def _stop(tx: WriteTx, connector: StoredConnector, now: datetime) -> None:
    job_id = tx.value(sql.OPEN_JOB, (job_of(connector).unique_key or "",))
    if job_id is not None:
        transitions.cancel(tx, job_id, now=now)


def settle_carried(staged: Path, *, keeps: Path | None, now: datetime) -> bool:
    """Cancel unfinished task runs of a restored state; with `keeps`, take its tasks and connectors instead.

    `keeps` is the present database of a workspace that keeps its settings. Other tasks of the restored state are
    disabled, and other connectors removed, without their documents. Returns False if `keeps` cannot be read.
    """
    kept = _Kept((), ()) if keeps is None or not keeps.exists() else _kept_of(keeps)
    with contextlib.closing(connect(staged)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        tx = WriteTx(connection)
        run.withdraw(tx, disable=keeps is not None, now=now)
        if keeps is not None:
            own = kept or _Kept((), ())
            run.carry(tx, own.tasks)
            tx.run(sql.DELETE_OTHERS, (as_list([one["id"] for one in own.connectors]),))
            for connector in own.connectors:
                tx.run(sql.CARRY, connector)
        connection.execute("COMMIT")
    return kept is not None


class _Kept(NamedTuple):
    """What a database holds that belongs to a workspace's settings."""

    tasks: Sequence[Task]
    connectors: Sequence[StoredConnector]


def _kept_of(present: Path) -> _Kept | None:
    try:
        with contextlib.closing(connect(present, read_only=True)) as connection:
            tx = ReadTx(connection)
            return _Kept([task for task, _ in scheduled.every(tx)], newest(tx))
    except sqlite.Error:  # damaged, or from an earlier version
        return None
