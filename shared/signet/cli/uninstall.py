"""`signet uninstall`: remove everything Signet added to this account; the workspace stays."""

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from signet.cli import output
from signet.cli.command import Output, PathOption, StatusAnswer, check_asking, command
from signet.cli.options import DryRunOption, YesOption
from signet.paths import find_workspace

if TYPE_CHECKING:
    from signet.care.uninstall import UninstallStep

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
    from signet.care import commands
    from signet.care import uninstall as care

    workspace = find_workspace(path)
    todo = care.steps(workspace, commands.run, purge=purge)
    if dry_run:
        yield {"dryRun": True, "wouldRemove": [step.what for step in todo]}
        for step in todo:
            output.say(f"Would remove {step.what}")
        if not todo:
            output.say("Nothing to remove")
        return
    if purge and not yes and not _is_wanted(todo, as_json=as_json):
        output.say("Nothing removed")
        raise typer.Exit(1)
    refused = [why for step in todo if (why := _do(step, as_json=as_json)) is not None]
    kept = None if purge else str(workspace.root)
    removed = [step.what for step in todo]
    facts = {"removed": removed, "refused": refused, "kept": kept}
    yield StatusAnswer(facts, status=1 if refused else 0)
    if not todo:
        output.say("Nothing to remove")
    if kept is not None and workspace.root.exists():
        output.say(f"Kept: {kept}")
        output.hint(f"Delete it with: {care.delete_command(workspace)}")
    output.hint(f"Remove the program with: {care.program_command()}")


def _is_wanted(todo: "Sequence[UninstallStep]", *, as_json: bool) -> bool:
    check_asking(as_json=as_json)
    for step in todo:
        output.tell(f"  {step.what}")
    return str(typer.prompt(f'This cannot be undone. Type "{WORD}"', err=True)).strip() == WORD


def _do(step: "UninstallStep", *, as_json: bool) -> str | None:
    """Run a step and return its error or None; later steps run anyway."""
    ink = output.ink(sys.stderr)
    try:
        notes = step.do()
    except OSError as error:
        why = f"{step.what} was not removed: {error.filename or ''} {error.strerror or error}"
        if not as_json:
            output.tell(f"{ink.bad('error:')} {why}")
        return why
    if not as_json:
        output.say(f"Removed {step.what}")
        for note in notes:
            output.tell(f"{ink.warn('!')} {note}")
    return None
