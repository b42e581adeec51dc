"""What a person may type in front of a memory in a command, and the type its words suggest.

`critical:` precedes `[tag, tag]:` (MEM-4). Only commands of a person read them: in any other text they are
words. Options of the command win over both; that is decided by the caller.
"""

import re
from dataclasses import dataclass

CRITICAL_IMPORTANCE = 1.0

_CRITICAL = re.compile(r"critical:", re.IGNORECASE)
#: No reference of a link (`[1]: https://…`).
_TAGS = re.compile(r"\[([^\]\n]+)\]:(?!\s*\w+://)")
_TAG = re.compile(r"[^\W\d_][\w ./-]*")
#: A line of a log, or a note to oneself, begins with one of these, or with a word in capitals.
_LEVELS = frozenset("error err warn warning info debug trace fatal notice".split())

#: First match wins. Triggers match where a word starts, so `debug` is no bug and `until the` no lesson.
_TYPES = tuple(
    (re.compile(rf"\b(?:{triggers})"), name)
    for triggers, name in (
        (r"prefer|likes\b|wants?\b", "preference"),
        (r"decided|agreed|will use", "decision"),
        (r"(?:never|always|must|mustn['’]t)\b", "rule"),
        (r"learned|discovered|til ", "learning"),
        (r"bug|issue|broken|problem", "issue"),
    )
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Parsed:
    """A memory's text without its prefixes, and what the prefixes said."""

    content: str
    pinned: bool = False
    importance: float | None = None
    tags: tuple[str, ...] | None = None


def parse(text: str) -> Parsed:
    """Return the content behind the prefixes; it is empty when there was nothing else. Where nothing is said: None."""
    content = text.strip()
    critical = _CRITICAL.match(content)
    if critical:
        content = content[critical.end() :].strip()
    tagged = _TAGS.match(content)
    tags = _tags(tagged[1]) if tagged else None
    if tagged and tags:
        content = content[tagged.end() :].strip()
    return Parsed(
        content=content,
        pinned=critical is not None,
        importance=CRITICAL_IMPORTANCE if critical else None,
        tags=tags,
    )


def infer_type(content: str) -> str:
    """Return the type that the words of the content suggest; `fact` when none does."""
    lowered = content.lower()
    return next((name for pattern, name in _TYPES if pattern.search(lowered)), "fact")


def _tags(listed: str) -> tuple[str, ...] | None:
    """Return the tags of a list, None for text that is no list of tags."""
    names = [name for item in listed.split(",") if (name := item.strip())]
    is_log = len(names) == 1 and (names[0].lower() in _LEVELS or names[0][1:].isupper())
    if is_log or not all(map(_TAG.fullmatch, names)):
        return None
    return tuple(dict.fromkeys(map(str.lower, names))) or None
