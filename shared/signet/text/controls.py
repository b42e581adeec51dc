"""Remove control sequences and invisible characters from texts that are shown or put into prompts."""

import re

from signet.text import patterns

#: ECMA-48 sequences with their parameters; strings (titles, links) up to their end.
_SEQUENCE = (
    r"(?:\x1b\[|\x9b)[0-?]{0,64}[ -/]{0,8}[@-~]"
    r"|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x90-\x9f\n]{0,2048}(?:\x07|\x1b\\|\x9c)"
    r"|\x1b[ -/]{0,8}[0-~]"
)
#: Invisible characters: controls except tab and line feed, zero-width and direction marks, tags and other selectors
#: (Unicode 16, chapter 23). Joiners and variation selectors are kept in scripts and emoji that need them.
_LETTER = (
    r"[^\x00-\xff\u034f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\U000e0000-\U000e0fff]"
)
#: Characters that a variation selector may follow: no ASCII (© and ® are older emoji), no blanks, nothing invisible.
_BASE = (
    r"[^\x00-\xa8\xaa-\xad\xaf-\xff\s\u034f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff"
    r"\U000e0000-\U000e0fff]"
)
_NEVER_SEEN = (
    r"\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f"
    r"\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    r"\U000e0000-\U000e0fff"
)
_INVISIBLE = (
    rf"[{_NEVER_SEEN}]"
    rf"|(?<!{_LETTER})[\u200c\u200d]|[\u200c\u200d](?!(?![\ufe00-\ufe0f]){_LETTER})"
    # A keycap is a digit, # or *, the selector and a mark.
    rf"|(?<!{_BASE})(?!(?<=[0-9#*])\ufe0f\u20e3)[\ufe00-\ufe0f][\ufe00-\ufe0f\u200c\u200d]*"
)
_LINE_ENDS = patterns.lazy(r"\r\n?|[\x0b\x0c\x85\u2028\u2029]")
_HIDDEN = patterns.lazy(rf"{_SEQUENCE}|{_INVISIBLE}")
_UNSEEN = patterns.lazy(_INVISIBLE)
#: Texts without any of these are returned unchanged; this check is 15 times as fast as the rest.
_SUSPECT = re.compile(rf"[{_NEVER_SEEN}\u200c\u200d\u2028\u2029\ufe00-\ufe0f]")
#: Colors of the command line (cli/output.py).
_COLOUR = patterns.lazy(r"(\x1b\[(?:0|1|2|3[1236])m)")


def clean(text: str) -> str:
    """Return the text without control sequences, control characters and invisible marks; line ends become line feeds.

    Tab and line feed stay. Idempotent.
    """
    if not _SUSPECT.search(text):
        return text
    return _HIDDEN.sub("", _LINE_ENDS.sub("\n", text))


def clean_but_colour(text: str) -> str:
    """Return a text of the command line, cleaned except for its own colors."""
    return "".join(
        part if number % 2 else clean(part) for number, part in enumerate(_COLOUR.split(text))
    )


def escaped(json_text: str) -> str:
    """Return equivalent JSON with the characters that `clean` removes escaped."""
    return _UNSEEN.sub(_escape, json_text)


def _escape(found: re.Match[str]) -> str:
    units = found[0].encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[i]:02x}{units[i + 1]:02x}" for i in range(0, len(units), 2))


def encodable(text: str) -> str:
    """Return a text with surrogate pairs joined and lone halves replaced."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text
