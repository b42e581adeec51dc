"""`signet harness …`: connect, inspect and disconnect harnesses.

Edits files, with or without the daemon. `--dry-run` shows the changes first.
"""

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from signet.cli import output
from signet.cli.command import Output, PathOption, StatusAnswer, arg, command, opt
from signet.cli.options import DryRunOption
from signet.paths import Workspace, find_workspace

if TYPE_CHECKING:
    from signet.domain.harnesses.models import ConnectOptions, Site

app = typer.Typer(help="Connect the programs that agents run in.", no_args_is_help=True)


def ids(incomplete: str) -> list[str]:
    from signet.domain.harnesses import registry

    return [one for one in registry.HARNESSES if one.startswith(incomplete)]


ConversationsOption = Annotated[
    bool | None,
    opt(
        "Allow OpenClaw to pass conversations to Signet.",
        "--allow-conversations/--no-conversations",
        show_default=False,
    ),
]
NamesArgument = Annotated[
    list[str], arg("Harness names from `signet harness list`.", "HARNESS...", autocompletion=ids)
]


@command(app, "list")
def list_harnesses(path: PathOption = None) -> Output:
    """Show which harnesses are connected.

    Examples: signet harness list · signet harness list --json
    """
    rows = _rows(find_workspace(path))
    yield {"harnesses": rows}
    _show(rows)


@command(app)
def status(path: PathOption = None) -> Output:
    """Show which harnesses are connected; exit 1 if a connection is broken.

    Examples: signet harness status · signet harness status --json
    """
    rows = _rows(find_workspace(path))
    yield StatusAnswer({"harnesses": rows}, status=1 if any(one["problems"] for one in rows) else 0)
    _show(rows)


@command(app, does="change what harnesses run")
def install(
    names: NamesArgument,
    legacy: Annotated[
        bool | None,
        opt(
            "OpenClaw: legacy hook, or plugin in its memory slot (the default).",
            "--legacy/--plugin",
            show_default=False,
        ),
    ] = None,
    claim: Annotated[
        bool,
        opt(
            "Make this workspace OpenClaw's workspace, replacing its current one.",
            "--configure-openclaw-workspace",
        ),
    ] = False,
    conversations: ConversationsOption = None,
    dry_run: DryRunOption = False,
    path: PathOption = None,
    as_json: bool = False,
) -> Output:
    """Connect harnesses. Safe to run again.

    A file is backed up before its first change; one that does not parse is left unchanged.

    Examples: signet harness install claude-code codex · signet harness install openclaw --dry-run
    """
    from dataclasses import asdict

    from signet.domain.harnesses import registry
    from signet.domain.harnesses.models import ConnectOptions

    site = site_of(find_workspace(path))
    wishes = ConnectOptions(legacy=legacy, conversations=conversations, claim_workspace=claim)
    for name in names:
        registry.find(name)
    if not (as_json or dry_run) and sys.stdin.isatty() and sys.stderr.isatty():
        wishes = _with_consent(site, names, wishes)
    done = {name: registry.connect(site, name, wishes, dry_run=dry_run) for name in names}
    is_done = all(one.success for one in done.values())
    yield StatusAnswer(
        {name: asdict(one) for name, one in done.items()}, status=0 if is_done else 1
    )
    for name, one in done.items():
        if not one.success:
            output.failed(f"{name}: {one.message}", "harness_refused", as_json=False)
            continue
        _say_diff(one.diff) if dry_run else output.say(_result(one.message, one.has_changed))
        for file in () if dry_run else (*one.configs_patched, *one.files_written):
            output.say(f"  {file}")
        for copy in one.copies:
            output.say(f"  previous file kept in {copy}")
        for warning in one.warnings:
            output.tell(f"{output.ink(sys.stderr).warn('!')} {output.plain(warning)}")


@command(app, does="change what harnesses run")
def uninstall(
    names: NamesArgument,
    dry_run: DryRunOption = False,
    path: PathOption = None,
) -> Output:
    """Disconnect harnesses: stop recording them, and restore their files.

    Examples: signet harness uninstall codex · signet harness uninstall claude-code --dry-run
    """
    from dataclasses import asdict

    from signet.domain.harnesses import registry

    site = site_of(find_workspace(path))
    found = {name: registry.find(name) for name in names}
    done = {name: registry.disconnect(site, name, dry_run=dry_run) for name in names}
    is_refused = any(one.refused for one in done.values())
    yield StatusAnswer(
        {name: asdict(one) for name, one in done.items()}, status=1 if is_refused else 0
    )
    for name, one in done.items():
        files = (*one.configs_patched, *one.files_removed)
        if dry_run:
            _say_diff(one.diff)
        else:
            what = "disconnected" if files else "was not connected"
            output.say(f"{found[name].name}: {what}")
            if found[name].has_plugin(site):
                output.hint(f"Remove its plugin with: {found[name].plugin_removal}")
        for file in () if dry_run else files:
            output.say(f"  {file}")
        for why in one.refused:
            output.failed(f"{why}; the file was not changed", "harness_refused", as_json=False)


def site_of(workspace: Workspace) -> "Site":
    """Return the paths and port for a command: the running daemon's port, else the one it would use."""
    from signet.config.env import read_environment
    from signet.daemon import record
    from signet.domain.harnesses import registry
    from signet.domain.harnesses.models import Site

    running = record.running(workspace)
    environment, _ = read_environment(os.environ)
    port = record.next_port(workspace, environment) if running is None else running.port
    return registry.with_programs(Site(workspace=workspace, home=Path.home(), port=port))


def _with_consent(site: "Site", names: list[str], wishes: "ConnectOptions") -> "ConnectOptions":
    """Return the options, with the user's consent for OpenClaw to deliver conversations if undecided."""
    from dataclasses import replace

    from signet.domain.harnesses import openclaw

    if "openclaw" not in names or not openclaw.OpenClaw().asks_consent(site, wishes):
        return wishes
    output.tell("\n".join(openclaw.CONSENT_QUESTION))
    return replace(wishes, conversations=typer.confirm("Allow it?", default=True, err=True))


def _rows(workspace: Workspace) -> list[dict[str, Any]]:
    """Return every harness with its connection state and problems."""
    from signet.domain.harnesses import registry
    from signet.domain.harnesses.models import Site

    return [
        {
            "id": name,
            "name": registry.find(name).name,
            "connected": bool(entries),
            "problems": [f"{one.place}: {one.problem}" for one in entries if one.problem],
            "notices": [one.notice for one in entries if one.notice],
            "plugin": any(one.plugin_removal for one in entries),
        }
        for name, entries in registry.every(Site(workspace=workspace, home=Path.home())).items()
    ]


def _show(rows: list[dict[str, Any]]) -> None:
    ink = output.ink(sys.stdout)
    for one in rows:
        state = ink.bad("broken") if one["problems"] else ink.good("connected")
        shown = state if one["connected"] else ink.dim("not connected")
        shown += " by its plugin" if one["plugin"] else ""
        name = f"{one['id']:<14}"
        output.say(f"{ink.name(name)} {shown}")
        for fault in one["problems"]:
            output.say(f"  {output.plain(fault)}")
        for notice in one["notices"]:
            output.say(f"  {ink.warn('!')} {output.plain(notice)}")
    if broken := " ".join(one["id"] for one in rows if one["problems"]):
        output.hint(f"To repair it: signet harness install {broken}")


def _result(message: str, has_changed: bool) -> str:
    return message if has_changed else f"{message}; no change needed"


def _say_diff(diff: str) -> None:
    sys.stdout.write(diff or "Nothing would change\n")
