"""Read the words of a well-formed call of a command, without the command-line library.

That library takes three times as long to load as Python. It reads every other call, so that it explains what is wrong.
"""

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, get_args

from signet.cli import command
from signet.cli.command import CommandParameter, arg, opt
from signet.cli.rows import ROWS

#: What an option may declare besides its help: nothing else changes how a word is read.
_KNOWN = frozenset({"min", "max", "parser", "metavar", "autocompletion", "show_default"})
_FLAG = (bool,)
_READERS: dict[Any, Callable[[str], Any]] = {str: str, int: int, float: float}


class Unclear(Exception):
    """The call is not simple, or wrong."""


def ready(given: Sequence[str]) -> Callable[[], int] | None:
    """Return a function that runs a command with these words; None if the library must read them."""
    row = next((one for one in ROWS if one.name == given[0]), None)
    if row is None:
        return None
    module, _, name = row.where.partition(":")
    if name == "app":
        return None
    run = getattr(import_module(f"signet.cli.{module}"), name)
    try:
        options = _read(run.parameters, given[1:])
    except Unclear:
        return None
    if row.here:
        command.check_here(row.name, list(given))
    return lambda: int(run(**options) or 0)


def _read(parameters: Sequence[CommandParameter], words: Sequence[str]) -> dict[str, Any]:
    """Return the values of the parameters; raises Unclear."""
    found = {one.name: one.default for one in parameters}
    named: dict[str, tuple[CommandParameter, bool]] = {}
    places = []
    for one in parameters:
        _, note = command.noted(one)
        if note is None or not note.more.keys() <= _KNOWN:
            raise Unclear
        if isinstance(note, arg):
            places.append(one)
            continue
        for flag in command.flags(one, note):
            yes, _, no = flag.partition("/")
            named |= {yes: (one, True)} | ({no: (one, False)} if no else {})
    left = list(reversed(words))
    plain = []
    while left:
        word = left.pop()
        if not word.startswith("-") or word == "-":
            plain.append(word)
            continue
        name, equals, value = word.partition("=")
        one, is_yes = named.get(name) or _unclear()
        if _kinds(one) == _FLAG:
            found[one.name] = _unclear() if equals else is_yes
            continue
        if not equals:
            value = left.pop() if left else _unclear()
        read = _value(one, value)
        is_list = _kinds(one)[0] not in _READERS
        found[one.name] = [*(found[one.name] or ()), read] if is_list else read
    for at, one in enumerate(places):
        if _kinds(one)[0] in _READERS:
            found[one.name] = _value(one, plain.pop(0)) if plain else found[one.name]
        elif at == len(places) - 1:
            found[one.name] = [_value(one, word) for word in plain] or found[one.name]
            plain = []
    if plain or any(value is ... for value in found.values()):
        raise Unclear
    return found


def _kinds(one: CommandParameter) -> tuple[Any, ...]:
    """Return the types of a parameter without None."""
    kind, _ = command.noted(one)
    several = (
        [each for each in get_args(kind) if each is not type(None)]
        if type(None) in get_args(kind)
        else [kind]
    )
    return tuple(several)


def _value(one: CommandParameter, word: str) -> Any:
    [kind] = _kinds(one)
    _, note = command.noted(one)
    assert isinstance(note, arg | opt)
    if kind not in _READERS:
        [kind] = get_args(kind) if getattr(kind, "__origin__", None) is list else (None,)
    if kind not in _READERS:
        raise Unclear
    reader = note.more.get("parser") or _READERS[kind]
    try:
        value = reader(word)
    except Exception:  # the library reads it again and explains
        raise Unclear from None
    if "min" in note.more and value < note.more["min"]:
        raise Unclear
    if "max" in note.more and value > note.more["max"]:
        raise Unclear
    return value


def _unclear() -> Any:
    raise Unclear
