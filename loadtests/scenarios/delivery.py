"""Measure how much of a decision from an earlier session reaches the agent, by default, through the hooks.

Plays `sde` of the evaluation data: conversations about software, and bug reports whose fix depends on a rule that one
of those conversations, or a commit, decided. Every conversation is a Claude Code transcript submitted at a session
end; after the background work, each report is the first prompt of a new session of the same project. *Carried* is the
share of the rule's own words (those not in the report) in what `session-start` and `user-prompt-submit` inject.

Five stores, so that no task is answered by another task's wording of the same rule: decisions in conversations, the
same in long sessions (`tasks.py`), decisions amended by a later conversation, decisions in commit messages, for which
the project is a git repository, and our own tasks (`own_tasks.json`), some of them saved by hand or in a document. In
the same run: the floor, the conversation that plain BM25 ranks first, cut at 4,000 characters; and the ceiling,
everything from the conversation with the decision (a rule may use words that do not occur in it).

Also: how many unrelated prompts (questions of LoCoMo) receive anything, and repetitions in a session of ten prompts.
"""

import gzip
import itertools
import json
import math
import re
import subprocess
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from loadtests import measure
from loadtests.evidence import conversations
from loadtests.quality import Client
from loadtests.report import Options, Report
from loadtests.stack import API, SCHEDULER, WORKER, Stack
from loadtests.tasks import Commit, Decoy, Exchanges, Task, Turn, own_tasks

from signet.db import fts
from signet.db.driver import connect

COLUMNS = (
    "tasks",
    "count",
    "start %",
    "prompt %",
    "both %",
    ">= 90 %",
    "chars",
    "BM25 %",
    "said %",
    "said >= 90 %",
)
#: Length of the floor's text.
FLOOR_CHARS = 4_000
#: Number of unrelated prompts.
UNRELATED = 100
PROMPTS_OF_A_SESSION = 10
#: The store of long sessions, and its number of unrelated conversations.
LONG, LONG_DECOYS = "conversation-long", 60
#: Maximum wait for the background work of a store.
DRAIN_SECONDS = 1_200.0
#: Characters per token, as in the product.
TOKEN_CHARS = 4
#: Shorter lines (headings, marks) do not count as repetitions.
LEAST_LINE = 25
#: Date of the first conversation; each next one is a day later.
FIRST_DAY = datetime(2026, 1, 5, 9, 0, tzinfo=UTC)
_OPEN = "SELECT count(*) FROM memory_jobs WHERE status IN ('pending', 'leased')"
_WORD = re.compile(r"[a-z0-9_]+(?:[.'][a-z0-9_]+)*")


@dataclass(slots=True)
class Tally:
    """Results over the tasks of one kind; shares between 0 and 1."""

    start: list[float] = field(default_factory=list)
    prompt: list[float] = field(default_factory=list)
    both: list[float] = field(default_factory=list)
    floor: list[float] = field(default_factory=list)
    said: list[float] = field(default_factory=list)
    chars: list[int] = field(default_factory=list)


def run(options: Options) -> Report:
    """Measure and report."""
    report = Report(COLUMNS)
    with gzip.open(options.data / "sde" / "sde.json.gz", "rt") as stream:
        data = json.load(stream)
    tasks: list[Task] = [*data["tasks"], *own_tasks()]
    times: dict[str, list[float]] = {"session-start": [], "user-prompt-submit": []}
    for source in ("conversation", LONG, "conversation-amended", "history", "own"):
        chosen = [task for task in tasks if task["source"] == source.removesuffix("-long")]
        decoys: list[Decoy] = data["decoys"]
        if source == LONG:
            exchanges = Exchanges(options.data)
            decoys = [
                {**one, "turns": exchanges.around(one["turns"])} for one in decoys[:LONG_DECOYS]
            ]
            chosen = [
                {**task, "conversations": [*map(exchanges.around, task["conversations"])]}
                for task in chosen
            ]
        with Stack(options.folder / source) as stack:
            project = _project(options.folder / f"project-{source}", decoys, chosen)
            stack.start(API, WORKER, SCHEDULER)
            hand_over(stack, project, decoys, chosen)
            Client(stack.port, stack.workspace).await_model()
            tally = Tally()
            for task in chosen:
                _ask(stack, project, task, tally, times)
            _floor(tally, decoys, chosen)
            if source == "conversation":
                _silence(report, stack, project, options)
                _repeats(report, stack, project, chosen)
        _row(report, source, tally)
    for name, taken in times.items():
        report.figures[f"{name}_p95_ms"] = measure.percentile(taken, 95)
    return report


class Session:
    """A session as a harness plays it, hook by hook."""

    def __init__(self, stack: Stack, project: Path, key: str) -> None:
        self._client = Client(stack.port, stack.workspace)
        self._said = {"harness": "claude-code", "sessionKey": key, "cwd": str(project)}

    def call(self, hook: str, **fields: object) -> str:
        """Return the text that a hook injects."""
        answer = self._client.post(
            f"/api/hooks/{hook}", {**self._said, "runtimePath": "legacy", **fields}
        )
        return str(answer.get("inject") or "")


def words(text: str) -> set[str]:
    """Return the content words of a text."""
    return {word for word in _WORD.findall(text.lower()) if word not in fts.STOP_WORDS}


def carried(task: Task, injected: str) -> float:
    """Return the share of the rule's own words in a text."""
    # The data set's mark of amended rules, not part of any message.
    rule = words(task["policy"].replace("(post-amendment)", "")) - words(task["report"])
    return len(rule & words(injected)) / len(rule)


def _ask(
    stack: Stack, project: Path, task: Task, tally: Tally, times: dict[str, list[float]]
) -> None:
    session = Session(stack, project, f"task-{task['id']}")
    texts = []
    for hook, fields in (
        ("session-start", {"source": "startup"}),
        ("user-prompt-submit", {"userPrompt": task["report"]}),
    ):
        began = time.perf_counter()
        texts.append(session.call(hook, **fields))
        times[hook].append((time.perf_counter() - began) * 1_000)
    tally.start.append(carried(task, texts[0]))
    tally.prompt.append(carried(task, texts[1]))
    tally.both.append(carried(task, "\n".join(texts)))
    tally.chars.append(sum(map(len, texts)))


def hand_over(stack: Stack, project: Path, decoys: Sequence[Decoy], tasks: Sequence[Task]) -> None:
    """End a session for each conversation, the tasks' among the others, and wait for the work."""
    told = [decoy["turns"] for decoy in decoys]
    step = max(1, len(told) // max(1, len(tasks)))
    for number, task in enumerate(tasks):
        for part, turns in enumerate(task["conversations"]):
            # An amendment follows what it amends.
            told.insert(min(len(told), number * step + part * len(decoys) // 2), turns)
    for number, turns in enumerate(told):
        path = project.parent / f"{project.name}.jsonl"
        path.write_text(_transcript(turns, project, FIRST_DAY + timedelta(days=number)))
        session = Session(stack, project, f"talk-{number}")
        session.call("session-start", source="startup")
        session.call("session-end", transcriptPath=str(path), reason="other")
    client = Client(stack.port, stack.workspace)
    for task in tasks:
        for text in task.get("saved", ()):
            client.post("/api/memory/remember", {"content": text, "project": str(project)})
        if document := task.get("document"):
            client.post("/api/documents", {"source_type": "text", **document})
    await_rest(stack)


def await_rest(stack: Stack) -> None:
    """Return when no job is open; raises TimeoutError after DRAIN_SECONDS."""
    connection = connect(stack.workspace.database, read_only=True)
    until = time.monotonic() + DRAIN_SECONDS
    while connection.execute(_OPEN).fetchone()[0]:
        if time.monotonic() > until:
            raise TimeoutError(f"jobs are still open: see {stack.workspace.log_dir}")
        time.sleep(0.5)
    connection.close()


def _transcript(turns: Iterable[Turn], project: Path, begun: datetime) -> str:
    """Return a conversation as a Claude Code log, a minute per turn."""
    lines = []
    for number, turn in enumerate(turns):
        said_at = begun + timedelta(minutes=number)
        message = {"role": turn["role"], "content": turn["text"]}
        line = {
            "type": turn["role"],
            "message": message,
            "cwd": str(project),
            "timestamp": said_at.isoformat().replace("+00:00", "Z"),
        }
        lines.append(json.dumps(line) + "\n")
    return "".join(lines)


def _project(path: Path, decoys: Sequence[Decoy], tasks: Sequence[Task]) -> Path:
    """Create the project: a folder, or a git repository if commits decided its tasks."""
    path.mkdir()
    commits = [task["commit"] for task in tasks if task["commit"]]
    if not commits:
        return path
    noise = [Commit(subject=one["topic"], body=one["turns"][0]["text"]) for one in decoys]
    step = len(noise) // len(commits)
    for number, commit in enumerate(commits):
        noise.insert(number * step, commit)
    env = {"GIT_AUTHOR_NAME": "a", "GIT_COMMITTER_NAME": "a", "HOME": str(path)}
    env |= {"GIT_AUTHOR_EMAIL": "a@example.org", "GIT_COMMITTER_EMAIL": "a@example.org"}
    subprocess.run(["git", "init", "-q", str(path)], check=True, env=env)
    for number, commit in enumerate(noise):
        at = (FIRST_DAY + timedelta(days=number)).isoformat()
        message = f"{commit['subject']}\n\n{commit['body']}"
        subprocess.run(
            ["git", "-C", str(path), "commit", "-q", "--allow-empty", "-m", message],
            check=True,
            env=env | {"GIT_AUTHOR_DATE": at, "GIT_COMMITTER_DATE": at},
        )
    return path


def _floor(tally: Tally, decoys: Sequence[Decoy], tasks: Sequence[Task]) -> None:
    """Score the conversation (or commit) that plain BM25 ranks first, whole."""
    texts = ["\n".join(turn["text"] for turn in decoy["turns"]) for decoy in decoys]
    for task in tasks:
        texts += ["\n".join(turn["text"] for turn in turns) for turns in task["conversations"]]
        texts += _written(task)
        if task["commit"]:
            texts.append(f"{task['commit']['subject']}\n\n{task['commit']['body']}")
    ranking = Bm25(texts)
    for task in tasks:
        tally.floor.append(carried(task, ranking.best(task["report"])[:FLOOR_CHARS]))
        said = [turn["text"] for turns in task["conversations"] for turn in turns]
        said += _written(task)
        commit = task["commit"]
        said += [commit["subject"], commit["body"]] if commit else []
        tally.said.append(carried(task, "\n".join(said)))


def _written(task: Task) -> list[str]:
    document = task.get("document")
    return [*task.get("saved", ()), *([document["content"]] if document else [])]


class Bm25:
    """Okapi BM25 over whole texts (Robertson et al. 1995), k1 = 1.2, b = 0.75."""

    K1, B = 1.2, 0.75

    def __init__(self, texts: Sequence[str]) -> None:
        self._texts = texts
        self._counts = [Counter(_WORD.findall(text.lower())) for text in texts]
        self._mean = sum(count.total() for count in self._counts) / len(texts)
        self._having = Counter(word for count in self._counts for word in count)

    def best(self, query: str) -> str:
        """Return the best text."""
        return self._ranked(query)[0]

    def page(self, query: str, chars: int) -> str:
        """Return the best texts up to a total length."""
        kept: list[str] = []
        for text in self._ranked(query):
            chars -= len(text) + 1
            if chars < 0:
                break
            kept.append(text)
        return "\n".join(kept)

    def _ranked(self, query: str) -> list[str]:
        asked = words(query)
        scores = [self._score(asked, count) for count in self._counts]
        order = sorted(range(len(scores)), key=scores.__getitem__, reverse=True)
        return [self._texts[at] for at in order]

    def _score(self, asked: set[str], count: Counter[str]) -> float:
        length = self.K1 * (1 - self.B + self.B * count.total() / self._mean)
        return sum(
            self._rarity(word) * count[word] * (self.K1 + 1) / (count[word] + length)
            for word in asked
            if count[word]
        )

    def _rarity(self, word: str) -> float:
        having = self._having[word]
        return math.log(1 + (len(self._texts) - having + 0.5) / (having + 0.5))


def _silence(report: Report, stack: Stack, project: Path, options: Options) -> None:
    """Count the unrelated prompts that receive anything."""
    asked = [
        question["text"]
        for talk in conversations(options.data, "locomo", "turns")
        for question in talk.questions
    ]
    chosen = asked[:: max(1, len(asked) // UNRELATED)][:UNRELATED]
    answered = 0
    for number, text in enumerate(chosen):
        session = Session(stack, project, f"other-{number}")
        session.call("session-start", source="startup")
        answered += bool(session.call("user-prompt-submit", userPrompt=text))
    report.figures["unrelated_prompts_answered"] = answered / len(chosen)


def _repeats(report: Report, stack: Stack, project: Path, tasks: Sequence[Task]) -> None:
    """Play one session of ten prompts: repetitions, and the time of later prompts."""
    session = Session(stack, project, "ten-prompts")
    starts = [session.call("session-start", source="startup")]
    told = [
        session.call("user-prompt-submit", userPrompt=task["report"])
        for task in itertools.islice(itertools.cycle(tasks), PROMPTS_OF_A_SESSION)
    ]
    lines = Counter(
        line.strip()
        for text in starts + told
        for line in text.splitlines()
        if len(line.strip()) >= LEAST_LINE
    )
    report.figures |= {
        "lines_said_twice": sum(count - 1 for count in lines.values()),
        "later_prompt_tokens_worst": max(map(len, told[1:])) / TOKEN_CHARS,
    }


def _row(report: Report, source: str, tally: Tally) -> None:
    def mean(values: Sequence[float]) -> float:
        return 100 * sum(values) / len(values)

    whole = mean([share >= 0.9 for share in tally.both])
    chars = sum(tally.chars) / len(tally.chars)
    shares = [mean(found) for found in (tally.start, tally.prompt, tally.both)]
    ceiling = [mean(tally.said), mean([share >= 0.9 for share in tally.said])]
    report.rows.append(
        [source, len(tally.both), *shares, whole, chars, mean(tally.floor), *ceiling]
    )
    name = source.replace("-", "_")
    report.figures |= {
        f"{name}_carried": shares[2],
        f"{name}_carried_90": whole,
        f"{name}_chars": chars,
    }
