"""The relevance model: weigh the features of each candidate into a score and a relevance. Pure.

The score ranks the candidates of one question: a weighted sum of their features. The relevance, 0..1, is the logistic
function of the score, of its distance to the best one, and of what the best candidates have; so 0.5 means the same for
every question, for a memory and for a passage of a session. `loadtests/fit.py` fits all weights and writes them with
date, data and held-out figures to `weights.json`. Without a vector of the question a second set of weights applies.
"""

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from importlib import resources
from typing import Any

import numpy as np
import numpy.typing as npt

from signet.domain.recall import tuning
from signet.domain.recall.models import Scores

Array = npt.NDArray[np.float64]
Places = npt.NDArray[np.intp]
Flags = npt.NDArray[np.bool_]

#: Features of a candidate, each 0..1 unless noted:
#: `words`: how much the question's words that it contains weigh (1 - exp(-sum of idf / 10));
#: `share`: the same as a share of all the question's words;
#: `exact`: `share` of the words that the text contains verbatim, not only by their stems;
#: `beside`: how much the words of the previous and the next passage of the same source add to `words`;
#: `cosine`: of its best passage, -1..1;
#: `apart`: the cosine without what the nearest candidates have in common (`vector.compare`);
#: `apart_beside`: the better `apart` of the candidates before and after it;
#: `source_share`, `source_apart`: the best of its session or other source;
#: `time`: closeness to the time in question (`time_query.py`);
#: `answer`: how many expected kinds of answer it contains, 0..2 (`answer_type.py`);
#: `length`: ln(characters / 500), at least 0;
#: `asks`: 1 for a short text that only asks;
#: `both`: `words` times `apart`.
FEATURES = (
    "words", "share", "exact", "beside", "cosine", "apart", "apart_beside", "source_share", "source_apart",
    "time", "answer", "length", "asks", "both",
)  # fmt: skip
MEANING = ("cosine", "apart", "apart_beside", "source_apart", "both")
WORDS = ("words", "share", "exact", "beside", "source_share")
#: Features of the page: a candidate's distance to the best score; the best cosine, and its distance to the tenth; the
#: best `words` and `share`.
PAGE = ("behind", "best_cosine", "stands_out", "best_words", "best_share")
#: Features of a prompt, for whether it needs its best candidate: all of this candidate; the distance of its score to
#: the best of another source, and to that of the fourth one, as a prompt is about few; the same of the cosine; and
#: ln(1 + words of the prompt).
NEED = (*FEATURES, "lead", "lead_of_few", "cosine_of_few", "asked")
#: Features of a candidate for whether it answers a question that shares few words with it (`Model.answered`): some of
#: FEATURES; the distance of its cosine to the tenth best (of fewer, the last) and to that of the fourth source;
#: `behind`; ln(1 + words of the question); and ln(1 + candidates).
MEANT = tuple("words cosine stands_out cosine_of_few behind asked candidates".split())
#: Bias of a function that is not fitted.
NEVER = -60.0
#: Log-odds beyond which chances are not told apart.
MOST_LOGIT = 30.0


def weights(held: Sequence[int], rows: int) -> list[float]:
    """Return the weight of each word (the idf of bm25, kept positive), by the rows that contain it."""
    of = max(rows, tuning.LEAST_ROWS)
    return [math.log(1 + (of - min(n, of) + 0.5) / (n + 0.5)) for n in held]


def at(name: str) -> int:
    """Return the column of a feature."""
    return FEATURES.index(name)


@dataclass(frozen=True, slots=True)
class Model:
    """One set of weights, in the order of FEATURES and PAGE."""

    features: Array
    score: float
    page: Array
    bias: float
    #: Weight and bias of `behind` for whether a candidate answers a question that has an answer.
    own: tuple[float, float]
    need: Array
    need_bias: float
    meant: Array
    meant_bias: float
    #: Weight of the cosine and bias for whether a passage of a session answers by its meaning.
    told: tuple[float, float]

    def scores(self, evidence: Array) -> Array:
        """Return the score of each candidate, one row of features each."""
        found: Array = evidence @ self.features
        return found

    def logits(self, scores: Array, evidence: Array) -> Array:
        """Return the log-odds that each candidate answers, given its score and the page."""
        found: Array = self.score * scores + page(scores, evidence) @ self.page + self.bias
        return found

    def beside(self, scores: Array, evidence: Array) -> Array:
        """Return these log-odds, lowered for candidates that others surpass.

        The page decides whether the question is answered; each candidate is worth its share of that, compared with the
        best one that does not only ask.
        """
        found = self.logits(scores, evidence)
        if not len(found):
            return found
        weight, bias = self.own
        shares = odds_to_chance(weight * (scores - scores.max()) + bias)
        tells = evidence[:, at("asks")] == 0
        best = shares[tells].max() if tells.any() else shares.max()
        most = odds_to_chance(found.max()) * np.minimum(1.0, shares / best)
        limited: Array = np.minimum(found, np.log(most / (1 - most)))
        return np.where(shares < best, limited, found)

    def needed(self, scores: Array, evidence: Array, sources: Places, words: int) -> float:
        """Return the probability that a prompt with this number of words needs its best candidate."""
        return relevance(float(need(scores, evidence, sources, words) @ self.need) + self.need_bias)

    def answered(
        self, scores: Array, evidence: Array, sources: Places, words: int, are_said: Flags
    ) -> tuple[int, float]:
        """Return the place of the candidate that most probably answers a question by its meaning, and the probability.

        It is the best by score or the nearest. Passages of sessions (`are_said`) are judged by their cosine alone.
        """
        places = meant_places(scores, evidence)
        weight, bias = self.told
        logits = np.where(
            are_said[places],
            weight * evidence[places, at("cosine")] + bias,
            meant(scores, evidence, sources, words, places) @ self.meant + self.meant_bias,
        )
        best = int(np.argmax(logits))
        return places[best], relevance(float(logits[best]))

    def steps(self, evidence: Array, logit: float) -> list[tuple[str, float]]:
        """Return the log-odds of one candidate after each feature, in order, the last being `logit`."""
        parts = self.score * self.features * evidence
        start = logit - float(parts.sum())
        return [("page", start), *zip(FEATURES, (start + np.cumsum(parts)).tolist(), strict=True)]

    def balanced(self, alpha: float) -> "Model":
        """Return weights that give meaning `alpha` and words the rest; they are fitted for BALANCE."""
        if alpha == tuning.BALANCE:
            return self
        meaning, words = alpha / tuning.BALANCE, (1 - alpha) / (1 - tuning.BALANCE)
        sides = {**dict.fromkeys(MEANING, meaning), **dict.fromkeys(WORDS, words)}
        scale = np.array([sides.get(name, 1.0) for name in FEATURES])
        return replace(self, features=self.features * scale)


def page(scores: Array, evidence: Array) -> Array:
    """Return the features of the page, one row of PAGE for each candidate."""
    count = len(scores)
    if not count:
        return np.zeros((0, len(PAGE)))
    cosines = evidence[:, at("cosine")]
    best = float(cosines.max())
    same = (
        best,
        best - background(cosines),
        float(evidence[:, at("words")].max()),
        float(evidence[:, at("share")].max()),
    )
    return np.column_stack([scores - scores.max(), *(np.full(count, one) for one in same)])


def need(scores: Array, evidence: Array, sources: Places, words: int) -> Array:
    """Return the features of a prompt, in the order of NEED, given at least one candidate."""
    best = int(np.argmax(scores))
    own, cosines = evidence[best], evidence[:, at("cosine")]
    heights = _best_of_each(scores, sources)
    lead = scores[best] - heights[1] if len(heights) > 1 else tuning.ALONE_LEAD
    near = _best_of_each(cosines, sources)
    return np.array(
        [
            *own,
            lead,
            scores[best] - heights[min(tuning.FEW_SOURCES, len(heights) - 1)],
            own[at("cosine")] - near[min(tuning.FEW_SOURCES, len(near) - 1)],
            math.log(1 + words),
        ]
    )


def meant_places(scores: Array, evidence: Array) -> list[int]:
    """Return the places of the best candidate by score and of the nearest, given at least one."""
    return list(dict.fromkeys((int(np.argmax(scores)), int(np.argmax(evidence[:, at("cosine")])))))


def meant(
    scores: Array, evidence: Array, sources: Places, words: int, places: Sequence[int]
) -> Array:
    """Return the features of these candidates, one row of MEANT for each."""
    cosines = evidence[:, at("cosine")]
    count = len(cosines)
    tenth = np.sort(cosines)[::-1][min(tuning.BACKGROUND_PLACE, count) - 1]
    near = _best_of_each(cosines, sources)
    fourth = near[min(tuning.FEW_SOURCES, len(near) - 1)]
    own = evidence[list(places)]
    return np.column_stack(
        [
            own[:, at("words")],
            own[:, at("cosine")],
            own[:, at("cosine")] - tenth,
            own[:, at("cosine")] - fourth,
            scores[list(places)] - scores.max(),
            np.full(len(places), math.log(1 + words)),
            np.full(len(places), math.log(1 + count)),
        ]
    )


def _best_of_each(values: Array, sources: Places) -> Array:
    """Return the best value of each source, best first."""
    order = np.argsort(-values, kind="stable")
    _, first = np.unique(sources[order], return_index=True)
    return values[order][np.sort(first)]


def background(cosines: Array) -> float:
    """Return the tenth best cosine; 0 for fewer than ten."""
    place = tuning.BACKGROUND_PLACE
    return float(np.sort(cosines)[-place]) if len(cosines) >= place else 0.0


def odds_to_chance(logits: Array) -> Array:
    """Return the chances 0..1 of log-odds, apart from 0 and 1."""
    found: Array = 1 / (1 + np.exp(-np.clip(logits, -MOST_LOGIT, MOST_LOGIT)))
    return found


def relevance(logit: float) -> float:
    """Return the relevance 0..1 of log-odds."""
    return 1 / (1 + math.exp(-max(-60.0, min(60.0, logit))))


def logit(relevance: float) -> float:
    """Return the log-odds of a relevance; 0 and 1 use the nearest values that a page shows."""
    kept = min(1 - 1e-6, max(1e-6, relevance))
    return math.log(kept / (1 - kept))


def odds(factor: float) -> float:
    """Return the log-odds that a factor of learning or ratings adds."""
    return tuning.FACTOR_WEIGHT * math.log(factor)


@cache
def model(by_meaning: bool) -> Model:
    """Return the weights for questions with a vector, or for words alone."""
    text = resources.files("signet.domain.recall").joinpath("weights.json").read_text("utf-8")
    return read(json.loads(text)["meaning" if by_meaning else "words"])


def read(weights: Mapping[str, Any]) -> Model:
    """Return one set of weights of `weights.json`; a missing one is 0."""

    def row(names: Sequence[str], of: Mapping[str, float]) -> Array:
        return np.array([of.get(name, 0.0) for name in names])

    return Model(
        row(FEATURES, weights["features"]),
        weights["score"],
        row(PAGE, weights["page"]),
        weights["bias"],
        (weights["own"]["behind"], weights["own"]["bias"]),
        row(NEED, weights["need"]),
        weights["need_bias"],
        row(MEANT, weights.get("meant", {})),
        weights.get("meant_bias", NEVER),
        (weights["told"]["cosine"], weights["told"]["bias"]),
    )


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """Candidates in a fixed order with their features; `held` is the bm25 of each word (row) per candidate (column)."""

    seqs: Sequence[int] = ()
    words: Sequence[str] = ()
    held: Array = field(default_factory=lambda: np.zeros((0, 0)))
    features: Array = field(default_factory=lambda: np.zeros((0, len(FEATURES))))
    #: A number for each candidate's source, and the weight of each query word.
    sources: Places = field(default_factory=lambda: np.zeros(0, dtype=np.intp))
    weights: Array = field(default_factory=lambda: np.zeros(0))
    #: Candidates with a vector.
    compared: frozenset[int] = frozenset()
    by_meaning: bool = False
    alpha: float = tuning.BALANCE

    @cached_property
    def places(self) -> Mapping[int, int]:
        """Return the place of each candidate."""
        return {seq: place for place, seq in enumerate(self.seqs)}

    @cached_property
    def model(self) -> Model:
        """Return the weights that apply."""
        found = model(self.by_meaning)
        return found.balanced(self.alpha) if self.by_meaning else found

    @cached_property
    def logits(self) -> Array:
        """Return the log-odds that each candidate answers; one without a vector is judged by its words."""
        return self._judged(Model.logits)

    def lowered(self) -> Array:
        """Return how far better candidates lower these log-odds, 0 or less."""
        found: Array = self._judged(Model.beside) - self.logits
        return found

    def _judged(self, judge: Callable[[Model, Array, Array], Array]) -> Array:
        found = judge(self.model, self.model.scores(self.features), self.features)
        lacking = [place for place, seq in enumerate(self.seqs) if seq not in self.compared]
        if self.by_meaning and lacking:
            words = model(by_meaning=False)
            told = judge(words, words.scores(self.features), self.features)
            found[lacking] = np.maximum(found[lacking], told[lacking])
        return found

    def feature(self, seq: int, name: str) -> float:
        """Return one feature of a candidate."""
        return float(self.features[self.places[seq], at(name)])

    def cosine(self, seq: int) -> float | None:
        """Return the cosine of a candidate, None where it was not compared."""
        return self.feature(seq, "cosine") if seq in self.compared else None

    def bm25(self, seq: int) -> dict[str, float]:
        """Return the bm25 of each word of the question that a candidate contains."""
        if seq not in self.places:
            return {}
        column = self.held[:, self.places[seq]].tolist()
        return {word: one for word, one in zip(self.words, column, strict=True) if one > 0}

    def keyword(self) -> Scores:
        """Return 0..1 for how well candidates match by words, the best of them 1."""
        totals = self.held.sum(axis=0) if len(self.held) else np.zeros(len(self.seqs))
        best = float(totals.max(initial=0.0)) or 1.0
        return {seq: one / best for seq, one in zip(self.seqs, totals.tolist(), strict=True) if one}
