"""MEMORY.md through a real worker: what is written, what is refused, and what a killed worker leaves."""

import json
import os
import re
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from signet import clock
from signet.config import settings_from
from signet.db import Row
from signet.db.visibility import Here
from signet.domain.memory.forget import forget_one
from signet.domain.memory.models import Forget, Rules
from signet.domain.synthesis import file, run
from support.models import FakeServer, Hang, Raw, Status
from support.processes import eventually
from worker.home import USER, Home, Tree, manifest
from worker.script import Script, fact, found, scripted

QUESTION = "You keep the file MEMORY.md"
FILE = "# Memory\n\n## Heron\n\nHeron runs on SQLite."


def save(home: Home, text: str, agent: str = "default", **columns: object) -> str:
    """Save a memory, for every project, and set columns of its row."""
    memory_id = home.remember(text, agent)
    for name, value in {"project": None, **columns}.items():
        home.run(f"UPDATE memories SET {name} = ? WHERE id = ?", value, memory_id)
    return memory_id


def asked(home: Home, agent: str = "default") -> str:
    """Ask for the file of an agent and return the id of the job."""
    job_id = home.db.write(run.queue, agent, now=clock.now())
    assert job_id is not None
    return job_id


def job(home: Home, job_id: str) -> Row:
    return home.rows("SELECT * FROM memory_jobs WHERE id = ?", job_id)[0]


def done(home: Home, job_id: str, status: str = "completed") -> Tree:
    """Wait until the job has ended so and return its result."""
    home.wait_for_end(lambda: job(home, job_id), status)
    assert job(home, job_id)["status"] == status, job(home, job_id)["errors"]
    result = json.loads(job(home, job_id)["result"] or "{}")
    assert isinstance(result, dict)
    return result


def forget(home: Home, memory_id: str) -> None:
    """Forget a memory as the user."""
    settings, _ = settings_from(home.tree)
    gone, rules = Forget(memory_id=memory_id, reason="private"), Rules.from_settings(settings)
    home.db.write(forget_one, gone, actor=USER, rules=rules, now=clock.now())


def has_open(pid: int, name: str) -> bool:
    """Return whether a process has a file of this name open."""
    found = (os.path.realpath(one) for one in Path(f"/proc/{pid}/fd").iterdir())
    return any(one.endswith(f"/{name}") for one in found)


def file_of(home: Home, agent: str = "default") -> Path:
    root = home.workspace.root
    return root / "MEMORY.md" if agent == "default" else root / "agents" / agent / "MEMORY.md"


def backups(home: Home) -> list[Path]:
    return sorted(home.workspace.memory_dir.glob("MEMORY.backup-*.md"))


def body(text: str) -> str:
    """Return a file without its first line, which must say when it was made."""
    head, blank, rest = text.split("\n", 2)
    assert (
        re.fullmatch(r"<!-- generated \d{4}-\d\d-\d\d \d\d:\d\d, by project -->", head)
        and not blank
    )
    return rest


@pytest.fixture
def script() -> Script:
    return Script()


@pytest.fixture
def server(script: Script) -> Iterator[FakeServer]:
    with scripted(script) as made:
        yield made


@pytest.fixture
def asking(home: Home, server: FakeServer) -> Home:
    """A workspace whose model answers."""
    home.configure(manifest(url=server.url))
    return home


def test_what_is_forgotten_while_the_model_writes_is_not_in_the_file(
    asking: Home, script: Script, server: FakeServer
) -> None:
    release = threading.Event()
    heron = save(asking, "Heron runs on SQLite.", importance=0.9)
    script.reads(QUESTION, Hang(release, f"{FILE}\n\nIt is grey."))
    with asking.worker():
        job_id = asked(asking)
        eventually(lambda: any(QUESTION in prompt for prompt in server.prompts))
        forget(asking, heron)
        release.set()
        done(asking, job_id)
    assert "SQLite" not in file_of(asking).read_text() and "grey" in file_of(asking).read_text()


def test_what_is_forgotten_while_the_file_is_cleaned_of_something_else_goes_too(
    asking: Home, script: Script
) -> None:
    said = ["Heron runs on SQLite.", "Egret keeps its logs in Redis."]
    ids = [save(asking, one, importance=0.9) for one in said]
    script.reads(QUESTION, "\n".join(["# Memory", *said, "It is grey."]))
    with asking.worker() as worker:
        done(asking, asked(asking))
        with file.alone(asking.workspace, wait=True):
            forget(asking, ids[0])
            # It has read what must go, and waits for the file.
            eventually(lambda: has_open(worker.pid, "synthesis.lock"))
            forget(asking, ids[1])
        cleanings = "SELECT COUNT(*) FROM memory_jobs WHERE job_type = 'clean_texts' AND status <> 'completed'"
        eventually(lambda: asking.value(cleanings) == 0)
    assert body(file_of(asking).read_text()).split() == "# Memory It is grey.".split()


def test_the_model_writes_the_file_and_the_earlier_one_is_kept(
    asking: Home, script: Script, server: FakeServer
) -> None:
    file_of(asking).write_text(
        "<!-- generated 2026-01-01 00:00, by project -->\n\nOld line.\n", "utf-8"
    )
    before = file_of(asking).read_bytes()
    strong = save(asking, "Heron runs on SQLite since May.", importance=0.9)
    save(asking, "A trifle nobody needs.", importance=0.1)
    save(asking, "Faded long ago.", importance=0.9, created_at="2025-01-01T00:00:00.000Z")
    save(asking, "Pinned long ago.", pinned=1, created_at="2025-01-01T00:00:00.000Z")
    save(asking, "Heron runs on MySQL.", importance=0.9, superseded_by=strong)
    forgotten = save(asking, "Forgotten by wish.", importance=0.9, is_deleted=1)
    save(asking, "Holds again.", importance=0.9, superseded_by=forgotten)
    save(asking, "Somebody's private note.", "other", importance=0.9, visibility="private")
    text = f"{FILE}\n\nPinned long ago. Holds again."
    script.reads(QUESTION, f"<think>hm</think>```markdown\n{text}\n```")
    with asking.worker():
        result = done(asking, asked(asking))
    assert result == {"path": "MEMORY.md", "sources": 3, "chars": len(text)}
    assert body(file_of(asking).read_text("utf-8")) == f"{text}\n"
    [backup] = backups(asking)
    assert backup.read_bytes() == before
    [prompt] = [prompt for prompt in server.prompts if QUESTION in prompt]
    assert prompt.index("Pinned long ago.") < prompt.index("Heron runs on SQLite since May.")
    assert "Holds again." in prompt
    assert "Old line." in prompt and "2026-01-01 00:00" not in prompt
    for left_out in ("trifle", "Faded", "MySQL", "Forgotten", "private note"):
        assert left_out not in prompt
    told = json.loads((asking.workspace.daemon_dir / "last-synthesis.json").read_text("utf-8"))
    assert clock.parse(told["lastRunAt"])


def test_a_run_without_an_answer_leaves_the_file_and_can_be_repeated_at_once(
    asking: Home, script: Script
) -> None:
    file_of(asking).write_text("By hand.", "utf-8")
    save(asking, "Heron runs on SQLite.", importance=0.9)
    script.reads(QUESTION, Status(500))
    script.reads("", found())  # the model is well otherwise
    with asking.worker():
        asking.drained("extract")
        job_id = asked(asking)
        done(asking, job_id, "dead")
    assert file_of(asking).read_bytes() == b"By hand." and backups(asking) == []
    settings, _ = settings_from(asking.tree)
    assert asking.db.read(run.due, settings, now=clock.now()) == [], "the schedule waits an hour"
    assert asking.db.write(run.trigger, "default", now=clock.now()).job_id is not None


def test_a_refused_answer_never_reaches_the_file(asking: Home, script: Script) -> None:
    save(asking, "Heron runs on SQLite.", importance=0.9)
    save(asking, "Nora prefers short answers.", importance=0.8)
    at_the_limit = Raw(json.dumps({"response": FILE, "done": True, "done_reason": "length"}))
    bad = ("the " * 900, '["a"]', "Sure! Here is the file.", at_the_limit)
    written = []
    with asking.worker():
        for answer in (*bad, FILE, bad[0]):
            script.reads(QUESTION, answer)
            # A person may repeat a refused run at once; each of these is asked for by the pipeline.
            result = done(asking, asked(asking))
            written.append((bool(result.get("refused")), body(file_of(asking).read_text("utf-8"))))
    listed = "# Memory\n\n## Facts\n\n- Heron runs on SQLite.\n\n## Preferences\n\n- Nora prefers short answers.\n"
    assert written == [(True, listed)] * 4 + [(False, f"{FILE}\n"), (True, f"{FILE}\n")]
    assert asking.db.write(run.trigger, "default", now=clock.now()).job_id is not None


def test_a_model_that_cannot_be_reached_is_waited_for_until_another_one_is_named(
    asking: Home, script: Script, server: FakeServer
) -> None:
    save(asking, "Heron runs on SQLite.", importance=0.9)
    server.stop()
    with asking.worker():
        job_id = asked(asking)
        eventually(lambda: job(asking, job_id)["last_error_code"] == "not_now")
        waiting = job(asking, job_id)
        assert (waiting["status"], waiting["attempts"]) == ("pending", 0)
        script.reads(QUESTION, FILE)
        with scripted(script) as other:
            asking.configure_live(manifest(url=other.url))
            done(asking, job_id)


def test_without_a_model_the_file_is_a_ranked_list(home: Home) -> None:
    home.configure(manifest("rules"))
    save(home, "Heron listens on port 4410.", importance=0.6, type="fact")
    save(home, "Nora prefers short answers.", importance=0.9, type="preference")
    save(home, "Heron deploys on Thursdays.", importance=0.8, type="decision")
    save(home, "Heron stores sessions in Redis.", importance=0.7, type="fact")
    home.run(
        "INSERT INTO session_summaries (id, kind, content, earliest_at, latest_at, session_key, created_at)"
        " VALUES ('s', 'session', '# 2026-05-01 Session Notes' || char(10) || '## Depot', '2026-05-01',"
        " '2026-05-01', 'k', '2026-05-01')"
    )
    with home.worker():
        done(home, asked(home))
    assert body(file_of(home).read_text("utf-8")) == (
        "# Memory\n\n"
        "## Preferences\n\n- Nora prefers short answers.\n\n"
        "## Decisions\n\n- Heron deploys on Thursdays.\n\n"
        "## Facts\n\n- Heron stores sessions in Redis.\n- Heron listens on port 4410.\n\n"
        "## Recent sessions\n\n- 2026-05-01 Session Notes – Depot\n"
    )


def test_each_project_has_a_part_that_a_model_sees_alone(
    asking: Home, script: Script, server: FakeServer
) -> None:
    file_of(asking).write_text("<!-- generated 2026-01-01 00:00 -->\n\nMixed.\n", "utf-8")
    save(asking, "Nora prefers short answers.", importance=0.9, type="preference")
    save(asking, "Heron stores sessions in Redis.", importance=0.9, project="/p/heron")
    save(asking, "Egret deploys on Thursdays.", importance=0.8, project="/p/egret")
    save(asking, "Water the plants.", importance=0.8, origin="imported")
    for word, text in (
        ("Nora", "# Memory\n\nNora prefers short answers.\n# Project /p/heron"),
        ("Heron", "Heron stores sessions in Redis."),
        ("Egret", "Egret deploys on Thursdays."),
        ("plants", "Water the plants."),
    ):
        script.reads(word, text)
    with asking.worker():
        done(asking, asked(asking))
    prompts = [one for one in server.prompts if QUESTION in one]
    words = ("Nora", "Heron", "Egret", "plants", "Mixed")
    assert [[word for word in words if word in one] for one in prompts] == [
        [one] for one in words[:4]
    ]
    path = file_of(asking)
    assert body(path.read_text("utf-8")) == (
        "# Memory\n\nNora prefers short answers.\n## Project /p/heron\n\n"
        "# Project /p/heron\n\nHeron stores sessions in Redis.\n\n"
        "# Project /p/egret\n\nEgret deploys on Thursdays.\n\n# Imported notes\n\nWater the plants.\n"
    )
    general = "# Memory\n\nNora prefers short answers.\n## Project /p/heron"
    for here, told in (
        (Here("/p/heron"), f"{general}\n\n# Project /p/heron\n\nHeron stores sessions in Redis."),
        (Here("/p/other"), general),
        (Here("/p/other", is_personal=True), f"{general}\n\n# Imported notes\n\nWater the plants."),
    ):
        assert file.injectable(path, here) == told


def test_a_long_list_loses_what_matters_least(home: Home) -> None:
    home.configure(manifest("rules"))
    for number in range(40):
        text = f"Statement {number:02d} of the heron handbook: " + "word " * 120
        save(home, text, importance=0.3 + number / 100)
    with home.worker():
        done(home, asked(home))
    text = file_of(home).read_text("utf-8")
    assert 8_000 < len(text) < 10_100
    assert "Statement 39" in text and "Statement 00" not in text
    assert text.index("Statement 39") < text.index("Statement 38")


def test_each_agent_has_a_file_of_its_own(home: Home) -> None:
    home.configure(manifest("rules"))
    save(home, "Nora keeps bees.", "nora", importance=0.9)
    save(home, "Nothing may leave the folder.", "../evil", importance=0.9)
    with home.worker():
        assert done(home, asked(home, "nora"))["path"] == "agents/nora/MEMORY.md"
        assert done(home, asked(home, "../evil")) == {"skipped": "nothing_to_write"}
        assert done(home, asked(home, "nobody")) == {"skipped": "nothing_to_write"}
    assert "- Nora keeps bees." in file_of(home, "nora").read_text("utf-8")
    assert not (home.workspace.root / "agents" / "nobody").exists()
    assert not (home.workspace.root.parent / "evil").exists()


def test_twenty_backups_are_kept(home: Home) -> None:
    home.configure(manifest("rules"))
    save(home, "Nora keeps bees.", importance=0.9)
    file_of(home).write_text("Old.", "utf-8")
    for number in range(25):
        name = f"MEMORY.backup-2026-01-{number + 1:02d}T00-00-00.md"
        (home.workspace.memory_dir / name).write_text("older", "utf-8")
    with home.worker():
        done(home, asked(home))
    kept = backups(home)
    assert len(kept) == 20 and kept[-1].read_text("utf-8") == "Old."
    assert kept[0].name == "MEMORY.backup-2026-01-07T00-00-00.md"


@pytest.mark.parametrize("where", ["asking", "backup", "replaced", "edited"])
def test_a_killed_worker_leaves_one_file_and_one_backup_of_each_thing_a_person_wrote(
    asking: Home, script: Script, server: FakeServer, where: str
) -> None:
    file_of(asking).write_text("By hand.", "utf-8")
    save(asking, "Heron runs on SQLite.", importance=0.9)
    job_id = asked(asking)
    kept = ["By hand."]
    if where == "asking":
        script.reads(QUESTION, Hang())
        with asking.worker() as victim:
            eventually(lambda: any(QUESTION in prompt for prompt in server.prompts))
            assert file_of(asking).read_bytes() == b"By hand."
            victim.kill()
            victim.wait()
    else:
        script.reads(QUESTION, FILE)
        step = "replaced" if where == "edited" else where
        with asking.runs("worker.stops_at", {"STOP_AFTER": step}) as victim:
            victim.wait()
            assert victim.returncode == -9
    if where == "edited":
        file_of(asking).write_text("By hand again.", "utf-8")
        kept.append("By hand again.")
    asking.run(
        "UPDATE memory_jobs SET status = 'pending', lease_owner = NULL, lease_until_ms = NULL,"
        " leased_at = NULL, due_ms = 0 WHERE id = ?",
        job_id,
    )
    script.reads(QUESTION, FILE)
    with asking.worker():
        done(asking, job_id)
    assert body(file_of(asking).read_text("utf-8")) == f"{FILE}\n"
    assert sorted(backup.read_text("utf-8") for backup in backups(asking)) == sorted(kept)
    root = asking.workspace.root
    assert not [path for path in root.rglob(".*") if path.name.endswith(".new")]


def test_the_scheduler_asks_when_it_is_time(home: Home) -> None:
    home.configure(manifest("none"))
    settings, _ = settings_from(home.tree)
    assert home.db.read(run.due, settings, now=clock.now()) == []
    save(home, "Heron runs on SQLite.", importance=0.9)
    assert home.db.read(run.due, settings, now=clock.now()) == [], "somebody is at work"
    home.run("UPDATE memories SET created_at = '2026-01-01T00:00:00.000Z'")
    with home.runs("signet_scheduler"):
        eventually(
            lambda: bool(home.rows("SELECT * FROM memory_jobs WHERE job_type = 'synthesize'"))
        )
    [queued] = home.rows("SELECT * FROM memory_jobs WHERE job_type = 'synthesize'")
    assert (queued["agent_id"], queued["dedupe_key"]) == ("default", "synthesize:default")
    off, _ = settings_from(manifest("none", synthesis={"enabled": False}))
    home.run("DELETE FROM memory_jobs")
    assert home.db.read(run.due, off, now=clock.now()) == []
    assert home.db.read(run.due, settings, now=clock.now()) == ["default"]


def test_what_a_model_concluded_stands_behind_what_was_said(asking: Home, script: Script) -> None:
    said, concluded = "Mina has a dog, and it is called Rex.", "Mina's dog is called Rex"
    script.reads(QUESTION, "the " * 900)
    script.reads("", found(fact(concluded, confidence=0.99)))
    save(asking, said, importance=0.8)
    with asking.worker():
        asking.drained("extract")
        done(asking, asked(asking))
    text = file_of(asking).read_text("utf-8")
    assert 0 < text.index(said) < text.index(concluded)
