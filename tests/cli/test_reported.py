"""Faults that people reported of memory systems, each as a person meets it: by commands, hooks and their files."""

import gzip
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from uuid import uuid4

import pytest

from cli.program import PATIENT, SETTINGS, Program, running
from support.processes import eventually
from support.repositories import a_repository, needs_git

AT = "2026-11-22T09:00:{:02}Z"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Program]:
    with running(tmp_path_factory.mktemp("home")) as program:
        yield program


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "atlas"
    path.mkdir()
    return path


def hook(
    program: Program, name: str, folder: Path, harness: str = "claude-code", **said: object
) -> str:
    """Run a hook as a harness does, and return what it prints."""
    stdin = json.dumps({"session_id": uuid4().hex, "cwd": str(folder), **said})
    flags = ("-H", harness, "--project", str(folder))
    done = program.run("hook", name, *flags, stdin=stdin, **PATIENT)
    assert done.status == 0, done.err
    return done.out


def asked(program: Program, prompt: str, folder: Path, **said: object) -> str:
    return hook(program, "user-prompt-submit", folder, "claude-code", prompt=prompt, **said)


def logged(path: Path, key: str, folder: Path, *texts: str) -> Path:
    """Write a log of Claude Code with messages of the user and the agent in turns."""
    roles = ("user", "assistant")
    lines = [
        {
            "type": roles[n % 2],
            "sessionId": key,
            "cwd": str(folder),
            "timestamp": AT.format(n),
            "message": {"role": roles[n % 2], "content": text},
        }
        for n, text in enumerate(texts)
    ]
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    return path


def held(program: Program, folder: Path, *texts: str, key: str = "") -> str:
    """Hold a session and return its key once it is stored."""
    key = key or uuid4().hex
    log = logged(folder.parent / f"{key}.jsonl", key, folder, *texts)
    hook(program, "session-end", folder, session_id=key, transcript_path=str(log), reason="other")
    eventually(lambda: texts[-1][:60] in shown(program, key))
    return key


def shown(program: Program, key: str) -> str:
    return program.run("sessions", "show", key).out


def remember(program: Program, *texts: str) -> None:
    for text in texts:
        assert program.run("remember", "-", stdin=text).status == 0


def chosen(program: Program, request: str) -> list[str]:
    """Return what a request to forget by words would take."""
    found = program.run("forget", "--query", request, "--dry-run", "--json").json()
    return sorted(one["content"] for one in found["candidates"])


@pytest.mark.parametrize(
    ("older", "newer", "question"),
    [
        (
            "Our builds run on Jenkins.",
            "We migrated the builds from Jenkins to Buildkite.",
            "What do our builds run on?",
        ),
        (
            "Error reporting goes to Sentry.",
            "Sentry was cancelled; error reporting goes to Bugsnag from March on.",
            "Where does error reporting go?",
        ),
    ],
)
def test_what_replaces_a_statement_comes_first_and_the_older_one_is_marked(
    served: Program, folder: Path, older: str, newer: str, question: str
) -> None:
    remember(served, older, newer)
    told = asked(served, question, folder)
    assert newer in told and (older not in told or told.index(newer) < told.index(older))
    marked = next((line for line in told.splitlines() if older in line), "until")
    assert "until" in marked, told


@pytest.mark.sqlite_file
@pytest.mark.parametrize("lost", [Path.unlink, lambda path: path.write_bytes(b"")])
def test_a_workspace_that_lost_its_memories_starts_no_new_one(
    tmp_path: Path, lost: Callable[[Path], object]
) -> None:
    program = Program(home=tmp_path, workspace=tmp_path / "workspace")
    program.workspace.mkdir()
    (program.workspace / "agent.yaml").write_text(SETTINGS)
    start = ("daemon", "start", "--port", str(program.port))
    assert program.run(*start).status == 0
    remember(program, "The heron nests on the pier.")
    assert program.run("backup").status == 0
    assert program.run("daemon", "stop").status == 0
    lost(program.workspace / "memory/memories.db")
    done = program.run(*start)
    told = done.out + done.err + program.run("doctor").out
    program.run("daemon", "stop")
    assert done.status != 0 and "signet restore" in told


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("We released v8.4.1 of the parser.", "8.4.1"),
        ("It requires python3.11 for tomllib.", "python 3.11"),
        ("データベースの移行は金曜日です。", "ﾃﾞｰﾀﾍﾞｰｽ"),
        ("Ship it 🚀 on Friday.", "🚀"),
    ],
)
def test_a_word_is_found_in_each_of_its_forms(served: Program, text: str, query: str) -> None:
    remember(served, text)
    assert text in served.run("recall", query).out


def test_a_long_line_is_cut_between_words(served: Program) -> None:
    hosts = [f"srv{number}.merlin.example" for number in range(90)]
    remember(
        served, "Table: " + json.dumps({f"k{n}": {"host": one} for n, one in enumerate(hosts)})
    )
    found = served.run("memory", "list", "--query", "merlin", "--limit", "100", "--json").json()
    assert all(any(one in row["content"] for row in found["memories"]) for one in hosts)


def test_an_export_that_was_compressed_is_imported(served: Program, tmp_path: Path) -> None:
    remember(served, "The gyrfalcon is white.")
    packed = tmp_path / "memory.gz"
    packed.write_bytes(gzip.compress(served.run("export", "-o", "-").out.encode()))
    assert served.run("import", str(packed), "--dry-run").status == 0


@pytest.mark.parametrize(
    "text",
    [
        "The sample is postgres://user:password@host/db.",
        "It says postgres://ana:[masked: password]@host/db.",
    ],
)
def test_a_mask_and_a_sample_are_no_secret(served: Program, text: str) -> None:
    remember(served, text)
    assert text in served.run("recall", text).out


def test_forks_of_a_session_give_each_message_once(served: Program, folder: Path) -> None:
    question = "How are the buckets of the osprey exporter named?"
    common = (question, "They are named by year and week, as in osprey-2026-47.")
    for name in ("fork-1", "fork-2", "fork-3"):
        held(served, folder, *common, f"Now look at {name}.", f"{name} is fine.", key=name)
    told = asked(served, question, folder)
    assert told.count("osprey-2026-47") == 1 and "[…] […]" not in told


def test_instructions_of_a_repository_are_nobodys_words(served: Program, folder: Path) -> None:
    key, log = uuid4().hex, folder.parent / "rollout.jsonl"
    text = "# AGENTS.md instructions for /p\n\n<INSTRUCTIONS>\nNever touch prod.\n</INSTRUCTIONS>"
    lines: list[dict[str, object]] = [
        {"type": "session_meta", "payload": {"id": key, "cwd": str(folder)}},
        {
            "type": "response_item",
            "payload": {
                "type": "message",
                "role": "user",
                "content": [{"type": "input_text", "text": text}],
            },
        },
    ]
    said = {"session_id": key, "transcript_path": str(log)}
    log.write_text("\n".join(map(json.dumps, lines)) + "\n")
    hook(served, "user-prompt-submit", folder, "codex", prompt="Write the retry code.", **said)
    lines.append(
        {
            "type": "event_msg",
            "payload": {"type": "user_message", "message": "Write the retry code."},
        }
    )
    log.write_text("\n".join(map(json.dumps, lines)) + "\n")
    hook(served, "session-end", folder, "codex", **said)
    eventually(lambda: "Write the retry code." in shown(served, key))
    assert "Never touch prod." not in shown(served, key)


@needs_git
def test_decisions_of_another_repository_are_told_nowhere_else(
    served: Program, tmp_path: Path
) -> None:
    first, other = (a_repository(tmp_path / name).root for name in ("first/api", "other/api"))
    text = (
        "Decision: the api of the ferry caps its retries at WHIMBREL, because the gateway bans it."
    )
    held(served, first, text)
    question = "At what does the api of the ferry cap its retries?"
    eventually(lambda: "WHIMBREL" in asked(served, question, first))
    for folder in (other, tmp_path, served.home):
        assert "WHIMBREL" not in hook(served, "session-start", folder)
        assert "WHIMBREL" not in asked(served, question, folder)


def test_a_statement_is_told_once_in_a_session(served: Program, folder: Path) -> None:
    text = "Decision: the lorikeet job runs at 5 am, because the exchange closes then."
    held(served, folder, text, "Noted.")
    key = uuid4().hex
    start = partial(hook, served, "session-start", folder)
    eventually(lambda: "lorikeet job" in start())
    told = start(session_id=key) + asked(
        served, "When does the lorikeet job run?", folder, session_id=key
    )
    assert told.count("runs at 5 am") == 1
    assert "Active Peer" not in told, "who has ended is no peer"


@pytest.mark.parametrize(
    ("said", "short", "question", "word"),
    [
        (
            "Please cap the retries of the stoat fetcher at 7.",
            "how many retries",
            "How many retries may the stoat fetcher make?",
            "at 7",
        ),
        (
            "We chose Postgres over MySQL for the tern ledger.",
            "Why not MySQL?",
            "Which database did we choose for the tern ledger?",
            "Postgres",
        ),
    ],
)
def test_a_session_of_one_message_answers_natural_questions(
    served: Program, folder: Path, said: str, short: str, question: str, word: str
) -> None:
    held(served, folder, said, "Done.")
    eventually(lambda: word in served.run("recall", short).out)
    assert "Nothing relevant" not in served.run("recall", short).out
    assert word in asked(served, question, folder)


def test_a_compaction_is_announced_in_one_line(served: Program, folder: Path) -> None:
    told = hook(served, "pre-compaction", folder, trigger="manual")
    assert len(told.splitlines()) <= 1 and "<signet-memory>" not in told and "\x1b" not in told


def test_forgetting_by_words_takes_what_was_meant(served: Program) -> None:
    texts = (
        "The photos of the summer trip of the crew are on the old disk.",
        "The crew photos for the website are due on Friday.",
        "Orders go to x@dock.example.",
        "Orders from Mexico go to x@dock.example.mx.",
        "Svenja drinks tea.",
        "The keys are with Svenja.",
    )
    remember(served, *texts)
    assert chosen(served, "crew summer trip photos") == [texts[0]]
    assert chosen(served, "please forget x@dock.example") == [texts[2]]
    assert chosen(served, "everything about Svenja") == sorted(texts[4:])
    assert chosen(served, "all records of customer 4711") == []


def test_tools_of_memory_are_loaded_at_once(served: Program) -> None:
    ask = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    done = subprocess.run(
        [sys.executable, "-m", "signet.cli.mcp"],
        env=served.environment(),
        input=f"{json.dumps(ask)}\n",
        capture_output=True,
        text=True,
    )
    tools = {one["name"]: one for one in json.loads(done.stdout)["result"]["tools"]}
    assert tools["memory_search"]["_meta"] == {"anthropic/alwaysLoad": True}
