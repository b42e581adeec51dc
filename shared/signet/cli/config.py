"""`signet config …`: settings of agent.yaml, with or without a daemon."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated

import typer

from signet.cli import output
from signet.cli.command import JsonOption, Output, PathOption, arg, check_person, command, declared
from signet.errors import Invalid
from signet.paths import Workspace, find_workspace

if TYPE_CHECKING:
    from signet.config.manifest import Value

app = typer.Typer(invoke_without_command=True)

KeyArgument = Annotated[str, arg("Setting, such as search.alpha, or a unique end of it.", "KEY")]


@app.callback()
@declared
def configure(context: typer.Context, path: PathOption = None, as_json: JsonOption = False) -> None:
    """Show and change settings.

    Without a command it prints every setting with its value. A dot in a name is a level in the file: search.alpha is
    the line "alpha:" below "search:". The port is an option, not a setting: signet daemon restart --port 4000.

    Examples: signet config · signet config get search.alpha · signet config set search.alpha 0.5
    """
    if context.invoked_subcommand is not None:
        if path is not None or as_json:
            raise typer.BadParameter(f"put --path and --json after {context.invoked_subcommand}")
        return
    settings = _settings(find_workspace(path))
    with output.paged(on=not as_json):
        output.show(settings) if as_json else _print(settings)


@command(app)
def get(
    key: KeyArgument,
    show_origin: Annotated[bool, "Also print where the value comes from."] = False,
    path: PathOption = None,
) -> Output:
    """Print the effective value; secrets are masked.

    Examples: signet config get search.alpha · signet config get git --show-origin --json
    """
    import json

    from signet import config
    from signet.config import described

    loaded = config.load(find_workspace(path))
    known = dict(described.flat(config.as_public_dict(loaded.settings)))
    wanted = described.plain_key(described.named(key, known))
    value = known[wanted]
    origin = described.Origins(find_workspace(path)).origin_of(wanted)
    yield {"key": wanted, "value": value, **({"origin": origin} if show_origin else {})}
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    output.say(f"{text}  ({origin})" if show_origin else text)


@command(app, "set")
def set_(
    key: KeyArgument,
    value: Annotated[
        str | None,
        arg("The value in YAML, such as 0.5, true or [a, b]; null: the default.", "VALUE"),
    ] = None,
    path: PathOption = None,
) -> Output:
    """Change one value in agent.yaml; comments stay. A running daemon applies it within two seconds.

    Examples: signet config set search.alpha 0.5 · signet config set git.autoSync false
    """
    from signet import config
    from signet.config import described, manifest
    from signet.daemon import record

    if value is None:
        name, _, value = key.partition("=")
        raise Invalid(f"A value is missing. Write: signet config set {name} {value or 'VALUE'}")
    workspace = find_workspace(path)
    wished = parsed(value)
    before = config.load(workspace).settings
    key = described.named(key, dict(described.flat(config.as_public_dict(before))))
    config.check({key: wished})
    file = manifest.set_values(workspace, {key: wished}, guard=_check_person)
    needed = config.restart_required(before, config.load(workspace).settings)
    is_running = bool(needed) and record.running(workspace) is not None
    yield {"key": key, "value": wished, "file": str(file), "restartRequired": is_running}
    output.say(f"{key} {'has its default again' if wished is None else 'is set'} in {file}")
    if is_running:
        output.hint("The running daemon uses the old value. Restart: signet daemon restart")


def _check_person(before: Mapping[object, object], after: Mapping[object, object]) -> None:
    from signet.config import decisive

    if changed := decisive.changes(before, after):
        check_person(f"change {', '.join(changed)}")


def parsed(text: str) -> "Value":
    """Parse a value as YAML; raises Invalid."""
    from signet.config import manifest

    try:
        found = manifest.parse(f"value: {text}\n".encode())
    except manifest.ManifestError as error:
        raise Invalid(f"{text} is not a value in YAML") from error
    if set(found) != {"value"}:
        raise Invalid(f"{text} is more than one value")
    value: Value = found["value"]  # type: ignore[assignment]  # what YAML 1.2 core can hold
    return value


def _settings(workspace: Workspace) -> Mapping[str, object]:
    from signet import config

    return config.as_public_dict(config.load(workspace).settings)


def _print(settings: Mapping[str, object]) -> None:
    import json

    from signet.config import described

    for key, value in described.flat(settings):
        if not isinstance(value, Mapping):
            output.say(f"{key}: {json.dumps(value, ensure_ascii=False)}")
    output.hint("Show one value: signet config get KEY. Change it: signet config set KEY VALUE")


@command(app)
def edit(path: PathOption = None) -> Output:
    """Open agent.yaml in your editor (EDITOR), and check it afterwards.

    Examples: signet config edit · EDITOR=nano signet config edit
    """
    from signet.cli.edit import edit_file
    from signet.config import manifest

    file = manifest.place(find_workspace(path))
    if not file.exists():
        raise Invalid(f"{file} does not exist; create it with: signet setup")
    if not output.can_ask():
        raise Invalid(
            "An editor needs a terminal. Change a value with: signet config set KEY VALUE"
        )
    edit_file(file)
    manifest.parse(file.read_bytes(), file.name)
    yield {"file": str(file)}
    output.say(f"{file} can be read")
