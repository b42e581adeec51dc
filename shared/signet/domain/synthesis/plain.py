"""MEMORY.md without a model: what matters most, grouped by kind. The same memories give the same file."""

from signet.domain.memory.normalize import one_line
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


def text(sources: Sources, *, title: str) -> str:
    """Return one part, sections and lines by how much they matter, so that a cut hits what matters least."""
    room = MOST_CHARS - sum(map(len, TITLES.values()))
    sections: dict[str, list[str]] = {}
    for one in sources.memories:
        line = f"- {one_line(one.content)}"
        if len(line) >= room:
            continue
        room -= len(line) + 1
        sections.setdefault(TITLES.get(one.type, OTHER), []).append(line)
    titles = [_title(note.content) for note in sources.notes[:SESSIONS]]
    sessions = [f"- {title}" for title in titles if len(title) < room]
    listed = [*sections.items(), *([("Recent sessions", sessions)] if sessions else [])]
    parts = (f"## {name}\n\n" + "\n".join(lines) for name, lines in listed)
    return "\n\n".join(filter(None, (title, *parts)))[:MOST_CHARS]


def _title(note: str) -> str:
    """Return the day and the topic of a session's notes."""
    heads = [line.lstrip("#").strip() for line in note.splitlines() if line.startswith("#")]
    return " – ".join(heads[:2])
