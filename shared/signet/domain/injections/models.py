"""Injections and their items.

The record contains IDs, lengths and hashes, not texts, which stay in their sources. Only the standing parts of a
session start are stored, each wording once.
"""

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple

#: Characters per token, an estimate that the settings use too.
TOKEN_CHARS = 4
#: Hex digits of a hash: enough to distinguish texts, too few to guess one.
_HASH_CHARS = 16


#: Ranges of a source's text, as offset and length.
Spans = Sequence[tuple[int, int]]


class Phase(StrEnum):
    """When an injection happened; the strings are stored."""

    START = "start"
    PROMPT = "prompt"
    COMPACTION = "compaction"
    RECALL = "recall"


class ItemKind(StrEnum):
    """Kinds of items: a memory, a passage of an earlier session, commit or document, or a part of the start text."""

    MEMORY = "memory"
    SESSION = "session"
    COMMIT = "commit"
    DOCUMENT = "document"
    SECTION = "section"


class Reason(StrEnum):
    """Why an item was injected, and below why it was omitted; the strings are stored."""

    #: It matches the prompt, or the question of a recall.
    MATCH = "match"
    #: It is about the same subject as the best match.
    SAME_MATTER = "same_matter"
    #: At a session start: important and recent, pinned, or linked to the project.
    IMPORTANT = "important"
    PINNED = "pinned"
    LINKED = "linked"
    #: It shares words with the project's last sessions.
    PROJECT_WORDS = "project_words"
    #: Part of every session start, such as the date or the agent's instructions.
    STANDING = "standing"
    #: A rule that applies here.
    RULE = "rule"

    #: Not near enough to the prompt.
    FLOOR = "floor"
    #: The budget was exhausted, or better items took the places.
    BUDGET = "budget"
    #: The session already received it, or another item contains it.
    SAID = "said"
    #: Its origin is never injected unasked.
    ORIGIN = "origin"
    #: The session is one of the few without memories, for comparison.
    HELD_OUT = "held_out"


class Used(StrEnum):
    """Signs of an item's later use; `no` if the session ended without one. The strings are stored."""

    NAMED = "named"
    QUOTED = "quoted"
    VALUES = "values"
    WORDS = "words"
    NO = "no"


class Team(StrEnum):
    """The order that chose an item in an interleaved list; the strings are stored."""

    BASE = "base"
    LEARNED = "learned"


class Ranked(NamedTuple):
    """A memory's rank scores without and with learning, and the order that chose it."""

    base: float
    learned: float
    team: Team | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """An injected or omitted item, with the reason.

    `text` is its content: for an episode exactly the injected part, for a memory the whole. Only that of a section is
    stored. `chars` is the injected length with marks; 0 if omitted. `said_at` is an ISO instant: the time of the
    message, commit or save.
    """

    kind: ItemKind
    id: str
    reason: Reason
    is_given: bool = True
    text: str = ""
    chars: int = 0
    score: float | None = None
    said_at: str | None = None
    #: Only for memories that compete with others.
    ranked: Ranked | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Injection:
    """One injection, which may be empty.

    `prompt` is the message it answers, stored only as a hash, to find it in the transcript, and its `title` until the
    transcript is indexed. `best_score` is the nearest memory's, `floor` the required score.
    """

    agent_id: str
    key: str
    harness: str
    project: str | None
    phase: Phase
    at: datetime
    chars: int
    items: Sequence[Item] = ()
    prompt: str = ""
    best_score: float | None = None
    floor: float | None = None
    #: The episodes' ranges in their sources, by place; located before storing (`record.py`).
    spans: Mapping[int, Spans] = field(default_factory=dict)
    title: str = ""


def hash_of(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:_HASH_CHARS]


def tokens(chars: int) -> int:
    return math.ceil(chars / TOKEN_CHARS)
