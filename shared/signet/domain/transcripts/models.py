"""A session as its harness hands it over."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """What a harness hands over of a session; `text` is normalized and may be empty."""

    agent_id: str
    key: str
    harness: str
    project: str | None
    text: str
    #: A turn has handed it over, and the session goes on (see merge.py).
    is_turn: bool = False
    #: The steps of its log as they are stored (see steps.py).
    steps: str = ""
    #: The kinds of secrets that were replaced in the text.
    masked: tuple[str, ...] = ()
