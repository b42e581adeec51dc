"""Read the facts of a session, and ask questions about it."""

import hashlib
import json
import uuid
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from signet.cli.output import ProgressLine
from signet.client import Signet
from signet.client.answers import RecallResult
from signet.domain.graph import names
from signet.domain.memory import wording
from signet.domain.statements import sentences
from signet.domain.transcripts import transcript
from signet.domain.transcripts.transcript import NOTE, Turn
from signet.errors import Invalid
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
    results: tuple[RecallResult, ...]


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
    return [
        Answered(
            question=one.text,
            results=tuple(signet.recall(one.text, type=one.type, limit=ANSWERS)["results"]),
        )
        for one in asked
    ]


def plain(values: Iterable[LearnedFact] | Iterable[Answered]) -> list[dict[str, Any]]:
    return [asdict(value) for value in values]


#: Longer paragraphs are split between sentences. Shorter than the daemon's limit, whose pieces would not name the
#: speaker.
PIECE_CHARS = 600


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleSession:
    """A transcript and the memories to save from it."""

    text: str
    turns: int
    pieces: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Fed:
    """The result: the memories' IDs in order, and how many existed before."""

    source_id: str
    turns: int
    memory_ids: tuple[str, ...]
    deduped: int


def read(path: Path) -> SampleSession:
    try:
        text = path.read_text("utf-8", "replace")
    except OSError as error:
        raise Invalid(f"Cannot read {path}: {error.strerror}") from error
    turns = transcript.parse(text)
    found = tuple(pieces(turns))
    if not found:
        raise Invalid(f"There is no text to save in {path}")
    return SampleSession(text=text, turns=len(turns), pieces=found)


def pieces(turns: list[Turn]) -> Iterator[str]:
    """Yield the memories to save.

    A memory is one line, in which a second speaker or a list item would merge with the text before. So each paragraph
    becomes a separate memory that names its speaker. Code and logs stay in the transcript.
    """
    for turn in turns:
        label = "" if turn.role == NOTE else f"{turn.role[:1].upper()}{turn.role[1:]}: "
        for paragraph in sentences.paragraphs(turn.text):
            for piece in wording.split_text(" ".join(paragraph), PIECE_CHARS):
                yield label + piece


def feed(signet: Signet, session: SampleSession, *, quiet: bool) -> Fed:
    """Save a session; saving it again adds nothing."""
    source_id = hashlib.sha256(session.text.encode()).hexdigest()
    whole: str | None = transcript.normalize(session.text)
    memory_ids: dict[str, None] = {}
    deduped = 0
    with ProgressLine("Remembering", quiet=quiet, unit="paragraphs") as progress:
        for ordinal, piece in enumerate(session.pieces):
            saved = signet.remember(
                piece,
                who="quickstart",
                source_type="session",
                source_id=source_id,
                ordinal=ordinal,
                transcript=whole,
                idempotency_key=str(uuid.uuid4()),  # so that a busy store is asked again
            )
            whole = None
            memory_ids.update(dict.fromkeys([saved["id"], *saved.get("ids", ())]))
            deduped += saved["deduped"]
            progress.count(ordinal + 1, len(session.pieces))
    return Fed(
        source_id=source_id, turns=session.turns, memory_ids=tuple(memory_ids), deduped=deduped
    )
