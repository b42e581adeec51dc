"""Comparison of sessions with and without memory, and the use of injected memories."""

from typing import TypedDict

from signet.wire import access
from signet.wire.operation import get, post


class Interval(TypedDict):
    """A mean with its 95 % confidence bounds; bounds are null for fewer than two values."""

    mean: float
    low: float | None
    high: float | None


class SomeSessions(TypedDict):
    """A group of sessions: corrections and repeated questions per session, and the prompts."""

    sessions: int
    corrections: Interval | None
    askedAgain: Interval | None
    prompts: Interval | None


class Difference(TypedDict):
    """The difference between sessions with and without memory (below 0: fewer); null if unknown."""

    corrections: Interval | None
    askedAgain: Interval | None
    prompts: Interval | None


class GivenTokens(TypedDict):
    """The cost of memory in tokens of four characters: injected unasked, and used."""

    given: int
    used: int
    wasted: int
    perSession: float


class Told(TypedDict):
    """A memory, and in how many sessions it was injected, helped and hurt; null if it is forgotten."""

    id: str
    content: str | None
    given: int
    helped: int
    hurt: int


class Evaluation(TypedDict):
    """Whether memory helps.

    `isEnough`: there are `neededSessions` sessions, `neededWithout` of them without memory. `holdout` is the share of
    sessions without memories. `unused` was injected most and never used, `misleading` hurt, `missed` was left out but
    used; `unanswered` counts prompts without results.
    """

    sessions: int
    neededSessions: int
    neededWithout: int
    isEnough: bool
    holdout: float
    withMemory: SomeSessions
    withoutMemory: SomeSessions
    difference: Difference
    tokens: GivenTokens
    unused: list[Told]
    misleading: list[Told]
    missed: list[Told]
    helpful: list[Told]
    prompts: int
    unanswered: int


class PastSessions(TypedDict):
    sessions: list[str]


class Replayed(TypedDict):
    """What the `prompts` of a past session would receive.

    Of the `helped` memories, `found` are among the first ten of a recall, and `carried` are injected with a prompt.
    `ndcg` (0..1) compares recall's ranking with the best one; `tokens` are of all injected texts.
    """

    prompts: int
    helped: int
    found: int
    carried: int
    ndcg: float
    tokens: int


class Replay(TypedDict):
    """A past session with the current settings and, if requested, with others."""

    sessionKey: str
    now: Replayed
    other: Replayed | None


EVALUATION = get("/api/evaluation", access.ANALYTICS, Evaluation)
PAST_SESSIONS = get("/api/evaluation/sessions", access.ANALYTICS, PastSessions)
REPLAY = post("/api/evaluation/replay", access.ANALYTICS, Replay)
