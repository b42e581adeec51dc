"""Explain the rank of a result. Pure."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from signet.db import fts
from signet.domain.learning.labels import Worth
from signet.domain.recall import rank
from signet.domain.recall.models import Scores, ScoreStep, Why
from signet.domain.recall.rank import Evidence

#: What each channel compares.
CHANNELS = {
    "keyword": "keywords",
    "hint": "a question it answers (hint)",
    "vector": "meaning",
    "graph": "its entities",
}
#: Why each feature of the model, and each later stage, raised or lowered the relevance.
STAGES = {
    "page": ("similar questions have answers", "similar questions often have no answer"),
    "words": ("it contains rare words of the question", "it contains few words of the question"),
    "share": ("it contains most words of the question", "it contains few words of the question"),
    "exact": ("it contains the words as you wrote them", "it contains other forms of the words"),
    "beside": (
        "the texts before and after it contain more of the words",
        "its neighbours lack the words",
    ),
    "cosine": ("its meaning is similar", "its meaning is similar to everything"),
    "apart": ("its meaning is more similar than others'", "its meaning is not similar"),
    "apart_beside": (
        "its neighbours have a similar meaning",
        "its neighbours have another meaning",
    ),
    "source_share": ("its session contains the words", "its session lacks the words"),
    "source_apart": ("its session is about this", "its session is about other things"),
    "time": ("it is from the time you asked about", "it is from another time"),
    "answer": ("it contains the kind of answer you asked for", "it contains no such answer"),
    "length": ("it is short", "in a long text, words meet by chance"),
    "asks": ("it is a statement", "it only asks"),
    "both": ("words and meaning agree", "words and meaning repeat each other"),
    "own": ("it answers best", "other results answer better"),
    "community": ("its topic is what you asked about", "its topic is another"),
    "graph": ("it is linked to what you asked about", "others are linked more closely"),
    "rated": ("agents found it useful", "agents found it of no use"),
    "learned": ("it helped in earlier sessions", "it did not help in earlier sessions"),
    "newest": ("of similar passages it is a later one", "it is older than similar passages"),
    "superseded": ("it is current", "a later memory corrects it"),
    "topics": ("it replaces an earlier statement", "a later statement replaces it"),
}


def channel(name: str) -> str:
    return CHANNELS.get(name, name)


def stage(name: str, before: float, after: float) -> str:
    """Return the reason why a stage changed a score."""
    up, down = STAGES.get(name, (name, name))
    return up if after >= before else down


#: Features that change the log-odds by less are not shown.
_LEAST = 0.02


@dataclass(slots=True)
class Trail:
    """The channels' results in order, the model's score, and the effect of each later stage."""

    found: dict[str, dict[int, int]] = field(default_factory=dict)
    fitted: Scores = field(default_factory=dict)
    steps: dict[int, list[ScoreStep]] = field(default_factory=dict)

    def channel(self, name: str, scores: Mapping[int, float]) -> None:
        """Record the rank (from 1) of each candidate in a channel, given best first."""
        self.found[name] = {seq: place for place, seq in enumerate(scores, start=1)}

    def by_graph_alone(self, seq: int) -> bool:
        """Return whether only the graph found a candidate."""
        return [name for name, ranks in self.found.items() if seq in ranks] == ["graph"]

    def note(self, stage: str, before: Scores, after: Scores) -> None:
        """Record each score, in log-odds, that a stage changed or added."""
        for seq, score in after.items():
            old = before.get(seq)
            if score != old:
                was = 0.0 if old is None else rank.relevance(old)
                self.steps.setdefault(seq, []).append(ScoreStep(stage, was, rank.relevance(score)))

    def why(
        self,
        seq: int,
        known: Evidence,
        others: Mapping[str, Mapping[int, float]],
        relevance: float | None,
        worth: Worth | None = None,
    ) -> Why:
        """Return the explanation of one result; a channel without a rank was used but did not find it.

        `others` are scores of channels outside the evidence.
        """
        channels: dict[str, dict[str, float]] = {}
        cosine = known.cosine(seq)
        scores = {
            "keyword": known.keyword().get(seq),
            "vector": None if cosine is None else max(0.0, cosine),
            **{name: said.get(seq) for name, said in others.items()},
        }
        for name, score in scores.items():
            if score is not None:
                place = self.found.get(name, {}).get(seq)
                channels[name] = {"score": score} | ({"rank": place} if place else {})
        matched = {fts.shown(word): bm25 for word, bm25 in known.bm25(seq).items()}
        if matched:
            channels["keyword"] |= {"bm25": math.fsum(matched.values()), "words": len(matched)}
        return Why(
            channels=channels,
            steps=(*self._fitted(seq, known), *self.steps.get(seq, ())),
            matched=matched,
            relevance=relevance,
            helped=(worth.helped, worth.times) if worth and worth.times else None,
        )

    def _fitted(self, seq: int, known: Evidence) -> list[ScoreStep]:
        """Return the effect of each feature on the relevance; the first step is the page's own."""
        if seq not in self.fitted:
            return []
        steps: list[ScoreStep] = []
        before, last = 0.0, -math.inf
        place = known.places[seq]
        for name, logit in known.model.steps(known.features[place], self.fitted[seq]):
            if abs(logit - last) >= _LEAST:
                after = rank.relevance(logit)
                steps.append(ScoreStep(name, before, after))
                before, last = after, logit
        return steps
