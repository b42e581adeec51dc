"""The start text of a session: its sections, their order and budgets. Pure."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum

from signet.domain.episodes import fence
from signet.domain.graph.traversal import EntityRule
from signet.domain.sessions import prompt_text

MEMORY_LINE = "[memory active | /remember | /recall]"
CUT = "\n[context truncated]"
#: Budgets of the files, in characters.
INSTRUCTIONS, SOUL, IDENTITY, USER, MEMORY = 12_000, 4_000, 2_000, 6_000, 10_000
#: A heading with nothing below it, with its subheadings.
_EMPTY_PART = re.compile(
    r"^# [^\n]*\n+(?:## [^\n]*\n+)*(?=# |\Z)|^## [^\n]*\n+(?=#|\Z)", re.MULTILINE
)
#: A constraint is never shortened below this length (HK-34).
LEAST_CONSTRAINT = 24


class Part(IntEnum):
    """The sections, in order."""

    MARK = 1
    SINCE = 3
    DATE = 4
    RULES = 5
    INSTRUCTIONS = 6
    SOUL = 7
    IDENTITY = 8
    USER = 9
    MEMORY = 10
    DECIDED = 11
    MEMORIES = 12
    STATUS = 13
    SECRETS = 14
    CONSTRAINTS = 15
    RECOVERY = 16


#: Sections exempt from the limit of the whole text (HK-33).
KEPT = (Part.CONSTRAINTS, Part.RECOVERY)
#: Sections that may contain words of anyone: they are enclosed as data.
FENCED = (Part.RULES, Part.MEMORY, Part.DECIDED, Part.MEMORIES, Part.CONSTRAINTS, Part.RECOVERY)
#: Sections that appear only together with others.
FRAME = (Part.MARK, Part.SINCE, Part.DATE)
#: Sections dropped first if the text is too long.
GIVEN_UP = (Part.SECRETS, Part.STATUS)


@dataclass(frozen=True, slots=True)
class Section:
    """One section with its heading."""

    part: Part
    text: str


def assemble(sections: Sequence[Section], *, most: int) -> str:
    """Join the sections to at most `most` characters; sections that are never cut may exceed it.

    Returns an empty text if no section has content: a mark or a date alone is no context. Drops the least useful parts
    first: names of secrets, the status, memories from the last one; only then it cuts text.
    """
    there = sorted((one for one in sections if one.text.strip()), key=lambda one: one.part)
    if all(one.part in FRAME for one in there):
        return ""
    explains = not any(one.part in FENCED and one.part not in KEPT for one in there)
    kept = _joined([one for one in there if one.part in KEPT], explains=explains)
    room = most - len(kept) - 2 * bool(kept)
    rest = [one for one in there if one.part not in KEPT]
    for part in GIVEN_UP:
        if len(_joined(rest)) > room:
            rest = [one for one in rest if one.part is not part]
    rest = _with_fewer_memories(rest, room)
    text = _joined(rest)
    if len(text) > room:
        text = _cut(text, room)
    return f"{text}\n\n{kept}" if kept else text


def memory_line(content: str, tags: Sequence[str], days: str, origin: str) -> str:
    """Return one memory as a list item, with its days and origin."""
    marked = f"[{fence.one_line(', '.join(tags))}] " if tags else ""
    return fence.item(content, f"{marked}({days}, {origin})")


def titled(part: Part, title: str, text: str, most: int) -> Section:
    """Return a file as a section, cut to its budget; an empty one for an empty file."""
    return Section(part, f"## {title}\n{prompt_text.cut(text, most)}" if text else "")


def without_said(text: str, said: Sequence[frozenset[str]]) -> str:
    """Drop items whose words are all in one of several texts, then parts left empty."""
    lines = text.split("\n")
    return without_items(
        text, {one for one in lines if any(prompt_text.is_said(one, words) for words in said)}
    )


def without_items(text: str, gone: Collection[str]) -> str:
    """Drop these lines if they are items, then parts left empty."""
    lines = text.split("\n")
    kept = [one for one in lines if not (one.startswith("- ") and one in gone)]
    return text if len(kept) == len(lines) else _EMPTY_PART.sub("", "\n".join(kept))


def constraint_lines(constraints: Sequence[EntityRule], *, most: int) -> list[str]:
    """Return all constraints as lines `- thing (origin): rule`, shortened to fit where allowed (HK-34)."""
    texts = [
        (
            f"{prompt_text.plain(one.entity)} ({fence.origin(one.origin, None)})",
            fence.one_line(one.text),
        )
        for one in constraints
    ]
    over = sum(len(f"- {thing}: {rule}\n") for thing, rule in texts) > most
    fixed = sum(len(f"- {thing}: \n") for thing, _ in texts)
    share = max(LEAST_CONSTRAINT, (most - fixed) // len(texts)) if texts else 0
    return [
        f"- {thing}: {rule[: share - 3].rstrip()}..."
        if over and len(rule) > share
        else f"- {thing}: {rule}"
        for thing, rule in texts
    ]


def _with_fewer_memories(sections: list[Section], room: int) -> list[Section]:
    over = len(_joined(sections)) - room
    if over <= 0:
        return sections
    shorter = []
    for one in sections:
        if one.part is not Part.MEMORIES:
            shorter.append(one)
            continue
        # The further lines of an item are indented.
        items = one.text.split("\n- ")
        while over > 0 and len(items) > 1:
            over -= len(items.pop()) + len("\n- ")
        if len(items) > 1:
            shorter.append(replace(one, text="\n- ".join(items)))
    return shorter


def _cut(text: str, room: int) -> str:
    """Cut a text, mark the cut, and close an open block."""
    kept = text[: max(0, room - len(CUT))].rstrip()
    if kept.count(fence.HEAD) == kept.count(fence.TAIL):
        return kept + CUT
    kept = kept[: max(0, room - len(CUT) - len(fence.TAIL) - 1)].rstrip()
    is_open = kept.count(fence.HEAD) > kept.count(fence.TAIL)
    return f"{kept}\n{fence.TAIL}{CUT}" if is_open else kept + CUT


def _joined(sections: Sequence[Section], *, explains: bool = True) -> str:
    """Join the sections; `explains` adds an explanation of memories to the first section with any."""
    fenced = [one.part for one in sections if one.part in FENCED]
    first = fenced[0] if fenced and explains else None
    return "\n\n".join(
        fence.enclosed([one.text], is_first=one.part is first) if one.part in FENCED else one.text
        for one in sections
    )
