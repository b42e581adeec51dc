"""Word lists and compiled patterns for statements, from `language.toml`. Pure."""

import re
from collections.abc import Mapping
from functools import cache
from typing import Any

from signet import resources

#: Placeholders defined in the file; patterns ignore case except in `NAME`.
_NAMED = re.compile(r"\b(?:NAME|DATE|WHO|ITALIAN|PORTUGUESE)\b")


@cache
def table() -> Mapping[str, Any]:
    """Return the file."""
    return resources.table(__file__)


def alternatives(part: str) -> str:
    """Return the alternatives of a part as one expression; those of `zh` need no spaces around them."""
    listed = dict(table()[part])
    runs = listed.pop("zh", "")
    lines = (line for one in listed.values() for line in one.strip("\n").split("\n"))
    spaced = rf"(?:(?<!\w)|(?=\W))(?:{'|'.join(lines)})(?:(?<=[\s\d])|(?!\w))"
    return f"{spaced}|{runs}" if runs else spaced


@cache
def pattern(part: str) -> re.Pattern[str]:
    """Return the pattern of a part, which ignores case except in names."""
    names = table()["names"]
    return re.compile(_NAMED.sub(lambda found: names[found[0]], alternatives(part)), re.IGNORECASE)


def listed(part: str, name: str) -> frozenset[str]:
    """Return one list of words."""
    return frozenset(table()[part][name].split())
