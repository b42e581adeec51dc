"""What a session shows of one memory, and what all of them say of it."""

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple


class Reason(StrEnum):
    """What a label rests on, the strongest first; the strings are stored."""

    CORRECTED = "corrected"
    FORGOTTEN = "forgotten"
    RATED = "rated"
    USED = "used"
    #: It was not given, and what it says was used all the same.
    MISSED = "missed"
    ASKED_AGAIN = "asked_again"
    SILENT = "silent"


#: The label and its weight; that of a rating is the rating.
LABELS = {
    Reason.CORRECTED: (-1.0, 1.0),
    Reason.FORGOTTEN: (-1.0, 1.0),
    Reason.USED: (1.0, 1.0),
    Reason.MISSED: (1.0, 1.0),
    Reason.ASKED_AGAIN: (-0.5, 1.0),
    Reason.SILENT: (0.0, 0.0),
}
RATING_WEIGHT = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Label:
    """What a session shows of a memory: -1..1, and how much that counts; `place` is JSON and says where."""

    memory_id: str
    label: float
    weight: float
    reason: Reason
    place: str | None = None
    was_given: bool = True


class Worth(NamedTuple):
    """What sessions say of a memory: it helped in so many of the `times` that something was shown.

    `learned` and `rated` are factors of its score: what sessions show (0.85..1.15), and what agents said (0.3..1).
    """

    helped: int = 0
    times: int = 0
    learned: float = 1.0
    rated: float = 1.0
