"""`signet audit …`: who read, shared, exported and deleted what."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, NamedTuple

import typer

from signet.cli import output
from signet.cli.command import Output, arg, command, opt
from signet.cli.entry import ID_CHARS
from signet.cli.options import LimitOption, SinceOption, UntilOption
from signet.client import Signet
from signet.client.answers import AuditEntry

app = typer.Typer(help="Show and export the audit log.", invoke_without_command=True)
#: Entries of one request.
PAGE = 1_000


class AuditFilter(NamedTuple):
    """Options that choose entries."""

    actor: Annotated[str | None, "Only this person or program."] = None
    action: Annotated[
        str | None, "Only read, propose, share, refuse, withdraw, export, forget, recover or erase."
    ] = None
    space: Annotated[str | None, "Only acts in this space."] = None
    since: SinceOption = None
    until: UntilOption = None


@command(app, alone=True)
def audit(signet: Signet, wanted: AuditFilter, limit: LimitOption = 20) -> Output:
    """Show the last entries of the audit log: who, when, what, and through which key.

    Examples: signet audit · signet audit --actor=anna --action=read
    """
    last = signet.audit(newest=True, limit=limit, **wanted._asdict())["entries"]
    yield {"entries": last}
    yield from output.listed(map(_line, last), "No entries")


@command(app)
def export(
    signet: Signet,
    wanted: AuditFilter,
    to: Annotated[str, arg("File to write, - for standard output.", "FILE")] = "-",
    force: Annotated[bool, opt("Replace the file.", "--force", "-f")] = False,
) -> Output:
    """Write the audit log as lines of JSON (NDJSON), oldest first.

    Examples: signet audit export audit.ndjson · signet audit export --since 2026-11-01 > november.ndjson
    """
    count = 0
    with _target(to, force=force) as write:
        for one in _entries(signet, wanted):
            write(json.dumps(one, ensure_ascii=False))
            count += 1
    if to != "-":
        output.hint(f"{count} entries in {to}")
    yield {"entries": count}


@contextmanager
def _target(to: str, *, force: bool) -> Iterator[Callable[[str], object]]:
    """Yield what writes a line to a file, or to standard output."""
    if to == "-":
        yield output.say
        return
    with Path(to).open("w" if force else "x", encoding="utf-8") as file:
        yield lambda line: file.write(f"{line}\n")


def _entries(signet: Signet, wanted: AuditFilter) -> Iterator[AuditEntry]:
    cursor: int | None = 0
    while cursor is not None:
        page = signet.audit(cursor=cursor, limit=PAGE, **wanted._asdict())
        yield from page["entries"]
        cursor = page["next"]


def _line(one: AuditEntry) -> str:
    facts = [output.local(one["at"]), output.plain(one["actor"]), one["action"]]
    facts += [one["operation"]] if one["operation"] else []
    facts += [f"in {output.plain(one['space'])}"] if one["space"] else []
    facts += [" ".join(id[:ID_CHARS] for id in one["memory_ids"][:3])] if one["memory_ids"] else []
    facts += [f"({one['count']})"] if one["count"] > 3 else []
    facts += [f"key {one['key_id'][:8]}"] if one["key_id"] else []
    return "  ".join(facts)
