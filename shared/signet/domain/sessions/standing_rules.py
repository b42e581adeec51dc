"""Standing rules and preferences of the user and the project, chosen for a prompt."""

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from signet.db import ReadTx, fts
from signet.db.visibility import Here, Reader
from signet.domain.episodes import fence, search
from signet.domain.episodes.models import statement_name
from signet.domain.graph import traversal
from signet.domain.sessions import prompt_text
from signet.domain.sessions.sql import memories
from signet.domain.sessions.sql.memories import MemoryRow, RuleRow
from signet.domain.statements import kinds
from signet.domain.statements.kinds import StatementKind
from signet.wire.origin import Origin, Review

#: Longer texts are stories, and are shown as episodes.
RULE_CHARS = 300
#: The heading of rules.
HEADING = "## Standing rules"
#: Newest rules compared with a prompt.
LOOKED_AT = 300
#: Rules for one prompt, and their characters.
MOST, CHARS = 6, 700
#: Words of a prompt that may be names.
NAMES = 16
#: A rule relates to a prompt from the first cosine on, or from the second if they share a word. Measured on 15 rules
#: and 25 requests: "Please push the oven fix" has 0.15 to "Never push to main", and "run the tests again" 0.04 to
#: "Always run the linter".
NEAR, NEAR_WITH_WORD = 0.33, 0.14
#: Absolute prohibitions and demands accompany any earlier work.
_HARD = re.compile(
    r"\b(?:never|always|must(?:n['’]t)?|do not|don['’]t|under no circumstances)\b", re.I
)
#: Unless the rule names its prompts: "always show the steps when I ask about a proof".
_FOR_SOME = re.compile(
    r"\b(?:when(?:ever)?|if|each time|every time) (?:I|the user|someone|anyone|you are|you['’]re)\b"
    r".{0,20}\b(?:ask|asks|asked|mention|mentions|request|requests|want|wants)\b",
    re.IGNORECASE,
)
#: A statement distilled from a message is an order in the user's words.
_ORDER = re.compile(r"(?:never|always|do not|don['’]t|avoid|make sure|prefer)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """A rule for display; `name` identifies it in the session's record, `memory_id` is its memory, if it has one.

    `is_asked`: it relates to the prompt; other rules accompany other injected items.
    """

    name: str
    text: str
    memory_id: str | None
    is_asked: bool
    note: str = ""

    @property
    def line(self) -> str:
        return fence.item(self.text, f"({self.note})" if self.note else "")


def find(
    tx: ReadTx,
    prompt: str,
    *,
    vector: bytes | None,
    reader: Reader,
    given: Collection[str],
    chars: int = CHARS,
) -> list[Rule]:
    """Return the rules for the reader's place that the session has not received, shortest first.

    Their lines, with line ends, have at most CHARS characters, and at most `chars`. Only the user makes rules, never
    imports, tools, the web or agents.
    """
    words = fts.content_words(prompt[: search.READ_CHARS])
    here = reader.here or Here()
    asked = frozenset(map(search.stem, words))
    rows = memories.rules(tx, reader, chars=RULE_CHARS, limit=LOOKED_AT)
    rows = [row for row in rows if row.review != Review.WAITING]
    near = search.similarities([row.vector for row in rows], vector)
    words_of = memories.in_own_words(tx, reader, [row.read_from for row in rows])
    found: list[_Found] = []
    for row, similarity in zip(rows, near, strict=True):
        is_asked = _is_about(row.content, asked, similarity)
        is_hard = row.kind != "pipeline-v2" and _is_hard(row)
        if (is_asked or is_hard) and is_rule(row):
            said = row if row.pinned else words_of.get(row.read_from, row)
            if said.id not in given:
                found.append(_Found(not is_asked, len(said.content), said.content, said, here))
    named = [
        one
        for one in traversal.focal(tx, words[:NAMES], agent_id=reader.agent_id)
        if all(search.stem(word) in asked for word in fts.words(one.name))
    ]
    names = {one.name for one in named}
    of_project = traversal.session_focus(tx, reader, project=here.project or None, words=())
    things = list({one.id: one for one in (*of_project, *named)}.values())
    for thing, text, words_of_whom in traversal.constraints(tx, reader, things):
        is_asked = thing in names or _is_about(text, asked, None)
        if len(text) <= RULE_CHARS and (is_asked or _HARD.search(text)):
            note = f"{fence.one_line(thing)}, {fence.origin(words_of_whom, None)}"
            found.append(_Found(not is_asked, len(text), text, note))
    return _fitting(found, given, min(CHARS, chars))


class _Found(NamedTuple):
    """A valid rule, sortable in the order of choice."""

    is_not_asked: bool
    chars: int
    text: str
    #: The memory that states it, or the name of its subject and the origin.
    of: RuleRow | MemoryRow | str
    here: Here = Here()

    def rule(self) -> Rule:
        return Rule(
            name=statement_name(self.text),
            text=self.text,
            memory_id=None if isinstance(self.of, str) else self.of.id,
            is_asked=not self.is_not_asked,
            note=self.of if isinstance(self.of, str) else _note(self.of, self.here),
        )


def _note(row: RuleRow | MemoryRow, here: Here) -> str:
    said = fence.origin(Origin(row.origin), row.who, is_derived=row.read_from is not None)
    labels = (*here.labels(row.project), *fence.labels(row))
    return ", ".join((said, prompt_text.day(row.created_at), *labels))


def _fitting(found: Iterable[_Found], given: Collection[str], room: int) -> list[Rule]:
    """Return the new rules that fit: related ones first, then the shortest."""
    kept: dict[str, Rule] = {}
    for one in sorted(found, key=lambda one: one[:2]):
        if len(kept) == MOST:
            break
        if one.chars >= room:
            continue
        rule = one.rule()
        if rule.name not in kept and rule.name not in given and len(rule.line) < room:
            room -= len(rule.line) + 1
            kept[rule.name] = rule
    return sorted(kept.values(), key=lambda one: len(one.line))


def is_rule(row: RuleRow) -> bool:
    """Return whether a fact is a rule; steps and commands are procedures, too."""
    is_stated = row.type != "procedural" or _ORDER.match(row.content) is not None
    return is_stated or kinds.kind_of(row.content) is StatementKind.RULE


def _is_hard(row: RuleRow) -> bool:
    if row.type == "preference":
        return False
    return bool(row.pinned) or _is_said_hard(row.content)


@lru_cache(2 * LOOKED_AT)
def _is_said_hard(text: str) -> bool:
    return _HARD.search(text) is not None and not _FOR_SOME.search(text)


def _is_about(text: str, asked: Collection[str], similarity: float | None) -> bool:
    if similarity is not None and (similarity >= NEAR or similarity < NEAR_WITH_WORD):
        return similarity >= NEAR
    stems = _stems(text)
    shared = sum(stem in asked for stem in stems)
    return shared > 0 and (similarity is not None or shared >= len(stems) / 2)


@lru_cache(2 * LOOKED_AT)
def _stems(rule: str) -> list[str]:
    """Return the stems of a rule's words, cached because the same rules are compared with every prompt."""
    return [search.stem(word) for word in fts.content_words(rule)]
