"""`signet quickstart` from an empty home, offline and without a model, as a person runs it."""

import json
import re
import socket
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from cli.program import Program
from signet import clock, config
from signet.care.setup import settings
from signet.care.setup.choices import Choices
from signet.paths import Workspace
from signet.resources import template

pytestmark = pytest.mark.xdist_group("daemon")

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


@dataclass
class Ran:
    """The program, and what its first run answered; the port it asked for was taken."""

    program: Program
    first: dict[str, Any]

    def counts(self) -> list[int]:
        """Return how many rows the tables hold that a run writes."""
        tables = ("memories", "memory_history", "memory_jobs", "entities", "session_transcripts")
        path = self.program.workspace / "memory" / "memories.db"
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as db:
            return [db.execute(f"SELECT COUNT(*) FROM {table}").fetchone()[0] for table in tables]


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ran]:
    home = tmp_path_factory.mktemp("home")
    program = Program(home=home, workspace=home / ".agents")
    with socket.create_server(("127.0.0.1", program.port)):
        done = program.run("quickstart", "--no-model", "--json", "--port", str(program.port))
    try:
        assert done.status == 0, done.err
        yield Ran(program, done.json())
    finally:
        program.run("stop")


def test_the_workspace_is_made_with_an_agent_yaml_that_says_nothing_wrong(ran: Ran) -> None:
    assert ran.first["workspace"] == {"path": str(ran.program.workspace), "created": True}
    loaded = config.load(Workspace(ran.program.workspace), {})
    assert (loaded.error, loaded.warnings) == (None, ())
    assert loaded.settings.agent.created
    written = (ran.program.workspace / "agent.yaml").read_text()
    at = loaded.settings.agent.created
    assert written == settings.new(Choices(), now=clock.parse(at))


def test_a_port_that_is_taken_is_replaced_by_a_free_one(ran: Ran) -> None:
    assert ran.first["daemon"]["started"] is True
    assert not ran.first["daemon"]["url"].endswith(f":{ran.program.port}")


def test_facts_are_learned_with_type_and_confidence_and_vectors_wait(ran: Ran) -> None:
    facts = ran.first["facts"]
    assert len(facts) >= 10
    assert {"preference", "decision", "procedural"} <= {fact["type"] for fact in facts}
    assert all(0.7 <= fact["confidence"] <= 1 for fact in facts)
    jobs = ran.first["jobs"]
    assert (jobs["open"], jobs["dead"]) == (0, [])
    assert jobs["completed"] >= len(ran.first["session"]["memory_ids"])
    assert jobs["waiting"] > 0
    assert "signet models install" in jobs["reasons"][0]


def test_the_questions_of_the_sample_are_asked_and_words_alone_find_an_answer(ran: Ran) -> None:
    expected = json.loads(template("quickstart-questions.json").read_text("utf-8"))
    answers = ran.first["answers"]
    assert [one["question"] for one in answers] == [one["question"] for one in expected]
    assert all(hit["score"] > 0 and hit["source"] for one in answers for hit in one["results"])
    backup = next(one for one in answers if "deploy" in one["question"])
    assert backup["results"][0]["content"] == "Always run `make backup` before a deploy."


def test_a_second_run_adds_nothing_and_uses_the_daemon_that_runs(ran: Ran) -> None:
    once = ran.program.run("quickstart", "--no-model", "--json").json()
    before = ran.counts()
    again = ran.program.run("quickstart", "--no-model", "--json").json()
    assert ran.counts() == before
    assert again["workspace"]["created"] is False
    assert again["daemon"] == once["daemon"] | {"started": False}
    assert again["session"]["deduped"] == len(again["session"]["memory_ids"])
    assert again["facts"] == ran.first["facts"]
    assert before[-1] >= 1, "the transcript is stored"


def test_on_a_terminal_steps_are_coloured_and_long_lists_are_cut(ran: Ran) -> None:
    drawn = ran.program.on_terminal("quickstart", "--no-model")
    assert "\x1b[32m✓\x1b[0m \x1b[1mJobs" in drawn
    assert re.search(r"and \d+ more: signet recall QUESTION", drawn)
    lines = re.sub(r"\x1b\[\d*m", "", drawn).splitlines()
    assert max(map(len, lines)) <= 120


def test_a_markdown_file_of_ones_own_is_learned_from(ran: Ran, tmp_path: Path) -> None:
    (tmp_path / "notes.md").write_text(NOTES)
    done = ran.program.run(
        *("quickstart", "--no-model", "--json", "--input", str(tmp_path / "notes.md"))
    )
    learned = done.json()
    assert "Always run `make lint` before pushing." in [f["content"] for f in learned["facts"]]
    assert learned["session"]["deduped"] == 0
    assert "What is known about DuckDB?" in [one["question"] for one in learned["answers"]]
    assert "DuckDB" in learned["answers"][0]["results"][0]["content"]


def test_a_talk_in_text_shows_its_steps_and_stop_ends_the_daemon(ran: Ran, tmp_path: Path) -> None:
    (tmp_path / "talk.txt").write_text(TALK)
    done = ran.program.run(
        *("quickstart", "--no-model", "--stop", "--input", str(tmp_path / "talk.txt"))
    )
    assert done.status == 0, done.err
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
    assert re.search(r"^ +\d+%  .*Nimbus runs in Frankfurt\. \(fact, .*\)$", done.out, re.M)
    assert "\x1b[" not in done.out
    assert ran.program.run("daemon", "status").status == 1


def test_a_file_that_says_nothing_is_refused_before_anything_is_made(tmp_path: Path) -> None:
    program = Program(home=tmp_path, workspace=tmp_path / "ws")
    missing = program.run("quickstart", "--input", str(tmp_path / "no.txt"))
    assert missing.status == 1
    assert missing.err.startswith(f"error: Cannot read {tmp_path / 'no.txt'}")
    (tmp_path / "empty.txt").write_text("\n \n")
    assert program.run("quickstart", "--input", str(tmp_path / "empty.txt")).status == 1
    assert not program.workspace.exists()
