"""Prompts for extraction and decision."""

from collections.abc import Sequence

from signet import resources
from signet.domain.extraction.models import (
    MAX_FACTS,
    MAX_INPUT_CHARS,
    MAX_TRIPLES,
    Action,
    ComparedMemory,
    Fact,
)
from signet.domain.graph.models import ENTITY_TYPES, UNKNOWN
from signet.domain.memory.wording import one_line
from signet.providers import asking
from signet.providers.asking import BOOLEAN, CONFIDENCE, TEXT, an_object, list_of, one_of
from signet.providers.ports import Shape

_TEXTS: dict[str, str] = resources.table(__file__)
_TASK, _DECISION, _CONTRADICTION = (_TEXTS[name] for name in ("task", "decision", "contradiction"))

_EXTRACTION = f"""\
Facts: at most {MAX_FACTS}, each 10 to 2000 characters.
- Each names its subject and can be understood without the conversation: no "it", "this" or "they" left open.
- Durable knowledge only: preferences, decisions, constraints, identity, project facts, procedures, causes.
  Leave out greetings, questions, plans of the moment, code, logs and what an assistant says about its own work.
- A decision that has a reason gives two facts: the decision, and the reason as a rationale.
- Use the words of the text. Add nothing that it does not say.
- type: fact, preference, decision, rationale, procedural or semantic.
Entities: at most {MAX_TRIPLES} relations between named things, with types person, project, system, tool, concept,
skill, task or unknown.
Nothing durable in the text: return empty lists.
"""


#: The requested types of facts.
ASKED_TYPES = ("fact", "preference", "decision", "rationale", "procedural", "semantic")
EXTRACTION_SHAPE = an_object(
    facts=list_of(an_object(content=TEXT, type=one_of(ASKED_TYPES), confidence=CONFIDENCE)),
    entities=list_of(
        an_object(
            source=TEXT,
            source_type=one_of(ENTITY_TYPES | {UNKNOWN}),
            relationship=TEXT,
            target=TEXT,
            target_type=one_of(ENTITY_TYPES | {UNKNOWN}),
            confidence=CONFIDENCE,
        )
    ),
)
CONTRADICTION_SHAPE = an_object(contradicts=BOOLEAN, confidence=CONFIDENCE, reasoning=TEXT)
#: The request without its data: a fact that repeats these words is a copy.
INSTRUCTIONS = _TASK + _EXTRACTION


def extraction(text: str) -> str:
    """Return the request to extract facts and entities from one text."""
    return f"{_TASK}{_EXTRACTION}{asking.fenced('memory', text)}"


def condensed(text: str, max_entities: int) -> str:
    """Return the second request for a text that yielded too much: only lasting facts."""
    limit = (
        "The first reading gave too much. Keep only decisions, constraints and lasting facts, and at most "
        f"{max_entities} entities.\n"
    )
    return f"{_TASK}{_EXTRACTION}{limit}{asking.fenced('memory', text)}"


def decision(fact: Fact, candidates: Sequence[ComparedMemory]) -> str:
    """Return the request to choose between add, update, delete and none."""
    new = f"New fact ({fact.type}, confidence {fact.confidence:.2f}): {one_line(fact.content)}"
    known = [
        f"{number}. id {candidate.id} ({candidate.type}): {one_line(candidate.content)}"
        for number, candidate in enumerate(candidates, 1)
    ]
    return f"{_DECISION}{asking.fenced('facts', chr(10).join((new, *known)))}"


def decision_shape(candidates: Sequence[ComparedMemory]) -> Shape:
    """Return the shape of a decision; weak models invent IDs unless it lists them."""
    return an_object(
        action=one_of([action.value for action in Action]),
        targetId=one_of(["", *(candidate.id for candidate in candidates)]),
        confidence=CONFIDENCE,
        reason=TEXT,
    )


def contradiction(new: str, old: str) -> str:
    """Return the request to check two statements for a contradiction (PIP-22)."""
    return f"{_CONTRADICTION}{asking.fenced('statements', f'New: {one_line(new)}{chr(10)}Old: {one_line(old)}')}"


def parts(text: str, limit: int = MAX_INPUT_CHARS) -> list[str]:
    """Split a text into pieces that fit one request, at the best break in the second half of each."""
    pieces: list[str] = []
    while len(text) > limit:
        cut = _break(text, limit)
        pieces.append(text[:cut].strip())
        text = text[cut:]
    pieces.append(text.strip())
    return [piece for piece in pieces if piece]


def _break(text: str, limit: int) -> int:
    for mark in ("\n\n", "\n", ". ", " "):
        cut = text.rfind(mark, limit // 2, limit)
        if cut > 0:
            return cut + len(mark)
    return limit
