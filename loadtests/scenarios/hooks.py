"""Time the hooks of a session: its start, each prompt, compaction, and end.

A client plays sessions one after another over many memories and waits for each answer, as a harness does: first on an
idle daemon, then while the worker drains a backlog. The floor is the unavoidable work: for a context, reading the
newest memories and writing its rows in one commit; for a prompt, its bare FTS5 query and writing one row, in this
process and in a copy of the file. The command is also started, as a harness does; its floor is a Python that does
nothing.
"""

import json
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

from loadtests import fill, measure
from loadtests.corpus import Corpus
from loadtests.report import Options, Report
from loadtests.stack import API, SCHEDULER, WORKER, Stack, environment

from signet.db import fts
from signet.db.driver import Connection, connect
from signet.providers.native import install

MEMORIES = 10_000
SESSIONS = 12
PROMPTS = 6
#: Sentences of a descriptive prompt: about 200 words, of which 50 count.
LONG = 20
STARTS = 12
#: Saved for the busy half, each with an extraction job and an embedding job.
BACKLOG = 2_500
#: Measuring starts when the worker has its model and has run this many jobs, or after this time.
DRAINED, START_SECONDS = 100, 30.0
#: Seconds for the model to load after the first question.
WARM_SECONDS = 5.0
LONG_PROMPT = "user-prompt-submit, long"
HOOKS = (
    "session-start",
    "user-prompt-submit",
    LONG_PROMPT,
    "pre-compaction",
    "compaction-complete",
    "session-end",
)
COLUMNS = ("what", "requests", "p50 ms", "p95 ms", "worst ms")
FILES = {
    "AGENTS.md": 12_000,
    "SOUL.md": 4_000,
    "IDENTITY.md": 2_000,
    "USER.md": 6_000,
    "MEMORY.md": 10_000,
}
_OPEN = "SELECT count(*) FROM memory_jobs WHERE status IN ('pending', 'leased')"
_NEWEST = """
SELECT id, content, type, tags, importance, pinned, created_at, last_accessed FROM memories
 WHERE is_deleted = 0 ORDER BY created_at DESC LIMIT 100"""
_MATCH = "SELECT rowid, rank FROM memories_fts WHERE memories_fts MATCH ? ORDER BY rank LIMIT 10"
_OFFER = """
INSERT INTO session_memories (id, session_key, memory_id, rank, created_at) VALUES (?, ?, ?, ?, '2026-05-01')"""


def run(options: Options) -> Report:
    """Measure and report."""
    report = Report(COLUMNS)
    times: dict[str, list[float]] = {name: [] for name in HOOKS}
    corpus = Corpus(options.seed)
    has_model = install.status().state is install.InstallState.READY
    if not has_model:
        report.notes.append("vectors skipped: the model is not installed (signet models install)")
    settings = "" if has_model else fill.NO_MODEL
    with Stack(options.folder / "ws", settings=settings) as stack:
        count = options.count or MEMORIES
        fill.memories(stack.workspace, corpus, count, jobs=False, vectors=has_model)
        for name, chars in FILES.items():
            (stack.workspace.root / name).write_text(
                "A line of forty characters, more or less.\n" * (chars // 42)
            )
        stack.start(API)
        until = time.monotonic() + (WARM_SECONDS if has_model else 1.0)
        while time.monotonic() < until:
            _play(stack, corpus, f"warm-{time.monotonic_ns()}", {name: [] for name in HOOKS})
        for number in range(options.rounds or SESSIONS):
            _play(stack, corpus, f"s{number}", times)
        commands = _commands(stack)
        busy, left = _busy(stack, corpus, options)
        floors = _floors(stack, corpus, options.folder / "floor.db")
    for name in HOOKS:
        _row(report, name, times[name])
    for name in HOOKS:
        _row(report, f"{name}, worker busy", busy[name])
    for name, found in {**commands, **floors}.items():
        _row(report, name, found)
    _judge(report, times, commands, floors)
    report.figures |= {
        "busy_start_p95_ms": measure.percentile(busy["session-start"], 95),
        "long_prompt_p95_ms": measure.percentile(times[LONG_PROMPT], 95),
        "busy_prompt_p95_ms": measure.percentile(busy["user-prompt-submit"], 95),
        "jobs_left": float(left),
    }
    return report


def _busy(stack: Stack, corpus: Corpus, options: Options) -> tuple[dict[str, list[float]], int]:
    """Return the times of sessions while a worker drains, and the number of remaining jobs."""
    times: dict[str, list[float]] = {name: [] for name in HOOKS}
    stack.start(WORKER, SCHEDULER)
    fill.backlog(stack.workspace, Corpus(options.seed, "backlog"), BACKLOG)
    until = time.monotonic() + START_SECONDS
    while _open_jobs(stack) > 2 * BACKLOG - DRAINED and time.monotonic() < until:
        time.sleep(0.1)
    for number in range(options.rounds or SESSIONS):
        _play(stack, corpus, f"busy-{number}", times)
    left = _open_jobs(stack)
    stack.stop(WORKER)
    stack.stop(SCHEDULER)
    return times, left


def _open_jobs(stack: Stack) -> int:
    connection = connect(stack.workspace.database, read_only=True)
    count = int(connection.execute(_OPEN).fetchone()[0])
    connection.close()
    return count


def _judge(
    report: Report,
    times: dict[str, list[float]],
    commands: dict[str, list[float]],
    floors: dict[str, list[float]],
) -> None:
    start, prompt = times["session-start"], times["user-prompt-submit"]
    command, python = commands["command of a prompt"], commands["python that does nothing"]
    report.figures |= {
        "start_p95_ms": measure.percentile(start, 95),
        "prompt_p95_ms": measure.percentile(prompt, 95),
        "start_ratio": measure.ratio(
            measure.median(start), measure.median(floors["floor of a start"])
        ),
        "prompt_ratio": measure.ratio(
            measure.median(prompt), measure.median(floors["floor of a prompt"])
        ),
        "command_p50_ms": measure.median(command),
        "command_ratio": measure.ratio(measure.median(command), measure.median(python)),
    }


def _play(stack: Stack, corpus: Corpus, key: str, times: dict[str, list[float]]) -> None:
    """Play a session and record the time of each answer."""

    def call(name: str, **fields: object) -> None:
        body = {"harness": "claude-code", "sessionKey": key, "project": "/work/heron", **fields}
        request = urllib.request.Request(
            f"http://127.0.0.1:{stack.port}/api/hooks/{name.partition(',')[0]}",
            json.dumps(body).encode(),
            {"Content-Type": "application/json", "x-signet-runtime-path": "legacy"},
        )
        began = time.perf_counter()
        with urllib.request.urlopen(request, timeout=30) as answer:
            answer.read()
        times[name].append((time.perf_counter() - began) * 1_000)

    call("session-start", context=corpus.question())
    said: list[str] = []
    for _ in range(PROMPTS):
        asked = corpus.question()
        call("user-prompt-submit", userPrompt=asked)
        said += [f"User: {asked}", f"Assistant: {corpus.memory(len(said))}"]
    call(LONG_PROMPT, userPrompt=" ".join(corpus.question() for _ in range(LONG)))
    call("pre-compaction")
    call("compaction-complete", summary=f"{key}: {' '.join(said[:2])}")
    call("session-end", transcript="\n".join(said))


def _commands(stack: Stack) -> dict[str, list[float]]:
    """Return ms of the prompt command and of a Python that does nothing, in turns.

    Modules are compiled, as those of an installed package are.
    """
    env = environment(stack.workspace, stack.port)
    env.pop("PYTHONDONTWRITEBYTECODE", None)
    env["PYTHONPYCACHEPREFIX"] = str(stack.workspace.root / "compiled")
    command = [sys.executable, "-m", "signet.cli.main", "hook", "user-prompt-submit", "-H", "codex"]
    took: dict[str, list[float]] = {"command of a prompt": [], "python that does nothing": []}
    said = json.dumps({"session_id": "cli", "prompt": "ok"}).encode()
    subprocess.run(command, input=said, env=env, check=True, stdout=subprocess.DEVNULL)
    for _ in range(STARTS):
        for name, words in (
            ("command of a prompt", command),
            ("python that does nothing", [sys.executable, "-c", "pass"]),
        ):
            began = time.perf_counter()
            subprocess.run(words, input=said, env=env, check=True, stdout=subprocess.DEVNULL)
            took[name].append((time.perf_counter() - began) * 1_000)
    return took


def _floors(stack: Stack, corpus: Corpus, path: Path) -> dict[str, list[float]]:
    """Return ms of the bare reads and writes, in a copy of the file."""
    source = connect(stack.workspace.database, read_only=True)
    source.execute("VACUUM INTO ?", (str(path),))
    source.close()
    connection = connect(path)
    start, prompt = [], []
    for number in range(100):
        began = time.perf_counter()
        rows = connection.execute(_NEWEST).fetchall()
        _write(connection, f"start-{number}", [row[0] for row in rows])
        start.append((time.perf_counter() - began) * 1_000)
        match = fts.any_of(fts.content_words(corpus.question()))
        began = time.perf_counter()
        connection.execute(_MATCH, (match,)).fetchall()
        _write(connection, f"prompt-{number}", ["m"])
        prompt.append((time.perf_counter() - began) * 1_000)
    connection.close()
    return {"floor of a start": start, "floor of a prompt": prompt}


def _write(connection: Connection, key: str, memory_ids: list[str]) -> None:
    connection.execute("BEGIN IMMEDIATE")
    connection.executemany(
        _OFFER, [(f"{key}-{rank}", key, one, rank) for rank, one in enumerate(memory_ids)]
    )
    connection.execute("COMMIT")


def _row(report: Report, name: str, found: list[float]) -> None:
    shown = [measure.percentile(found, percent) for percent in (50, 95)]
    report.rows.append([name, len(found), *shown, max(found)])
