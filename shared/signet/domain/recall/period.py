"""The time that a question is about, as far as the store knows it."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from signet import clock
from signet.db import ReadTx, fts
from signet.domain.recall import answer_type, time_lookup, time_query
from signet.domain.recall.models import Query
from signet.domain.recall.run import Run
from signet.domain.recall.time_query import Anchor, Span, When
from signet.domain.recall.view import View, holding_all

#: Memories looked at for an event that the question names, and words of it that all must hold.
TELLING = 20
ANCHOR_WORDS = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Period:
    """The intervals, and the words that are looked for."""

    when: When
    words: list[str]


def explained(when: When) -> Mapping[str, object] | None:
    """Return what was understood, for the answer; None when the question names no time."""
    if not when.spans:
        return None
    anchor = when.anchor
    return {
        "intervals": [_shown(span) for span in when.spans],
        **({"anchor": anchor.text, "relation": anchor.relation} if anchor else {}),
    }


def unknown(query: Query) -> Period:
    """Return what there is to go by when nothing can be known of times."""
    words = fts.content_words(query.keyword_text or query.text)
    return Period(when=When(rest=query.text), words=words)


def of(run: Run) -> Period:
    """Return what time the question is about; a prompt that reports something is about none."""
    tx, query, where = run.tx, run.query, run.where
    if query.sessions and answer_type.reports(query.text, unknown(query).words):
        return unknown(query)
    asked_at = query.now or run.now
    found = time_query.understand(query.text, now=asked_at, zone=query.zone)
    if found.anchor:
        span = _around(tx, found.anchor, run.view)
        found = replace(found, spans=(span,)) if span else replace(found, anchor=None)
    is_known = any(time_lookup.within(tx, span, where, 1) for span in found.spans)
    looked_for = query.keyword_text or query.text
    apart = (
        time_query.understand(query.keyword_text, now=asked_at, zone=query.zone)
        if query.keyword_text
        else found
    )
    return Period(when=found, words=time_query.content_words(looked_for, apart, is_known=is_known))


def _around(tx: ReadTx, anchor: Anchor, view: View) -> Span | None:
    """Return the time before or after the one event that the best memories about the anchor tell of."""
    words = [word for word in fts.content_words(anchor.text) if word not in fts.STOP_WORDS]
    if not words:
        return None
    found = holding_all(tx, words[:ANCHOR_WORDS], view, TELLING)
    happened = time_query.events(event for event, _ in time_lookup.of(tx, found).values())
    return time_query.around(anchor, happened)


def _shown(span: Span) -> dict[str, str | None]:
    return {
        "from": clock.to_text(span.start) if span.start else None,
        "to": clock.to_text(span.end) if span.end else None,
    }
