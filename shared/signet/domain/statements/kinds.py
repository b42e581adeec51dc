"""Classify a person's sentence: a decision, a rule, an open item, or not worth saving. Pure.

The words are in `language.toml`. Precision has priority: a question, a joke, a quotation and a passing state are not
saved, whatever words they contain.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from functools import lru_cache

from signet.db import fts
from signet.domain.statements.language import pattern


class StatementKind(StrEnum):
    """The kinds of statements."""

    OPEN = "open"
    DECISION = "decision"
    PREFERENCE = "preference"
    ROLE = "role"
    RULE = "rule"
    CHANGE = "change"
    CONSTRAINT = "constraint"
    FACT = "fact"


#: Kinds in the order of matching, and those that are dropped if they hold only at the moment.
_ORDER = (
    StatementKind.DECISION,
    StatementKind.PREFERENCE,
    StatementKind.ROLE,
    StatementKind.RULE,
    StatementKind.CHANGE,
    StatementKind.CONSTRAINT,
    StatementKind.FACT,
)
_MOMENTARY = (StatementKind.CHANGE, StatementKind.FACT)
MIN_WORDS, MAX_WORDS, MAX_JOKE_WORDS = 2, 60, 4
#: Longer factual statements are stories.
MOST_FACT_WORDS = 28
#: Fewer words that mean something are the rest of another sentence: "reboot only if needed".
LEAST_CONTENT, LEAST_NAMED = 2, 2
_WORD = re.compile(r"[^\W\d_][\w'’-]*|`[^`]+`|\d+")
#: Words in quotation marks belong to another person, unless they are a name.
_QUOTED = re.compile(r"\"[^\"\n]{12,300}\"|“[^”\n]{12,300}”|„[^“\n]{12,300}“|«[^»\n]{12,300}»")
_QUOTE = re.compile('["“”„«»]')
#: A speaker is a subject that everybody knows.
_SPEAKER = re.compile(r"(?:i|we|my|our|ich|wir|je|nous|on|yo)\b", re.I)
_ASKS = re.compile(r"(?<!\bok)(?<!\bokay)(?<!\bclear)(?<!\bklar)(?<!\bvale)[?？]")
_LABEL = re.compile(
    r"(?:(?:rule|regel|règle|convention|policy|guideline)(?: (?:for|of) [^:]{1,40})?:|please,?|bitte,?)\s+",
    re.I,
)
#: Introduces the reason of a statement.
_REASON = re.compile(r"[,;(]\s|\s(?:because|since|weil|denn|parce que|car|porque)\s")
#: Turns the following words into a rule.
_FROM_NOW = re.compile(
    r"^(?:from now on|going forward|ab (?:jetzt|sofort)|désormais|please|bitte|(?:general )?rule|regel|règle"
    r"|convention|policy|guideline)(?: (?:for|of) [^:]{1,40})?[,:]?\s+",
    re.I,
)
_NUMBER = re.compile(r"^\(?\d{1,2}[.)] (?=\D)")
_OPENED = re.compile(r"\s*[,:!.…–—-]*\s+|[,:!.…]+\s*")
#: A clause after a statement that requests its consequence.
_REQUEST = re.compile(
    r"(?:,? so|,? and|, donc|\bdonc|,? also|,? then|\.|,) (?:please |bitte )?(?:you can|can you|could you|kannst du"
    r"|peux-tu|add|remove|delete|drop the|fix|rename|supprime|lösch\w*|entferne|ändere)\b[^,;]*$",
    re.I,
)
#: A number, code, a path, an acronym or another name, which makes a statement specific.
_SPECIFIC = re.compile(
    r"^(?:our|the team's|unsere?|notre|nos) |\d|`|\w[./_]\w|\b[a-z]+-[a-z]+-|\b[A-Z]{2,}|\w[A-Z]"
    r"|(?<=\w )(?-i:[A-Z])[a-z]+|\b(?:https?|utf)\b"
)
#: Machine text and passwords are not statements.
_NO_TALK = re.compile(
    r"^/\w|(?:\b[\w.-]+: [\w./-]+ ){2}[\w.-]+:|\b(?:password|passwort|passphrase|mot de passe|contraseña|token|secret"
    r"|key) (?=\S*[a-z])(?=\S*\d)\S{6}|^\W*\w[\w-]*(?:\W+\w[\w-]*)?\W*$|\b403 forbidden",
    re.I,
)


def bare(sentence: str) -> str:
    """Return a sentence without the words that open a turn: "ok, "."""
    openers, kept = pattern("openers"), _NUMBER.sub("", sentence.strip(" -–—•*"))
    while (found := openers.match(kept)) and (after := _OPENED.match(kept, found.end())):
        if after.end() >= len(kept):
            break
        kept = kept[after.end() :]
    return kept


def statement_of(sentence: str) -> str:
    """Return the statement in a sentence, without openers, the label of a rule and a request at the end."""
    kept = bare(sentence)
    if label := _LABEL.match(kept):
        kept = kept[label.end() :]
    shorter = _REQUEST.sub("", kept)
    return shorter if len(_WORD.findall(shorter)) > MIN_WORDS else kept


@lru_cache(4_096)
def kind_of(sentence: str) -> StatementKind | None:
    """Return the kind of a sentence; None for a question, a request, an insincere or a momentary statement."""
    said = bare(sentence)
    if _ASKS.search(said):  # "We moved to Hetzner, can you update the docs?" states something
        said = _REQUEST.sub("", said)
    shown = _QUOTED.sub('"…"', said)
    if not is_meant(said):
        return None
    if pattern("open").search(shown):
        return StatementKind.OPEN
    if is_open(shown):
        return None
    momentary = pattern("passing").search(shown)
    is_head = momentary is not None and momentary.start() < len(_REASON.split(shown, maxsplit=1)[0])
    for kind in _ORDER:
        is_over = momentary and (
            kind in _MOMENTARY or (is_head and kind is StatementKind.CONSTRAINT)
        )
        if is_over or not pattern(kind).search(shown):
            continue
        return None if _is_loose(kind, said, shown) else kind
    return None


def _is_loose(kind: StatementKind, said: str, shown: str) -> bool:
    """Return whether a sentence has the words of its kind but depends on its context."""
    if kind is StatementKind.PREFERENCE:
        return pattern("points").search(shown) is not None
    if kind is StatementKind.FACT:
        is_short = len(_WORD.findall(said)) <= MOST_FACT_WORDS
        is_clear = is_short and _SPECIFIC.search(shown) and not pattern("told_to").search(shown)
        return not is_clear or pattern("code").search(shown) is not None
    return kind is StatementKind.CHANGE and pattern("code").search(shown) is not None


def is_meant(sentence: str) -> bool:
    """Return whether a sentence may be a statement: no question, joke, thought, machine text or quotation."""
    shown = _QUOTED.sub('"…"', sentence)
    return (
        MIN_WORDS <= len(_WORD.findall(sentence)) <= MAX_WORDS
        and not sentence.isupper()
        and not _NO_TALK.search(sentence)
        and not _ASKS.search(shown)
        and not any(
            pattern(part).search(shown) for part in ("asks", "joke", "not_meant", "reports")
        )
    )


def is_open(sentence: str) -> bool:
    """Return whether a sentence points to something outside of it, before it gives a reason."""
    stated = _FROM_NOW.sub("", sentence, count=1)
    return pattern("points").search(_REASON.split(stated, maxsplit=1)[0]) is not None


def stands_alone(sentence: str) -> bool:
    """Return whether a reader understands a sentence without the text before it.

    It has a complete beginning, LEAST_CONTENT words that mean something, and LEAST_NAMED of them before a pronoun.
    """
    said = bare(sentence)
    named = pattern("pronoun").search(said)
    words = fts.content_words(pattern("binds").sub(" ", said))
    told = [word for word in words if any(map(str.isalpha, word))]
    return (
        len(told) + (_SPEAKER.match(said) is not None) >= LEAST_CONTENT
        and not said.endswith(("…", "..."))
        and not pattern("headless").match(said)
        and not pattern("elsewhere").search(said)
        and (named is None or len(fts.content_words(said[: named.start()])) >= LEAST_NAMED)
    )


def is_noted(sentence: str) -> bool:
    """Return whether a sentence of a note describes a fact; its author wants to keep it."""
    said = bare(sentence)
    states = pattern("fact").search(said) or pattern("person").search(said)
    is_now = pattern("told_to").search(said) or pattern("passing").search(said)
    return bool(states) and is_meant(said) and not is_open(said) and not is_now


def sincere_sentences(paragraphs: Iterable[Sequence[str]]) -> Iterator[str]:
    """Yield the sentences of a message, except quotations and those that the next one calls a joke: "Kidding."."""
    for one in paragraphs:
        is_quoted = False
        for at, sentence in enumerate(one):
            behind = one[at + 1] if at + 1 < len(one) else ""
            is_edge = len(_QUOTE.findall(sentence)) % 2 == 1
            if is_edge or is_quoted:
                is_quoted ^= is_edge
            elif len(_WORD.findall(behind)) > MAX_JOKE_WORDS or not pattern("joke").search(behind):
                yield sentence


def takes_back(message: str) -> bool:
    """Return whether a message only takes back the previous one: "no, forget that"."""
    found = pattern("forget_that").search(message)
    return found is not None and len(_WORD.findall(message)) <= len(_WORD.findall(found[0])) + 1
