"""The state of one recall: its query, its findings, and its failed stages."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cache
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from signet.db import ReadTx, damage
from signet.db.driver import sqlite
from signet.db.visibility import Where
from signet.domain.episodes.models import FoundRow
from signet.domain.graph import changes, traversal
from signet.domain.graph.models import Entity
from signet.domain.graph.traversal import Traversal
from signet.domain.injections.models import Ranked
from signet.domain.learning.worth import KnownWorth
from signet.domain.recall import rank, tuning
from signet.domain.recall.columns import Allowed
from signet.domain.recall.explain import Trail
from signet.domain.recall.models import Query, QueryVector, RecallSettings, Scores, ScoreStep, Why
from signet.domain.recall.rank import Evidence
from signet.domain.recall.sql import reading
from signet.domain.recall.time_query import When
from signet.domain.recall.view import View
from signet.observe import logs, metrics

if TYPE_CHECKING:
    from signet.domain.recall.topics import Successor

T = TypeVar("T")

P = ParamSpec("P")

log = logs.get("memory")
_stage = cache(metrics.RECALL_STAGE.labels)


@dataclass(slots=True, kw_only=True)
class Run:
    """The state that the stages of one recall share."""

    tx: ReadTx
    query: Query
    settings: RecallSettings
    ask_vector: QueryVector
    now: datetime
    view: View
    words: list[str]
    when: When
    #: Factor for the candidates of each channel, relative to a page of short texts.
    wider: int = 1
    #: The question's vector, once computed, and the one with higher weights for rare words (`gather.py`).
    query_vector: bytes | None = None
    weighed_vector: bytes | None = None
    known: Evidence = field(default_factory=Evidence)
    allowed: dict[int, Allowed] = field(default_factory=dict)
    #: Candidate passages of sessions and commits, by negative numbers.
    said: dict[int, FoundRow] = field(default_factory=dict)
    #: Scores of candidates by hints and by the graph, 0..1.
    hints: Scores = field(default_factory=dict)
    structure: Scores = field(default_factory=dict)
    walk: Traversal = field(default_factory=Traversal)
    around: dict[int, set[int]] = field(default_factory=dict)
    trail: Trail = field(default_factory=Trail)
    #: Candidates only because of the time in question.
    timely: set[int] = field(default_factory=set)
    #: The successors of each replaced candidate, nearest first.
    replaced: dict[int, list[int]] = field(default_factory=dict)
    #: Later statements that replace candidates by their words (`topics.py`).
    newer: "dict[int, Successor]" = field(default_factory=dict)
    #: The usefulness of memories in sessions.
    worth: KnownWorth = field(default_factory=KnownWorth)
    #: The final scores of the candidates, in log-odds.
    scores: Scores = field(default_factory=dict)
    #: How far better candidates lower the relevance of each, in log-odds, a successor at most as far
    #: as what it replaced; the order ignores it.
    lowered: Scores = field(default_factory=dict)
    #: The scores before learning and ratings, in log-odds, for the floor.
    judged: Scores = field(default_factory=dict)
    #: The scores without learned usefulness.
    unlearned: Scores = field(default_factory=dict)
    degraded: list[str] = field(default_factory=list)
    _focal: list[Entity] | None = None
    _texts: dict[int, str] = field(default_factory=dict)

    @property
    def later(self) -> dict[int, list[int]]:
        """Return for each candidate those that rank before it because one replaced the other, nearest first."""
        found: dict[int, list[int]] = {}
        for old, later in self.newer.items():
            if not later.ranks:
                continue
            is_past = changes.asks_past(self.query.text, later.change)
            found |= {later.seq: [old]} if is_past else {old: [later.seq]}
        return found | self.replaced

    def ranked(self, seq: int) -> Ranked | None:
        """Return a candidate's rank keys without and with learned usefulness; None without any."""
        base = self.unlearned.get(seq)
        if base is None:
            return None
        learned = base + rank.odds(self.worth.learned.get(seq, 1.0))
        return Ranked(rank.relevance(base), rank.relevance(learned))

    def why(self, seq: int, relevance: float | None) -> Why:
        """Return the explanation of a candidate's rank."""
        others = {"hint": self.hints, "graph": self.structure}
        worth = self.worth.memories.get(seq)
        found = self.trail.why(seq, self.known, others, relevance, worth)
        lowered, score = self.lowered.get(seq), self.scores.get(seq)
        if not lowered or score is None:
            return found
        own = ScoreStep("own", rank.relevance(score), rank.relevance(score + lowered))
        return replace(found, steps=(*found.steps, own))

    def texts(self, seqs: Sequence[int]) -> dict[int, str]:
        """Return the beginnings of the memories' texts; each is read once."""
        self._texts |= {seq: self.said[seq].content for seq in seqs if seq in self.said}
        new = [seq for seq in seqs if seq not in self._texts]
        if new:
            self._texts |= reading.contents(self.tx, new)
        return {seq: self._texts[seq] for seq in seqs if seq in self._texts}

    @property
    def focal(self) -> list[Entity]:
        """Return the entities that the query words name; searched once."""
        if self._focal is None:
            nothing: list[Entity] = []
            agent_id = self.query.reader.agent_id
            self._focal = (
                nothing
                if not self.settings.graph
                else self.attempt(
                    "graph", nothing, traversal.focal, self.tx, self.words, agent_id=agent_id
                )
            )
        return self._focal

    @property
    def where(self) -> Where:
        """Return the SQL condition for candidates."""
        return self.view.where

    @property
    def pool(self) -> int:
        """Return how many candidates each channel except the graph returns."""
        wanted = tuning.PAGE_POOL if self._is_page else tuning.POOL_PER_RESULT * self.query.size
        return min(tuning.MAX_POOL, self.wider * max(self.settings.top_k, wanted))

    @property
    def has_more(self) -> bool:
        """Return whether a channel had more candidates than it could return."""
        brought = max(map(len, self.trail.found.values()), default=0)
        return self.pool <= brought and self.pool < tuning.MAX_POOL

    @property
    def graph_pool(self) -> int:
        """Return how many candidates the graph returns besides constraints."""
        return tuning.PAGE_GRAPH_POOL if self._is_page else len(self.walk.memories)

    @property
    def _is_page(self) -> bool:
        return self.query.size <= tuning.PAGE_PLACES

    def attempt(
        self, stage: str, otherwise: T, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Return the result of a stage; `otherwise` if its tables are missing or damaged."""
        started = time.perf_counter()
        try:
            return work(*args, **kwargs)
        except sqlite.DatabaseError as error:
            log.warning("recall.stage_skipped", stage=stage, error=type(error).__name__)
            damage.note_error(self.tx.connection, error)
            self.degraded.append(stage)
            return otherwise
        finally:
            _stage(stage).observe(time.perf_counter() - started)

    def apply(self, stage: str, scores: Scores, change: Callable[[Scores], Scores]) -> Scores:
        """Return the scores after a stage; record its effect if an explanation is requested."""
        after = self.attempt(stage, scores, change, scores)
        if self.query.explain:
            self.trail.note(stage, scores, after)
        return after
