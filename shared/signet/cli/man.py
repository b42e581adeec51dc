"""`signet --man`: the manual page, generated from the commands' help."""

from collections.abc import Iterator
from typing import Any

from signet import __version__
from signet.cli import output

_ROFF = str.maketrans({"\\": "\\e", "-": "\\-"})
#: The page's sections besides the help.
_FILES = (
    "Everything is in the workspace: ~/.agents, unless SIGNET_PATH or \\-\\-path names another."
)


def show(root: Any) -> None:
    for line in _page(root):
        output.say(line)


def _page(root: Any) -> Iterator[str]:
    yield f'.TH SIGNET 1 "" "signet {__version__}" "Signet"'
    yield from (".SH NAME", "signet \\- persistent memory for AI agents, on your own machine")
    yield from (".SH SYNOPSIS", ".B signet", "[OPTIONS] COMMAND [ARGS]...")
    yield ".SH OPTIONS"
    yield from _options(root)
    yield ".SH COMMANDS"
    for name in root.commands:
        yield from _command(f"signet {name}", root.commands[name])
    yield from (".SH FILES", _FILES)


def _command(path: str, command: Any) -> Iterator[str]:
    usage = " ".join(
        one.metavar or one.name.upper()
        for one in command.params
        if one.param_type_name == "argument"
    )
    yield f'.SS "{_escaped(f"{path} {usage}".rstrip())}"'
    for paragraph in (command.help or "").split("\n\n"):
        yield from (".PP", _escaped(" ".join(paragraph.split())))
    yield from _options(command)
    for name, below in getattr(command, "commands", {}).items():
        yield from _command(f"{path} {name}", below)


def _options(command: Any) -> Iterator[str]:
    for one in command.params:
        if one.param_type_name == "option" and not one.hidden:
            names = ", ".join((*one.opts, *one.secondary_opts))
            yield from (".TP", f".B {_escaped(names)}", _escaped(one.help or "Show the help."))


def _escaped(text: str) -> str:
    """Escape a text for a manual page, where a leading dot or quote is a command."""
    escaped = text.translate(_ROFF)
    return f"\\&{escaped}" if escaped.startswith((".", "'")) else escaped
