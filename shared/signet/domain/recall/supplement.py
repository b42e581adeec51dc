"""What goes with the results without being one: reasons of decisions, entities, their cards, transcripts."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from signet.domain.recall import cards
from signet.domain.recall.models import Hit, Source
from signet.domain.recall.run import Run
from signet.domain.recall.sql import expand, reading, reasons
from signet.domain.transcripts import withheld

#: Reasons that are shown with decisions (REC-24).
MAX_RATIONALE = 10
#: Characters of all transcripts of one answer together.
MAX_CHARS = 200_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Extra:
    """Supplements of one answer."""

    hits: tuple[Hit, ...] = ()
    entities: tuple[Mapping[str, object], ...] | None = None
    sources: Mapping[str, str] | None = None


def find(run: Run, hits: Sequence[Hit]) -> Extra:
    """Return the supplements that the query asks for."""
    query = run.query
    why: list[Hit] = run.attempt("rationale", lambda: _reasons(run, hits), [])
    profiles: list[cards.Profile] = []
    if query.entities or query.cards:
        profiles = run.attempt("entities", lambda: cards.profiles(run), [])
    built = cards.build(profiles, hits, limit=query.size) if query.cards else []
    sources: Mapping[str, str] = {}
    if query.expand:
        sources = run.attempt("expand", lambda: _sources(run, hits), {})
    return Extra(
        hits=(*why, *built),
        entities=tuple(cards.as_entity(profile) for profile in profiles)
        if query.entities
        else None,
        sources=sources or None,
    )


def _reasons(run: Run, hits: Sequence[Hit]) -> list[Hit]:
    """Return the memories of type rationale that share an entity with decisions among the results (REC-24)."""
    decisions = [hit.id for hit in hits if hit.type == "decision"]
    if not decisions or not run.settings.graph:
        return []
    shown = {hit.id for hit in hits}
    entities = run.tx.all(reasons.ENTITIES_OF, (json.dumps(decisions),))
    if not entities:
        return []
    is_few = sum(row[1] for row in entities) <= reasons.FEW_MENTIONS
    newest = reasons.AMONG_MENTIONS if is_few else reasons.AMONG_NEWEST
    most = MAX_RATIONALE + len(shown)
    asked = (json.dumps([row[0] for row in entities]), *run.where.params, most)
    found = [row[0] for row in run.tx.all(newest.format(where=run.where.sql), asked)]
    rows = reading.rows(run.tx, found, run.where)
    reached = [
        reading.hit(rows[seq], score=0.0, source=Source.GRAPH, supplementary=True)
        for seq in found
        if seq in rows
    ]
    return [hit for hit in reached if hit.id not in shown][:MAX_RATIONALE]


def _sources(run: Run, hits: Sequence[Hit]) -> dict[str, str]:
    """Return the transcripts of the caller's agent by session key, cut to `MAX_CHARS` in total (REC-27).

    A source is what a client says it is: it opens no session of a project that the reader is not bound to.
    """
    keys = list(dict.fromkeys(hit.source_id for hit in hits if hit.source_id))
    parents = {row[0]: row[1] for row in run.tx.all(expand.PARENTS, (json.dumps(keys),))}
    wanted = list(dict.fromkeys(parents.get(key, key) for key in keys))
    reader = run.query.reader
    asked = (MAX_CHARS, reader.agent_id, reader.project, json.dumps(wanted))
    known = withheld.of(run.tx, reader.agent_id)
    rows = run.tx.all(expand.TRANSCRIPTS, asked)
    found = {row[0]: withheld.without(row[1], known) for row in rows}
    kept: dict[str, str] = {}
    room = MAX_CHARS
    for key in wanted:
        if room > 0 and (text := found.get(key)):
            kept[key] = text[:room]
            room -= len(kept[key])
    return kept
