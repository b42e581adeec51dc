"""Recall from top to bottom: candidates, one score, corrections, the page.

One read snapshot, no write, no call of a model: the caller embeds the question and, after the answer, counts
the accesses (`reading.touch(tx, touched(result), now)`). A channel whose tables are missing or damaged is left
out and named in `degraded`; the others go on.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from signet import clock
from signet.db import ReadTx, Row, fts
from signet.domain.graph import traversal
from signet.domain.memory import history, told
from signet.domain.recall import (
    account,
    blend,
    cutoff,
    episodes,
    neighbours,
    period,
    scope,
    skills,
    supplement,
    time_lookup,
    view,
    why_not,
)
from signet.domain.recall.blend import Evidence
from signet.domain.recall.correct import correct
from signet.domain.recall.explain import Trail
from signet.domain.recall.gather import gather
from signet.domain.recall.models import (
    DEFAULT_MIN_SCORE,
    Hit,
    Nearest,
    Part,
    Query,
    QueryVector,
    RecallSettings,
    Result,
    Scores,
    Source,
    Why,
)
from signet.domain.recall.page import Page, turn
from signet.domain.recall.run import WIDER, Run
from signet.domain.recall.sayings import Saying
from signet.domain.recall.sql import reading
from signet.domain.recall.view import View

#: Memories beside a result that are named when it is explained.
MAX_BESIDE = 5


def recall(
    tx: ReadTx,
    query: Query,
    *,
    query_vector: QueryVector,
    settings: RecallSettings,
    now: datetime,
) -> Result:
    """Return what the store knows about the question, best first.

    Where `query_vector` gives None the answer is by words and graph; it is asked as late as it can be. Raises Invalid
    for filters that make no sense.
    """
    started = clock.monotonic_ms()
    asked = period.unknown(query)
    run = Run(
        tx=tx,
        query=query,
        settings=settings,
        ask_vector=query_vector,
        now=now,
        view=View(where=scope.condition(query)),
        words=asked.words,
        when=asked.when,
    )
    run.view = run.attempt("columns", lambda: view.of(tx, query), run.view)
    asked = run.attempt("period", lambda: period.of(run), asked)
    run.words, run.when = asked.words, asked.when
    scores = _ranked(run)
    page = turn(run, scores)
    if page.is_short and run.has_more:
        again = run.ask_vector if run.query_vector is not None else _no_vector
        run = replace(run, ask_vector=again, wider=WIDER, known=Evidence(), trail=Trail())
        scores = _ranked(run)
        page = turn(run, scores)
    hits = _hits(run, page, page.sayings)
    known: list[Hit] = run.attempt("skills", lambda: skills.find(run, hits), [])
    said = run.attempt("episodes", lambda: episodes.find(run, hits), episodes.Found())
    extra = supplement.find(run, hits)
    every = (*hits, *said.hits, *known, *extra.hits)
    near = [] if every else [one for one in (_nearest(run, page), said.nearest) if one]
    if settings.embedding_model is not None and run.query_vector is None:
        run.degraded.append("vector")
    return Result(
        query=fts.encodable(query.text),
        method="hybrid" if run.known.cosine else "keyword",
        hits=every,
        nearest=max(near, key=lambda one: one.hit.score, default=None),
        entities=extra.entities,
        sources=extra.sources,
        degraded=tuple(dict.fromkeys(run.degraded)),
        took_ms=clock.monotonic_ms() - started,
        truncate_chars=settings.truncate_chars,
        time=asked.explained() if query.explain else None,
        account=account.of(run, page) if query.explain else None,
        why_not=why_not.of(run, page, scores, query.why_not) if query.why_not else None,
        walk=run.walk,
    )


def _no_vector(_: Mapping[str, float]) -> None:
    """Give no vector: it was waited for already."""


def _ranked(run: Run) -> Scores:
    """Return the scores of the candidates for a question that is understood."""
    gather(run)
    return correct(run, _merge(run))


def touched(result: Result) -> list[str]:
    """Return the ids whose use is to be counted: what was returned, without supplements (REC-21)."""
    others = (Source.SKILL, Source.EPISODE)
    memories = (hit for hit in result.hits if hit.source not in others)
    return [hit.id for hit in memories if not hit.supplementary]


def used_skills(result: Result) -> list[str]:
    """Return the skills that were returned, each of which is a use of it."""
    return [hit.id for hit in result.hits if hit.source is Source.SKILL]


def _merge(run: Run) -> Scores:
    """Return one score for each candidate worth ranking.

    Long memories lose what they have by chance: that ranks them, and leaves none out that is near.
    """
    merged, least = _blended(run), run.settings.min_score
    scores = merged if _is_deep(run) else blend.at_least(merged, least, run.known.cosine)
    timely = {seq: least for seq in run.timely if seq in run.allowed}
    return run.apply("graph", timely | scores, lambda flat: _with_graph(run, flat))


def _is_deep(run: Run) -> bool:
    """Return whether the caller asks for more than a page: then nothing is left out that may be found.

    A least score that someone has chosen holds at any depth; the floor of a page does what the default is for.
    """
    is_default = run.settings.min_score <= DEFAULT_MIN_SCORE
    return run.query.size > cutoff.PAGE and is_default


def _blended(run: Run) -> Scores:
    known, alpha = run.known, run.settings.alpha
    lengths = {seq: row.passages for seq, row in run.allowed.items()}
    sources = neighbours.groups({s: (row.source, row.batch) for s, row in run.allowed.items()})
    text = blend.with_hints(blend.worded(known.words, run.around, lengths), known.hint)
    cosine = blend.levelled(known.apart, lengths)
    scores = run.apply("blend", {}, lambda _: blend.weighed(text, cosine, alpha=alpha))
    if not run.settings.neighbours:
        return scores
    return run.apply("neighbours", scores, lambda s: neighbours.lift(s, run.around, sources))


def _with_graph(run: Run, flat: Scores) -> Scores:
    settings, known, limit = run.settings, run.known, run.query.size
    walked = blend.structural(known.structure, known.cosine, min_score=settings.min_score)
    if settings.traversal and settings.traversal_primary:
        return blend.append_graph(flat, walked, limit=limit, min_score=settings.min_score)
    scores = blend.boosted(flat, run.related, weight=settings.graph_weight)
    if settings.traversal:
        scores = blend.boosted(scores, set(known.structure), weight=settings.traversal_weight)
        added = {s: max(settings.min_score, i) for s, i in known.structure.items() if s not in flat}
        scores |= added
    return scores


def _hits(run: Run, page: Page, found: Sequence[Saying]) -> list[Hit]:
    """Return sayings as results."""
    shown = [saying.shown for saying in found]
    rows: dict[int, Row] = run.attempt("load", lambda: reading.rows(run.tx, shown, run.where), {})
    parts: dict[int, tuple[Part, ...]] = run.attempt("parts", lambda: _parts(run, found), {})
    whys: dict[int, Why] = run.attempt("explain", lambda: _whys(run, found, page), {})
    hits = {
        saying.shown: reading.hit(
            rows[saying.shown],
            score=max(0.0, min(1.0, saying.score)),
            source=_source(run, saying.best),
            parts=parts.get(saying.shown, ()),
            why=whys.get(saying.shown),
            ranked=run.ranked(saying.best),
        )
        for saying in found
        if saying.shown in rows
    }
    hits = run.attempt("validity", lambda: _with_validity(run, hits), hits)
    said = [(hit.type, hit.content) for hit in hits.values()]
    texts = told.texts(run.tx, said, reader=run.query.reader)
    pairs = zip(hits.values(), texts, strict=True)
    return [replace(hit, content=text) for hit, text in pairs if text.strip()]


def _nearest(run: Run, page: Page) -> Nearest | None:
    """Return what came nearest to an empty page; None where nothing came near."""
    near = [] if page.nearest is None else [page.nearest]
    why = account.left_out(run, page)
    return next((Nearest(hit=hit, why=why) for hit in _hits(run, page, near)), None)


def _parts(run: Run, found: Sequence[Saying]) -> dict[int, tuple[Part, ...]]:
    """Return what stands below each result: the other members of its saying, best first."""
    below = {
        saying.shown: [seq for seq in saying.members if seq != saying.shown] for saying in found
    }
    every = [seq for seqs in below.values() for seq in seqs]
    if not every:
        return {}
    texts = run.texts(every)
    if run.query.as_of is not None:
        texts |= history.texts(run.tx, every, run.query.as_of)
    said = [(run.allowed[seq].type, text) for seq, text in texts.items()]
    texts = dict(zip(texts, told.texts(run.tx, said, reader=run.query.reader), strict=True))
    names = reading.ids(run.tx, every)
    kinds = {seq: kind for saying in found for seq, kind in saying.kinds.items()}
    return {
        shown: tuple(
            Part(id=names[seq], kind=kinds[seq], content=texts.get(seq, ""))
            for seq in seqs
            if seq in names and texts.get(seq) != ""
        )
        for shown, seqs in below.items()
    }


def _with_validity(run: Run, hits: Mapping[int, Hit]) -> dict[int, Hit]:
    """Return the results with what replaced them and when, and as they were when that is asked."""
    as_of = run.query.as_of
    ended = {seq: next(iter(run.replaced.get(seq, ())), None) for seq in hits}
    if as_of is None:
        ended = {seq: later for seq, later in ended.items() if later is not None}
    held = time_lookup.validity(run.tx, ended) if ended else {}
    texts = history.texts(run.tx, list(hits), as_of) if as_of else {}
    changed = {
        seq: replace(
            hits[seq],
            content=texts.get(seq, hits[seq].content),
            superseded_by=validity.superseded_by,
            valid_to=validity.to if validity.superseded_by or as_of else None,
        )
        for seq, validity in held.items()
    }
    return {**hits, **changed}


def _whys(run: Run, found: Sequence[Saying], page: Page) -> dict[int, Why]:
    """Return why results are where they are, where that is asked."""
    if not run.query.explain:
        return {}
    best = {saying.shown: saying.best for saying in found}
    beside = {
        seq: sorted(run.around.get(seq, ()), key=lambda s: -run.known.cosine.get(s, 0.0))
        for seq in best.values()
    }
    ids = reading.ids(run.tx, {*beside, *(one for some in beside.values() for one in some)})
    by_graph = [ids[seq] for seq in beside if seq in run.known.structure and seq in ids]
    reader, focal = run.query.reader, run.walk.focal
    paths = traversal.paths(run.tx, by_graph, focal, reader=reader) if by_graph else {}
    return {
        shown: replace(
            run.trail.why(
                seq, run.known, run.words, page.relevance.get(seq), run.worth.memories.get(seq)
            ),
            neighbours=tuple(ids[one] for one in beside[seq][:MAX_BESIDE] if one in ids),
            path=paths.get(ids.get(seq, ""), ()),
        )
        for shown, seq in best.items()
    }


def _source(run: Run, seq: int) -> Source:
    known, settings = run.known, run.settings
    text = max(known.keyword.get(seq, 0.0), known.hint.get(seq, 0.0))
    cosine = known.cosine.get(seq, 0.0)
    flat_found = seq in known.keyword or seq in known.hint or seq in known.cosine
    if seq in known.structure and not flat_found:
        return Source.TRAVERSAL if settings.traversal_primary else Source.KA_TRAVERSAL
    return blend.source_of(text, cosine)
