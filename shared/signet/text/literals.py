"""Find many literal strings in a text in one pass. Pure."""

import re
from bisect import bisect_right
from collections.abc import Collection, Iterator

#: Shorter strings must be isolated, because they occur inside many words.
SHORT_CHARS = 3
#: Characters compared before a string is looked up.
LIKELY_CHARS = 8
_WORD = re.compile(r"\w")


class Literals:
    """A set of strings with fast search.

    A secret of many lines has tens of thousands of forms. Forms that are prefixes of a text sort before it, so the
    last form not after the text, or one of its prefixes, is the longest match (`_within`).
    """

    def __init__(self, strings: Collection[str], *, words: bool = False) -> None:
        """Prepare the search; with `words`, long strings are not found inside or at the end of a word."""
        self._short = {string for string in strings if 0 < len(string) <= SHORT_CHARS}
        self._long = sorted({string for string in strings if len(string) > SHORT_CHARS})
        lengths = [len(string) for string in self._long]
        self._least, self._most = min(lengths, default=1), max(lengths, default=0)
        self._heads = {string[: self._least] for string in self._long}
        #: Matches where a string may begin: the characters of all strings at each of their first positions.
        columns = zip(*(head[:LIKELY_CHARS] for head in self._heads), strict=False)
        likely = [f"[{re.escape(''.join({*one}))}]" for one in columns]
        self._likely = re.compile("".join([*likely[:1], r"(?<!\w\w)" * words, *likely[1:]]))
        #: For each string its longest prefix among the others, -1 for none.
        self._within: list[int] = []
        around: list[int] = []
        for number, string in enumerate(self._long):
            while around and not string.startswith(self._long[around[-1]]):
                around.pop()
            self._within.append(around[-1] if around else -1)
            around.append(number)

    def places(
        self, text: str, start: int = 0, stop: int | None = None
    ) -> Iterator[tuple[int, int]]:
        """Yield start and end of each match between two places, from the left, without overlaps."""
        place, least, heads, has_short = start, self._least, self._heads, bool(self._short)
        stop = len(text) if stop is None else stop
        while place < stop and (heads or has_short):
            if not has_short:
                found = self._likely.search(text, place)
                place = stop if found is None else found.start()
                if place >= stop:
                    return
            size = self._size(text, place) if text[place : place + least] in heads else 0
            if has_short and not size:
                size = self._short_size(text, place)
            if size:
                yield place, place + size
            place += size or 1

    def _size(self, text: str, place: int) -> int:
        number = bisect_right(self._long, text[place : place + self._most]) - 1
        while number >= 0 and not text.startswith(self._long[number], place):
            number = self._within[number]
        return len(self._long[number]) if number >= 0 else 0

    def _short_size(self, text: str, place: int) -> int:
        """Return the length of the short string that begins here as a separate word, 0 without one."""
        if place and _WORD.match(text, place - 1):
            return 0
        for size in range(SHORT_CHARS, 0, -1):
            if text[place : place + size] in self._short and not _WORD.match(text, place + size):
                return size
        return 0
