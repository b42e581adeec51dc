"""Hints of a memory: the request to the model, cleaning of its answer, and storage."""

import re
from datetime import datetime

from signet import clock
from signet.config.pipeline import Hints
from signet.db import ReadTx, WriteTx
from signet.domain.extraction.grounding import Grounds, content, particulars
from signet.domain.memory import lookup, marks
from signet.domain.memory.models import Memory
from signet.providers import answers, asking
from signet.providers.ports import LanguageModel
from signet.queue.job_context import JobContext

HINT_CHARS = range(11, 300)
#: A hint of at most this many content words needs none of the memory's ("Where do I live?").
FREE_WORDS = 2

_NUMBER = re.compile(r"^(?:[-*•–>]+|\(?\d{1,2}[.):]|Q\d*:)\s*", re.IGNORECASE)
_QUOTES = "\"'“”‘’`*_,"
_ASKS = re.compile(
    r"(?:who|whom|whose|what|which|when|where|why|how|is|are|was|were|do|does|did|has|have|had|can|could|should|will"
    r"|would|tell|show|find|list|give|explain|describe|remind|recall|name|look)\b",
    re.IGNORECASE,
)
#: A label before a hint: `When: Apr 27` is no hint, `Temporal: When was it?` contains one.
_LABEL = re.compile(r"^[A-Za-z][A-Za-z -]{1,30}:\s+")
#: Comments of a model on its work, and phrases of the prompt.
_CHATTER = re.compile(
    r"\b(?:questions?|hints?|cues?|this memory|the memory|the user|markers?|answers?:)\b"
    r"|^(?:here (?:are|is)|sure|okay|let me|let's|i (?:need|will|should|can|have))\b",
    re.IGNORECASE,
)


def clean_hints(answer: str, *, memory: str, most: int) -> tuple[str, ...]:
    """Return at most `most` hints of an answer, each once, in order."""
    kept: dict[str, str] = {}
    grounds = Grounds(memory)
    for line in answers.without_thoughts(answer).splitlines():
        hint = _bare(line)
        if _is_hint(hint) and hint.casefold() != memory.casefold() and _is_about(hint, grounds):
            kept.setdefault(hint.casefold().rstrip("?!. "), hint)
    return tuple(kept.values())[:most]


def _is_about(hint: str, grounds: Grounds) -> bool:
    """Return whether a hint fits its memory: it has no other names or numbers and, unless very short, a word of it.

    Hints use other words on purpose, but a longer question without any word of the memory is about something else.
    """
    words = content(hint)
    shares = len(words) <= FREE_WORDS or grounds.share(hint) > 0
    return shares and all(map(grounds.names, particulars(hint)))


def _bare(line: str) -> str:
    text = _NUMBER.sub("", line.strip()).strip().strip(_QUOTES).strip()
    label = _LABEL.match(text)
    behind = text[label.end() :].strip(_QUOTES) if label else ""
    return behind if behind.endswith("?") or _ASKS.match(behind) else text


def _is_hint(text: str) -> bool:
    if len(text) not in HINT_CHARS or text[0] in "{[<" or _CHATTER.search(text):
        return False
    if _LABEL.match(text):
        return False
    return text.endswith("?") or _ASKS.match(text) is not None


_TASK = """\
A memory is shown below. Write up to {most} short questions that its user may ask months later and that this memory
answers. Use other words than the memory does where people would: ask directly, by time, by how things relate, and as
people talk. Each question names what it is about and can be understood alone.
One question on each line, nothing else: no numbers, no labels, no explanations. If nobody will ask, write nothing.
"""


def hints_request(text: str, *, most: int, told_at: datetime) -> str:
    task = _TASK.format(most=most)
    return f"{task}The memory was told on {told_at:%Y-%m-%d}.\n{asking.fenced('memory', text)}"


#: Token limit for models that think aloud before the first line (PIP-30).
LEAST_TOKENS = 1_024


def run(job: JobContext, model: LanguageModel, settings: Hints) -> None:
    """Write the hints of the job's memory, read again from its table, and complete the job.

    Raises what the provider raises, LeaseLost, Cancelled.
    """
    memory_id = job.lease.memory_id or ""
    memory = job.db.read(lookup.find, memory_id)
    skipped = job.db.read(_skipped, memory)
    if skipped or memory is None:
        job.commit(lambda tx: {"skipped": skipped})
        return
    told_at = clock.parsed(memory.created_at) or clock.now()
    answer = model.generate(
        hints_request(memory.content, most=settings.max, told_at=told_at),
        timeout_seconds=settings.timeout_ms / 1000,
        max_tokens=max(settings.max_tokens, LEAST_TOKENS),
    )
    found = clean_hints(answer.text, memory=memory.content, most=settings.max)
    attempts = job.lease.max_attempts
    job.commit(lambda tx: _write(tx, memory, found, attempts))


def _skipped(tx: ReadTx, memory: Memory | None) -> str | None:
    if memory is None:
        return "memory_not_found"
    if memory.is_deleted:
        return "memory_deleted"
    return "has_hints" if marks.has_hints(tx, memory.id) else None


def _write(tx: WriteTx, memory: Memory, found: tuple[str, ...], attempts: int) -> dict[str, object]:
    current, now = lookup.find(tx, memory.id), clock.now()
    skipped = _skipped(tx, current)
    if skipped:
        return {"skipped": skipped}
    if current and current.version != memory.version and current.content != memory.content:
        marks.want_hints(tx, [memory.id], agent_id=memory.agent_id, now=now, attempts=attempts)
        return {"skipped": "memory_changed"}
    written = marks.add_hints(tx, memory.id, found, agent_id=memory.agent_id, at=now)
    return {"hints": written}
