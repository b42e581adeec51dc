"""One injection and what it consisted of.

The record keeps ids, lengths and hashes, not the texts, which are where they come from. Only the standing parts of a
session's start are kept as they were told, each wording once.
"""

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple

#: Characters of a token: an estimate, the same one that the settings use.
TOKEN_CHARS = 4
#: Hex digits of a hash: enough to tell texts apart, too few to be worth guessing a text from.
_HASH_CHARS = 16


#: Ranges of a source's text, as offset and length.
Spans = Sequence[tuple[int, int]]


class Phase(StrEnum):
    """When something was given; the strings are stored."""

    START = "start"
    PROMPT = "prompt"
    COMPACTION = "compaction"
    RECALL = "recall"


class Kind(StrEnum):
    """What an item is: a memory, a stretch of an earlier session, commit or document, or a part of the start text."""

    MEMORY = "memory"
    SESSION = "session"
    COMMIT = "commit"
    DOCUMENT = "document"
    SECTION = "section"


class Reason(StrEnum):
    """Why an item was given, and below why it was left out; the strings are stored."""

    #: It matches the prompt, or the question of a recall.
    MATCH = "match"
    #: It is about the same matter as the best match.
    SAME_MATTER = "same_matter"
    #: At a session's start: it matters and is recent, is pinned, or is linked to the project.
    IMPORTANT = "important"
    PINNED = "pinned"
    LINKED = "linked"
    #: It shares words with the project's last sessions.
    PROJECT_WORDS = "project_words"
    #: A part of every start text, such as the date or the agent's instructions.
    STANDING = "standing"
    #: A rule that holds here.
    RULE = "rule"

    #: It is not near enough to the prompt.
    FLOOR = "floor"
    #: There was no room left, or better ones took the places.
    BUDGET = "budget"
    #: The session was given it before, or another item says it.
    SAID = "said"
    #: It comes from a source that is not injected unasked.
    ORIGIN = "origin"
    #: The session is one of the few that are given nothing, so that the others can be compared with them.
    HELD_OUT = "held_out"


class Used(StrEnum):
    """What shows that an item was used later; `no` when the session ended without a sign. The strings are stored."""

    NAMED = "named"
    QUOTED = "quoted"
    VALUES = "values"
    WORDS = "words"
    NO = "no"


class Team(StrEnum):
    """Which order chose an item, where two were interleaved; the strings are stored."""

    BASE = "base"
    LEARNED = "learned"


class Ranked(NamedTuple):
    """By what a memory was ranked without what was learned of it, and with it; and which of the two chose it."""

    base: float
    learned: float
    team: Team | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """Something that was given, or left out, with the reason.

    `text` is what it says: for an episode exactly what was given of it, for a memory its whole content. Only that of a
    section is kept. `chars` is what was injected of it, its marks included; 0 for what was left out. `said_at` is an
    ISO instant: when it was said, committed or saved.
    """

    kind: Kind
    id: str
    reason: Reason
    is_given: bool = True
    text: str = ""
    chars: int = 0
    score: float | None = None
    said_at: str | None = None
    #: Only of memories that compete with others.
    ranked: Ranked | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Injection:
    """One text that a session was given, which may be empty.

    `prompt` is the message that it answers; of it only a hash is kept, to find it in the transcript. `best_score` is
    that of the nearest memory, `floor` what it had to reach.
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
    #: Which ranges of their sources the episodes are, by place; found before it is kept (texts.py).
    spans: Mapping[int, Spans] = field(default_factory=dict)


def hash_of(text: str) -> str:
    """Return what is kept of a text to recognise it."""
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:_HASH_CHARS]


def tokens(chars: int) -> int:
    """Return about how many tokens so many characters cost."""
    return math.ceil(chars / TOKEN_CHARS)
