"""Prompts for notes of a session, for condensing notes, and for judging recall."""

import re
from collections.abc import Sequence

from signet import resources
from signet.domain.episodes import overview
from signet.domain.extraction.grounding import Grounds, Verdict
from signet.domain.extraction.models import FACT_TYPES, MAX_FACT_CHARS, MIN_FACT_CHARS
from signet.domain.extraction.prompt import ASKED_TYPES
from signet.domain.memory import wording
from signet.domain.memory.wording import one_line
from signet.domain.summaries.models import (
    MAX_FACTS,
    MAX_PART_FACTS,
    MOST_IMPORTANT,
    USUAL_IMPORTANCE,
    Notes,
    Said,
    Score,
)
from signet.providers import answers, asking
from signet.providers.asking import INTEGER, NUMBER, TEXT, an_object, list_of, one_of
from signet.text.controls import encodable

#: Facts of the parts included in the last request (PIP-38).
SHOWN_FACTS = 30
#: Characters of an ID shown to a model.
SHORT_ID = 8

_TEXTS: dict[str, str] = resources.table(__file__)
_NOTES, _COMBINE, CONDENSE, _JUDGE = (
    _TEXTS[name] for name in ("notes", "combine", "condense", "judge")
)


#: The request for notes without its data: a text that repeats these words is a copy.
INSTRUCTIONS = _NOTES + _COMBINE
NOTES_SHAPE = an_object(
    summary=TEXT,
    facts=list_of(
        an_object(content=TEXT, importance=NUMBER, tags=list_of(TEXT), type=one_of(ASKED_TYPES))
    ),
)
COMBINED_SHAPE = an_object(summary=TEXT)
JUDGED_SHAPE = an_object(
    score=NUMBER,
    confidence=NUMBER,
    memories_used=INTEGER,
    novel_context_count=INTEGER,
    reasoning=TEXT,
    per_memory=list_of(an_object(id=TEXT, relevance=NUMBER)),
)


def notes_prompt(text: str, *, day: str) -> str:
    return _NOTES.format(day=day, most=MAX_FACTS) + asking.fenced("session", text)


def part_notes(text: str, *, day: str, place: str) -> str:
    where = f"This is {place} of the session.\n"
    return _NOTES.format(day=day, most=MAX_PART_FACTS) + where + asking.fenced("session", text)


def combined(summaries: Sequence[str], facts: Sequence[Said], *, day: str) -> str:
    listed = "\n".join(f"- {one_line(fact.content)}" for fact in facts[:SHOWN_FACTS])
    shown = "\n\n---\n\n".join((*summaries, f"Facts:\n{listed}" if listed else ""))
    return _COMBINE.format(day=day) + asking.fenced("notes", shown)


def condense_prompt(summaries: Sequence[str]) -> str:
    return CONDENSE + asking.fenced("notes", "\n\n---\n\n".join(summaries))


def judged(memories: Sequence[tuple[str, str]], text: str) -> str:
    shown = "\n".join(
        f"{memory_id[:SHORT_ID]}: {one_line(content)}" for memory_id, content in memories
    )
    return _JUDGE + asking.fenced("memories", shown) + asking.fenced("session", text)


MAX_TAGS = 8
#: A longer summary is cut; people and models read it.
MAX_SUMMARY_CHARS = 20_000


def read_notes(raw: str, *, day: str, most: int, grounds: Grounds) -> Notes | None:
    """Parse notes; None without a summary, or if the session does not support it (PIP-64)."""
    found = next((one for one in answers.objects(raw) if answers.text(one, "summary")), None)
    if found is None:
        return None
    listed = found.get("facts")
    facts = [_said(item) for item in listed] if isinstance(listed, list) else []
    summary = grounds.supported(answers.text(found, "summary"))
    if not summary:
        return None
    said = [fact for fact in facts if fact and grounds.judge(fact.content) is Verdict.SAID]
    summary = headed(summary, day)
    return Notes(summary=summary, topic=topic(summary), facts=tuple(distinct(said)[:most]))


def topic(summary: str) -> str | None:
    """Return the first heading below the title of a model's notes."""
    named = (line[3:] for line in summary.split("\n") if line.startswith("## "))
    return next(overview.lines(next(named, "")), None)


def headed(summary: str, day: str) -> str:
    """Return a storable summary that begins with its day (PIP-39)."""
    text = _cut(encodable(summary.replace("\0", "")).strip())
    return text if text.startswith(f"# {day}") else f"# {day} Session Notes\n\n{text}"


def _cut(text: str) -> str:
    if len(text) <= MAX_SUMMARY_CHARS:
        return text
    return text[:MAX_SUMMARY_CHARS].rpartition("\n")[0] or text[:MAX_SUMMARY_CHARS]


def distinct(facts: Sequence[Said]) -> list[Said]:
    kept: dict[str, Said] = {}
    for fact in facts:
        kept.setdefault(wording.content_hash(fact.content), fact)
    return list(kept.values())


def read_condensed(raw: str, grounds: Grounds) -> str | None:
    """Parse a condensed text; None if the notes do not support it."""
    text = encodable(answers.markdown(raw).replace("\0", "")).strip()
    return _cut(grounds.supported(text)) or None


def score(raw: str, shown: Sequence[str]) -> Score | None:
    """Parse a judgement of the memories with these IDs; None if it is unusable."""
    found = next(
        (one for one in answers.objects(raw) if answers.number(one, "score") is not None), None
    )
    if found is None:
        return None
    return Score(
        score=_share(found, "score"),
        confidence=_share(found, "confidence"),
        used=max(int(answers.number(found, "memories_used") or 0), 0),
        novel=max(int(answers.number(found, "novel_context_count") or 0), 0),
        reasoning=wording.one_line(answers.text(found, "reasoning"))[:MAX_FACT_CHARS],
        relevance=tuple(_relevance(found.get("per_memory"), shown)),
    )


def _relevance(listed: object, shown: Sequence[str]) -> list[tuple[str, float]]:
    """Return the relevance of each unambiguously named memory."""
    found: list[tuple[str, float]] = []
    for item in listed if isinstance(listed, list) else []:
        short = answers.text(item, "id")
        meant = [memory_id for memory_id in shown if short and memory_id.startswith(short)]
        if (
            len(meant) == 1
            and isinstance(item, dict)
            and answers.number(item, "relevance") is not None
        ):
            found.append((meant[0], _share(item, "relevance")))
    return found


def _said(item: object) -> Said | None:
    content = wording.storage(answers.text(item, "content"))
    if len(content) < MIN_FACT_CHARS or not wording.normalize(content).has_words:
        return None
    assert isinstance(item, dict)
    kind = answers.text(item, "type").lower()
    given = answers.number(item, "importance")
    return Said(
        content=content[:MAX_FACT_CHARS].rstrip(),
        type=kind if kind in FACT_TYPES else "fact",
        importance=min(max(USUAL_IMPORTANCE if given is None else given, 0.0), MOST_IMPORTANT),
        tags=tuple(_tags(item.get("tags"))),
    )


def _tags(listed: object) -> list[str]:
    words = listed.split(",") if isinstance(listed, str) else listed
    if not isinstance(words, list):
        return []
    found = (wording.one_line(word).lower() for word in words if isinstance(word, str))
    return list(dict.fromkeys(tag for tag in found if tag and "," not in tag))[:MAX_TAGS]


def _share(item: answers.Json, key: str) -> float:
    return min(max(answers.number(item, key) or 0.0, 0.0), 1.0)


#: A part ends at the first turn that begins after this length; a turn of `LONGEST` times that is cut.
PART_CHARS = 20_000
LONGEST = 3

#: Speaker labels in harness logs. With these labels, `Note: …` in an answer does not begin a turn, which would look
#: like the user's.
_ROLE = re.compile(r"^(?=(?:User|Human|Assistant|AI)(?: \([^)\n]*\))?:\s)", re.MULTILINE)
_TURN = re.compile(r"^(?=\S[^\n:]{0,40}: )", re.MULTILINE)


def parts(text: str, size: int = PART_CHARS) -> list[str]:
    """Split a text into parts that together are the whole text."""
    if len(text) <= size:
        return [text]
    cuts, start = [0], 0
    places = [turn.start() for turn in _ROLE.finditer(text)]
    for place in places if len(places) > 1 else [turn.start() for turn in _TURN.finditer(text)]:
        start = _cut_hard(text, cuts, start, place, LONGEST * size)
        if place - start >= size:
            cuts.append(place)
            start = place
    _cut_hard(text, cuts, start, len(text), LONGEST * size)
    pieces = (text[a:b] for a, b in zip(cuts, [*cuts[1:], len(text)], strict=True))
    return [piece for piece in pieces if piece.strip()]


def _cut_hard(text: str, cuts: list[int], start: int, place: int, most: int) -> int:
    """Cut a piece of over `most` characters between words; return the start of the last part."""
    while place - start > most:
        end = start + most
        between = max(text.rfind(mark, start + most // 2, end) for mark in "\n ")
        start = between + 1 if between > 0 else end
        cuts.append(start)
    return start
