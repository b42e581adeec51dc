"""The words with which a model is asked to take notes of a session, to condense notes and to judge recall."""

from collections.abc import Sequence

from signet.domain.extraction.prompt import ASKED_TYPES
from signet.domain.memory.wording import one_line
from signet.domain.summaries.models import MAX_FACTS, MAX_PART_FACTS, Said
from signet.providers import fence
from signet.providers.shapes import INTEGER, NUMBER, TEXT, an_object, list_of, one_of

#: Facts of the parts that the last request is shown (PIP-38).
SHOWN_FACTS = 30
#: Characters of an id that a model is shown.
SHORT_ID = 8

_NOTES = """\
You take notes of a work session between a user and an assistant. Return one JSON object and nothing else:
{{"summary": MARKDOWN, "facts": [{{"content": STATEMENT, "importance": NUMBER, "tags": [WORD], "type": TYPE}}]}}
summary: Markdown that begins with "# {day} Session Notes". Then "## " headings, the first of them the topic in a few
words; under them what was done, decided and learned, and what is still open. No chatter, no code listings.
facts: at most {most}, each one sentence of 10 to 2000 characters.
- Each names its subject and can be understood without the session: no "it", "this" or "they" left open.
- Durable knowledge only: preferences, decisions, constraints, identity, project facts, procedures, causes.
- Use the words of the session. Add nothing that it does not say, and nothing that was recalled from memory into it.
- Each message begins with its speaker and time. Write "yesterday", "next week" and the like as the calendar date.
- importance: 0 to 0.5. type: fact, preference, decision, rationale, procedural or semantic.
Nothing worth keeping: an empty list.
"""

_COMBINE = """\
Notes were taken of the parts of one long session. Make one set of notes of them. Return one JSON object and nothing
else: {{"summary": MARKDOWN}}
summary: Markdown that begins with "# {day} Session Notes", then "## " headings, the first of them the topic in a few
words. State each thing once; what a later part changes replaces the earlier.
"""

CONDENSE = """\
These are notes of consecutive work sessions. Write one shorter text in Markdown: the subject of the work, decisions
with their reasons, lessons, and open items. What later notes change replaces the earlier; leave out passing matters.
Begin with a "# " heading. Return the Markdown only.
"""

_JUDGE = """\
Memories were shown to an assistant at the beginning of a session. Judge how well they served it. Return one JSON
object and nothing else:
{"score": NUMBER, "confidence": NUMBER, "memories_used": COUNT, "novel_context_count": COUNT, "reasoning": WORDS,
 "per_memory": [{"id": ID, "relevance": NUMBER}]}
score: 0 to 1, how much of what the session needed was among them. confidence: 0 to 1, how sure you are of it.
memories_used: how many were of use. novel_context_count: how many things the user had to explain that no memory told.
per_memory: the id of each memory and its relevance, 0 to 1.
"""

#: A request for notes without its data: a text made of these words copies it.
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
    """Return the request to take notes of a whole session."""
    return _NOTES.format(day=day, most=MAX_FACTS) + fence.data("session", text)


def part_notes(text: str, *, day: str, place: str) -> str:
    """Return the request to take notes of one part of a long session."""
    where = f"This is {place} of the session.\n"
    return _NOTES.format(day=day, most=MAX_PART_FACTS) + where + fence.data("session", text)


def combined(summaries: Sequence[str], facts: Sequence[Said], *, day: str) -> str:
    """Return the request to make one set of notes of those of the parts."""
    listed = "\n".join(f"- {one_line(fact.content)}" for fact in facts[:SHOWN_FACTS])
    shown = "\n\n---\n\n".join((*summaries, f"Facts:\n{listed}" if listed else ""))
    return _COMBINE.format(day=day) + fence.data("notes", shown)


def condense_prompt(summaries: Sequence[str]) -> str:
    """Return the request to make one text of several."""
    return CONDENSE + fence.data("notes", "\n\n---\n\n".join(summaries))


def judged(memories: Sequence[tuple[str, str]], text: str) -> str:
    """Return the request to judge what memories (id and text) were worth to a session."""
    shown = "\n".join(
        f"{memory_id[:SHORT_ID]}: {one_line(content)}" for memory_id, content in memories
    )
    return _JUDGE + fence.data("memories", shown) + fence.data("session", text)
