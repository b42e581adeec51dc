"""What goes with the results without being one: reasons of decisions, entities, their cards, transcripts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from signet.domain.recall import cards, expand, reasons
from signet.domain.recall.models import Hit, Source
from signet.domain.recall.run import Run
from signet.domain.recall.sql import reading

#: Reasons that are shown with decisions (REC-24).
MAX_RATIONALE = 10


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
        sources = run.attempt("expand", lambda: expand.sources(run, hits), {})
    return Extra(
        hits=(*why, *built),
        entities=tuple(cards.as_entity(profile) for profile in profiles)
        if query.entities
        else None,
        sources=sources or None,
    )


def _reasons(run: Run, hits: Sequence[Hit]) -> list[Hit]:
    """Return the reasons linked to decisions among the results (REC-24)."""
    decisions = [hit.id for hit in hits if hit.type == "decision"]
    if not decisions or not run.settings.graph:
        return []
    shown = {hit.id for hit in hits}
    found = reasons.of(run.tx, decisions, run.where, MAX_RATIONALE + len(shown))
    rows = reading.rows(run.tx, found, run.where)
    reached = [
        reading.hit(rows[seq], score=0.0, source=Source.GRAPH, supplementary=True)
        for seq in found
        if seq in rows
    ]
    return [hit for hit in reached if hit.id not in shown][:MAX_RATIONALE]
