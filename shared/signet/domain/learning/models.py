"""Labels of a memory, and their sum."""

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple


class Reason(StrEnum):
    """The reason for a label, the strongest first; the strings are stored."""

    CORRECTED = "corrected"
    FORGOTTEN = "forgotten"
    RATED = "rated"
    USED = "used"
    #: It was omitted, but its content was used anyway.
    MISSED = "missed"
    ASKED_AGAIN = "asked_again"
    SILENT = "silent"


#: The label and its weight; for a rating, the rating.
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
    """A session's label of a memory, -1..1, and its weight; `place` is JSON with the position."""

    memory_id: str
    label: float
    weight: float
    reason: Reason
    place: str | None = None
    was_given: bool = True


class Worth(NamedTuple):
    """The sum of a memory's labels: it helped in `helped` of `times` sessions.

    `learned` and `rated` are factors of its score: from sessions (0.85..1.15), and from agents' ratings (0.3..1).
    """

    helped: int = 0
    times: int = 0
    learned: float = 1.0
    rated: float = 1.0
