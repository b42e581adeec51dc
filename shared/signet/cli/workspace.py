"""`signet workspace …`: show and set the workspace in use."""

import json
import os
from pathlib import Path
from typing import Annotated

import typer

from signet import config
from signet.cli import output
from signet.cli.command import Output, PathOption, arg, command
from signet.errors import Invalid
from signet.paths import Workspace, config_home, find_workspace

app = typer.Typer(help="Show and choose the workspace.", no_args_is_help=True)

_LABEL = 12
_VARIABLES = ("SIGNET_PATH", "SIGNET_WORKSPACE")


@command(app)
def status(path: PathOption = None) -> Output:
    """Show the workspace in use, and why.

    Examples: signet workspace status · signet workspace status --json
    """
    workspace = find_workspace(path)
    found = {
        "workspace": str(workspace.root),
        "from": _origin(path),
        "exists": workspace.root.is_dir(),
        "database": config.has_memory(workspace),
    }
    yield found
    words = {"saved": "the saved default", "default": "the default location"}
    output.say(f"{'workspace':<{_LABEL}}{workspace.root}")
    output.say(f"{'from':<{_LABEL}}{words.get(str(found['from']), found['from'])}")
    if not found["database"]:
        output.hint("It does not exist yet; create it with: signet setup")


@command(app, "set", does="choose another workspace, and with it other settings")
def set_default(
    path: Annotated[str, arg("Workspace folder.", "PATH")],
) -> Output:
    """Set the default workspace, used without --path and SIGNET_PATH.

    Examples: signet workspace set ~/agents · signet workspace set ~/.agents
    """
    from signet.files import replace_file

    workspace = Workspace(Path(path).expanduser().absolute())
    if not path.strip() or (workspace.root.exists() and not workspace.root.is_dir()):
        raise Invalid(f"{path!r} is not a folder")
    place = _saved()
    place.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    replace_file(place, json.dumps({"workspace": str(workspace.root)}).encode())
    yield {"workspace": str(workspace.root), "saved": str(place)}
    output.say(f"The default workspace is {workspace.root}")
    for name in filter(os.environ.get, _VARIABLES):
        output.hint(f"{name} is set and takes precedence: {os.environ[name]}")
    if not config.has_memory(workspace):
        output.hint("It does not exist yet; create it with: signet setup")


def _origin(path: str | None) -> str:
    if path is not None:
        return "--path"
    set_one = next((name for name in _VARIABLES if os.environ.get(name, "").strip()), None)
    # An unreadable file does not count.
    is_saved = find_workspace() != Workspace(Path("~/.agents").expanduser()) or _saved().exists()
    return set_one or ("saved" if is_saved else "default")


def _saved() -> Path:
    return config_home() / "workspace.json"
