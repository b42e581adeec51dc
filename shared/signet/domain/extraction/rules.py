"""The built-in extractor: turn memories, transcripts and notes into facts and triples, without a model.

Precision has priority. Of people's statements, only the kinds of `statements/kinds.py` are kept: decisions, rules,
preferences, changes, roles, limits with a date or number, places of things, and facts about the speaker. Open items are
not stored, because a session start reads them from the session; nor are an assistant's statements. Statements keep
their words; English ones are put in the third person. Pure and deterministic.
"""

import re
from collections.abc import Iterator
from dataclasses import replace

from signet.domain.extraction import triples
from signet.domain.extraction.models import (
    MAX_FACT_CHARS,
    MAX_FACTS,
    MAX_INPUT_CHARS,
    MIN_FACT_CHARS,
    Extraction,
    Fact,
)
from signet.domain.graph import assertions, voice
from signet.domain.memory import wording
from signet.domain.statements import kinds, sentences, settles
from signet.domain.statements.kinds import StatementKind
from signet.domain.statements.language import pattern, table
from signet.domain.transcripts import transcript

_PLAIN_ROLES = (transcript.USER, transcript.NOTE)
#: Type and confidence of each kind. If there are too many facts, those with the highest confidence are kept.
_TYPES = {
    StatementKind.DECISION: ("decision", 0.9),
    StatementKind.CHANGE: ("decision", 0.85),
    StatementKind.RULE: ("procedural", 0.9),
    StatementKind.PREFERENCE: ("preference", 0.9),
    StatementKind.ROLE: ("fact", 0.85),
    StatementKind.CONSTRAINT: ("fact", 0.85),
    StatementKind.FACT: ("fact", 0.8),
}
#: A longer prose message is pasted, not typed (1 in 100 messages of the evaluation data).
PASTED_CHARS = 1_500
#: Least chance (`statements/settles.py`) of a fact in the first message of a conversation. On six developers' days it
#: leaves out 7 of 13 such facts, none of which was worth keeping.
OPENING = 0.5

_FENCE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_FIRST_PERSON = re.compile(r"\b(?:I|i|me|my|mine|we|We|us|our|Our|My)\b")
_WE = re.compile(r"\b(?:we|us|our|ours)\b", re.IGNORECASE)
#: Sentences about the speaker are put in the third person; others keep their words.
_OWN = re.compile(
    r"(?:I|We|My|Our)\b|[A-Z][\w-]+ (?:[A-Z][\w-]+ )?(?:is|are) (?:my|our)\b", re.IGNORECASE
)
_LETS = re.compile(r"^(?:then )?(?:let['’]?s|let us) (?:just |rather )?", re.IGNORECASE)
#: Boundaries of clauses with separate subjects.
_SPLIT = re.compile(
    r";\s+|,\s+(?:and\s+|but\s+)?(?=(?:I|i|we|my|our)\b)|,?\s+and\s+(?=(?:I|i|we|my|our)\b)"
)
_AND, _COMMA = re.compile(r",? and (?:also )?"), re.compile(r",? and (?:also )?|, ")
_ADVERB = re.compile(voice.ADVERBS)
#: "When I'm here, I work" is one statement.
_SUBORDINATE = re.compile(
    r"(?:when\w*|if|since|because|as|while|after|before|although|though|for|in|on|at|with|until|unless|once)\b",
    re.I,
)
#: Subjects of third-person memories.
_ANYONE = rf"(?:The user|{table()['names']['NAME']})"
#: Remarks that only matter in the conversation, and appendages of a statement.
_TAIL = re.compile(
    r"(?:[\s.!,;:]+(?:too|either|as well|though|also|anyway|btw|by the way|lol|and|but|so|or|really|already"
    r"|then)|(?<!until)(?<!since)(?<!from)(?<!before)\s+(?:yesterday|recently|lately|last (?:week|month|year|night"
    r"|\w+day)))+[\s.!,;:]*$",
    re.IGNORECASE,
)


def extract(text: str) -> Extraction:
    """Return the facts and triples of a memory, a transcript or notes."""
    every_turn = transcript.parse(text)
    turns = _meant(every_turn)
    is_talk = any(turn.role == transcript.ASSISTANT for turn in every_turn)
    first = next((turn for turn in turns if is_talk and turn.role == transcript.USER), None)
    facts: dict[str, Fact] = {}
    for turn in turns:
        for fact in _turn(turn, opens=turn is first):
            facts.setdefault(wording.content_hash(fact.content), fact)
    spoken = sum(len(turn.text) for turn in turns)
    limit = MAX_FACTS * (spoken // MAX_INPUT_CHARS + 1)
    every = list(facts.values())
    ranked = sorted(range(len(every)), key=lambda at: -every[at].confidence)[:limit]
    kept = tuple(every[at] for at in sorted(ranked))
    return Extraction(facts=kept, triples=triples.read(kept))


def _meant(turns: list[transcript.Turn]) -> list[transcript.Turn]:
    """Return the messages that people mean as their own and do not take back immediately."""
    kept: list[transcript.Turn] = []
    for turn in turns:
        if turn.role == transcript.USER and pattern("play").search(turn.text):
            break
        if turn.role == transcript.USER and kinds.takes_back(turn.text):
            last = next(
                (at for at in reversed(range(len(kept))) if kept[at].role == turn.role), None
            )
            kept = kept if last is None else kept[:last] + kept[last + 1 :]
        elif turn.role != transcript.ASSISTANT:
            kept.append(turn)
    return kept


def _turn(turn: transcript.Turn, *, opens: bool) -> Iterator[Fact]:
    """Yield the facts of a message; `opens`: it begins a conversation, and mostly describes a task or its state."""
    is_users = turn.role == transcript.USER
    is_pasted = is_users and len(_FENCE.sub("", turn.text)) > PASTED_CHARS
    for said in kinds.sincere_sentences(sentences.paragraphs(turn.text)):
        if is_users and pattern("text_wanted").search(kinds.bare(said)):
            return
        is_labelled = kinds.bare(said).partition(" ")[0].endswith(":")  # "Decision: …"
        is_task = opens and not is_labelled and not _FIRST_PERSON.search(said)
        if is_task and settles.chance(said, None) < OPENING:
            continue
        if not is_pasted or _FIRST_PERSON.search(said):
            yield from (
                replace(fact, said_at=turn.at, sentence=said) for fact in _sentence(said, turn.role)
            )


def _sentence(said: str, role: str) -> Iterator[Fact]:
    """Yield the facts of a sentence: every clause if each is a fact, else the whole, else single clauses."""
    bare = kinds.statement_of(said)
    is_private = pattern("private").search(said) and _WE.search(said)
    if is_private or not kinds.is_meant(bare) or kinds.kind_of(said) is StatementKind.OPEN:
        return
    clauses = [bare] if _SUBORDINATE.match(bare) else _SPLIT.split(bare)
    parts = [part for clause in clauses for part in _predicates(clause, role)]
    found = [(part, _kind(part, role)) for part in parts]
    whole = _kind(said, role)
    if whole and not all(kind for _, kind in found):
        found = [(bare, whole)]
    for part, kind in found:
        if kind and kinds.stands_alone(part if role in _PLAIN_ROLES else said):
            yield from _finished(part, kind, role)


def _predicates(clause: str, role: str) -> list[str]:
    """Return "I live here" and "I work there" for "I live here and work there", if all are facts of a person."""
    told = voice.third_person(clause, _speaker(role))
    who = re.match(rf"{_ANYONE}(?:['’]s [\w-]+)?(?= )", told)
    if who is None:
        return [clause]
    for mark in (_COMMA, _AND):
        first, *others = mark.split(told)
        verbs = [one.partition(" ") for one in others]
        every = [first, *(f"{who[0]} {voice.conjugate(verb)} {rest}" for verb, _, rest in verbs)]
        are_verbs = all(one.islower() and not _ADVERB.fullmatch(one) for one, _, _ in verbs)
        if are_verbs and all(_is_of_person(one, role) for one in every):
            return every
    return [clause]


def _kind(part: str, role: str) -> StatementKind | None:
    """Return the kind of a clause when read alone."""
    kind = kinds.kind_of(part)
    if (
        kind
        and kind is not StatementKind.OPEN
        and (role in _PLAIN_ROLES or kind is StatementKind.PREFERENCE)
    ):
        return kind
    if role in _PLAIN_ROLES and assertions.lifts(part):
        return StatementKind.CHANGE
    is_noted = role == transcript.NOTE and kinds.is_noted(part)
    is_own = not kinds.is_open(part) and _is_of_person(part, role)
    return StatementKind.FACT if is_noted or is_own else None


def _is_of_person(part: str, role: str) -> bool:
    """Return whether a clause is about the speaker or a named person."""
    told = voice.third_person(part, _speaker(role))
    who = _ANYONE if role == transcript.NOTE else re.escape(_speaker(role).name)
    found = re.match(
        rf"{who}(?:['’]s (?:[\w-]+ ){{0,2}}?(?!and\b)[\w-]+)? (?:(?:{voice.ADVERBS}) )?", told
    )
    return found is not None and any(
        one.start() <= found.end() for one in pattern("person").finditer(told)
    )


def _speaker(role: str) -> voice.Person:
    return voice.USER if role in _PLAIN_ROLES else voice.Person(role)


def _finished(said: str, kind: StatementKind, role: str) -> Iterator[Fact]:
    told = _LETS.sub("The team decided to ", said, count=1)
    if _OWN.match(told):
        told = voice.third_person(told, _speaker(role))
    content = voice.capitalised(_TAIL.sub("", wording.one_line(told)).rstrip(".!,;: ") + ".")
    if MIN_FACT_CHARS <= len(content) <= MAX_FACT_CHARS:
        type_, confidence = _TYPES[kind]
        yield Fact(content=content, type=type_, confidence=confidence)
