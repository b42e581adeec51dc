"""Reports and the talks that decided what they need, and such talks as they stand in long sessions.

In a long session they stand between exchanges about other things, in which an agent gives long answers: of BEAM
(`../shared/data`), drawn the same in each run.
"""

import json
import random
from pathlib import Path
from typing import NotRequired, TypedDict

from loadtests.evidence import conversations

#: Tasks of our own about other software, on which no threshold was set: decided in talk, amended, saved, in a document.
OWN = Path(__file__).parent / "own_tasks.json"
#: Exchanges before a talk and behind it.
BESIDE = 6
SEED = 3


class Turn(TypedDict):
    """What one side said."""

    role: str
    text: str


class Commit(TypedDict):
    """A commit message."""

    subject: str
    body: str


class Decoy(TypedDict):
    """A conversation that no task is about."""

    id: str
    topic: str
    turns: list[Turn]


class Task(TypedDict):
    """A report, the rule it needs, and where that rule was decided."""

    id: str
    source: str
    policy: str
    report: str
    conversations: list[list[Turn]]
    commit: Commit | None
    #: Of our own tasks: where it was saved by hand, or stands in a document.
    saved: NotRequired[list[str]]
    document: NotRequired[dict[str, str] | None]


def own_tasks() -> list[Task]:
    """Return the tasks of our own."""
    tasks: list[Task] = json.loads(OWN.read_text())
    for task in tasks:
        task["source"] = "own"
    return tasks


class Exchanges:
    """What else is talked about."""

    def __init__(self, data: Path) -> None:
        """Read the exchanges; `data` holds the sets."""
        self._random = random.Random(SEED)
        self._talks: list[list[Turn]] = []
        for talk in conversations(data, "beam-100k", "turns"):
            turns = [
                Turn(role="user" if item["who"] == "user" else "assistant", text=item["text"])
                for item in talk.items
            ]
            if len(turns) > 4 * BESIDE:
                self._talks.append(turns)

    def around(self, turns: list[Turn]) -> list[Turn]:
        """Return a talk with exchanges about other things before it and behind it."""
        return [*self._drawn(), *turns, *self._drawn()]

    def _drawn(self) -> list[Turn]:
        talk = self._random.choice(self._talks)
        first = next(at for at, turn in enumerate(talk) if turn["role"] == "user")
        at = self._random.randrange(first, len(talk) - 2 * BESIDE, 2)
        return talk[at : at + 2 * BESIDE]
