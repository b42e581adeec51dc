"""The hooks in the command tree, for its overview, completion, and options before `hook`.

Harnesses never reach this module: `main` runs `hook.run` without loading the tree.
"""

import typer

from signet.cli import hook
from signet.cli.hook_forms import HOOKS

app = typer.Typer(help="Commands that the hooks of a harness run.", no_args_is_help=True)
_ANY = {"allow_extra_args": True, "ignore_unknown_options": True}


def _run(context: typer.Context) -> None:
    raise typer.Exit(hook.run([str(context.info_name), *context.args]))


def _help(name: str) -> str:
    flags = " ".join(f"{flag} …" for flag in HOOKS[name].flags)
    own = f"Its own options: {flags}\n\n" if flags else ""
    return (
        f"{HOOKS[name].help}\n\nRequires -H HARNESS. Reads a JSON object from stdin."
        f"\n\n{own}Examples: signet hook {name} -H codex · signet hook {name} -H codex --json"
    )


for _name in HOOKS:
    app.command(_name, help=_help(_name), context_settings=_ANY)(_run)
