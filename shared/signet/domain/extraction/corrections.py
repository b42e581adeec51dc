"""Replace older statements of the same owner and scope by newer ones, without a model.

`graph/claims.py` decides which statements have the same subject and respect, for memories and for attributes of
entities. Corrections are searched before the transaction, and applied in the one that completes the job. A memory with
several statements is never superseded, because the others still hold (KG-14), nor is one that is pinned or was
corrected by hand. The times of the sources decide which statement is newer, not the order of jobs, so old sessions work
too.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from signet import clock
from signet.db import ReadTx, Row, WriteTx, fts
from signet.domain.extraction import sql
from signet.domain.extraction.grounding import Grounds
from signet.domain.extraction.models import Fact
from signet.domain.graph import assertions, changes, claims, contradictions, voice
from signet.domain.graph.claims import Claim, Respect, Signal
from signet.domain.graph.contradictions import Superseded
from signet.domain.memory import history, lookup, review
from signet.domain.memory.models import Actor, Event, Memory
from signet.domain.memory.modify import supersede
from signet.wire.origin import Origin, Review, lowest, may_replace

SUPERSESSION = Actor(name="pipeline:supersession", type="pipeline")

WORDS = 8

#: A speaker's own text may not name the speaker.
_SPEAKERS = frozenset(("user", "team"))
#: Verbs of the respects that have one value at a time; both the replaced and the replacing statement contain one.
_VERBS: Mapping[Respect, tuple[str, ...]] = {
    Respect.PLACE: ("live", "move", "relocate", "base", "locate", "reside", "leave"),
    Respect.WORK: ("work", "employ", "leave", "left"),
    Respect.RUNS_ON: ("run", "listen", "host", "deploy", "move", "migrate", "switch"),
}
#: Verbs that people use where a model writes the plain one.
_OTHER_VERBS: Mapping[Respect, tuple[str, ...]] = {
    Respect.PLACE: ("settle", "home", "stay"),
    Respect.WORK: ("join", "hire", "start", "job", "colleague"),
    Respect.RUNS_ON: ("migrate", "serve", "port"),
}
_FIRST_PERSON = re.compile(r"\b(?:I|[Ww]e|[Mm]y|[Oo]ur)\b")


@dataclass(frozen=True, slots=True, kw_only=True)
class Correction:
    """A stored memory that a statement replaces (`is_newer`), or that replaces the statement."""

    statement: str
    memory_id: str
    told: str
    is_newer: bool
    signal: Signal
    #: Whether the newer statement has a lower origin: then a person decides (MEM-63).
    is_refused: bool = False


def claim_of(text: str) -> Claim | None:
    """Return the claim of a memory's text, in the third person; None if it is not one plain statement."""
    if len(text) > claims.MAX_CHARS:
        return None
    told = voice.third_person(text, voice.USER) if _FIRST_PERSON.search(text) else text
    return claims.parse(told)


def statements(source: Memory, facts: Iterable[Fact], *, by_model: bool) -> dict[str, Origin]:
    """Map the source's text, and the facts found in it, to their origins.

    A fact by a model has the source's origin only if one sentence of the source contains its subject and value; it is
    inferred otherwise, and left out where the source lacks its names or numbers (PIP-64).
    """
    found = {source.content: source.origin}
    grounds = Grounds(source.content)
    for fact in facts:
        claim = claim_of(fact.content) if by_model and fact.is_grounded else None
        if not by_model:
            found.setdefault(fact.content, source.origin)
        elif claim is not None:
            is_said = _is_said(grounds, claim)
            origin = source.origin if is_said else lowest(source.origin, Origin.INFERRED)
            found.setdefault(fact.content, origin)
    return found


def _is_said(grounds: Grounds, claim: Claim) -> bool:
    """Return whether a plain sentence of the source contains a claim's subject, value and respect."""
    terms = {*claim.value, *claim.instead_of, *(claim.subjects[0] if claim.subjects else ())}
    verbs = _VERBS.get(claim.relation, ()) + _OTHER_VERBS.get(claim.relation, ())
    found = grounds.sentences(terms - _SPEAKERS, verbs)
    return any(not claims.is_unsure(sentence) for sentence in found)


def find(
    tx: ReadTx, source: Memory, statements: Mapping[str, Origin], *, least: float
) -> list[Correction]:
    """Return the stored memories that the statements of a source replace, or that replace them.

    `statements` are texts and their origins; `least` is the confidence required, 0..1. A statement of a lower origin
    replaces none of a higher one without a person (MEM-63), and a source that waits for review replaces nothing.
    """
    found: list[Correction] = []
    if source.review is Review.WAITING:
        return found
    for text, origin in statements.items():
        claim = claim_of(text)
        known = {one.memory_id for one in found if one.is_newer}
        compared = [] if claim is None else _compared(tx, source, text, claim, origin)
        if assertions.lifts(text):
            compared += _lifted(tx, source, text, origin)
        found += [one for one in compared if one.memory_id not in known]
    return [one for one in found if one.signal.confidence >= least]


def apply(
    tx: WriteTx,
    source: Memory,
    found: Sequence[Correction],
    stands_for: Mapping[str, str],
    *,
    least: float,
    now: datetime,
) -> list[str]:
    """Supersede the replaced memories and return their IDs.

    `stands_for` maps each statement to its memory. Attributes of entities from these memories follow, given the
    confidence `least`, 0..1.
    """
    done: list[str] = []
    for one in found:
        mine = stands_for.get(one.statement)
        if mine is None or mine == one.memory_id:
            continue
        new, old = (mine, one.memory_id) if one.is_newer else (one.memory_id, mine)
        if tx.one(sql.MAY_GO, (old,)) is None or not _stands(tx, new):
            continue
        if one.is_refused:
            why = str(one.signal)
            review.refused(tx, new, old, actor=SUPERSESSION, why=why, now=now)
            continue
        begins = (source.event_at or source.created_at) if one.is_newer else one.told
        reason = f"a newer memory contradicts it ({one.signal})"
        done += supersede(
            tx,
            [old],
            by=new,
            at=now,
            actor=SUPERSESSION,
            reason=reason,
            valid_from=clock.parsed(begins) or now,
        )
    attributes(tx, [source.id, *stands_for.values()], least=least, now=now)
    return done


def _stands(tx: WriteTx, memory_id: str) -> bool:
    """Return whether a memory still exists: it may have been forgotten since the search."""
    memory = lookup.find(tx, memory_id)
    return memory is not None and not memory.is_deleted


def propose(
    tx: WriteTx, source: Memory, found: Sequence[Correction], *, actor: Actor, now: datetime
) -> None:
    """Record in history what would be superseded, without superseding it (shadow and frozen mode)."""
    for one in (correction for correction in found if not correction.is_refused):
        history.record(
            tx,
            source.id,
            Event.NONE,
            actor=actor,
            at=now,
            reason="supersession proposal",
            metadata={
                "shadow": True,
                "proposedAction": "supersede",
                "targetMemoryId": one.memory_id,
                "statement": one.statement,
                "statementIsNewer": one.is_newer,
                "method": one.signal,
                "confidence": one.signal.confidence,
            },
        )


def attributes(tx: WriteTx, memory_ids: Sequence[str], *, least: float, now: datetime) -> None:
    """Supersede attributes of entities that statements of these memories replace (KG-12)."""
    supersede_attributes(tx, contradictions.find(tx, memory_ids, least=least), now)


def supersede_attributes(tx: WriteTx, found: Sequence[Superseded], now: datetime) -> None:
    """Supersede the replaced attributes, and record it in the history of their memories."""
    for one in contradictions.apply(tx, found, now=now):
        history.record(
            tx,
            one.memory_id,
            Event.ATTRIBUTE_SUPERSEDED,
            actor=SUPERSESSION,
            at=now,
            reason=f"a newer attribute contradicts it ({one.signal})",
            metadata={
                "oldAttributeId": one.old_id,
                "newAttributeId": one.new_id,
                "aspect": one.aspect,
                "method": one.signal,
                "confidence": one.signal.confidence,
            },
        )


def _compared(
    tx: ReadTx, source: Memory, text: str, claim: Claim, origin: Origin
) -> list[Correction]:
    found: dict[str, Correction] = {}
    for match in _matches(claim):
        for row in _rows(tx, source, match):
            other = claim_of(row["content"])
            if other is None:
                continue
            is_newer = (row["told"], row["id"]) < (source.created_at, source.id)
            new, old = (claim, other) if is_newer else (other, claim)
            signal = claims.replaces(new, old)
            words = (origin, Origin(row["origin"]))
            if signal is not None:
                found[row["id"]] = Correction(
                    statement=text,
                    memory_id=row["id"],
                    told=row["told"],
                    is_newer=is_newer,
                    signal=signal,
                    is_refused=not may_replace(*(words if is_newer else reversed(words))),
                )
    return list(found.values())


def _lifted(tx: ReadTx, source: Memory, text: str, origin: Origin) -> list[Correction]:
    """Return the earlier rules that a statement takes back."""
    return [
        Correction(
            statement=text,
            memory_id=row["id"],
            told=row["told"],
            is_newer=True,
            signal=Signal.NEGATION,
            is_refused=not may_replace(origin, Origin(row["origin"])),
        )
        for row in _rows(tx, source, fts.any_of(fts.words(text)[:WORDS]))
        if row["told"] < source.created_at and changes.is_lifted(row["content"], text)
    ]


def _rows(tx: ReadTx, source: Memory, match: str) -> list[Row]:
    """Return other memories of the same owner that match, with the origin and time (`told`) of each."""
    owner = {
        "agent_id": source.agent_id,
        "scope": source.scope,
        "visibility": source.visibility,
        "source_id": source.id,
        "project": source.project or "",
    }
    rows = tx.all(sql.ROWS, {**owner, "match": match})
    return [row for row in rows if row["id"] != source.id]


def _matches(claim: Claim) -> list[str]:
    """Return full-text expressions for memories about the same subject, each narrow in a large store."""
    verbs = _VERBS.get(claim.relation, ())
    matches = [_all(claim.instead_of)]
    if verbs or claim.relation is Respect.IS:
        for subject in claim.subjects:
            parts = [_all(subject - _SPEAKERS), fts.any_of(verbs)]
            matches.append(" AND ".join(f"({part})" for part in parts if part))
    if claim.is_denied or not any(matches) or not (verbs or claim.relation is Respect.IS):
        matches.append(_all(claim.value))
    return [match for match in dict.fromkeys(matches) if match]


def _all(terms: Iterable[str]) -> str:
    """Return the expression for all searchable words; empty without any."""
    return fts.all_of(fts.words(" ".join(sorted(terms)))[:WORDS])
