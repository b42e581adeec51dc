"""Why a result is where it is. Pure."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from signet.db import fts
from signet.domain.learning.labels import Worth
from signet.domain.recall import rank
from signet.domain.recall.evidence import Evidence
from signet.domain.recall.models import Scores, Step, Why

#: Features that change the log-odds by less are not told.
_LEAST = 0.02


@dataclass(slots=True)
class Trail:
    """What the channels found, in their order, what the model made of it, and what each stage then did."""

    found: dict[str, dict[int, int]] = field(default_factory=dict)
    fitted: Scores = field(default_factory=dict)
    steps: dict[int, list[Step]] = field(default_factory=dict)

    def channel(self, name: str, scores: Mapping[int, float]) -> None:
        """Note the rank (from 1) of each candidate in a channel that gives the best first."""
        self.found[name] = {seq: place for place, seq in enumerate(scores, start=1)}

    def by_graph_alone(self, seq: int) -> bool:
        """Return whether only the graph brought a candidate."""
        return [name for name, ranks in self.found.items() if seq in ranks] == ["graph"]

    def note(self, stage: str, before: Scores, after: Scores) -> None:
        """Note each score, in log-odds, that a stage changed or made."""
        for seq, score in after.items():
            old = before.get(seq)
            if score != old:
                was = 0.0 if old is None else rank.relevance(old)
                self.steps.setdefault(seq, []).append(Step(stage, was, rank.relevance(score)))

    def why(
        self,
        seq: int,
        known: Evidence,
        others: Mapping[str, Mapping[int, float]],
        relevance: float | None,
        worth: Worth | None = None,
    ) -> Why:
        """Return the story of one result; a channel without rank did not find it but was asked about it.

        `others` are the scores of channels that the evidence does not hold.
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

    def _fitted(self, seq: int, known: Evidence) -> list[Step]:
        """Return what each feature did to the relevance; the first step is what the page itself says."""
        if seq not in self.fitted:
            return []
        steps: list[Step] = []
        before, last = 0.0, -math.inf
        row = known.features[known.places[seq]]
        for name, logit in known.model.steps(row, self.fitted[seq]):
            if abs(logit - last) >= _LEAST:
                after = rank.relevance(logit)
                steps.append(Step(name, before, after))
                before, last = after, logit
        return steps
