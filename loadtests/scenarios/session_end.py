"""How long a harness waits at the end of a session: a transcript of 5 MB, from its file and in the request.

A Claude Code log of turns and tool results is handed over, each time another one, while the worker reads the sessions
that ended before. The floor is the unavoidable work: the file is read, its lines are decoded from JSON, and the
text that the product stores is put into SQLite in one synced commit, by one thread, in turns with the requests of the
same run.

With `--count N` it reads one log of N MB instead, half images and half tool output with a message after each, in a
process that does nothing else: seconds, and MB of memory above what an empty log takes.
"""

import json
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

from loadtests import measure
from loadtests.corpus import Corpus
from loadtests.report import Options, Report
from loadtests.stack import API, SCHEDULER, WORKER, Stack

from signet.db.driver import Connection, connect

MEGABYTES = 5
ROUNDS = 12
SETTINGS = "embedding: {provider: none}\nmemory: {pipelineV2: {extraction: {provider: rules}}}\n"
COLUMNS = ("what", "requests", "p50 ms", "p95 ms", "worst ms")
_READ = """
import json, resource, sys, time
from signet.domain.transcripts import log_files
began = time.perf_counter()
found = log_files.read(log_files.LogFile(sys.argv[1]), None, masks=True)
seconds = time.perf_counter() - began
print(json.dumps([found.messages, seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss]))
"""
_STORED = "SELECT content FROM session_transcripts ORDER BY rowid DESC LIMIT 1"


def run(options: Options) -> Report:
    """Measure and report."""
    if options.count:
        return _long_log(options)
    report = Report(COLUMNS)
    times: dict[str, list[float]] = {"file": [], "request": [], "floor": []}
    logs = _logs(Corpus(options.seed, "session"), options.folder, options.rounds or ROUNDS)
    with Stack(options.folder / "ws", settings=SETTINGS) as stack:
        stack.start(API, WORKER, SCHEDULER)
        floor = _floor(options.folder / "floor.db")
        _end(stack, "warm", {"transcript": "User: hello\nAssistant: hello"})
        for number, log in enumerate(logs):
            by_file = {"transcriptPath": str(log)}
            inline = {"transcript": log.read_text("utf-8")}
            times["file"].append(_end(stack, f"file-{number}", by_file))
            times["request"].append(_end(stack, f"request-{number}", inline))
            times["floor"].append(_write(floor, log, _stored(stack)))
            log.unlink()
        floor.close()
    for name, label in (
        ("file", "session end, transcript in a file"),
        ("request", "session end, transcript in the request"),
        ("floor", "decode the file, store the text in SQLite"),
    ):
        found = times[name]
        shown = [measure.percentile(found, percent) for percent in (50, 95)]
        report.rows.append([label, len(found), *shown, max(found)])
    floor_p50 = measure.median(times["floor"])
    report.figures |= {
        "file_p95_ms": measure.percentile(times["file"], 95),
        "request_p95_ms": measure.percentile(times["request"], 95),
        "file_ratio": measure.ratio(measure.median(times["file"]), floor_p50),
        "request_ratio": measure.ratio(measure.median(times["request"]), floor_p50),
    }
    return report


def _long_log(options: Options) -> Report:
    """Measure the reading of one long log."""
    report = Report(("log", "MB", "messages", "seconds", "MB of memory"))
    empty, whole = options.folder / "empty.jsonl", options.folder / "long.jsonl"
    empty.write_text(_line("user", "Hello."), "utf-8")
    with whole.open("w", encoding="utf-8") as log:
        number = size = 0
        while size < (options.count or 0) * 1_000_000:
            number += 1
            body = (
                "iVBORw0KGgo" * 130_000 if number % 2 else f"line {number} of the output\n" * 60_000
            )
            size += log.write(_line("user", [{"type": "tool_result", "content": body}]))
            size += log.write(_line("assistant", f"Step {number} is done."))
    _, _, base = _read(empty)
    messages, seconds, peak = _read(whole)
    report.rows.append(["half images", size // 1_000_000, messages, seconds, peak - base])
    report.figures |= {"long_log_s": seconds, "long_log_mb": peak - base}
    return report


def _read(log: Path) -> tuple[int, float, float]:
    """Return messages, seconds and peak memory in MB of a process that reads a log."""
    done = subprocess.run(
        [sys.executable, "-c", _READ, str(log)], check=True, capture_output=True, text=True
    )
    messages, seconds, peak = json.loads(done.stdout)
    return messages, seconds, peak / 1_000


def _end(stack: Stack, key: str, fields: dict[str, str]) -> float:
    """End a session and return how long the answer took, in ms; the body is made before."""
    body = json.dumps({"harness": "claude-code", "sessionKey": key, "cwd": "/p", **fields}).encode()
    request = urllib.request.Request(
        f"http://127.0.0.1:{stack.port}/api/hooks/session-end",
        body,
        {"Content-Type": "application/json"},
    )
    began = time.perf_counter()
    with urllib.request.urlopen(request, timeout=30) as answer:
        answer.read()
    return (time.perf_counter() - began) * 1_000


def _stored(stack: Stack) -> str:
    """Return the transcript that was stored last."""
    connection = connect(stack.workspace.database, read_only=True)
    [found] = connection.execute(_STORED).fetchone()
    connection.close()
    return str(found)


def _floor(database: Path) -> Connection:
    connection = connect(database)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("CREATE TABLE texts (id INTEGER PRIMARY KEY, content TEXT NOT NULL)")
    return connection


def _write(connection: Connection, log: Path, text: str) -> float:
    """Return how long decoding the file and storing the text take, in ms."""
    began = time.perf_counter()
    for line in log.read_bytes().splitlines():
        json.loads(line)
    connection.execute("BEGIN IMMEDIATE")
    connection.execute("INSERT INTO texts (content) VALUES (?)", (text,))
    connection.execute("COMMIT")
    return (time.perf_counter() - began) * 1_000


def _logs(corpus: Corpus, folder: Path, count: int) -> Iterator[Path]:
    """Yield logs of Claude Code, each of other texts; a third of the bytes is what tools answered."""
    bodies = corpus.remember_bodies()
    for number in range(count):
        path, size = folder / f"log-{number}.jsonl", 0
        with path.open("w", encoding="utf-8") as log:
            while size < MEGABYTES * 1_000_000:
                said = " ".join(json.loads(next(bodies))["content"] for _ in range(4))
                size += log.write(_line("user", said))
                size += log.write(_line("assistant", [{"type": "text", "text": said[::-1]}]))
                seen = [{"type": "tool_result", "content": said, "tool_use_id": "t"}]
                size += log.write(_line("user", seen))
        yield path


def _line(role: str, content: object) -> str:
    return json.dumps({"type": role, "message": {"role": role, "content": content}}) + "\n"
