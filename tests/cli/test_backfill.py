"""`signet backfill`, and a setup on a machine where agents have worked before: it ends with something that was said."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pytest

from cli.program import Program
from support.processes import eventually

SAID = (
    "We decided that the heron waits 17 seconds before it tries again, because the proxy needs 15.",
    "I have set the wait to 17 seconds, and the tests of the module pass.",
    "We decided to keep the sessions of the gannet in Redis, because its disk is slow.",
    "Then the gannet's sessions go to Redis; the change is small.",
    "The team uses Terraform for the staging account, and deploys on Tuesdays at nine.",
    "I have written that down in the guide for new colleagues, with the names of the accounts.",
)
SESSIONS = {"first": SAID, "second": SAID[:2]}


def talked(home: Path, sessions: Mapping[str, Sequence[str]] = SESSIONS) -> None:
    """Write sessions of Claude Code, the oldest first."""
    folder = home / ".claude" / "projects" / "-p-heron"
    folder.mkdir(parents=True)
    for day, (key, said) in enumerate(sessions.items(), start=3):
        records = [
            {
                "type": role,
                "cwd": "/p/heron",
                "timestamp": f"2026-03-0{day}T09:0{turn}:00Z",
                "message": {"role": role, "content": text},
            }
            for turn, text in enumerate(said)
            for role in [("user", "assistant")[turn % 2]]
        ]
        (folder / f"{key}.jsonl").write_text("".join(f"{json.dumps(one)}\n" for one in records))


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Program]:
    home = tmp_path_factory.mktemp("begun")
    talked(home)
    program = Program(home=home, workspace=home / ".agents")
    flags = ("--embedding-provider", "none", "--extraction-provider", "rules", "--skip-git")
    try:
        done = program.run(
            *("setup", "--non-interactive", "--history", *flags), SIGNET_PORT=str(program.port)
        )
        assert done.status == 0, done.err
        (home / "first.txt").write_text(done.out)
        yield program
    finally:
        program.run("daemon", "stop")


def test_setup_ends_with_a_recall_of_what_was_said_before(begun: Program) -> None:
    shown = (begun.home / "first.txt").read_text()
    assert "History" in shown and "2 sessions of Claude Code" in shown
    command, answer = shown.splitlines()[-2:]
    asked = re.fullmatch(r"Your past: signet recall '?([^']+)'?", command)
    assert asked and "2026" in answer and "decided" in answer.lower()
    assert answer.split("  ")[-1].strip()[:30] in begun.run("recall", asked[1]).out


def test_setup_shows_what_was_decided_where_nothing_was_distilled(alone: Program) -> None:
    lead = "You must look at how long the heron waits, and we should pick a number."
    talked(alone.home, {"short": (f"{lead} Decision: the heron waits 17 seconds.", "Noted.")})
    flags = ("--embedding-provider", "none", "--extraction-provider", "rules", "--skip-git")
    done = alone.run(
        *("setup", "--non-interactive", "--history", *flags), SIGNET_PORT=str(alone.port)
    )
    alone.run("daemon", "stop")
    assert done.status == 0, done.err
    assert done.out.rstrip().endswith("Decision: the heron waits 17 seconds.")


def test_recall_finds_a_session_of_which_nothing_was_distilled(begun: Program) -> None:
    eventually(lambda: begun.run("backfill", "status", "--json").json()["state"] == "done")
    asked = ("recall", "where do the sessions of the gannet go", "-t", "session")
    [hit] = begun.run(*asked, "--json").json()
    assert hit["id"] == "session:first" and "gannet in Redis" in hit["content"]
    shown = begun.run(*asked)
    assert "  said in a session · " in shown.out and shown.out.rstrip().endswith("session:first")
    assert "signet sessions show first" in shown.err
    read = begun.run("sessions", "show", "fir").out
    assert SAID[2] in read and hit["title"] == read.split("\n")[0]
    listed = begun.run("sessions", "list").out
    assert hit["title"] in listed and listed == begun.run("sessions").out
    assert re.search(r"^first +\d{4}-\d\d-\d\d \d\d:\d\d  \S", listed, re.MULTILINE)
    assert {
        len(one["title"]) <= 80 for one in begun.run("sessions", "--json").json()["sessions"]
    } == {True}
    assert "signet sessions show first" in begun.run("memory", "show", "session:first").err
    unknown = begun.run("sessions", "show", "nobody")
    assert unknown.status == 1 and "Session nobody has no transcript" in unknown.err
    assert "signet sessions" in unknown.err


def test_it_tells_how_far_it_is_and_reads_nothing_again(begun: Program) -> None:
    eventually(lambda: begun.run("backfill", "status", "--json").json()["state"] == "done")
    assert begun.run("backfill", "status").out == "2 of 2 sessions read\n"
    assert "No new sessions; 2 sessions already read" in begun.run("backfill").out
    assert begun.run("backfill", "stop").out == "No backfill is running\n"
    assert begun.run("status", "--json").json()["backfill"]["read"] == 2


def test_a_dry_run_shows_what_there_is(begun: Program) -> None:
    shown = begun.run("backfill", "--dry-run", "--harness", "claude-code").out
    assert "Claude Code" in shown and "0 new of 2" in shown
    refused = begun.run("backfill", "--harness", "claude")
    assert refused.status == 1 and "Unknown harness: claude" in refused.err


def test_setup_offers_what_there_is_and_asks_three_questions_at_most(alone: Program) -> None:
    talked(alone.home)
    (alone.home / "run/systemd").mkdir(parents=True)
    (alone.home / "run/systemd/private").touch()
    drawn = alone.on_terminal(
        "setup",
        "--no-model",
        typed="\n" * 2 + "\x04",
        columns=120,
        SIGNET_PORT=str(alone.port),  # the usual one may be another program's
        XDG_RUNTIME_DIR=str(alone.home / "run"),
    )
    assert "Found 2 sessions of Claude Code" in drawn
    assert "Read them in the background?" in drawn
    assert "Start Signet at every login?" in drawn and "3 of 3" in drawn
    assert not alone.workspace.exists()
