"""What a context is asked for."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

from signet.db import ReadTx
from signet.db.visibility import Here, Reader
from signet.domain.agents import registry as agents
from signet.domain.episodes import fence
from signet.domain.episodes.models import Match
from signet.domain.sessions import prompt_text

#: What the name of a single turn has behind that of its source (`recall/turns.py`).
_TURN = re.compile(r"#\d+\.\d+$")

#: By this a session knows that it was told what the block is.
EXPLAINED = "explained"


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """Who asks for the context of what. `given` is what its session was given before; `key` is that session.

    `chars` bounds the whole block, `line_chars` the memories in it that are told in a line each.
    """

    agent_id: str
    message: str
    terms: Sequence[str]
    chars: int
    line_chars: int
    key: str | None = None
    #: Where the session works; None for a program that asks for every project.
    here: Here | None = None
    given: Collection[str] = ()
    #: A project that everything must be of, and the scope of memories.
    only: str | None = None
    scope: str | None = None
    #: Most memories in lines of their own, the score that the best of them must have (None: as set for prompts), and
    #: whether they are told whole.
    limit: int = prompt_text.MOST_ITEMS
    min_score: float | None = None
    is_whole: bool = False
    #: The memories of that time; None for those of now.
    as_of: datetime | None = None
    #: Nothing but rules is told, so that the session can be compared with others.
    is_held_out: bool = False

    @property
    def is_first(self) -> bool:
        """Return whether the session was given no earlier work yet."""
        return is_first(self.given)

    @property
    def explains(self) -> bool:
        """Return whether the session was not told yet what the block is, and saying it takes at most half of the room.

        Without room for earlier work memories have their own.
        """
        frame = len(fence.enclosed(["-"], is_first=True))
        return EXPLAINED not in self.given and (not self.chars or self.chars >= 2 * frame)

    @property
    def episodes(self) -> frozenset[str]:
        """Return the names of the sources of which the session was told something."""
        return frozenset(
            _TURN.sub("", one.removeprefix("episode:"))
            for one in self.given
            if one.startswith("episode:")
        )

    def knows(self, match: Match) -> bool:
        """Return whether the session was told the whole source, or of the chunk that the message is about."""
        whole = f"episode:{match.source.name}"
        here = match.source.part(match.position, 0).removesuffix("0")
        return whole in self.given or any(one.startswith(here) for one in self.given)

    @property
    def project(self) -> str | None:
        """Return the project that earlier work must be of, empty for work outside of one, None for any."""
        return self.only or (self.here.project if self.here else None)

    def reader(self, tx: ReadTx) -> Reader:
        """Return who reads for the question."""
        return agents.reader(tx, self.agent_id, scope=self.scope, here=self.here)


def is_first(given: Collection[str]) -> bool:
    """Return whether a session was given no episodes yet."""
    return not any(one.startswith("episode:") for one in given)
