"""A year of Claude Code sessions from templates: messages, and ten times as much tool output.

Each session makes one unique decision, which can be asked for and counted.
"""

import json
import os
import random
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from loadtests.corpus import Corpus

PROJECTS = 12
#: Share of a log that is messages; the rest is tool output.
SPOKEN_SHARE = 0.06
_CODE = (
    "def {part}_{number}(rows: list[Row], *, limit: int = {number}) -> Report:",
    '    """Return what the {part} needs of its rows."""',
    "    kept = [row for row in rows if row.state != State.DONE][:limit]",
    "    return Report(count=len(kept), newest=max(row.at for row in kept))",
    "INFO {part} worker={number} took={number}ms queue={part}.default retries=0",
    "PASSED tests/{part}/test_{part}.py::test_case_{number} in 0.0{number}s",
)
_ASKS = (
    "Can you look at this again? {said}",
    "{said} Please keep that in mind for the next change.",
    "I tried it on my machine. {said} Does the test still pass?",
)
_ANSWERS = (
    "I have read the module. {said} {more} The tests pass, and the change is small.",
    "There were two places. {said} {more} I left the public names as they are.",
    "Done. {said} {more} Shall I open the pull request?",
)


@dataclass(frozen=True, slots=True)
class Told:
    """A generated session: its key and project, and a question about its decision with the answer."""

    key: str
    project: str
    question: str
    answer: str


def write(home: Path, *, sessions: int, bytes: int, seed: int, now: datetime) -> list[Told]:
    """Write logs of `sessions` sessions below a home, `bytes` in total; return them, newest first."""
    made = []
    for number in range(sessions):
        pick = random.Random(f"{seed}:{number}")
        at = now - timedelta(hours=2, days=number * 365 / sessions)
        size = int(bytes / sessions * pick.uniform(0.4, 1.6))
        project = str(home / "work" / f"project{number % PROJECTS}")
        made.append(_session(home, number, project, at, size, pick, Corpus(seed, f"h{number}-")))
    return made


def _session(
    home: Path, number: int, project: str, at: datetime, size: int, pick: random.Random, of: Corpus
) -> Told:
    key = f"{number:08x}-0000-4000-8000-{number:012x}"
    name, seconds = f"quill{number:04d} bridge", pick.randrange(11, 97)
    decided = (
        f"We decided that the {name} waits {seconds} seconds before it tries again, never longer."
    )
    folder = home / ".claude" / "projects" / project.replace("/", "-")
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{key}.jsonl"
    with path.open("w", encoding="utf-8") as log:
        written = spoken = step = 0
        while written < size:
            at += timedelta(seconds=pick.randrange(5, 40))
            if spoken <= written * SPOKEN_SHARE:
                said = decided if step == 3 else of.memory(step)
                user = pick.choice(_ASKS).format(said=said)
                agent = pick.choice(_ANSWERS).format(said=of.memory(step), more=of.memory(step))
                spoken += len(user) + len(agent)
                written += log.write(_line(key, project, at, "user", user))
                told = [{"type": "text", "text": agent}]
                written += log.write(_line(key, project, at, "assistant", told))
                step += 1
            else:
                call = {
                    "type": "tool_use",
                    "id": f"t{written}",
                    "name": "Read",
                    "input": {"path": "x"},
                }
                written += log.write(_line(key, project, at, "assistant", [call]))
                result = {
                    "type": "tool_result",
                    "tool_use_id": f"t{written}",
                    "content": _tool(pick),
                }
                written += log.write(_line(key, project, at, "user", [result]))
    os.utime(path, (at.timestamp(), at.timestamp()))
    question = f"How long does the {name} wait before it tries again?"
    return Told(key, project, question, f"{name} waits {seconds} seconds")


def _tool(pick: random.Random) -> str:
    return "\n".join(_lines(pick, pick.randrange(20, 120)))


def _lines(pick: random.Random, count: int) -> Iterator[str]:
    for _ in range(count):
        words = {"part": pick.choice(("billing", "search", "import")), "number": pick.randrange(99)}
        yield pick.choice(_CODE).format(**words)


def _line(key: str, project: str, at: datetime, role: str, content: object) -> str:
    record = {
        "type": role,
        "sessionId": key,
        "cwd": project,
        "isSidechain": False,
        "timestamp": at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.000Z"),
        "message": {"role": role, "content": content},
    }
    return json.dumps(record) + "\n"
