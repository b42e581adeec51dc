"""Reports and the conversations with their decisions, also as parts of long sessions.

In a long session they are placed between unrelated exchanges with long answers, drawn from BEAM (`../shared/data`),
the same in each run.
"""

import json
import random
from pathlib import Path
from typing import NotRequired, TypedDict

from loadtests.evidence import conversations

#: Our own tasks about other software, without thresholds: decided in conversations, amended, saved, or in a document.
OWN = Path(__file__).parent / "own_tasks.json"
#: Unrelated exchanges before and after a conversation.
BESIDE = 6
SEED = 3


class Turn(TypedDict):
    """One message."""

    role: str
    text: str


class Commit(TypedDict):
    """A commit message."""

    subject: str
    body: str


class Decoy(TypedDict):
    """An unrelated conversation."""

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
    #: For our own tasks: texts saved by hand, or in a document.
    saved: NotRequired[list[str]]
    document: NotRequired[dict[str, str] | None]


def own_tasks() -> list[Task]:
    """Return our own tasks."""
    tasks: list[Task] = json.loads(OWN.read_text())
    for task in tasks:
        task["source"] = "own"
    return tasks


class Exchanges:
    """Unrelated exchanges."""

    def __init__(self, data: Path) -> None:
        """Read the exchanges; `data` contains the sets."""
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
        """Return a conversation between unrelated exchanges."""
        return [*self._drawn(), *turns, *self._drawn()]

    def _drawn(self) -> list[Turn]:
        talk = self._random.choice(self._talks)
        first = next(at for at, turn in enumerate(talk) if turn["role"] == "user")
        at = self._random.randrange(first, len(talk) - 2 * BESIDE, 2)
        return talk[at : at + 2 * BESIDE]
