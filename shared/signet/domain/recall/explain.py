"""Why a result is where it is. Pure."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from signet.db import fts
from signet.domain.learning.models import Worth
from signet.domain.recall.blend import Evidence
from signet.domain.recall.models import Scores, Step, Why


@dataclass(slots=True)
class Trail:
    """What the channels found, in their order, and what each stage then did."""

    found: dict[str, dict[int, int]] = field(default_factory=dict)
    steps: dict[int, list[Step]] = field(default_factory=dict)

    def channel(self, name: str, scores: Mapping[int, float]) -> None:
        """Note the rank (from 1) of each candidate in a channel that gives the best first."""
        self.found[name] = {seq: rank for rank, seq in enumerate(scores, start=1)}

    def by_graph_alone(self, seq: int) -> bool:
        """Return whether only the graph brought a candidate."""
        return [name for name, ranks in self.found.items() if seq in ranks] == ["graph"]

    def note(self, stage: str, before: Scores, after: Scores) -> None:
        """Note each score that a stage changed or made."""
        for seq, score in after.items():
            old = before.get(seq, 0.0)
            if score != old:
                self.steps.setdefault(seq, []).append(Step(stage, old, score))

    def why(
        self,
        seq: int,
        known: Evidence,
        words: Sequence[str],
        relevance: float | None,
        worth: Worth | None = None,
    ) -> Why:
        """Return the story of one result; a channel without rank did not find it but was asked about it."""
        channels: dict[str, dict[str, float]] = {}
        for name, scores in (
            ("keyword", known.keyword),
            ("hint", known.hint),
            ("vector", known.cosine),
            ("graph", known.structure),
        ):
            if seq in scores:
                rank = self.found.get(name, {}).get(seq)
                channels[name] = {"score": scores[seq]} | ({"rank": rank} if rank else {})
        matched = {
            fts.shown(word): held[seq]
            for word, held in zip(words, known.words, strict=False)
            if seq in held
        }
        if matched:
            channels["keyword"] |= {"bm25": math.fsum(matched.values()), "words": len(matched)}
        steps = tuple(self.steps.get(seq, ()))
        return Why(
            channels=channels,
            steps=steps,
            matched=matched,
            relevance=relevance,
            helped=(worth.helped, worth.times) if worth and worth.times else None,
        )
