"""A talk of last year that is handed over today is found in last year, with the real processes."""

import json
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from signet import clock
from support.http import Served, a_workspace, served
from support.processes import eventually, program

TALK = [
    ("2025-04-07T09:00:00Z", "user", "We decided to use Postgres 16 for billing."),
    ("2025-04-07T09:01:00Z", "assistant", "Then I will write the migration of the ledger. " * 6),
    ("2025-04-09T16:00:00Z", "user", "Yesterday I joined the Kestrel rowing club in Ghent."),
    ("2025-04-09T16:01:00Z", "assistant", "A good club. The ledger's migration is written. " * 6),
    ("2025-04-09T16:02:00Z", "user", "Never run the ledger migration on a Friday."),
]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    workspace = a_workspace(tmp_path_factory.mktemp("times"))
    env = {"SIGNET_PATH": str(workspace.root)}
    log = workspace.root / "talk.jsonl"
    lines = (
        {"type": role, "message": {"role": role, "content": text}, "timestamp": at}
        for at, role, text in TALK
    )
    log.write_text("\n".join(map(json.dumps, lines)), "utf-8")
    with served(workspace) as made, program("-m", "signet_worker.main", env=env, is_heard=False):
        ended = {"harness": "claude-code", "sessionKey": "old", "transcriptPath": str(log)}
        assert made.post("/api/hooks/session-end", {**ended, "cwd": "/p/heron"}).status == 200
        saved = {"content": "I moved to Antwerp.", "createdAt": "2025-04-07T10:00:00Z"}
        assert made.post("/api/memory/remember", saved).status == 200

        eventually(lambda: len(facts(made)) == 4)
        yield made


def facts(server: Served) -> dict[str, dict[str, Any]]:
    rows = server.get("/api/memories?limit=100").body["memories"]
    return {row["content"]: row for row in rows if not row["content"].startswith("I ")}


def recalled(server: Served, query: str) -> list[dict[str, Any]]:
    return list(server.post("/api/memory/recall", {"query": query}).body["results"])


def test_a_fact_bears_the_time_of_the_turn_that_said_it(server: Served) -> None:
    told = {text: row["created_at"] for text, row in facts(server).items()}
    assert told == {
        "The team decided to use Postgres 16 for billing.": "2025-04-07T09:00:00.000Z",
        "The user joined the Kestrel rowing club in Ghent.": "2025-04-09T16:00:00.000Z",
        "Never run the ledger migration on a Friday.": "2025-04-09T16:02:00.000Z",
        "The user moved to Antwerp.": "2025-04-07T10:00:00.000Z",
    }


def test_when_it_arrived_stays_known(server: Served) -> None:
    for row in facts(server).values():
        [created, *_] = server.get(f"/api/memory/{row['id']}/history").body["history"]
        assert created["event"] == "created"
        assert clock.parse(created["createdAt"]) > clock.now() - timedelta(hours=1)


def test_the_notes_are_of_the_days_of_the_talk(server: Served) -> None:
    [summary] = server.get("/api/sessions/summaries").body["summaries"]
    assert summary["earliest_at"] == "2025-04-07T09:00:00.000Z"
    assert summary["latest_at"] == "2025-04-09T16:02:00.000Z"
    assert summary["content"].startswith("# 2025-04-09 Session Notes")
    [notes] = Path(server.workspace.memory_dir).glob("*.md")
    assert notes.name.startswith("2025-04-09-")


def test_nothing_of_it_was_remembered_today(server: Served) -> None:
    eras = server.get("/api/memory/timeline").body["buckets"]
    assert [era["memoriesAdded"] for era in eras] == [0, 0, 0]


def test_a_question_about_that_time_finds_it(server: Served) -> None:
    first = recalled(server, "What did we decide about billing on April 7, 2025?")[:2]
    assert ("The team decided to use Postgres 16 for billing.", "2025-04-07T09:00:00.000Z") in [
        (one["content"], one["created_at"]) for one in first
    ]
    # It was said on the 9th that it had been the day before.
    [club, *_] = recalled(server, "Which club did I join on April 8, 2025?")
    assert club["content"] == "The user joined the Kestrel rowing club in Ghent."
    assert club["event_at"] == "2025-04-08T12:00:00.000Z"


def test_what_was_said_before_a_day_can_be_asked_for(server: Served) -> None:
    asked = {"query": "Postgres", "until": "2025-04-08T00:00:00Z"}
    found = server.post("/api/memory/recall", asked).body["results"]
    assert [one["content"] for one in found] == ["The team decided to use Postgres 16 for billing."]
