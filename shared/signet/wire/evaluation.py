"""Whether memory helps: sessions with it against those that were given none, and what of it was of use."""

from typing import TypedDict

from signet.wire import access
from signet.wire.operation import Operation


class Interval(TypedDict):
    """A mean, and between which bounds it lies in 95 of 100 cases; bounds are null for fewer than two values."""

    mean: float
    low: float | None
    high: float | None


class SomeSessions(TypedDict):
    """Some sessions: how often in each the user corrected the agent and asked something again, and the prompts."""

    sessions: int
    corrections: Interval | None
    askedAgain: Interval | None
    prompts: Interval | None


class Difference(TypedDict):
    """By how much sessions with memory had more (fewer: below 0) than those without; null where it cannot be told."""

    corrections: Interval | None
    askedAgain: Interval | None
    prompts: Interval | None


class GivenTokens(TypedDict):
    """What memory cost, in tokens of four characters: all that was given unasked, and what of it was used."""

    given: int
    used: int
    wasted: int
    perSession: float


class Told(TypedDict):
    """A memory, and in how many sessions it was given, helped and hurt; null where it is forgotten."""

    id: str
    content: str | None
    given: int
    helped: int
    hurt: int


class Evaluation(TypedDict):
    """Whether memory helps.

    `isEnough` says whether there are `neededSessions` sessions, and `neededWithout` of them without memory. `holdout`
    is the share of sessions that are given none. `unused` was given most and never used, `misleading` hurt, `missed`
    was left out and used all the same; `unanswered` counts prompts that nothing was found for.
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
    """Keys of the newest sessions in which a memory helped, newest first."""

    sessions: list[str]


class Replayed(TypedDict):
    """What the `prompts` of a past session would be given.

    Of the `helped` memories `found` are among the first ten of a recall, and `carried` are told with a prompt. `ndcg`
    (0..1) says how near the order of recall is to the best one; `tokens` are those of all that is told.
    """

    prompts: int
    helped: int
    found: int
    carried: int
    ndcg: float
    tokens: int


class Replay(TypedDict):
    """A past session with the settings of now and, where others were asked for, with those."""

    sessionKey: str
    now: Replayed
    other: Replayed | None


EVALUATION = Operation("GET", "/api/evaluation", access.ANALYTICS, Evaluation)
PAST_SESSIONS = Operation("GET", "/api/evaluation/sessions", access.ANALYTICS, PastSessions)
REPLAY = Operation("POST", "/api/evaluation/replay", access.ANALYTICS, Replay)
