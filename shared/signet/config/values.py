"""Readers of single values.

Each converts a parsed value to the program's form, or raises `Unfit` with the expectation. Numbers out of bounds are
clamped with a warning.
"""

import math
import re
from collections.abc import Callable, Iterable, Mapping
from enum import StrEnum
from pathlib import Path
from typing import TypeVar

from signet.text import web

#: Reads one value; raises `Unfit` to use the default; may append warnings about parts of it.
Accept = Callable[[object, str, list[str]], object]
E = TypeVar("E", bound=StrEnum)

#: Bounds of counts and durations without a rule: far beyond use, far below overflow.
PLENTY = 1_000_000_000
CENTURY_SECONDS = 100 * 365 * 86_400
CENTURY_MS = CENTURY_SECONDS * 1_000
UNIT_MS = {"s": 1_000, "m": 60_000, "h": 3_600_000, "d": 86_400_000, "w": 604_800_000}


class Unfit(Exception):
    """The value cannot be used; the message names the valid values."""


def number(
    low: float,
    high: float,
    *,
    whole: bool,
    parse: Callable[[str], float] | None = None,
    strict: bool = False,
) -> Accept:
    """Return a reader of numbers; `parse` reads text, `strict` refuses instead of clamping."""
    expected = f"a {'whole ' if whole else ''}number from {low} to {high}"

    def accept(value: object, where: str, warnings: list[str]) -> object:
        number = parse(value) if parse and isinstance(value, str) else value
        if isinstance(number, bool) or not isinstance(number, int | float):
            raise Unfit(expected)
        if isinstance(number, float) and not math.isfinite(number):
            raise Unfit(expected)
        near = min(max(number, low), high)
        if near != number:
            if strict:
                raise Unfit(expected)
            warnings.append(f"{where}: {expected} is expected; using {near}")
        return math.floor(near + 0.5) if whole else float(near)

    return accept


def from_text(value: str) -> float:
    """Return the number in a text, or NaN, which no rule accepts."""
    try:
        return float(value)
    except ValueError:
        return math.nan


#: A host with a dot or a port, and perhaps a path.
_BARE = re.compile(r"(?:localhost|[\w-]+(?:\.[\w-]+)+|[\w-]+(?=:\d))(?::\d{1,5})?(?:/\S*)?")


def milliseconds(value: str) -> float:
    """Return the duration of `30d` or `12h` in milliseconds, or NaN."""
    found = re.fullmatch(r"\s*(\d{1,15}(?:\.\d{1,15})?)\s*([smhdw])\s*", value)
    return float(found[1]) * UNIT_MS[found[2]] if found else math.nan


def truth(value: object, where: str, warnings: list[str]) -> object:
    if not isinstance(value, bool):
        raise Unfit("true or false")
    return value


def words(value: object, where: str, warnings: list[str]) -> object:
    if not isinstance(value, str):
        raise Unfit("text")
    return value.strip()


def web_address(value: object, where: str, warnings: list[str]) -> object:
    """Read an http or https URL; without a scheme it is http with a port or on this machine, else https."""
    address = value.strip().rstrip("/") if isinstance(value, str) else ""
    if _BARE.fullmatch(address):
        is_plain = re.match(r"localhost\b|[\d.]+(?:/|$)|[^/]+:\d", address)
        address = f"{'http' if is_plain else 'https'}://{address}"
    if not web.is_address(address):
        raise Unfit("an http or https address")
    return address


def one_of(kinds: type[E]) -> Accept:
    offered = [word.value for word in kinds]

    def accept(value: object, where: str, warnings: list[str]) -> object:
        if isinstance(value, str) and value.strip() in offered:
            return kinds(value.strip())
        near = close(str(value), offered)
        meant = f" (did you mean {near[0]}?)" if near else ""
        raise Unfit(f"one of {', '.join(offered)}{meant}")

    return accept


def texts(value: object, where: str, warnings: list[str]) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise Unfit("a list of words, such as [a, b],")
    return tuple(each.strip() for each in value if each.strip())


def folders(value: object, where: str, warnings: list[str]) -> tuple[str, ...]:
    """Read a list of folders, or one."""
    found = texts([value] if isinstance(value, str) else value, where, warnings)
    try:
        is_whole = all(Path(one).expanduser().is_absolute() for one in found)
    except RuntimeError:  # ~ANYBODY
        is_whole = False
    if not is_whole:
        raise Unfit("folders that begin with / or ~, such as [~/taxes],")
    return found


def flags(value: object, where: str, warnings: list[str]) -> object:
    """Read a map of names to booleans; other entries are dropped."""
    if not isinstance(value, Mapping):
        raise Unfit("a map of names to true or false")
    return {k: v for k, v in value.items() if isinstance(k, str) and isinstance(v, bool)}


def prefixes(value: object, where: str, warnings: list[str]) -> object:
    """Read a map of names to texts or lists of texts; invalid entries allow nothing, with a warning."""
    if not isinstance(value, Mapping):
        raise Unfit("a map of names to prefixes of commands")
    found: dict[str, object] = {}
    for name, given in value.items():
        listed = [given] if isinstance(given, str) else given
        if not isinstance(listed, list | tuple) or not all(isinstance(one, str) for one in listed):
            warnings.append(f"{where}.{str(name)[:80]}: prefixes of commands are expected")
            listed = []
        found[str(name)] = tuple(one for one in listed if one.strip())
    return found


def close(word: str, known: Iterable[str]) -> list[str]:
    """Return the most similar known word, none without a similar one."""
    import difflib

    return difflib.get_close_matches(word, sorted({*known}), n=1, cutoff=0.7)
