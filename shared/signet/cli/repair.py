"""`signet repair …`: one command per repair of the catalog; previews, or changes with `--apply`."""

import shlex
import sys
from collections.abc import Iterator, Mapping
from typing import Annotated, Any

import typer

from signet.cli import output, when
from signet.cli.command import (
    CommandParameter,
    Output,
    PathOption,
    StatusAnswer,
    arg,
    client,
    command,
    opt,
)
from signet.cli.output import Ink
from signet.client import Signet
from signet.client.call import Call, ask, given
from signet.domain.repair.catalog import ACTIONS, Option, RepairAction, RowFilter
from signet.errors import SignetError
from signet.wire import repair as wire

app = typer.Typer(help="Check and repair the stored data.", no_args_is_help=True)

#: Seconds before a repair continues in the background and its job is watched.
WAIT_SECONDS = 60.0
#: Seconds to watch a repair, and between progress lines.
WATCH_SECONDS = 3_600.0
LOOK_SECONDS = 0.5

_LABEL = 26
#: Time fields of a preview's rows.
_TIMES = frozenset({"at", "created_at"})


@command(app, "list")
def list_repairs() -> Output:
    """List all repairs and their options.

    Examples: signet repair list · signet repair list --json
    """
    rows = [
        {"command": _name(one), "action": one.name, "help": one.help, "filters": one.filters}
        for one in ACTIONS
    ]
    yield {"repairs": rows, "count": len(rows)}
    ink = output.ink(sys.stdout)
    for one in ACTIONS:
        output.say(f"{ink.name(f'{_name(one):<{_LABEL}}')}{one.help}")
    output.hint("A repair is a dry run by default. Perform it with: signet repair NAME --apply")


@command(app)
def stats(signet: Signet) -> Output:
    """Count missing vectors, duplicates and archived rows.

    Examples: signet repair stats · signet repair stats --json
    """
    gaps = signet.send(ask(wire.EMBEDDING_GAPS))
    twins = signet.send(ask(wire.DEDUP_STATS))
    cold = signet.send(ask(wire.COLD_STATS))
    yield {"embedding-gaps": gaps, "dedup-stats": twins, "cold-stats": cold}
    output.say(f"{'without a vector':<{_LABEL}}{gaps['unembedded']} of {gaps['total']}")
    output.say(f"{'duplicates':<{_LABEL}}{twins['exactExcess']} of {twins['totalActive']}")
    output.say(f"{'in the archive':<{_LABEL}}{cold['count']}")


@command(app, seconds=WAIT_SECONDS)
def integrity(signet: Signet) -> Output:
    """Check the whole database file; exit 1 if it is damaged.

    Examples: signet repair integrity · signet repair integrity --json
    """
    found = signet.send(ask(wire.INTEGRITY_CHECK))
    yield StatusAnswer(found, status=1 if found["ok"] is False else 0)
    ink = output.ink(sys.stdout)
    parts = {
        "database": found["ok"] is not None and found["sqlite"] == ["ok"],
        "full text": found["ftsOk"],
        "vector index": found["vecOk"],
    }
    for name, is_ok in parts.items():
        output.say(f"{ink.good('✓') if is_ok else ink.bad('✗')} {name}")
    for line in found["sqlite"] if found["sqlite"] != ["ok"] else ():
        output.say(f"  {output.plain(line)}")
    if found.get("timedOut"):
        output.hint("The file is large; only part of it was checked")


@command(app, "dead-memories")
def dead_memories(
    signet: Signet,
    limit: Annotated[int, opt("Maximum number of results.", "-l", min=1, max=500)] = 20,
) -> Output:
    """List unused memories with low confidence.

    Examples: signet repair dead-memories · signet repair dead-memories -l 100 --json
    """
    found = signet.send(ask(wire.DEAD_MEMORIES, limit=limit))
    yield found
    ink = output.ink(sys.stdout)
    for one in found["items"]:
        output.say(f"{ink.dim(one['id'])}  {output.short(one['content'], 90)}")
    output.say(f"{output.count(found['total'], 'unused memory')} with low confidence")


def _name(action: RepairAction) -> str:
    return "forget-dead-memories" if "/" in action.path else action.path


def _add(action: RepairAction) -> None:
    """Add the command of an action, with its options from the catalog."""
    options = [one for one in action.options if one.name != action.switch]

    def repair(**said: Any) -> Output:
        return _run(action, options, said)

    parameters = [*_filters(action), *(_parameter(one) for one in options), *_COMMON]
    repair.parameters = parameters  # type: ignore[attr-defined]  # read by `command`
    name = _name(action)
    looks, does = f"signet repair {name}", f"signet repair {name} --apply"
    if action.name == "forgetDeadMemories":
        looks, does = "signet repair dead-memories", f"signet repair {name} ID --reason old"
    repair.__doc__ = f"{action.help}\n\nExamples: {looks} · {does}"
    command(app, name)(repair)


def _filters(action: RepairAction) -> list[CommandParameter]:
    every: dict[RowFilter, dict[str, Any]] = {
        RowFilter.IDS: {
            "ids": Annotated[list[str] | None, arg(f"Only this {action.noun}, or these.", "ID...")]
        },
        RowFilter.KIND: {"kind": Annotated[list[str] | None, "Only this kind. Repeatable."]},
        RowFilter.AGE: {
            "older": _age("--older-than", "Only rows older than this, such as 2d."),
            "newer": _age("--newer-than", "Only rows newer than this, such as 90m."),
        },
        RowFilter.ERROR: {"error": Annotated[str | None, "Text in the error; * matches any text."]},
    }
    return [
        CommandParameter(name, shape, None)
        for one in action.filters
        for name, shape in every[one].items()
    ]


def _age(flag: str, help: str) -> object:
    return Annotated[str | None, opt(help, flag, metavar="TIME", parser=when.first)]


def _parameter(option: Option) -> CommandParameter:
    flag = "--" + "".join(f"-{sign.lower()}" if sign.isupper() else sign for sign in option.name)
    if option.type is bool:
        return CommandParameter(option.name, Annotated[bool, opt(option.help, flag)], False)
    help = option.help
    if option.choices:
        help = f"{help.removesuffix('.')}: {' or '.join(option.choices)}."
    if option.default is not None:
        help += f" Default: {option.default}."
    if option.is_required:
        return CommandParameter(option.name, Annotated[str, opt(help, flag)])
    type: Any = option.type
    return CommandParameter(option.name, Annotated[type | None, opt(help, flag)], None)


_COMMON = (
    CommandParameter(
        "apply",
        Annotated[bool, opt("Perform the repair, or only preview it.", "--apply/--dry-run")],
        False,
    ),
    CommandParameter("path", PathOption, None),
)


def _run(action: RepairAction, options: list[Option], said: Mapping[str, Any]) -> Output:
    body = {one.name: said[one.name] for one in options}
    chosen = {
        "ids": said.get("ids") or None,
        "kind": said.get("kind") or None,
        "until": said.get("older"),
        "since": said.get("newer"),
        "error": said.get("error"),
    }
    apply = bool(said["apply"])
    switch = {} if action.switch is None else {action.switch: apply}
    sent = given({**body, **chosen}) | switch | {"dryRun": not apply}
    found = _perform(said["path"], action, sent)
    yield found
    for line in _lines(found, output.ink(sys.stdout)):
        output.say(line)
    if not apply and found["affected"]:
        words = [word for word in sys.argv[1:] if word not in ("--dry-run", "--json")]
        output.hint(f"Perform it with: signet {shlex.join(words)} --apply")


def _perform(path: str | None, action: RepairAction, body: Mapping[str, object]) -> dict[str, Any]:
    """Start a repair, follow it to the end, and return its result. Raises SignetError."""
    signet = client(path, timeout_seconds=WAIT_SECONDS)
    found = signet.send(_call(action, body))
    if job_id := _open_job(found):
        found = _followed(signet, job_id, found)
    if not found.get("success"):
        raise SignetError(_refusal(found), "repair_failed")
    return found


def _call(action: RepairAction, body: Mapping[str, object]) -> Call[dict[str, Any]]:
    return Call(
        method="POST",
        path=f"/api/repair/{action.path}",
        body=body,
        accepts=frozenset({409, 429, 500, 503}),
    )


def _open_job(found: Mapping[str, Any]) -> str | None:
    """Return the repair's open job, None when it has ended."""
    details = found.get("details") or {}
    return details.get("jobId") if details.get("status") in ("pending", "leased") else None


def _followed(signet: Signet, job_id: str, found: dict[str, Any]) -> dict[str, Any]:
    """Wait for a repair's job and return its result; Ctrl-C stops only the waiting."""
    import time

    until = time.monotonic() + WATCH_SECONDS
    with output.Passing() as passing:
        shown = None
        while time.monotonic() < until:
            job = signet.job(job_id)
            result: Any = job["result"] or {}
            if job["status"] == "completed":
                return dict(result)
            if job["status"] == "dead":
                raise SignetError(job["error"] or "it failed", "repair_failed")
            line = f"{found['message'].split()[0]}: {result.get('affected', 0)} done, job {job_id}"
            if line != shown:
                passing.show(line)
                shown = line
            time.sleep(LOOK_SECONDS)
    return found


def _refusal(found: Mapping[str, Any]) -> str:
    said = str(found["error"])
    return f"{said}; this limit applies to all callers" if found.get("reason") == "budget" else said


def _lines(found: Mapping[str, Any], ink: Ink) -> Iterator[str]:
    """Yield the message, then the rows it mentions."""
    yield str(found["message"]).removeprefix("dry run: ")
    details = dict(found.get("details") or {})
    sample = details.pop("sample", None) or found.get("results") or []
    for row in sample:
        yield f"  {_row(row, ink)}"
    left = found["affected"] - len(sample)
    if sample and left > 0:
        yield ink.dim(f"  and {left} more")
    for name, value in details.items():
        if isinstance(value, Mapping) and not found["affected"]:
            continue
        if isinstance(value, Mapping):
            yield from (f"  {name}.{part}: {_value(one)}" for part, one in value.items())
        elif value not in (0, None, [], {}):
            yield f"  {name}: {_value(value)}"


def _row(row: object, ink: Ink) -> str:
    if not isinstance(row, Mapping):
        return output.short(str(row), 100)
    cells = []
    for name, value in row.items():
        if value in (None, "", []):
            continue
        text = output.local(str(value)) if name in _TIMES else _value(value)
        cells.append(ink.dim(text) if name == "id" else text)
    return "  ".join(cells)


def _value(value: object) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_value(one)}" for name, one in value.items())
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return output.short(str(value), 100)


for _action in ACTIONS:
    _add(_action)
