"""Collect every regular expression of the product, and derive texts that make a careless one take too long."""

import ast
import importlib
import inspect
import pkgutil
import re
import re._constants as sre  # type: ignore[import-not-found]
import re._parser as parser  # type: ignore[import-not-found]
from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass
from types import ModuleType
from typing import Any, NamedTuple

from signet.text.patterns import Lazy

PACKAGES = ("signet", "signet_api", "signet_worker", "signet_scheduler")
#: Methods that try one place of a text; all others try each.
_AT_ONE_PLACE = frozenset({"match", "fullmatch", "pattern", "flags"})


class Found(NamedTuple):
    """A pattern, where it is, and how it is used: `match`, `fullmatch` or, for all others, `finditer`."""

    where: str
    pattern: re.Pattern[Any]
    methods: frozenset[str]


def collected() -> list[Found]:
    """Return the patterns of all modules, each once."""
    named = {module: list(_named(module)) for module in _modules()}
    names = {name for patterns in named.values() for name, _ in patterns}
    found: dict[tuple[object, int], Found] = {}
    everywhere: dict[str, set[str]] = {}
    here: dict[ModuleType, dict[str, set[str]]] = {}
    inline: dict[ModuleType, list[tuple[str, re.Pattern[Any]]]] = {}
    for module in named:
        text = inspect.getsource(module)
        if names.isdisjoint(words := set(re.findall(r"\w+", text))) and "re" not in words:
            continue
        tree = list(ast.walk(ast.parse(text)))
        inline[module] = list(_inline(tree))
        here[module] = _used(tree, names)
        for name, used in here[module].items():
            everywhere.setdefault(name, set()).update(used)
    for module, patterns in named.items():
        for name, pattern in (*patterns, *inline.get(module, ())):
            uses = here[module] if name.startswith("_") else everywhere
            key = (pattern.pattern, pattern.flags)
            before = found[key].methods if key in found else frozenset()
            methods = before | {
                one if one in _AT_ONE_PLACE else "finditer" for one in uses.get(name, {"search"})
            }
            found[key] = Found(f"{module.__name__}.{name}", pattern, methods - {"pattern", "flags"})
    return list(found.values())


def _modules() -> Iterator[ModuleType]:
    for package in PACKAGES:
        root = importlib.import_module(package)
        for one in pkgutil.walk_packages(root.__path__, f"{package}."):
            if not one.name.endswith("__main__"):
                yield importlib.import_module(one.name)


def _named(module: ModuleType) -> Iterator[tuple[str, re.Pattern[Any]]]:
    for name, value in vars(module).items():
        for pattern in _within(value, 4):
            yield name, pattern


def _within(value: object, depth: int) -> Iterator[re.Pattern[Any]]:
    if isinstance(value, re.Pattern):
        yield value
    elif isinstance(value, Lazy):
        yield value.compiled
    elif depth and isinstance(value, list | tuple | set | frozenset):
        for one in value:
            yield from _within(one, depth - 1)
    elif depth and isinstance(value, dict):
        for one in value.values():
            yield from _within(one, depth - 1)
    elif depth and is_dataclass(value) and not isinstance(value, type):
        for field in fields(value):
            yield from _within(getattr(value, field.name, None), depth - 1)


def _inline(tree: list[ast.AST]) -> Iterator[tuple[str, re.Pattern[Any]]]:
    """Yield patterns that calls such as `re.sub(r"…", …)` write out."""
    for node in tree:
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and isinstance(node.func.value, ast.Name)
            and node.func.value.id == "re"
            and node.func.attr not in ("compile", "match", "fullmatch", "escape")
            and node.args
            and isinstance(node.args[0], ast.Constant)
            and isinstance(node.args[0].value, str | bytes)
        ):
            yield f"re.{node.func.attr} in line {node.lineno}", re.compile(node.args[0].value)


def _used(tree: list[ast.AST], names: set[str]) -> dict[str, set[str]]:
    """Return the methods that are called of each name, `search` where it is handed on."""
    used: dict[str, set[str]] = {}
    called = set()
    for node in tree:
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name | ast.Attribute):
            name = node.value.id if isinstance(node.value, ast.Name) else node.value.attr
            if name in names:
                used.setdefault(name, set()).add(node.attr)
                called.add(node.value)
    for node in tree:
        if (
            isinstance(node, ast.Name)
            and node.id in names
            and isinstance(node.ctx, ast.Load)
            and node not in called
        ):
            used.setdefault(node.id, set()).add("search")
    return used


@dataclass
class _Attack:
    """The characters and pieces of an expression."""

    chars: dict[str, None]
    pieces: dict[str, None]


def attacks(pattern: re.Pattern[Any]) -> list[tuple[str, str]]:
    """Return beginnings and pieces to be repeated: characters of a pattern, what it matches, and parts of that."""
    source = pattern.pattern
    tree = parser.parse(
        source if isinstance(source, str) else source.decode("latin-1"), pattern.flags & ~re.UNICODE
    )
    made = _Attack({}, {})
    whole = _example(list(tree), made)
    heads = ["", whole[: len(whole) // 2], whole]
    found = [("", one) for one in (*made.chars, *made.pieces)]
    found += [(head, char) for head in heads[1:] for char in list(made.chars)[:8]]
    found += [("", f"{whole}{char}") for char in list(made.chars)[:4]] + [("", whole)]
    return [(head, piece) for head, piece in dict.fromkeys(found) if piece]


def _example(items: list[Any], made: _Attack) -> str:
    text = ""
    for op, value in items:
        text += _one(op, value, made)
        if 1 < len(text) <= 60 and len(made.pieces) < 12:
            made.pieces.setdefault(text)
    return text


def _one(op: Any, value: Any, made: _Attack) -> str:
    if op is sre.LITERAL:
        return _kept(chr(value), made)
    if op is sre.NOT_LITERAL:
        return _kept("x" if value != ord("x") else "y", made)
    if op is sre.ANY:
        return _kept("x", made)
    if op is sre.IN:
        return _member(value, made)
    if op in (sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT):
        least, most, inner = value
        return str(_example(list(inner), made) * max(least, min(most, 1)))
    if op is sre.SUBPATTERN:
        return _example(list(value[3]), made)
    if op is sre.ATOMIC_GROUP:
        return _example(list(value), made)
    if op is sre.BRANCH:
        shown = [_example(list(branch), made) for branch in value[1]]
        return shown[0] if shown else ""
    if op in (sre.ASSERT, sre.ASSERT_NOT):
        _example(list(value[1]), made)
    return ""


def _kept(char: str, made: _Attack) -> str:
    if len(made.chars) < 16:
        made.chars.setdefault(char)
    return char


def _member(value: list[Any], made: _Attack) -> str:
    """Return a character of a class; others of it are kept, too."""
    options = []
    negated = bool(value) and value[0][0] is sre.NEGATE
    for op, what in value:
        if op is sre.LITERAL:
            options.append(chr(what))
        elif op is sre.RANGE:
            options.append(chr(what[0]))
        elif op is sre.CATEGORY:
            options.append(
                {
                    sre.CATEGORY_SPACE: " ",
                    sre.CATEGORY_DIGIT: "1",
                    sre.CATEGORY_WORD: "a",
                    sre.CATEGORY_NOT_SPACE: "x",
                    sre.CATEGORY_NOT_DIGIT: "x",
                    sre.CATEGORY_NOT_WORD: "-",
                }[what]
            )
            if what is sre.CATEGORY_SPACE:
                options.append("\n")
    others = [one for one in "xa 1-\n" if one not in options]
    kept = (others[:2] or ["x"]) if negated else options[:3]
    for one in kept:
        _kept(one, made)
    return kept[0] if kept else ""
