"""MEMORY.md without a model: what matters most, grouped by kind. The same memories give the same file."""

from collections.abc import Sequence
from functools import lru_cache
from pathlib import PurePath

from signet.db import fts
from signet.domain.episodes import search
from signet.domain.memory.wording import one_line
from signet.domain.synthesis.sources import Sources

#: What a session reads of the file.
MOST_CHARS = 10_000
SESSIONS = 5
TITLES = {
    "decision": "Decisions",
    "preference": "Preferences",
    "rule": "Rules",
    "procedural": "Procedures",
    "rationale": "Reasons",
    "fact": "Facts",
    "issue": "Issues",
    "learning": "Learned",
}
OTHER = "More"
#: Minimum share of a memory's words in a longer memory that makes it a repetition.
SAID = 0.8


def plain_text(sources: Sources, *, title: str) -> str:
    """Return one part, sections and lines by how much they matter, so that a cut hits what matters least."""
    room = MOST_CHARS - sum(map(len, TITLES.values()))
    sections: dict[str, list[str]] = {}
    texts = [one.content for one in sources.memories]
    for one in sources.memories:
        line = f"- {one_line(one.content)}"
        if len(line) >= room or _is_in_another(one.content, texts):
            continue
        room -= len(line) + 1
        sections.setdefault(TITLES.get(one.type, OTHER), []).append(line)
    titles = [_title(note.content, note.project) for note in sources.notes[:SESSIONS]]
    sessions = [f"- {title}" for title in titles if title and len(title) < room]
    listed = [*sections.items(), *([("Recent sessions", sessions)] if sessions else [])]
    parts = (f"## {name}\n\n" + "\n".join(lines) for name, lines in listed)
    return "\n\n".join(filter(None, (title, *parts)))[:MOST_CHARS]


def _is_in_another(plain_text: str, every: Sequence[str]) -> bool:
    """Return whether a memory repeats a longer one, or one in the user's own words."""
    said, is_about = _stems(plain_text), _is_about_user(plain_text)
    others = (other for other in every if other != plain_text and is_about >= _is_about_user(other))
    return any(
        (is_about or len(said) < len(_stems(other)))
        and len(said & _stems(other)) >= SAID * len(said)
        for other in others
    )


def _is_about_user(plain_text: str) -> bool:
    return plain_text.startswith("The user ")


@lru_cache(1_024)
def _stems(plain_text: str) -> frozenset[str]:
    words = fts.content_words(plain_text.removeprefix("The user "))
    return frozenset(map(search.stem, words)) - {"user"}


def _title(note: str, project: str | None) -> str:
    """Return the day and the topic of a session's notes; empty if the topic is only the name of the project."""
    heads = [line.lstrip("#").strip() for line in note.splitlines() if line.startswith("#")]
    is_named = len(heads) > 1 and heads[1] != PurePath(project or "").name
    return " – ".join(heads[:2]) if is_named else ""
