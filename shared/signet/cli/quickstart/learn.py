"""Read back what was learned from a session, and ask about it."""

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from signet.client import Signet
from signet.client.answers import Hit
from signet.domain.graph import names
from signet.domain.memory import normalize
from signet.resources import template

QUESTIONS = 3
ANSWERS = 3

#: What to ask about a kind of fact when too few names were mentioned.
_OF_TYPE = {
    "preference": "What does the user prefer?",
    "decision": "What was decided?",
    "rationale": "What are the reasons?",
    "procedural": "What are the rules?",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """One statement that was read, the memory that holds it and the one it was read in."""

    id: str
    content: str
    type: str
    confidence: float
    source_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question; `type` narrows its answers."""

    text: str
    type: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """A question and what recall found, best first."""

    question: str
    results: tuple[Hit, ...]


def facts(signet: Signet, memory_ids: Iterable[str]) -> list[Fact]:
    """Return the facts that were read in these memories, each once, in their order.

    A fact in the very words of its memory is kept there; the others are memories of their own.
    """
    found: dict[str, Fact] = {}
    for memory_id in memory_ids:
        for change in signet.history(memory_id):
            told = change["metadata"]
            if change["event"] == "none" and isinstance(told, dict) and _is_kept(told):
                fact_id = told["createdMemoryId"] or told["dedupedExistingId"] or memory_id
                fact = Fact(id=fact_id, source_id=memory_id, **told["fact"])
                found.setdefault(normalize.content_hash(fact.content), fact)
    return list(found.values())


def _is_kept(told: dict[str, Any]) -> bool:
    return told["proposedAction"] in ("add", "none") and not told["skippedReason"]


def sample_questions() -> list[Question]:
    """Return the questions that belong to the shipped session."""
    raw = json.loads(template("quickstart-questions.json").read_text("utf-8"))
    return [Question(text=one["question"]) for one in raw]


def questions_about(learned: Sequence[Fact]) -> list[Question]:
    """Return questions about the names mentioned most, then about the commonest types of facts. Pure."""
    spelled: dict[str, str] = {}
    mentions: Counter[str] = Counter()
    for fact in learned:
        for canonical, name in {name.canonical: name for name in names.find(fact.content)}.items():
            spelled.setdefault(canonical, name.text)
            mentions[canonical] += 1
    asked = [
        Question(text=f"What is known about {spelled[name]}?") for name, _ in mentions.most_common()
    ]
    types = Counter(fact.type for fact in learned).most_common()
    asked += [Question(text=_OF_TYPE[kind], type=kind) for kind, _ in types if kind in _OF_TYPE]
    return asked[:QUESTIONS]


def ask(signet: Signet, asked: Iterable[Question]) -> list[Answered]:
    """Return what recall answers."""
    return [
        Answered(
            question=one.text,
            results=tuple(signet.recall(one.text, type=one.type, limit=ANSWERS)["results"]),
        )
        for one in asked
    ]


def plain(values: Iterable[Fact] | Iterable[Answered]) -> list[dict[str, Any]]:
    """Return values as JSON objects."""
    return [asdict(value) for value in values]
