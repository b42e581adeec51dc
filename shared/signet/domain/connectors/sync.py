"""Keeping documents in step with a folder: new files are queued, changed ones queued again, missing ones deleted.

The folder is compared with the documents, not with the time of the last sync, so that a file that was moved in with an
old time is found too. Every step is a short transaction and may be repeated: a file that has its document is known. So
a killed run is repeated. Separate jobs read the files.
"""

import json
import os
import re
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache, partial
from itertools import islice
from pathlib import Path, PurePath

from signet import clock
from signet.db import ReadTx, WriteTx
from signet.db.dialect import as_list
from signet.domain.connectors import registry, sql
from signet.domain.connectors.registry import Folder, continued, with_errors
from signet.domain.connectors.sql import KnownFile
from signet.domain.documents import ingest, records
from signet.domain.documents.records import DocumentRules, DocumentSource, NewDocument
from signet.domain.folders.private import Places, find_places, is_below, is_settings
from signet.domain.folders.reading import NotAllowed, check_local, opened_folder
from signet.domain.memory.models import Actor
from signet.errors import Frozen, PermanentJobError
from signet.observe import logs, record
from signet.observe.record import Count
from signet.paths import Workspace
from signet.queue import BULK
from signet.queue.job_context import JobContext
from signet.wire.connectors import StoredConnector, SyncError, SyncProgress


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundFile:
    """One file: its absolute path, its path below the root, and a stamp of its state."""

    path: str
    relative: str
    stamp: str


def scan(folder: Folder, places: Places) -> Iterator[FoundFile | SyncError]:
    """Yield the files to read and the reasons for skipping others, never from private places (CON-11).

    Raises OSError if the root cannot be listed, and NotAllowed if a link has replaced it.
    """
    waiting = [folder.root_path]
    while waiting:
        here = waiting.pop()
        try:
            with opened_folder(here) as handle, os.scandir(handle) as found:
                entries = sorted(
                    (one.name, one.is_dir(follow_symlinks=False), one.is_symlink()) for one in found
                )
        except (OSError, NotAllowed) as error:
            if here == folder.root_path:
                raise
            yield {"resourceId": _shown(here), "message": _why(error), "retryable": True}
            continue
        for name, is_folder, is_link in entries:
            path = f"{here.rstrip('/')}/{name}"
            relative = os.path.relpath(path, folder.root_path)
            if is_ignored(relative, folder):
                continue
            if is_folder and (reason := places.reason(path)):
                message = f"private: {reason}"
                yield {"resourceId": _shown(path), "message": message, "retryable": False}
            elif is_folder:
                waiting.append(path)
            elif (
                _is_wanted(relative, folder)
                and not is_settings(path)
                and (not is_link or _is_inside(path, folder, places))
            ):
                yield from _checked(path, relative, folder)


def is_gone(path: str, folder: Folder, places: Places) -> bool:
    """Return whether a document's file no longer belongs to the folder; an unreadable one still does."""
    relative = os.path.relpath(path, folder.root_path)
    if (
        relative.startswith("..")
        or is_ignored(relative, folder)
        or not _is_wanted(relative, folder)
    ):
        return True
    try:
        is_file = stat.S_ISREG(Path(path).stat().st_mode)
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        return False
    return not is_file or not _is_inside(path, folder, places)


def is_ignored(relative: str, folder: Folder) -> bool:
    """Return whether a file or folder is skipped: hidden, or by an ignore rule (CON-8). Pure."""
    parts = PurePath(relative).parts
    return any(part.startswith(".") for part in parts) or any(
        rule in parts or relative.startswith(rule.removeprefix("./")) or matches(relative, rule)
        for rule in folder.ignore_patterns
    )


def _is_wanted(relative: str, folder: Folder) -> bool:
    return any(matches(relative, pattern) for pattern in folder.patterns)


def _is_inside(path: str, folder: Folder, places: Places) -> bool:
    real = os.path.realpath(path)
    if real == path:  # the scan checks its folder
        return True
    return is_below(real, folder.root_path) and places.file_reason(real) is None


def _checked(path: str, relative: str, folder: Folder) -> Iterator[FoundFile | SyncError]:
    try:
        path.encode()
        found = Path(path).stat()
    except UnicodeEncodeError:
        yield {"resourceId": _shown(path), "message": "the name is not UTF-8", "retryable": False}
        return
    except OSError as error:
        yield {"resourceId": path, "message": _why(error), "retryable": True}
        return
    if not stat.S_ISREG(found.st_mode):
        return
    if found.st_size > folder.max_file_size:
        message = f"larger than {folder.max_file_size} bytes"
        yield {"resourceId": path, "message": message, "retryable": False}
    elif not os.access(path, os.R_OK):
        yield {"resourceId": path, "message": "permission denied", "retryable": True}
    else:
        yield FoundFile(path=path, relative=relative, stamp=f"{found.st_mtime_ns}-{found.st_size}")


def _why(error: OSError | NotAllowed) -> str:
    if isinstance(error, NotAllowed):
        return error.message
    return error.strerror or type(error).__name__


def _shown(path: str) -> str:
    return path.encode("utf-8", "replace").decode()


_TOKEN = re.compile(r"\*\*/|\*\*|\*|\?|\[!?[^\]/]{1,100}+\]|[{},]|.", re.DOTALL)
_MEANING = {"**/": "(?:[^/]+/)*", "**": ".*", "*": "[^/]*", "?": "[^/]"}


@lru_cache(maxsize=256)
def compiled(glob: str) -> re.Pattern[str]:
    found: list[str] = []
    depth = 0
    star, star_at = "", 0
    balanced = glob.count("{") == glob.count("}")
    for token in _TOKEN.findall(glob.removeprefix("./")):
        if star and (token == star or token == "**"):
            # This star takes in whatever the one before gives up: the first place is right, and no other is tried.
            found[star_at] = f"(?>{_MEANING[star]}?"
            found.append(")")
        if token in ("**/", "{", "}", "*", "**"):
            star, star_at = token if token[-1] == "*" and not depth else "", len(found)
        if token in _MEANING:
            found.append(_MEANING[token])
        elif token[0] == "[" and len(token) > 1:
            inside = token[1:-1].replace("\\", "\\\\").replace("[", "\\[").replace("^", "\\^")
            found.append(f"[^{inside[1:]}]" if inside[0] == "!" else f"[{inside}]")
        elif balanced and token == "{":
            depth += 1
            found.append("(?:")
        elif depth and token in ",}":
            depth -= token == "}"
            found.append("|" if token == "," else ")")
        else:
            found.append(re.escape(token))
    try:
        return re.compile("".join(found), re.DOTALL)
    except re.error:  # `[z-a]`, `}{`: no valid pattern
        return re.compile(re.escape(glob))


def matches(path: str, glob: str) -> bool:
    return compiled(glob).fullmatch(path) is not None


log = logs.get("pipeline")

SYNC = Actor(name="connector-sync", type="pipeline")
#: Files compared in one transaction, so that other writers wait no longer than for a few saves.
FILES_PER_WRITE = 25
#: Documents checked for their files between two status updates.
DOCUMENTS_PER_READ = 200
REMOVED = "source file removed"


def run(job: JobContext, rules: DocumentRules, workspace: Workspace) -> None:
    """Sync the job's connector and complete the job; a removed connector needs no sync.

    Raises PermanentJobError, also for a folder that is private or was replaced (CON-11), Frozen, and what `JobContext`
    raises.
    """
    if rules.frozen:
        raise Frozen
    payload = job.lease.payload
    connector_id, is_full = str(payload.get("connectorId")), payload.get("full") is True
    started = clock.now()
    connector = job.db.read(lambda tx: tx.record(StoredConnector, sql.BY_ID, (connector_id,)))
    if connector is None:
        job.commit(lambda tx: {"skipped": "connector_gone"})
        return
    check_local(workspace)
    folder, places = registry.stored_folder(connector), find_places(workspace)
    if reason := _refusal(folder, places):
        raise PermanentJobError(
            f"{reason}. Remove it and the documents that were read from it: signet connector remove"
            f" {connector['id'][:8]} --documents",
            "private_folder",
        )
    job.progress(partial(registry.adopt_documents, connector=connector, root=folder.root_path))
    progress = continued(connector["progress_json"], job.lease.job_id)
    try:
        progress = _added(job, connector, folder, places, progress, rules, is_full=is_full)
    except NotAllowed as error:  # it was replaced a moment ago
        raise PermanentJobError(error.message, "private_folder") from error
    except OSError as error:
        raise PermanentJobError(
            f"{folder.root_path} cannot be read: {error.strerror}", "CONNECTOR_AUTH_FAIL"
        ) from error
    progress = _cleared(job, connector, folder, places, progress)
    job.commit(partial(_end, connector=connector, progress=progress, started=started))
    log.info("connector.synced", connector_id=connector["id"], **_counts(progress))
    record.count(Count.SYNCS, connector["id"])
    record.count(
        Count.DOCUMENTS, connector["id"], progress["documentsAdded"] + progress["documentsUpdated"]
    )


def _refusal(folder: Folder, places: Places) -> str | None:
    """Return why the folder must not be read any more."""
    root = folder.root_path
    real = os.path.realpath(root)
    if real != root:
        return f"{root} is a link to {real} now"
    reason = places.folder_reason(root)
    return f"{root} is private: {reason}" if reason else None


def _added(
    job: JobContext,
    connector: StoredConnector,
    folder: Folder,
    places: Places,
    progress: SyncProgress,
    rules: DocumentRules,
    *,
    is_full: bool,
) -> SyncProgress:
    """Queue new and changed files; raises OSError if the folder cannot be listed."""
    files = scan(folder, places)
    while group := list(islice(files, FILES_PER_WRITE)):
        job.check()
        step = partial(
            _take, connector=connector, group=group, progress=progress, rules=rules, is_full=is_full
        )
        progress = job.progress(partial(step, now=clock.now()))
    return progress


def _take(
    tx: WriteTx,
    *,
    connector: StoredConnector,
    group: Sequence[FoundFile | SyncError],
    progress: SyncProgress,
    rules: DocumentRules,
    is_full: bool,
    now: datetime,
) -> SyncProgress:
    """Compare some files with their documents, queue the changed ones, and store the progress."""
    files = [found for found in group if isinstance(found, FoundFile)]
    asked = (connector["id"], as_list(found.path for found in files))
    known = {one.path: one for one in tx.rows(KnownFile, sql.KNOWN, asked)}
    new = [found for found in files if found.path not in known]
    changed = [
        found
        for found in files
        if found.path in known and (is_full or known[found.path].stamp != found.stamp)
    ]
    errors = [found for found in group if not isinstance(found, FoundFile)]
    progress = {
        **with_errors(progress, errors),
        "filesSeen": progress["filesSeen"] + len(files),
        "documentsAdded": progress["documentsAdded"] + len(new),
        "documentsUpdated": progress["documentsUpdated"] + len(changed),
    }
    if not _show(tx, connector, progress, now):
        return progress  # removed meanwhile: nothing is added to it any more
    for found in new:
        records.add(tx, _document(connector, found), now=now, attempts=rules.attempts)
    for found in changed:
        document = known[found.path]
        ingest.read_again(
            tx,
            document.id,
            agent_id=document.agent_id,
            stamp=found.stamp,
            forced=is_full,
            attempts=rules.attempts,
            now=now,
        )
    return progress


def _document(connector: StoredConnector, found: FoundFile) -> NewDocument:
    return NewDocument(
        source_type=DocumentSource.FILE,
        url=found.path,
        title=found.relative,
        connector_id=connector["id"],
        agent_id=connector["agent_id"],
        source_stamp=found.stamp,
        priority=BULK,
    )


def _cleared(
    job: JobContext,
    connector: StoredConnector,
    folder: Folder,
    places: Places,
    progress: SyncProgress,
) -> SyncProgress:
    """Delete the documents whose files no longer exist (CON-7)."""
    last, root = "", folder.root_path
    asked = {"id": connector["id"], "limit": DOCUMENTS_PER_READ, **sql.below(root)}
    while known := job.db.read(ReadTx.rows, KnownFile, sql.AFTER, {**asked, "after": last}):
        last = known[-1].path
        for document in known:
            if is_gone(document.path, folder, places):
                job.check()
                progress = {**progress, "documentsRemoved": progress["documentsRemoved"] + 1}
                gone = partial(_remove, connector=connector, document_id=document.id)
                job.progress(partial(gone, progress=progress, now=clock.now()))
    return progress


def _remove(
    tx: WriteTx,
    *,
    connector: StoredConnector,
    document_id: str,
    progress: SyncProgress,
    now: datetime,
) -> None:
    records.remove_text(tx, document_id, reason=REMOVED, actor=SYNC, now=now)
    _show(tx, connector, progress, now)


def _end(
    tx: WriteTx, *, connector: StoredConnector, progress: SyncProgress, started: datetime
) -> dict[str, object]:
    """Set the connector to idle with its new cursor: the start of the sync (CON-4)."""
    begun = clock.to_text(started)
    cursor, at = {"lastSyncAt": begun}, clock.to_text(clock.now())
    values = (json.dumps(cursor), begun, json.dumps(progress), at, connector["id"])
    tx.run(sql.END, values)
    return {**progress, "cursor": cursor}


def _show(tx: WriteTx, connector: StoredConnector, progress: SyncProgress, now: datetime) -> bool:
    return tx.run(sql.PROGRESS, (json.dumps(progress), clock.to_text(now), connector["id"])) == 1


def _counts(progress: SyncProgress) -> dict[str, object]:
    return {name: value for name, value in progress.items() if name != "errors"}
