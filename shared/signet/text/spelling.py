"""Misspelled names of fields."""

import difflib
import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import islice

#: Two names of 0.85 differ in about one letter of seven: `tag` and `tags` have 0.86, `session_id` and `session_key`
#: 0.74.
SIMILAR = 0.85
#: Names compared per object, and their maximum length: comparing takes time, and thousands are not misspelled.
MAX_NAMES, MAX_CHARS = 50, 64


def unknown_field(sent: Iterable[object], known: Sequence[str]) -> str | None:
    """Return the error for the first sent name that misspells a known one, None without any.

    Of two spellings of a known name the error has the first.
    """
    names = (name for name in sent if isinstance(name, str) and name not in known)
    for name in islice(names, MAX_NAMES):
        if len(name) <= MAX_CHARS and (meant := _meant(name, tuple(known))):
            return f"unknown field {name!r}; did you mean {meant!r}?"
    return None


@lru_cache(1_024)
def _meant(name: str, known: tuple[str, ...]) -> str | None:
    """Return the known name that a name misspells. `session` is no misspelling of `session_id`."""
    letters = {re.sub("[^a-z0-9]", "", one.lower()): one for one in reversed(known)}
    own = re.sub("[^a-z0-9]", "", name.lower())
    near = difflib.get_close_matches(own, letters, 1, SIMILAR)
    if not near or re.match(f"{re.escape(name)}(?:_|[A-Z])", letters[near[0]]):
        return None
    return letters[near[0]]
