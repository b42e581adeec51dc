"""Sources of MEMORY.md: memories by their current importance, and the notes of the last sessions (PIP-44)."""

import heapq
import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import lru_cache
from pathlib import PurePath
from textwrap import indent

from signet import clock
from signet.db import ReadTx, fts, visibility
from signet.db.dialect import as_list
from signet.db.visibility import Reader
from signet.domain.episodes import search
from signet.domain.extraction.grounding import Grounds, Verdict, content
from signet.domain.graph import changes
from signet.domain.graph.changes import Dated
from signet.domain.memory import dates
from signet.domain.memory.wording import one_line
from signet.domain.synthesis import file, sql
from signet.domain.synthesis.plan import Plan
from signet.domain.synthesis.sql import CandidateRow, NoteRow, TextRow
from signet.domain.transcripts import withheld
from signet.providers import asking
from signet.wire.origin import Origin, doubt

#: Effective importance below which a memory is left out.
THRESHOLD = 0.2
#: More memories than this fit into no budget.
MOST = 4_000
#: Memories compared with each other.
COMPARED = 400
#: Notes of sessions take at most this share of the budget, and are of this many sessions.
NOTES_SHARE = 0.25
MOST_NOTES = 10
#: A model states its own confidence, so its facts count less than the statements that they come from.
MODEL_SHARE = 0.8
DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class RankedMemory:
    """One memory and its importance now, 0..1."""

    type: str
    content: str
    created_at: str
    score: float
    project: str | None = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sources:
    """The sources of a file, or of one project's part.

    `notes` are texts with their projects, `newest` is the number of the newest memory.
    """

    memories: tuple[RankedMemory, ...]
    notes: tuple[NoteRow, ...]
    newest: int

    def parts(self) -> dict[str | None, "Sources"]:
        """Return the sources by project: general ones ("") first, then by importance, imports (None) last."""
        names = dict.fromkeys(("", *(one.project for one in self.memories)))
        names |= dict.fromkeys(one.project or "" for one in self.notes)
        known = [one for one in names if one is not None] + [one for one in names if one is None]
        found = {name: self._of(name) for name in known}
        return {name: part for name, part in found.items() if part}

    def _of(self, project: str | None) -> "Sources":
        notes = tuple(
            one for one in self.notes if project is not None and (one.project or "") == project
        )
        return replace(
            self,
            memories=tuple(one for one in self.memories if one.project == project),
            notes=notes,
        )

    def __bool__(self) -> bool:
        return bool(self.memories or self.notes)

    def __len__(self) -> int:
        return len(self.memories) + len(self.notes)


def effective(importance: float, used_at: datetime, now: datetime, *, rate: float) -> float:
    """Return the importance after decay: importance * rate ** days since the last use (REC-28)."""
    days = max((now - used_at) / DAY, 0.0)
    return float(importance * rate**days)


def gather(tx: ReadTx, reader: Reader, plan: Plan, *, now: datetime) -> Sources:
    """Return an agent's most important memories, best first, within the budget."""
    since = _oldest(plan.decay_rate, now)
    seen = visibility.readable(reader)
    rows = tx.rows(sql.CandidateRow, sql.CANDIDATES + seen.sql, (THRESHOLD, since, *seen.params))
    scored = ((_score(row, plan.decay_rate, now), row.seq) for row in rows)
    best = heapq.nlargest(MOST, (one for one in scored if one[0] >= THRESHOLD))
    known = tx.rows(sql.NoteRow, sql.NOTES, (reader.agent_id, MOST_NOTES))
    cleaned = withheld.all_cleaned(tx, reader.agent_id, [one.content for one in known])
    told = [one._replace(content=text) for one, text in zip(known, cleaned, strict=True)]
    notes = _fitting(told, int(plan.chars * NOTES_SHARE))
    listed = as_list(seq for _, seq in best)
    texts = {row.seq: row for row in tx.rows(sql.TextRow, sql.TEXTS, (listed,))}
    room = plan.chars - sum(len(one.content) for one in notes)
    over = _over([texts[seq] for _, seq in best], now)
    memories: list[RankedMemory] = []
    for score, seq in best:
        row = texts[seq]
        if len(row.content) > room or seq in over:
            continue
        room -= len(row.content)
        kept = RankedMemory(
            type=row.type,
            content=row.content,
            created_at=row.created_at,
            score=score,
            project=row.project,
        )
        memories.append(kept)
    return Sources(memories=tuple(memories), notes=tuple(notes), newest=sql.newest(tx, reader))


def _over(rows: Sequence[TextRow], now: datetime) -> set[int]:
    """Return the numbers of memories that ended, or that a later one replaces by its words; not of pinned ones."""
    compared = rows[:COMPARED]
    texts = [
        Dated(
            text=one.content,
            said_at=one.created_at,
            project=one.project,
            distance=doubt(Origin(one.origin)),
        )
        for one in compared
    ]
    gone = {compared[at].seq for at, one in changes.find(texts).items() if one.is_certain}
    gone.update(
        one.seq
        for one in rows
        if dates.is_over(one.content, clock.parsed(one.created_at) or now, now)
    )
    return gone - {one.seq for one in rows if one.pinned}


def _score(row: CandidateRow, rate: float, now: datetime) -> float:
    if row.pinned:
        return 1.0
    share = MODEL_SHARE if row.is_by_model else 1.0
    return share * effective(row.importance, clock.parsed(row.used_at) or now, now, rate=rate)


def _oldest(rate: float, now: datetime) -> str:
    """Return the time of last use before which even the most important memory has faded."""
    if rate >= 1:
        return ""
    days = math.log(THRESHOLD) / math.log(rate) if rate > 0 else 0.0
    return clock.to_text(now - min(days + 1, 36_500) * DAY)


def _fitting(notes: Sequence[NoteRow], room: int) -> list[NoteRow]:
    kept = []
    for one in notes:
        if len(one.content) > room:
            break
        kept.append(one)
        room -= len(one.content)
    return kept


#: Characters of the file that a session reads.
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
#: A block of code, a line of YAML, and the number of such lines that make a text YAML.
_CODE = re.compile(r"^([ \t]*```.*?^[ \t]*```)[ \t]*$", re.MULTILINE | re.DOTALL)
_SETTING = re.compile(r"^[ \t]*(?:- )?[\w./\"'-]+:(?:[ \t]|$)", re.MULTILINE)
LEAST_SETTINGS = 2
#: Minimum share of a memory's words in a longer memory that makes it a repetition.
SAID = 0.8


def plain_text(sources: Sources, *, title: str) -> str:
    """Return one part with sections and lines by importance, so that a cut removes the least important."""
    room = MOST_CHARS - sum(map(len, TITLES.values()))
    sections: dict[str, list[str]] = {}
    texts = [one.content for one in sources.memories]
    for one in sources.memories:
        line = f"- {_listed(one.content)}"
        if len(line) >= room or _is_in_another(one.content, texts):
            continue
        room -= len(line) + 1
        sections.setdefault(TITLES.get(one.type, OTHER), []).append(line)
    titles = [_title(note.content, note.project) for note in sources.notes[:SESSIONS]]
    sessions = [f"- {title}" for title in titles if title and len(title) < room]
    listed = [*sections.items(), *([("Recent sessions", sessions)] if sessions else [])]
    parts = (f"## {name}\n\n" + "\n".join(lines) for name, lines in listed)
    return "\n\n".join(filter(None, (title, *parts)))[:MOST_CHARS]


def _listed(text: str) -> str:
    """Return a text on one line, so that it makes no heading or item; blocks of code and YAML keep their lines."""
    if "```" not in text and len(_SETTING.findall(text)) >= LEAST_SETTINGS:
        text = f"```\n{text}\n```"
    parts = _CODE.split(text)
    parts[::2] = map(one_line, parts[::2])
    return indent("\n".join(filter(None, parts)), "  ").lstrip()


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
    """Return the day and topic of a session's notes; empty if the topic is only the project's name."""
    heads = [line.lstrip("#").strip() for line in note.splitlines() if line.startswith("#")]
    is_named = len(heads) > 1 and heads[1] != PurePath(project or "").name
    return " – ".join(heads[:2]) if is_named else ""


TASK = """\
You keep the file MEMORY.md of an AI agent: what it knows about its user, their projects and how they work, in one text
that every session begins with. Rewrite it from the memories below. Return the Markdown only, no time stamp.
- At most {chars} characters; readers see the first 10000, so begin with the most important.
- Headings by subject. Short statements that stand alone. Constraints, preferences and decisions with their reasons.
- The memories are listed by importance, the most important first. Leave out statements of the present file that they
  no longer contain; where they contradict it, they are right.
- Use the words of the memories. Add nothing that they do not say.
"""
#: For who writes the whole file at once.
_BY_PROJECT = """\
- What the memories give for one project stands under its heading, as given (`# Project …`), at the end of the file, and
  nowhere else; imported notes stand last under `# Imported notes`.
"""


def synthesis_prompt(current: str, sources: Sources, plan: Plan) -> str:
    """Return the request for a whole new file, given the present one."""
    parts = sources.parts()
    memories = "\n\n".join(
        "\n".join(
            [
                *([f"{file.heading(project)}:"] if project != "" and len(parts) > 1 else []),
                *(
                    f"- [{one.type}] {one_line(one.content)} ({clock.local_day(one.created_at)})"
                    for one in part.memories
                ),
            ]
        )
        for project, part in parts.items()
    )
    return "".join(
        (
            TASK.format(chars=plan.chars),
            _BY_PROJECT if len(parts) > 1 else "",
            asking.fenced("memories", memories),
            asking.fenced("session-notes", "\n\n---\n\n".join(one.content for one in sources.notes))
            if sources.notes
            else "",
            asking.fenced("present-file", current[: plan.chars]) if current else "",
        )
    )


#: Shortest file, as a share of the plain list of the same memories.
LEAST_LENGTH = 0.1
#: Share of the lines that may lack support; such lines are left out of the file.
MOST_UNSUPPORTED = 0.3
#: Number of the most important memories whose words the file must repeat, the share of words per memory, and the share
#: of such memories.
TOP, LEAST_COVERAGE, MOST_WORDS = 10, 0.5, 0.5
#: Lines of this many characters are judged; shorter ones are headings and labels.
LINE_CHARS = 12

_FENCE = re.compile(r"</?[a-z][a-z-]*-[0-9a-f]{4,}>")
_HEADING = re.compile(r"#{1,6} ")


class Bad(ValueError):
    """A model's text that must not become MEMORY.md; the message is the reason."""


def checked_text(text: str, sources: Sources, *, plain: str, is_cut: bool) -> str:
    """Return a model's text without lines that the sources do not support; raises Bad for an unusable text.

    `plain` is the list written without a model.
    """
    if is_cut:
        raise Bad("it ends before its end: the answer reached the model's limit")
    if _FENCE.search(text):
        raise Bad("it contains markers of the request")
    lines = [line for line in text.splitlines() if line.strip()]
    if any(count > 1 for line, count in Counter(lines).items() if len(line) >= LINE_CHARS):
        raise Bad("it repeats lines")
    if len(text) < LEAST_LENGTH * len(plain):
        raise Bad(f"it is too short: {len(text)} characters for {len(sources)} sources")
    if coverage(text, sources) < LEAST_COVERAGE:
        raise Bad("it leaves out most of the important memories")
    grounds = Grounds(
        "\n".join(
            [*(one.content for one in sources.memories), *(one.content for one in sources.notes)]
        ),
        TASK,
    )
    body = [line for line in lines if not _HEADING.match(line)]
    unsaid = {line for line in body if not _is_said(grounds, line)}
    if not set(body) - unsaid:
        raise Bad("it contains nothing from the memories")
    dropped = {line for line in unsaid if len(line) >= LINE_CHARS}
    if len(dropped) > MOST_UNSUPPORTED * len(lines):
        raise Bad("most of it is not in the memories")
    return "\n".join(line for line in text.splitlines() if line not in dropped)


def coverage(text: str, sources: Sources) -> float:
    """Return the share of the most important memories whose words a text mostly contains, 1 without any."""
    grounds, top = Grounds(text), sources.memories[:TOP]
    held = [one for one in top if grounds.share(one.content) >= MOST_WORDS]
    return len(held) / len(top) if top else 1.0


def _is_said(grounds: Grounds, line: str) -> bool:
    return not content(line) or grounds.judge(line) is Verdict.SAID
