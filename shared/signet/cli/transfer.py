"""`signet export` and `signet import`: a workspace as NDJSON, and import from many formats.

Both use the daemon in pages or batches, so they work from another machine and others can save between batches. Files
are read and written here.
"""

import io
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TextIO

import typer

from signet import clock, ids
from signet.cli import output, spooled
from signet.cli.command import (
    Output,
    PathOption,
    StatusAnswer,
    arg,
    client,
    command,
    confirmed,
    opt,
)
from signet.cli.options import ProjectOption, SinceOption
from signet.cli.output import ProgressLine
from signet.client import Signet
from signet.domain.transfer.records import END, Fate, SourceRecord, Tally, line
from signet.errors import Invalid, SignetError, TooLarge, Unavailable
from signet.paths import Workspace, find_workspace

if TYPE_CHECKING:
    from signet.client.answers import Imported
    from signet.domain.transfer.sources.formats import Format, ImportSource, SourceFile

#: File name for standard input and output.
DASH = "-"
#: A batch ends with the record that exceeds either limit.
BATCH_RECORDS = 200
BATCH_BYTES = 500_000
#: Refusals to keep for the report, and to print.
MAX_REASONS = 1_000
SHOWN_REASONS = 20
#: Request timeout: a batch waits for other writers, a dry run for the disk.
TIMEOUT_SECONDS = 120.0


class ImportConflict(StrEnum):
    """What happens to an existing file: kept (also with `merge`) or overwritten."""

    SKIP = "skip"
    MERGE = "merge"
    OVERWRITE = "overwrite"


@command()
def export(
    file: Annotated[
        str | None,
        opt("File to write; - is stdout; default: signet-export-DATE.ndjson.", "--output", "-o"),
    ] = None,
    vectors: Annotated[
        bool, "Include the vectors; without them, import creates them again."
    ] = False,
    agent: Annotated[str | None, "Only memories that this agent may read."] = None,
    since: SinceOption = None,
    path: PathOption = None,
    as_json: bool = False,
) -> Output:
    """Export memories, history, graph, documents and sessions.

    Writes one JSON object per line. Its field "record" is one of: agent, memory, history, hint, entity, aspect,
    attribute, dependency, relation, mention, document, chunk, transcript, summary and others. The other fields are
    the columns of one row. Forgotten memories and private ones of all agents are included; secrets, tokens and
    settings are not. `signet import` reads it. The whole format is in the installed package:
    signet/domain/transfer/FORMAT.md

    Examples: signet export · signet export -o - --since 2026-01-01 | gzip > new.ndjson.gz
    """
    name = file or f"signet-export-{clock.now():%Y-%m-%d}.ndjson"
    records = client(path, timeout_seconds=TIMEOUT_SECONDS).export(
        since=since, vectors=vectors, everything=agent is None, agent_id=agent
    )
    tally = Tally()
    with _opened(name) as stream, ProgressLine("Exporting", quiet=as_json, unit="rows") as progress:
        header = next(records)
        total = sum(header["counts"].values())
        stream.write(line(header))
        done = 0
        for record in records:
            stream.write(line(record))
            if record["record"] != END:
                done += 1
                tally.add(record["record"], Fate.NEW)
                progress.count(done, total)
    counts = {kind: number for (kind, _), number in tally.counts.items()}
    if name != DASH:
        yield {"file": str(Path(name).absolute()), "rows": done, "counts": counts}
    tell = output.tell if name == DASH else output.say
    tell(f"Exported {output.count(done, 'row')}" + ("" if name == DASH else f" to {name}"))
    for kind, number in counts.items():
        tell(f"  {kind:<16}{number}")


@command(does="import records, agents and their read policies included")
def import_(
    source: Annotated[str, arg("File or folder to import, or - for an export on stdin.")],
    format: Annotated[
        str, opt("Format: auto, signet, upstream, bundle, claude-code, markdown or mem0.", "--from")
    ] = "auto",
    conflict: Annotated[
        ImportConflict, "How to treat existing identity files and skills."
    ] = ImportConflict.SKIP,
    dry_run: Annotated[bool, "Count what would be imported; change nothing."] = False,
    agent: Annotated[str | None, "Agent that gets the memories; default: your own."] = None,
    project: ProjectOption = None,
    sessions: Annotated[bool, "For Claude Code: also import session transcripts."] = False,
    files: Annotated[
        bool | None,
        opt("Copy identity files and skills of a bundle; default: ask.", "--files/--no-files"),
    ] = None,
    path: PathOption = None,
    as_json: bool = False,
) -> Output:
    """Import memories from an export or from other programs.

    Reads exports, databases and bundles of an earlier Signet, Claude Code memory, folders of Markdown and text files,
    and mem0.

    Nothing is imported twice, so an interrupted import can simply be started again. Unreadable records are listed
    with their line and skipped; the exit status is then 1. Forgotten memories stay forgotten. Private folders and
    links that lead out of the folder are not read.

    Examples: signet import all.ndjson --dry-run · signet import ~/.claude
    """
    from signet.domain.transfer.sources import choose
    from signet.domain.transfer.sources.formats import OWNED, ImportOptions

    chosen = _format(format)
    wishes = ImportOptions(agent_id=agent, project=project, sessions=sessions)
    workspace = find_workspace(path)
    with choose.open_source(source, chosen, wishes, workspace=workspace, now=clock.now()) as opened:
        if opened.format in OWNED and (agent or project):
            raise typer.BadParameter(
                f"not possible here: a {opened.format} source already names agent and project",
                param_hint="--agent" if agent else "--project",
            )
        run = _Run(client(path, timeout_seconds=TIMEOUT_SECONDS), opened, is_dry=dry_run)
        with ProgressLine("Importing", quiet=as_json, unit=opened.unit) as progress:
            run.all(progress)
        run.copy(
            workspace, overwrite=conflict is ImportConflict.OVERWRITE, agreed=files, as_json=as_json
        )
    totals = {str(fate): run.tally.count(fate) for fate in Fate}
    facts = {"format": run.source.format, "dryRun": run.is_dry, **totals}
    facts |= {"kinds": run.tally.by_kind(), "reasons": run.reasons, "masked": list(run.masked)}
    facts["notRead"] = dict(opened.left)
    yield StatusAnswer(facts, status=1 if run.tally.count(Fate.REFUSED) else 0)
    _report(run)


class _Run:
    """One import: sends batches and counts results."""

    def __init__(self, signet: Signet, source: "ImportSource", *, is_dry: bool) -> None:
        self.source = source
        self.is_dry = is_dry
        self.tally = Tally()
        self.reasons: list[dict[str, str]] = []
        #: Kinds of masked secrets, each once.
        self.masked: dict[str, None] = {}
        self._signet = signet
        self._preview = ids.new_id() if is_dry else None

    def all(self, progress: ProgressLine) -> None:
        """Send every record; if the daemon becomes unreachable, explain how to resume."""
        try:
            for batch in _batches(self.source.records):
                before = len(self.reasons)
                self._send([found for found in batch if found.fault is None])
                for found in batch:
                    if found.fault is not None:
                        self._refuse("unreadable", found, found.fault)
                self._order(before, batch)
                self._show(progress, batch[-1].done)
            if self.is_dry:
                self._post([], last=True)
        except Unavailable:
            if not self.is_dry:
                output.hint("Imported records are kept. Run the same command again to continue.")
            raise

    def copy(
        self, workspace: Workspace, *, overwrite: bool, agreed: bool | None, as_json: bool
    ) -> None:
        """Copy identity files and skills into the workspace, if the daemon is its own and the user agrees."""
        wanted = []
        for one in self.source.files:
            if not spooled.is_own(workspace, self._signet.target):
                self._refuse_file(one, "files are only copied on the daemon's machine")
            elif overwrite or not os.path.lexists(workspace.root / one.place):
                wanted.append(one)
            else:
                self.tally.add(one.kind, Fate.KNOWN)
        if self.is_dry or not wanted:
            for one in wanted:
                self.tally.add(one.kind, Fate.NEW)
            return
        if agreed is None:
            agreed = _is_agreed(wanted, as_json=as_json)
        for one in wanted:
            if not agreed:
                self._refuse_file(one, "not copied; to copy it, pass --files")
                continue
            try:
                one.copy(workspace)
            except (SignetError, OSError) as error:
                self._refuse_file(one, str(error))
            else:
                self.tally.add(one.kind, Fate.NEW)

    def _refuse_file(self, one: "SourceFile", reason: str) -> None:
        self._refuse(one.kind, SourceRecord(where=str(one.place), done=0), reason)

    def _send(self, batch: list[SourceRecord]) -> None:
        if not batch:
            return
        try:
            answer = self._post(batch)
        except (Invalid, TooLarge) as error:
            # A record that the daemon cannot read must not fail the others.
            if len(batch) == 1:
                self._refuse(str(batch[0].value.get("record")), batch[0], error.message)
                return
            for found in batch:
                self._send([found])
            return
        for kind, fates in answer["kinds"].items():
            for fate in (Fate.NEW, Fate.KNOWN, Fate.FORGOTTEN):
                self.tally.add(kind, fate, fates[fate])
        self.masked.update(dict.fromkeys(answer.get("masked", ())))
        for one in answer["reasons"]:
            found = batch[one["index"]]
            self._refuse(str(found.value.get("record")), found, one["reason"])

    def _post(self, batch: list[SourceRecord], *, last: bool = False) -> "Imported":
        return self._signet.import_records(
            [found.value for found in batch],
            vectors=self.source.vectors,
            preview=self._preview,
            last=last,
        )

    def _refuse(self, kind: str, found: SourceRecord, reason: str) -> None:
        self.tally.add(kind, Fate.REFUSED)
        if len(self.reasons) < MAX_REASONS:
            self.reasons.append({"where": found.where, "record": kind, "reason": reason})

    def _order(self, first: int, batch: list[SourceRecord]) -> None:
        """Merge the refusals of a batch, from daemon and reader, in its order."""
        places = {found.where: place for place, found in enumerate(batch)}
        self.reasons[first:] = sorted(self.reasons[first:], key=lambda one: places[one["where"]])

    def _show(self, progress: ProgressLine, done: int) -> None:
        if self.source.total:
            progress.count(min(done, self.source.total), self.source.total)


def _is_agreed(files: "Sequence[SourceFile]", *, as_json: bool) -> bool:
    """Ask whether to copy files that control agents; False without a terminal."""
    if as_json or not output.can_ask():
        return False
    output.tell("The bundle contains files that control agents:")
    for one in files:
        output.tell(f"  {one.kind:<9} {output.plain(str(one.place))}")
    return confirmed("Copy them into the workspace?")


def _batches(records: Iterator[SourceRecord]) -> Iterator[list[SourceRecord]]:
    batch: list[SourceRecord] = []
    size = 0
    for found in records:
        batch.append(found)
        size += len(line(found.value))
        if len(batch) == BATCH_RECORDS or size >= BATCH_BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


@contextmanager
def _opened(name: str) -> Iterator[TextIO]:
    """Open the output file: private, and visible under its name only when complete."""
    if name == DASH:
        if isinstance(sys.stdout, io.TextIOWrapper):
            sys.stdout.reconfigure(encoding="utf-8")
        yield sys.stdout
        return
    whole = Path(name)
    part = whole.with_name(f"{whole.name}.part")
    descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", newline="\n") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        part.replace(whole)
    finally:
        part.unlink(missing_ok=True)


def _format(name: str) -> "Format | None":
    from signet.domain.transfer.sources.formats import Format

    if name == "auto":
        return None
    try:
        return Format(name)
    except ValueError:
        names = ", ".join(["auto", *Format])
        raise typer.BadParameter(
            f"{name} is unknown; choose one of: {names}", param_hint="--from"
        ) from None


def _report(run: _Run) -> None:
    tally = run.tally
    totals = {str(fate): tally.count(fate) for fate in Fate}
    if not totals[Fate.FORGOTTEN]:
        del totals[Fate.FORGOTTEN]
    ink = output.ink(sys.stdout)
    did = "Would import" if run.is_dry else "Imported"
    words = ", ".join(f"{number} {fate}" for fate, number in totals.items())
    output.say(f"{did} from {run.source.format}: {ink.bold(words)}")
    for kind, fates in tally.by_kind().items():
        shown = ", ".join(f"{number} {fate}" for fate, number in fates.items() if number)
        output.say(f"  {output.short(output.plain(kind), 15):<16}{shown}")
    for one in run.reasons[:SHOWN_REASONS]:
        where, reason = output.plain(one["where"]), output.plain(one["reason"])
        output.tell(f"{ink.warn('refused')} {where}: {reason}")
    if left := run.source.left:
        endings = ", ".join(f"{number} {output.plain(ending)}" for ending, number in left.items())
        output.say(f"Not read: {endings}")
        output.hint("Web pages and PDF are read as documents: signet document add FILE")
    if masked := output.masked(run.masked):
        output.say(masked.lstrip())
    if not run.is_dry and tally.by_kind().get("transcript", {}).get(Fate.NEW):
        output.hint("Recall finds the imported sessions within a minute, while the daemon runs")
    if tally.count(Fate.FORGOTTEN):
        output.hint("Forgotten memories are not imported again; list them with: signet forgotten")
    more = tally.count(Fate.REFUSED) - SHOWN_REASONS
    if more > 0:
        output.hint(f"… and {more} more; --json lists {MAX_REASONS}")
