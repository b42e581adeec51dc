"""The candidates of one question, with one row of features each (`rank.FEATURES`)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from signet.domain.recall import rank
from signet.domain.recall.models import Scores
from signet.domain.recall.rank import Array, Places


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """Candidates in a fixed order with their features; `held` is the bm25 of each word (row) in each (column)."""

    seqs: Sequence[int] = ()
    words: Sequence[str] = ()
    held: Array = field(default_factory=lambda: np.zeros((0, 0)))
    features: Array = field(default_factory=lambda: np.zeros((0, len(rank.FEATURES))))
    #: A number for what each candidate came from, and how much each word of the question tells.
    sources: Places = field(default_factory=lambda: np.zeros(0, dtype=np.intp))
    weights: Array = field(default_factory=lambda: np.zeros(0))
    #: Candidates with a vector.
    compared: frozenset[int] = frozenset()
    by_meaning: bool = False
    alpha: float = rank.BALANCE

    @cached_property
    def places(self) -> Mapping[int, int]:
        """Return the place of each candidate."""
        return {seq: place for place, seq in enumerate(self.seqs)}

    @cached_property
    def model(self) -> rank.Model:
        """Return the weights that apply."""
        found = rank.model(self.by_meaning)
        return found.balanced(self.alpha) if self.by_meaning else found

    def feature(self, seq: int, name: str) -> float:
        """Return one feature of a candidate."""
        return float(self.features[self.places[seq], rank.at(name)])

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
