"""Normalize a text as a person or program reads it: decode escapes, fold look-alikes, drop invisible marks. Pure."""

import re
import unicodedata
from array import array
from bisect import bisect_right

#: Invisible characters.
_UNSEEN = (
    r"\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufdd0\ufdd1\ufe00-\ufe0f\ufeff\uffff"
    r"\U000e0000-\U000e007f"
)
#: These, and encodings of one ASCII character. Encoded blanks and slashes do not separate, so they stay. A class in
#: front makes the search several times as fast.
_CODED = re.compile(
    r"[%\\&\x1b"
    + _UNSEEN
    + r"](?:(?<=%)(2[1-9A-Ea-e]|[3-7][0-9A-Fa-f])|(?<=\\)u00([2-7][0-9A-Fa-f])"
    r"|(?<=&)(?:#x([2-7][0-9A-Fa-f])|#(\d{2,3})|(quot|apos|amp|lt|gt));|(?<=\x1b)\[[\d;]{0,16}m"
    rf"|(?<=[{_UNSEEN}])[{_UNSEEN}]*)"
)
_HAS_UNSEEN = re.compile(f"[{_UNSEEN}]")
_ENTITIES = {"quot": '"', "apos": "'", "amp": "&", "lt": "<", "gt": ">"}
#: Characters that look like ASCII: full-width and mathematical letters, quotation marks.
_LOOK_ALIKES = re.compile(
    r"[\u0130\u2018-\u201f\u2039\u203a\u00ab\u00bb\u300c-\u300f\uff01-\uff5e\U0001d400-\U0001d7ff]+"
)
_FOLDED = {
    **dict.fromkeys(map(ord, "\u201c\u201d\u201e\u201f\u00ab\u00bb\u300c\u300d\u300e\u300f"), '"'),
    **dict.fromkeys(map(ord, "\u2018\u2019\u201a\u201b\u2039\u203a"), "'"),
    **{code: unicodedata.normalize("NFKC", chr(code)) for code in (*range(0xFF01, 0xFF5F), *range(0x1D400, 0x1D800))},
    0x130: "I",
}  # fmt: skip
#: Replacements of escapes with the same length; an escaped quotation mark does not close an outer one.
_ESCAPED = (("\\n", " \v"), ("\\r", "  "), ("\\t", "  "), ('\\"', "\ufdd0 "), ("\\'", "\ufdd1 "))
_MASK = re.compile(r"\[masked: [^\[\]\n]{1,40}\]")
#: Replaces each character of a mask; readings contain no other.
HIDDEN = "\uffff"


class TextReading:
    """The normalized text, and each character's place in the original."""

    def __init__(self, source: str) -> None:
        #: The ends of decoded parts in the reading, and the offset to the original before the first and after each.
        self._ends, self._shifts = array("q"), array("q", [0])
        text = _CODED.sub(self._decoded, source) if _is_coded(source) else source
        if not text.isascii():
            text = _LOOK_ALIKES.sub(lambda run: run[0].translate(_FOLDED), text)
        if "\\" in text:
            for escape, meaning in _ESCAPED:
                text = text.replace(escape, meaning)
        if "[masked: " in text:
            text = _MASK.sub(lambda mask: HIDDEN * len(mask[0]), text)
        self.text = text

    def places(self, places: list[int]) -> list[int]:
        return [at + self._shifts[bisect_right(self._ends, at)] for at in places]

    def _decoded(self, found: re.Match[str]) -> str:
        """Return the character of a code, "" for an invisible mark, and note the offset of what follows."""
        char, shift = _char(found), self._shifts[-1]
        self._ends.append(found.start() - shift + len(char))
        self._shifts.append(shift + len(found[0]) - len(char))
        return char


def _is_coded(text: str) -> bool:
    marks = ("%", "\\u00", "&", "\x1b[")
    return any(mark in text for mark in marks) or (
        not text.isascii() and _HAS_UNSEEN.search(text) is not None
    )


def _char(found: re.Match[str]) -> str:
    if digits := found[1] or found[2] or found[3]:
        return chr(int(digits, 16))
    if found[4]:
        return chr(int(found[4])) if 32 <= int(found[4]) < 127 else found[0]
    return _ENTITIES[found[5]] if found[5] else ""
