"""The hooks as part of the command tree, for its map, completion, and options that stand before `hook`.

A harness never comes here: `main` runs `hook.run` without loading the tree.
"""

import typer

from signet.cli import hook

app = typer.Typer(help="What the hooks of a harness run.", no_args_is_help=True)
_ANY = {"allow_extra_args": True, "ignore_unknown_options": True}


def _run(context: typer.Context) -> None:
    raise typer.Exit(hook.run([str(context.info_name), *context.args]))


for _name, _hook in hook.HOOKS.items():
    app.command(_name, help=_hook.help, context_settings=_ANY)(_run)
