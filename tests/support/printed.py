"""Commands of `signet` in texts, and what is wrong with one."""

import re
from collections.abc import Iterator

from typer.core import TyperCommand, TyperGroup

from signet.cli import tree
from signet.cli.hook_forms import HOOKS

#: A command as texts hold it, to the end of its line, quotation or clause.
_PRINTED = re.compile(r"(?<![\w./~>$@-] )(?<![\w./~-])signet((?: +(?!signet )[^\s`·;()&|]+)+)")
#: Where the name of the program is no command: a mark of an earlier product, a branch of our own server.
_OTHERS = ("codex >>>", "codex <<<")


def commands(text: str) -> Iterator[str]:
    for line in text.splitlines():
        for match in _PRINTED.finditer(line):
            said = match[1].strip()
            if not said.startswith(_OTHERS) and re.match(r"-|[a-z]", said):
                yield said


def fault(said: str) -> str | None:
    """Return what is wrong with a command: a name or an option that there is not. Prose or a comment may follow it."""
    command: TyperCommand | TyperGroup = tree.command()
    words = [one.strip("'\"") for one in said.split()]
    is_ended = False
    for word in words:
        name = word.partition("\0")[0].rstrip(".,:!?")
        if is_ended or name in ("", "…", "COMMAND", "NAME", "--", "#"):
            return None
        if name.startswith("-") and name != "-":
            name = "-v" if name == "-vv" else name
            known = {
                one for param in command.params for one in (*param.opts, *param.secondary_opts)
            }
            known |= {*command.context_settings.get("help_option_names", ()), "--help", "-h"}
            if name.partition("=")[0] not in known:
                return f"{name} is no option"
        elif isinstance(command, TyperGroup):
            if name == "hook":
                following = words[words.index(word) + 1 :]
                asked = following[0].partition("\0")[0].rstrip(".,") if following else ""
                return None if not asked or asked in {*HOOKS, "…", "NAME", "--help"} else asked
            if name not in command.commands:
                return f"{name} is no command"
            command = command.commands[name]  # type: ignore[assignment]
        is_ended = word != name and not word.endswith("=")
    return None
