"""Compute the features of the candidates of one question."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from signet.db import fts, script
from signet.domain.recall import (
    answer_type,
    rank,
    said,
    time_lookup,
    time_query,
    tuning,
    vector,
    view,
)
from signet.domain.recall.answer_type import CLOSING, QUESTION_MARKS
from signet.domain.recall.models import Scores
from signet.domain.recall.rank import Array, Evidence, Places
from signet.domain.recall.run import Run

Around = Mapping[int, Iterable[int]]


def symmetric(beside: Mapping[int, Iterable[int]]) -> dict[int, set[int]]:
    """Return the neighbours of each memory, in both directions."""
    around: dict[int, set[int]] = {}
    for seq, others in beside.items():
        for other in others:
            around.setdefault(seq, set()).add(other)
            around.setdefault(other, set()).add(seq)
    return around


def groups(places: Mapping[int, tuple[int | None, int | None]]) -> dict[int, int]:
    """Return a number for the group of each memory: its source if others share it, else its batch.

    `places` has the source and the batch (project and instant) of each, or None.
    """
    sizes = Counter(source for source, _ in places.values() if source is not None)
    named = {
        seq: source if source is not None and sizes[source] > 1 else batch
        for seq, (source, batch) in places.items()
    }
    return {seq: name for seq, name in named.items() if name is not None}


Flags = npt.NDArray[np.bool_]
Pairs = tuple[Places, Places]


def evidence_of(run: Run) -> Evidence:
    """Return the evidence for the candidates in `run.allowed` and `run.said`."""
    memories = [seq for seq in run.allowed if seq > 0]
    seqs = [*memories, *run.said]
    nothing = np.zeros((len(run.words), len(memories)))
    by_words = run.attempt(
        "fill_keyword", nothing, view.bm25_of_each, run.tx, run.words, memories, run.view
    )
    held = np.hstack([by_words, said.word_matrix(run.words, run.said.values(), run.query.text)])
    found = Evidence(seqs=seqs, words=tuple(run.words), held=held, alpha=run.settings.alpha)
    if not seqs:
        return found
    idf = run.attempt("fill_keyword", np.ones(len(run.words)), _idf, run)
    cosine, apart, compared = _meaning(run, memories)
    near = _pairs(found, run.around)
    sources = _sources(run, seqs)
    holds = held > 0
    mass = idf @ holds
    total = float(idf.sum()) or 1.0
    hinted = np.array([tuning.HINT_SHARE * run.hints.get(seq, 0.0) for seq in seqs])
    words = np.maximum(_saturated(mass), _saturated(hinted * total))
    beside = idf @ (~holds & _best_beside(holds, near))
    columns = {
        "words": words,
        "share": np.maximum(mass / total, hinted),
        "beside": _saturated(mass + beside) - _saturated(mass),
        "cosine": cosine,
        "apart": apart,
        "apart_beside": _best_of_beside(apart, near),
        "time": _closeness(run, seqs),
        "length": np.array([np.log(max(1.0, run.allowed[seq].passages)) for seq in seqs]),
        "asks": np.array([float(run.allowed[seq].asks) for seq in seqs]),
        "both": words * apart,
    }
    columns["source_share"] = _best_of(sources, columns["share"])
    columns["source_apart"] = _best_of(sources, apart)
    later = np.zeros(len(seqs))
    features = np.column_stack([columns.get(name, later) for name in rank.FEATURES])
    found = replace(
        found,
        features=features,
        sources=sources,
        weights=idf,
        compared=compared,
        by_meaning=bool(compared),
    )
    return _with_texts(run, found, idf / total)


def _saturated(mass: Array) -> Array:
    found: Array = -np.expm1(-mass / tuning.WORDS_SATURATE)
    return found


def _idf(run: Run) -> Array:
    """Return the idf of each word among memories and passages.

    Words that only specify the form of the answer count 0, unless there are no others.
    """
    in_memories = run.view.held(run.tx, run.words)
    in_talk, chunks = said.holders(run)
    held = [in_memories[word] + count for word, count in zip(run.words, in_talk, strict=True)]
    idf = np.array(rank.weights(held, run.view.table.count + chunks))
    text = answer_type.matter(run.query.keyword_text or run.query.text)
    matter = set(fts.content_words(text)).intersection(run.words)
    if matter:
        idf *= [word in matter for word in run.words]
    return idf


def _meaning(run: Run, memories: Sequence[int]) -> tuple[Array, Array, frozenset[int]]:
    """Return cosine and `apart` of the candidates, and which have a vector; the others get the mean."""
    seqs = [*memories, *run.said]
    plain, weighed = run.query_vector, run.weighed_vector
    nothing: tuple[Scores, Scores] = ({}, {})
    known, far = (
        nothing
        if plain is None or weighed is None
        else run.attempt(
            "fill_vector",
            nothing,
            vector.compare,
            run.tx,
            plain,
            weighed,
            memories,
            model=run.settings.embedding_model,
            said=run.said,
            scale=run.settings.scale,
        )
    )
    return _filled(known, seqs), _filled(far, seqs), frozenset(known)


def _filled(known: Scores, seqs: Sequence[int]) -> Array:
    mean = sum(known.values()) / len(known) if known else 0.0
    return np.array([known.get(seq, mean) for seq in seqs])


def _pairs(found: Evidence, around: Around) -> Pairs:
    """Return the pairs of neighbouring candidates, as two arrays of places."""
    places = found.places
    pairs = [
        (places[seq], places[other])
        for seq, others in around.items()
        if seq in places
        for other in others
        if other in places
    ]
    flat = np.array(pairs, dtype=np.intp).reshape(-1, 2)
    return flat[:, 0], flat[:, 1]


def _best_beside(holds: Flags, near: Pairs) -> Flags:
    """Return for each word (row) and candidate (column) whether a neighbour contains the word."""
    beside = np.zeros_like(holds)
    np.logical_or.at(beside.T, near[0], holds.T[near[1]])
    return beside


def _best_of_beside(values: Array, near: Pairs) -> Array:
    """Return the best value among each candidate's neighbours; the mean for one without neighbours."""
    best = np.full(len(values), -np.inf)
    np.maximum.at(best, near[0], values[near[1]])
    return np.where(np.isinf(best), values.mean(), best)


def _sources(run: Run, seqs: Sequence[int]) -> Places:
    """Return a number for each candidate's source; a candidate without a shared source has its own."""
    named = groups({seq: (run.allowed[seq].source, run.allowed[seq].batch) for seq in seqs})
    numbers: dict[object, int] = {}
    keys = [("source", named[seq]) if seq in named else seq for seq in seqs]
    return np.array([numbers.setdefault(key, len(numbers)) for key in keys], dtype=np.intp)


def _best_of(sources: Places, values: Array) -> Array:
    best = np.full(int(sources.max()) + 1, -np.inf)
    np.maximum.at(best, sources, values)
    found: Array = best[sources]
    return found


def _closeness(run: Run, seqs: Sequence[int]) -> Array:
    """Return the closeness of each candidate to the time in question; 0 if the question names none."""
    if not run.when.spans:
        return np.zeros(len(seqs))
    nothing: time_query.Times = {}
    times = {
        **run.attempt("time", nothing, time_lookup.times_of, run.tx, seqs),
        **said.times(run.said),
    }
    return np.array(
        [time_query.closeness(times[seq], run.when.spans) if seq in times else 0.0 for seq in seqs]
    )


def _with_texts(run: Run, found: Evidence, shares: Array) -> Evidence:
    """Add the features `exact`, `answer` and `asks`, which need the texts of the best candidates.

    A memory that ends with a question also asks if most of its words in common with the search are in questions.
    """
    kinds = answer_type.types_of(run.query.text)
    scores = found.model.scores(found.features)
    newest = np.lexsort((-np.array(found.seqs), -scores))
    best = newest[: tuning.TEXTS_PER_PLACE * run.query.size].tolist()
    texts: Mapping[int, str] = run.attempt(
        "texts", {}, run.texts, [found.seqs[place] for place in best]
    )
    features = found.features.copy()
    words = [fts.shown(word) for word in run.words]
    for place in best:
        text = texts.get(found.seqs[place], "")
        held = script.fold(text).lower()
        features[place, rank.at("exact")] = exact = shares @ [word in held for word in words]
        if found.seqs[place] > 0 and text.rstrip(CLOSING).endswith(QUESTION_MARKS):
            told = answer_type.stated(held)
            asks = shares @ [word in told for word in words] < exact / 2
            features[place, rank.at("asks")] = max(float(asks), features[place, rank.at("asks")])
        if kinds:
            kind = run.allowed[found.seqs[place]].type
            features[place, rank.at("answer")] = answer_type.given(kinds, kind, text)
    return replace(found, features=features)
