"""What a person may say in front of a memory, and the type its words suggest.

`critical:` comes first, then `[tag, tag]:` (MEM-4). Fields of the request win over both; that is decided
by the caller.
"""

import re
from dataclasses import dataclass

DEFAULT_IMPORTANCE = 0.8
CRITICAL_IMPORTANCE = 1.0

_CRITICAL = re.compile(r"critical:", re.IGNORECASE)
_TAGS = re.compile(r"\[([^\]]+)\]:")

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
    pinned: bool
    importance: float
    tags: tuple[str, ...]


def parse(text: str) -> Parsed:
    """Return the content behind the prefixes; it is empty when there was nothing else."""
    content = text.strip()
    critical = _CRITICAL.match(content)
    if critical:
        content = content[critical.end() :].strip()
    tagged = _TAGS.match(content)
    if tagged:
        content = content[tagged.end() :].strip()
    return Parsed(
        content=content,
        pinned=critical is not None,
        importance=CRITICAL_IMPORTANCE if critical else DEFAULT_IMPORTANCE,
        tags=_tags(tagged.group(1)) if tagged else (),
    )


def infer_type(content: str) -> str:
    """Return the type that the words of the content suggest; `fact` when none does."""
    lowered = content.lower()
    return next((name for pattern, name in _TYPES if pattern.search(lowered)), "fact")


def _tags(listed: str) -> tuple[str, ...]:
    names = (item.strip().lower() for item in listed.split(","))
    return tuple(dict.fromkeys(name for name in names if name))
