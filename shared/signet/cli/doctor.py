"""Check and maintain an installation: `signet doctor`, `diagnostics`, `migrate-schema`, `report`, `uninstall`."""

import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from signet import clock
from signet.cli import output
from signet.cli.command import Output, PathOption, StatusAnswer, arg, check_asking, command, opt
from signet.cli.options import DryRunOption, YesOption
from signet.cli.output import Ink
from signet.cli.status import remedy
from signet.client import PlainSignet
from signet.client.call import ask
from signet.errors import NotFound
from signet.paths import Workspace, find_workspace

if TYPE_CHECKING:
    from signet.care.doctor.models import DoctorCheck
    from signet.care.steps import CareStep

_LABEL = 13


@command()
def doctor(
    fix: Annotated[bool, "Repair what can be repaired without losing data."] = False,
    security: Annotated[bool, "Test the running daemon as a page or stranger would."] = False,
    path: PathOption = None,
    as_json: bool = False,
) -> Output:
    """Check the whole installation; exit 1 if something is broken.

    ✓ is fine, ! deserves attention, ✗ is broken; each line ends with the command that helps. --fix applies safe
    repairs and shows each step: file modes, an interrupted restore, a missing backup and, through the daemon, indexes
    and stale leases. --security tests what the running daemon must refuse: foreign web pages, programs without its
    token and, as root, another user.

    Examples: signet doctor --fix · signet doctor --security
    """
    workspace = find_workspace(path)
    found = _examined(workspace, shown=not as_json and not fix, only_security=security)
    if fix:
        from signet.care.doctor import mends

        todo = [mends.step(workspace, one.mend) for one in found if one.mend is not None]
        steps = [(one, one.run()) for one in todo]
        if not as_json:
            _show_steps(steps)
        found = _examined(workspace, shown=not as_json, only_security=security)
    is_broken = any(one.status == "fail" for one in found)
    yield StatusAnswer([one._asdict() for one in found], status=1 if is_broken else 0)


def _examined(workspace: Workspace, *, shown: bool, only_security: bool) -> "list[DoctorCheck]":
    from signet.care.doctor import examine

    ink = output.ink(sys.stdout)
    found = []
    for one in examine.examine(workspace, now=clock.now(), only_security=only_security):
        found.append(one)
        if shown:
            output.advise(_line(one, ink))
    return found


def _line(one: "DoctorCheck", ink: Ink) -> str:
    sign = {"ok": ink.good("✓"), "warn": ink.warn("!"), "fail": ink.bad("✗")}[one.status]
    text = f"{sign} {one.check:<{_LABEL}}{output.plain(one.detail)}"
    return f"{text} · {ink.bold(one.fix)}" if one.fix else text


def _show_steps(steps: "Sequence[tuple[CareStep, tuple[bool, str]]]") -> None:
    ink = output.ink(sys.stdout)
    for step, (is_done, result) in steps:
        sign = ink.good("✓") if is_done else ink.bad("✗")
        output.say(f"{sign} {step.what}: {output.plain(result)}")
    if not steps:
        output.say("Nothing to repair automatically")
    output.say()


_DOMAIN_LABEL = 12
#: Fields of a domain that are not figures.
_ELSEWHERE = frozenset({"score", "status", "reasons", "help"})


@command()
def diagnostics(
    signet: PlainSignet,
    domain: Annotated[str | None, arg("Show only this domain, with all figures.", "DOMAIN")] = None,
) -> Output:
    """Show health scores of the stored data; exit 1 unless all is healthy.

    Examples: signet diagnostics · signet diagnostics queue --json
    """
    from signet.wire import diagnostics as wire

    if domain is not None:
        found = signet.send(ask(wire.DIAGNOSIS, domain))
        yield found
        yield from _domain(domain, found, output.ink(sys.stdout))
        return
    report = signet.send(ask(wire.DIAGNOSTICS))
    yield StatusAnswer(report, status=0 if report["composite"]["status"] == "healthy" else 1)
    yield from _report(report, output.ink(sys.stdout))


def _report(found: Mapping[str, Any], ink: Ink) -> Iterator[str]:
    whole = found["composite"]
    dot = ink.good("●") if whole["status"] == "healthy" else ink.bad("●")
    yield f"{dot} {ink.bold('Store ' + whole['status'])} · score {whole['score']:.2f}"
    remedies = {(one["domain"], one["reason"]): remedy(one) for one in whole["help"]}
    for name, one in found.items():
        if not isinstance(one, Mapping) or name == "composite" or one["status"] == "disabled":
            continue
        yield f"  {_mark(one, ink)} {name:<{_DOMAIN_LABEL}}{one['score']:.2f}"
        for reason in one["reasons"]:
            yield f"      {output.plain(reason)}"
            if text := remedies.get((name, reason)):
                yield ink.dim(f"      {text}")


def _domain(name: str, found: Mapping[str, Any], ink: Ink) -> Iterator[str]:
    yield f"{_mark(found, ink)} {ink.bold(name)} {found['status']} · score {found['score']:.2f}"
    for key, value in found.items():
        if key not in _ELSEWHERE and value not in (None, {}, []):
            yield f"  {key:<22}{output.short(str(value), 90)}"
    for reason in found["reasons"]:
        yield f"  {ink.warn('!')} {output.plain(reason)}"


def _mark(found: Mapping[str, Any], ink: Ink) -> str:
    if not found["reasons"]:
        return ink.good("✓")
    return ink.bad("✗") if found["status"] == "unhealthy" else ink.warn("!")


#: Name of the version of a TypeScript database.
EARLIER = "an earlier Signet"


@command()
def migrate_schema(path: PathOption = None) -> Output:
    """Upgrade the database to this version, after making a copy.

    The daemon does the same when it starts.

    Examples: signet migrate-schema · signet migrate-schema --path ~/other --json
    """
    from signet import config, engine
    from signet.care.setup import probe
    from signet.cli.daemon import default_port
    from signet.daemon import record
    from signet.db import migrate

    workspace = find_workspace(path)
    config.load(workspace)
    if not engine.exists(workspace.database):
        raise NotFound("No memory database found. Create one with: signet setup", "no_database")
    if record.running(workspace) is None:
        probe.check_alone(workspace, probe.earlier(workspace, default_port(workspace)))
    done = migrate.upgrade(workspace.database, now=clock.now())
    copy = str(done.copy) if done.copy else None
    yield {"before": done.before, "after": done.after, "copy": copy}
    if done.before == done.after:
        output.say(f"Schema {done.after} is current")
    else:
        output.say(f"Schema upgraded: {done.before or EARLIER} → {done.after}")
        if done.copy is not None:
            output.say(f"A copy of the previous database is in {done.copy}")


@command()
def report(
    file: Annotated[
        str | None,
        opt("File to write; default: signet-report-TIME.zip in this folder.", "--output", "-o"),
    ] = None,
    path: PathOption = None,
) -> Output:
    """Write a zip for a bug report: versions, settings, doctor, log, counts.

    It contains no memory texts and no secrets, and is not sent anywhere. Attach it to your bug report.

    Examples: signet report · signet report -o fault.zip
    """
    from signet.care import report as care

    now = clock.now()
    name = file or f"signet-report-{now.astimezone():%Y-%m-%d-%H%M%S}.zip"
    target = Path(name).expanduser().absolute()
    parts = care.write(find_workspace(path), target, now=now)
    contents = [{"name": p.name, "what": p.what, "bytes": len(p.content)} for p in parts]
    yield {"file": str(target), "bytes": target.stat().st_size, "contents": contents}
    output.say(f"Report written to {target}")
    for part in parts:
        output.say(f"  {part.name:<16}{output.size(len(part.content)):>10}  {part.what}")
    output.hint("It was not sent anywhere. Check it before sharing.")


#: Word to type before all memories are deleted.
WORD = "purge"


@command(does="uninstall Signet")
def uninstall(
    purge: Annotated[bool, "Also delete the workspace with all memories."] = False,
    yes: YesOption = False,
    dry_run: DryRunOption = False,
    path: PathOption = None,
    as_json: bool = False,
) -> Output:
    """Remove the service, shell completion and harness entries; stop the daemon.

    Memories are kept, unless --purge is given; it asks for the word "purge", or --yes.
    The program itself is removed by the tool that installed it, whose command is shown.

    Examples: signet uninstall --dry-run · signet uninstall --purge --yes
    """
    from signet.care import service
    from signet.care import uninstall as care

    workspace = find_workspace(path)
    todo = care.steps(workspace, service.run, purge=purge)
    left = [str(one) for one in care.far_backups(workspace)] if purge else []
    if dry_run:
        yield {"dryRun": True, "wouldRemove": [step.what for step in todo]}
        for step in todo:
            output.say(f"Would remove {step.what}")
        if not todo:
            output.say("Nothing to remove")
        return
    if purge and not yes and not _is_wanted(todo, as_json=as_json):
        output.say("Nothing removed")
        import typer

        raise typer.Exit(1)
    refused = [why for step in todo if (why := _do(step, as_json=as_json)) is not None]
    kept = None if purge else str(workspace.root)
    removed = [step.what for step in todo]
    facts = {"removed": removed, "refused": refused, "kept": kept, "backups": left}
    yield StatusAnswer(facts, status=1 if refused else 0)
    if not todo:
        output.say("Nothing to remove")
    if kept is not None and workspace.root.exists():
        output.say(f"Kept: {kept}")
        output.hint(f"Delete it with: {care.delete_command(workspace)}")
    for backup in left:
        output.hint(f"A backup with your memories is still at {backup}")
    for removal in care.plugin_commands(workspace):
        output.hint(f"Remove its plugin with: {removal}")
    output.hint(f"Remove the program with: {care.program_command()}")


def _is_wanted(todo: "Sequence[CareStep]", *, as_json: bool) -> bool:
    import typer

    check_asking(as_json=as_json)
    for step in todo:
        output.tell(f"  {step.what}")
    return str(typer.prompt(f'This cannot be undone. Type "{WORD}"', err=True)).strip() == WORD


def _do(step: "CareStep", *, as_json: bool) -> str | None:
    """Run a step and return its error or None; later steps run anyway."""
    ink = output.ink(sys.stderr)
    is_done, text = step.run()
    why = None if is_done else f"{step.what} was not removed: {text}"
    if not as_json and why is not None:
        output.tell(f"{ink.bad('error:')} {why}")
    elif not as_json:
        output.say(f"Removed {step.what}")
        if text:
            output.tell(f"{ink.warn('!')} {text}")
    return why
