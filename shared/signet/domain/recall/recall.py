"""Recall from top to bottom: candidates, one score, corrections, the page.

Uses one read snapshot, no write and no model call: the caller embeds the question and, after the answer, counts the
accesses (`reading.touch(tx, touched(result), now)`). A channel with missing or damaged tables is left out and named in
`degraded`; the others continue.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from signet import clock
from signet.db import ReadTx, Row, fts
from signet.domain.graph import changes, traversal
from signet.domain.memory import history, lookup
from signet.domain.recall import (
    account,
    features,
    gather,
    said,
    supplement,
    time_lookup,
    timeline,
    topics,
    tuning,
    view,
)
from signet.domain.recall.correct import correct
from signet.domain.recall.explain import Trail
from signet.domain.recall.models import (
    FoundBy,
    Hit,
    Nearest,
    Query,
    QueryVector,
    RecallSettings,
    Result,
    ResultPart,
    Why,
)
from signet.domain.recall.page import Page, turn
from signet.domain.recall.rank import Evidence
from signet.domain.recall.run import Run
from signet.domain.recall.sql import reading
from signet.domain.recall.topics import Saying
from signet.domain.recall.view import View
from signet.wire.origin import Review

#: Neighbouring memories listed in an explanation.
MAX_BESIDE = 5


def recall(
    tx: ReadTx, query: Query, *, query_vector: QueryVector, settings: RecallSettings, now: datetime
) -> Result:
    """Return the memories that answer the question, best first.

    If `query_vector` returns None, only words and graph count; it is called as late as possible. Raises Invalid for
    contradictory filters.
    """
    started = clock.monotonic_ms()
    run = begin(tx, query, query_vector=query_vector, settings=settings, now=now)
    run, page = run.attempt("timeline", None, timeline.page, run) or _turned(run)
    hits = _hits(run, page, page.sayings)
    known: list[Hit] = run.attempt("skills", [], supplement.find_skills, run, hits)
    extra = supplement.find(run, hits)
    every = (*hits, *known, *extra.hits)
    ranked_by = "hybrid" if run.known.by_meaning else "keyword"
    if settings.embedding_model and run.query_vector is None and not page.is_timeline:
        run.degraded.append("vector")
    return Result(
        query=fts.encodable(query.text),
        method="timeline" if page.is_timeline else ranked_by,
        hits=every,
        words=tuple(run.words),
        nearest=None if every else _nearest(run, page),
        entities=extra.entities,
        sources=extra.sources,
        degraded=tuple(dict.fromkeys(run.degraded)),
        took_ms=clock.monotonic_ms() - started,
        truncate_chars=settings.truncate_chars,
        time=gather.explained_period(run.when) if query.explain else None,
        account=account.account_of(run, page) if query.explain else None,
        why_not=account.why_not(run, page, query.why_not) if query.why_not else None,
        walk=run.walk,
    )


def scored(
    tx: ReadTx, query: Query, *, query_vector: QueryVector, settings: RecallSettings, now: datetime
) -> Run:
    """Return a run with its candidates, memories and passages, and their scores."""
    run = begin(tx, query, query_vector=query_vector, settings=settings, now=now)
    _rank(run)
    return run


def memories(run: Run) -> list[Hit]:
    """Return the memories of a scored run that are relevant enough, best first, at most the query's limit.

    A single word that no memory contains, often an identifier, has no results.
    """
    of_memories = {seq: score for seq, score in run.scores.items() if seq > 0}
    page = turn(run, of_memories, by_meaning=len(run.words) > 1, is_asked=False)
    return _hits(run, page, page.sayings)


def begin(
    tx: ReadTx, query: Query, *, query_vector: QueryVector, settings: RecallSettings, now: datetime
) -> Run:
    """Return a run with the understood question, but without candidates."""
    asked = gather.unknown_period(query)
    run = Run(
        tx=tx,
        query=query,
        settings=settings,
        ask_vector=query_vector,
        now=now,
        view=View(where=view.condition(query)),
        words=asked.words,
        when=asked.when,
    )
    run.view = run.attempt("columns", run.view, view.view_of, tx, query)
    asked = run.attempt("period", asked, gather.period_of, run)
    run.words, run.when = asked.words, asked.when
    return run


def _turned(run: Run) -> tuple[Run, Page]:
    """Return the page by relevance; if it stays short, from more candidates."""
    _rank(run)
    page = turn(run, run.scores)
    if not (page.is_short and run.has_more):
        return run, page
    again = run.ask_vector if run.query_vector is not None else _no_vector
    run = replace(
        run, ask_vector=again, wider=tuning.WIDER, known=Evidence(), trail=Trail(), said={}
    )
    _rank(run)
    return run, turn(run, run.scores)


def _no_vector(_: Mapping[str, float]) -> None:
    """Return no vector, because the wait for it already failed."""


def _rank(run: Run) -> None:
    """Gather and score the candidates."""
    gather.gather(run)
    run.known = known = run.attempt("rank", Evidence(), features.evidence_of, run)
    run.trail.fitted = dict(zip(known.seqs, known.logits.tolist(), strict=True))
    run.scores = correct(run, run.trail.fitted)
    run.lowered = dict(zip(known.seqs, known.lowered().tolist(), strict=True))
    for old, later in run.later.items():
        for new in later:
            run.lowered[new] = max(run.lowered.get(old, 0.0), run.lowered.get(new, 0.0))


def touched(result: Result) -> list[str]:
    """Return the IDs of results whose use counts, without supplements (REC-21)."""
    others = (FoundBy.SKILL, FoundBy.EPISODE)
    memories = (hit for hit in result.hits if hit.source not in others)
    return [hit.id for hit in memories if not hit.supplementary]


def used_skills(result: Result) -> list[str]:
    """Return the skills among the results, each of which counts as a use."""
    return [hit.id for hit in result.hits if hit.source is FoundBy.SKILL]


def _hits(run: Run, page: Page, found: Sequence[Saying]) -> list[Hit]:
    """Convert sayings to results."""
    shown = [saying.shown for saying in found]
    rows: dict[int, Row] = run.attempt("load", {}, reading.rows, run.tx, shown, run.where)
    parts: dict[int, tuple[ResultPart, ...]] = run.attempt("parts", {}, _parts, run, found)
    whys: dict[int, Why] = run.attempt("explain", {}, _whys, run, found, page)
    hits: dict[int, Hit] = {}
    for saying in found:
        score, why = max(0.0, min(1.0, saying.score)), whys.get(saying.shown)
        if saying.shown in run.said:
            passage = said.hit(run, saying.shown, score=score, why=why, place=len(hits))
            hits |= {saying.shown: passage} if passage else {}
        elif saying.shown in rows:
            hits[saying.shown] = reading.hit(
                rows[saying.shown],
                score=score,
                source=_source(run, saying.best),
                parts=parts.get(saying.shown, ()),
                why=why,
                ranked=run.ranked(saying.best),
            )
    hits = run.attempt("validity", hits, _with_validity, run, hits)
    told_as = lookup.readable_texts(
        run.tx, [(hit.type, hit.content) for hit in hits.values()], reader=run.query.reader
    )
    pairs = zip(hits.values(), told_as, strict=True)
    shown_as = [replace(hit, content=text) for hit, text in pairs if text.strip()]
    if not page.is_timeline:  # memories that wait for review are listed last
        shown_as.sort(key=lambda hit: hit.review == Review.WAITING)
    return said.without_repeats(run, shown_as)


def _nearest(run: Run, page: Page) -> Nearest | None:
    """Return the candidate nearest to an empty page; None if none is near."""
    near = [] if page.nearest is None else [page.nearest]
    why = account.left_out(run, page)
    return next((Nearest(hit=hit, why=why) for hit in _hits(run, page, near)), None)


def _parts(run: Run, found: Sequence[Saying]) -> dict[int, tuple[ResultPart, ...]]:
    """Return the parts of each result: the other members of its saying, best first."""
    below = {
        saying.shown: [seq for seq in saying.members if seq != saying.shown] for saying in found
    }
    below = {shown: seqs for shown, seqs in below.items() if shown not in run.said}
    every = [seq for seqs in below.values() for seq in seqs]
    if not every:
        return {}
    texts = run.texts(every)
    if run.query.as_of is not None:
        texts |= history.texts(run.tx, every, run.query.as_of)
    said = [(run.allowed[seq].type, text) for seq, text in texts.items()]
    texts = dict(
        zip(texts, lookup.readable_texts(run.tx, said, reader=run.query.reader), strict=True)
    )
    names = reading.ids(run.tx, every)
    kinds = {seq: kind for saying in found for seq, kind in saying.kinds.items()}
    return {
        shown: tuple(
            ResultPart(id=names[seq], kind=kinds[seq], content=texts.get(seq, ""))
            for seq in seqs
            if seq in names and texts.get(seq) != ""
        )
        for shown, seqs in below.items()
    }


def _with_validity(run: Run, hits: Mapping[int, Hit]) -> dict[int, Hit]:
    """Add successors and validity to the results, and restore their past state if requested."""
    as_of = run.query.as_of
    ended = {seq: next(iter(run.replaced.get(seq, ())), None) for seq in hits}
    if as_of is None:
        ended = {seq: later for seq, later in ended.items() if later is not None}
    held = time_lookup.validity(run.tx, ended) if ended else {}
    texts = history.texts(run.tx, list(hits), as_of) if as_of else {}
    newer = topics.marks(run) if run.newer else {}
    changed = {
        seq: replace(
            hits[seq],
            content=texts.get(seq, hits[seq].content),
            superseded_by=validity.superseded_by,
            valid_to=validity.to if validity.superseded_by or as_of else None,
        )
        for seq, validity in held.items()
    }
    marked = {seq: replace(hits[seq], newer=one) for seq, one in newer.items() if seq in hits}
    for seq, one in newer.items():
        if seq in marked and seq in run.said:  # a conversation says other things as well
            hit = marked[seq]
            marked[seq] = replace(
                hit, content=changes.marked(hit.content, one["replaces"], one["since"])
            )
    return {**hits, **changed, **marked}


def _whys(run: Run, found: Sequence[Saying], page: Page) -> dict[int, Why]:
    """Return why results have their ranks, if requested."""
    if not run.query.explain:
        return {}
    best = {saying.shown: saying.best for saying in found}
    beside = {
        seq: sorted(run.around.get(seq, ()), key=lambda s: -(run.known.cosine(s) or 0.0))
        for seq in best.values()
    }
    ids = reading.ids(run.tx, {*beside, *(one for some in beside.values() for one in some)})
    by_graph = [ids[seq] for seq in beside if seq in run.structure and seq in ids]
    reader, focal = run.query.reader, run.walk.focal
    paths = traversal.paths(run.tx, by_graph, focal, reader=reader) if by_graph else {}
    return {
        shown: replace(
            run.why(seq, page.relevance.get(seq)),
            neighbours=tuple(ids[one] for one in beside[seq][:MAX_BESIDE] if one in ids),
            path=paths.get(ids.get(seq, ""), ()),
        )
        for shown, seq in best.items()
    }


def _source(run: Run, seq: int) -> FoundBy:
    found = {name for name, ranks in run.trail.found.items() if seq in ranks}
    if found == {"graph"}:
        return FoundBy.TRAVERSAL
    if not run.known.cosine(seq):
        return FoundBy.KEYWORD
    return FoundBy.HYBRID if run.known.bm25(seq) or "hint" in found else FoundBy.VECTOR
