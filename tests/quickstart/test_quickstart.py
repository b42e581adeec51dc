"""`signet quickstart` from an empty home, offline and without a model, as a person runs it."""

import json
import os
import re
import shlex
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cli.program import COMMAND_SECONDS, Program, running
from harnesses.home import CLAUDE_MD, Home, a_home
from signet.paths import Workspace
from signet.resources import template
from support.forks import Command
from support.processes import eventually

NOTES = """# Tidewater notes

We decided to use DuckDB for the tide tables because the files are read-only.
Ingrid maintains the tide importer.

- Always run `make lint` before pushing.
- Tidewater listens on port 7070.
"""
TALK = """User: I prefer short answers. We use Terraform for all Nimbus environments.
Assistant: Understood.
User: Nimbus runs in Frankfurt.
"""


@pytest.fixture
def home(tmp_path: Path) -> Home:
    made = a_home(tmp_path)
    made.write(".claude/projects/-boat/memory/MEMORY.md", "# Boat\n\nThe mast is spruce.\n")
    made.write(".claude/CLAUDE.md", CLAUDE_MD)
    return made


@pytest.fixture
def temporary(tmp_path: Path) -> Iterator[Path]:
    """Give a short folder for temporary files, which must be empty at the end."""
    with tempfile.TemporaryDirectory(prefix="q") as made:
        yield Path(made)
        assert [*Path(made).iterdir()] == []


def a_program(home: Path) -> Program:
    return Program(home=home, workspace=home / ".agents")


def quickstart(program: Program, temporary: Path, *arguments: str, **environ: str) -> Any:
    done = program.run(*("quickstart", "--no-model", *arguments), TMPDIR=str(temporary), **environ)
    assert done.status == 0, done.err
    return done


def test_it_leaves_the_memory_the_home_and_the_daemon_of_a_person_alone(
    home: Home, temporary: Path
) -> None:
    before = home.whole()
    with running(home.path) as program:
        assert program.run("remember", "Mina sails at dawn.").status == 0
        found = quickstart(program, temporary, "--json").json()
        mine = program.run("memory", "list", "--json").out
        assert "Mina sails at dawn." in mine and "Larder" not in mine
        assert not Path(found["workspace"]["path"]).exists()
        assert not found["daemon"]["url"].endswith(f":{program.port}")
        assert "spruce" not in json.dumps(found)
        after = home.whole()
    assert {name for name in after if not name.startswith("workspace")} == before.keys()


def test_the_person_s_settings_do_not_reach_it(home: Home, temporary: Path) -> None:
    before = home.whole()
    program = a_program(home.path)
    environ = {
        "SIGNET_PATH": str(home.path / "mine"),
        "SIGNET_BIND": "0.0.0.0",
        "SIGNET_DAEMON_URL": "http://127.0.0.1:9",
        "TMPDIR": str(temporary),
    }
    done = program.run("quickstart", "--no-model", "--json", **environ)
    assert done.status == 0, done.err
    assert done.json()["daemon"]["url"].startswith("http://127.0.0.1:")
    assert home.whole() == before


def test_facts_are_learned_with_type_and_confidence_and_vectors_wait(
    tmp_path: Path, temporary: Path
) -> None:
    found = quickstart(a_program(tmp_path), temporary, "--json").json()
    facts = found["facts"]
    assert len(facts) >= 10
    assert {"preference", "decision", "procedural"} <= {fact["type"] for fact in facts}
    assert all(0.7 <= fact["confidence"] <= 1 for fact in facts)
    jobs = found["jobs"]
    assert (jobs["open"], jobs["dead"]) == (0, [])
    assert jobs["completed"] >= len(found["session"]["memory_ids"])
    assert jobs["waiting"] > 0
    assert "signet models install" in jobs["reasons"][0]
    expected = json.loads(template("quickstart-questions.json").read_text("utf-8"))
    answers = found["answers"]
    assert [one["question"] for one in answers] == [one["question"] for one in expected]
    assert all(hit["score"] > 0 and hit["source"] for one in answers for hit in one["results"])
    first = answers[0]["results"][0]["content"]
    assert "decided to use SQLite because the whole pantry fits in one file" in first
    deploy = next(one for one in answers if "deploy" in one["question"])
    assert "Always run `make backup` before a deploy" in deploy["results"][0]["content"]


def test_on_a_terminal_steps_are_coloured_and_long_lists_are_cut(
    tmp_path: Path, temporary: Path
) -> None:
    drawn = a_program(tmp_path).on_terminal("quickstart", "--no-model", TMPDIR=str(temporary))
    assert "\x1b[32m✓\x1b[0m \x1b[1mJobs" in drawn
    assert re.search(r"and \d+ more", drawn)
    lines = re.sub(r"\x1b\[\d*m", "", drawn).splitlines()
    assert max(map(len, lines)) <= 120


def test_a_markdown_file_of_ones_own_is_learned_from(tmp_path: Path, temporary: Path) -> None:
    notes = tmp_path / "notes.md"
    notes.write_text(NOTES)
    learned = quickstart(a_program(tmp_path), temporary, "--json", "--input", str(notes)).json()
    assert "Always run `make lint` before pushing." in [f["content"] for f in learned["facts"]]
    assert "What is known about DuckDB?" in [one["question"] for one in learned["answers"]]
    assert "DuckDB" in learned["answers"][0]["results"][0]["content"]


def test_a_talk_in_text_shows_its_steps_and_what_to_do_next(
    tmp_path: Path, temporary: Path
) -> None:
    (tmp_path / "talk.txt").write_text(TALK)
    done = quickstart(a_program(tmp_path), temporary, "--input", str(tmp_path / "talk.txt"))
    steps = re.findall(r"^  ([✓!]) (\w+) .* \d+\.\d s$", done.out, re.MULTILINE)
    assert steps == [
        ("✓", "Workspace"),
        ("!", "Model"),
        ("✓", "Daemon"),
        ("✓", "Session"),
        ("✓", "Jobs"),
    ]
    assert "signet models install" in done.out
    assert re.search(r"^  0\.\d\d  preference +The user prefers short answers\.$", done.out, re.M)
    assert "What is known about Nimbus?" in done.out
    assert re.search(r"^ +\d+%  .*Nimbus runs in Frankfurt\. \(fact\)$", done.out, re.M)
    assert "\x1b[" not in done.out
    assert re.search(r"signet setup +\S", done.out.splitlines()[-1])


def test_what_is_kept_can_be_asked_and_removed_by_the_commands_it_prints(
    tmp_path: Path, temporary: Path
) -> None:
    program = a_program(tmp_path)
    done = quickstart(program, temporary, "--keep", PATH="/usr/bin:/bin")
    _, recall, remove = (line.strip().rsplit("  ", 1)[0] for line in done.out.splitlines()[-3:])
    kept = Path(shlex.split(recall)[-1])
    assert kept.is_relative_to(tmp_path / ".cache" / "signet")

    def typed(command: str) -> str:
        """Run it as a person does, in a shell that knows no programs of ours and no settings."""
        environ = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path)}
        ran = subprocess.run(
            ["/bin/sh", "-c", command], env=environ, capture_output=True, text=True, check=False
        )
        assert ran.returncode == 0, ran.stderr
        return ran.stdout

    try:
        assert "SQLite because" in typed(recall)
    finally:
        typed(remove)
    assert not kept.exists() and not Workspace(kept).runtime_dir.exists()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_stopping_it_leaves_nothing_behind(
    tmp_path: Path, temporary: Path, number: signal.Signals
) -> None:
    program = a_program(tmp_path)
    reads, writes = os.pipe()
    with Path(os.devnull).open("r+") as nothing:
        process = Command(
            ("quickstart", "--no-model", "--keep"),
            program.environment(TMPDIR=str(temporary), PYTHONUNBUFFERED="1"),
            (nothing.fileno(), writes, nothing.fileno()),
        )
    os.close(writes)
    said = os.fdopen(reads, encoding="utf-8")
    line = next(line for line in said if "Daemon" in line)
    [url] = re.findall(r"http://127\.0\.0\.1:\d+", line)
    [kept] = (tmp_path / ".cache" / "signet").iterdir()
    pid = json.loads((kept / ".daemon" / "state.json").read_text())["pid"]
    os.kill(process.pid, number)
    with said:
        said.read()
    assert process.wait(COMMAND_SECONDS) == {signal.SIGINT: 130}.get(number, 128 + number)
    assert [*(tmp_path / ".cache" / "signet").iterdir()] == []
    eventually(lambda: not Path(f"/proc/{pid}").exists())
    assert program.run("status", "--json", SIGNET_DAEMON_URL=url).json()["running"] is False


def test_a_file_that_says_nothing_is_refused_before_anything_is_made(
    tmp_path: Path, temporary: Path
) -> None:
    program = Program(home=tmp_path, workspace=tmp_path / "ws")
    missing = program.run("quickstart", "--input", str(tmp_path / "no.txt"), TMPDIR=str(temporary))
    assert missing.status == 1
    assert missing.err.startswith(f"error: Cannot read {tmp_path / 'no.txt'}")
    (tmp_path / "empty.txt").write_text("\n \n")
    assert program.run("quickstart", "--input", str(tmp_path / "empty.txt")).status == 1
    assert not program.workspace.exists()
