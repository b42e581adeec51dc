"""Read the facts of a session, and ask questions about it."""

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from signet.client import Signet
from signet.client.answers import Hit
from signet.domain.graph import names
from signet.domain.memory import wording
from signet.resources import template

QUESTIONS = 3
ANSWERS = 3

#: Questions about a type of fact, for sessions that mention few names.
_OF_TYPE = {
    "preference": "What does the user prefer?",
    "decision": "What was decided?",
    "rationale": "What are the reasons?",
    "procedural": "What are the rules?",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class LearnedFact:
    """A fact, the memory that contains it, and its source memory."""

    id: str
    content: str
    type: str
    confidence: float
    source_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleQuestion:
    """A question; `type` restricts its answers."""

    text: str
    type: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """A question and recall's results, best first."""

    question: str
    results: tuple[Hit, ...]


def facts(signet: Signet, memory_ids: Iterable[str]) -> list[LearnedFact]:
    """Return the facts derived from these memories, each once, in order.

    A fact in the exact words of its memory is stored there; the others are separate memories.
    """
    found: dict[str, LearnedFact] = {}
    for memory_id in memory_ids:
        for change in signet.history(memory_id):
            told = change["metadata"]
            if change["event"] == "none" and isinstance(told, dict) and _is_kept(told):
                fact_id = told["createdMemoryId"] or told["dedupedExistingId"] or memory_id
                fact = LearnedFact(id=fact_id, source_id=memory_id, **told["fact"])
                found.setdefault(wording.content_hash(fact.content), fact)
    return list(found.values())


def _is_kept(told: dict[str, Any]) -> bool:
    return told["proposedAction"] in ("add", "none") and not told["skippedReason"]


def sample_questions() -> list[SampleQuestion]:
    """Return the questions for the sample session."""
    raw = json.loads(template("quickstart-questions.json").read_text("utf-8"))
    return [SampleQuestion(text=one["question"]) for one in raw]


def questions_about(learned: Sequence[LearnedFact]) -> list[SampleQuestion]:
    """Return questions about the most mentioned names, then about the most common types of facts. Pure."""
    spelled: dict[str, str] = {}
    mentions: Counter[str] = Counter()
    for fact in learned:
        for canonical, name in {name.canonical: name for name in names.find(fact.content)}.items():
            spelled.setdefault(canonical, name.text)
            mentions[canonical] += 1
    asked = [
        SampleQuestion(text=f"What is known about {spelled[name]}?")
        for name, _ in mentions.most_common()
    ]
    types = Counter(fact.type for fact in learned).most_common()
    asked += [
        SampleQuestion(text=_OF_TYPE[kind], type=kind) for kind, _ in types if kind in _OF_TYPE
    ]
    return asked[:QUESTIONS]


def ask(signet: Signet, asked: Iterable[SampleQuestion]) -> list[Answered]:
    """Return recall's answers."""
    return [
        Answered(
            question=one.text,
            results=tuple(signet.recall(one.text, type=one.type, limit=ANSWERS)["results"]),
        )
        for one in asked
    ]


def plain(values: Iterable[LearnedFact] | Iterable[Answered]) -> list[dict[str, Any]]:
    """Return values as JSON objects."""
    return [asdict(value) for value in values]
