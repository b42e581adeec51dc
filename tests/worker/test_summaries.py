"""Sessions through a real worker: notes, facts and summaries, also when it is killed in the middle."""

import json
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from signet import clock
from signet.db import Row, WriteTx
from signet.domain.sessions import session_end
from signet.domain.sessions.session_end import EndRules
from signet.domain.summaries import requests
from signet.domain.transcripts import log_files
from signet.domain.transcripts.models import Session
from signet.queue import transitions
from support.models import FakeServer, Hang, Status
from support.processes import eventually
from worker.home import Home, Tree, a_home, manifest
from worker.script import Script, scripted

SAID = "The heron service keeps its sessions in Redis because the disks are slow."
DECIDED = "The team decided to deploy the heron service on Thursdays."


def talk(topic: str, turns: int = 6, told: Sequence[str] = ()) -> str:
    """Return a session of some length about a topic, in which the user also says what is `told`."""
    asked = f"User: What do we know about the {topic} by now, and what is still open there?"
    answer = f"Assistant: The {topic} is being looked at. We have written down what we know of it."
    said = [f"User: {one}" for one in told]
    return "\n".join([*(f"{asked} Step {turn}.\n{answer}" for turn in range(turns)), *said])


def notes(topic: str, *facts: str, **more: object) -> str:
    """Return notes as a model writes them."""
    listed = [{"content": fact, "type": "decision", "importance": 0.9, **more} for fact in facts]
    summary = f"# Session Notes\n\n## {topic}\n\n{topic} is being looked at, and we have written down what we know."
    return json.dumps({"summary": summary, "facts": listed})


def ended(
    home: Home,
    key: str,
    text: str,
    agent: str = "default",
    project: str = "/p/heron",
    attempts: int = 3,
) -> str:
    """End a session as the API does and return the id of its job."""
    session = Session(
        agent_id=agent, key=key, harness="codex", project=project, text=log_files.storable(text)
    )
    rules = EndRules(attempts=attempts)
    queued = home.db.write(session_end.store, session, rules=rules, now=clock.now())
    assert queued is not None
    return queued.job_id


def finished(home: Home, job_id: str, status: str = "completed") -> Tree:
    """Wait until a job has ended so and return its result."""
    eventually(lambda: row(home, job_id)["status"] in ("completed", "dead"))
    assert row(home, job_id)["status"] == status, row(home, job_id)["errors"]
    result = json.loads(row(home, job_id)["result"] or "{}")
    assert isinstance(result, dict)
    return result


def row(home: Home, job_id: str, table: str = "memory_jobs") -> Row:
    return home.rows(f"SELECT * FROM {table} WHERE id = ?", job_id)[0]


def facts_of(home: Home, key: str) -> list[Row]:
    sql = "SELECT * FROM memories WHERE source_type = 'session_end' AND source_id = ? ORDER BY seq"
    return home.rows(sql, key)


def files_of(home: Home) -> list[Path]:
    return sorted(
        path
        for path in home.workspace.memory_dir.iterdir()
        if not path.name.startswith("memories.db")
    )


@pytest.fixture(scope="module")
def busy(
    script: Script, server: FakeServer, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Home]:
    with a_home(tmp_path_factory.mktemp("w")) as made:
        made.configure(manifest(url=server.url, worker={"maxRetries": 4}))
        with made.worker():
            yield made


def test_a_session_becomes_notes_facts_and_a_summary(busy: Home, script: Script) -> None:
    script.reads("kestrel depot", notes("The Kestrel depot!", SAID, DECIDED, tags=["Heron"]))
    job_id = ended(busy, "one", talk("kestrel depot", told=(SAID, DECIDED)))
    result = finished(busy, job_id)
    day = str(row(busy, job_id)["created_at"])[:10]
    assert result == {
        "path": f"memory/{day}-the-kestrel-depot.md",
        "facts": 2,
        "saved": 2,
        "forgotten": 0,
    }
    text = (busy.workspace.root / str(result["path"])).read_text("utf-8")
    assert text.startswith(f"# {day} Session Notes") and "is being looked at" in text
    one, two = facts_of(busy, "one")
    assert (one["content"], two["content"]) == (SAID, DECIDED)
    assert (one["type"], one["importance"], one["who"]) == ("decision", 0.5, "codex")
    assert (one["tags"], one["project"], one["session_id"]) == ('["heron"]', "/p/heron", "one")
    assert one["content_hash"] and one["agent_id"] == "default"
    mentions = "SELECT COUNT(*) FROM memory_entity_mentions WHERE memory_id IN (?, ?)"
    assert busy.value(mentions, one["id"], two["id"])
    [summary] = busy.rows("SELECT * FROM session_summaries WHERE session_key = 'one'")
    assert (summary["kind"], summary["depth"], summary["project"]) == ("session", 0, "/p/heron")
    assert summary["content"] == text.rstrip()
    links = "SELECT memory_id FROM session_summary_memories WHERE summary_id = ? ORDER BY rowid"
    assert [link[0] for link in busy.rows(links, summary["id"])] == [one["id"], two["id"]]
    asked = row(busy, job_id, "summary_jobs")
    assert (asked["status"], asked["result_path"], asked["attempts"]) == ("done", result["path"], 1)


@pytest.mark.parametrize(("mode", "readers"), [("local", "global"), ("team", "private")])
def test_facts_of_a_session_are_its_owners_where_there_are_keys(
    home: Home, script: Script, server: FakeServer, mode: str, readers: str
) -> None:
    home.configure({**manifest(url=server.url), "auth": {"mode": mode}})
    script.reads("kestrel depot", notes("The Kestrel depot!", SAID))
    with home.worker():
        finished(home, ended(home, "one", talk("kestrel depot", told=(SAID,))))
    assert [one["visibility"] for one in facts_of(home, "one")] == [readers]


def test_a_fact_that_is_known_in_other_words_is_no_news(busy: Home, script: Script) -> None:
    known = "Because disks are slow, the heron service keeps all its sessions in Redis."
    other = "The heron service keeps its sessions in Redis 7 because the disks are slow."
    script.reads("osprey cache", notes("Osprey", known, other, DECIDED, SAID.upper()))
    busy.remember(SAID, "knows")
    busy.remember(other, "another")
    scoped = busy.remember(other, "knows")
    busy.run("UPDATE memories SET scope = 'elsewhere' WHERE id = ?", scoped)
    replaced, by = busy.remember(DECIDED, "knows"), busy.remember("No deploys any more.", "knows")
    busy.run("UPDATE memories SET superseded_by = ? WHERE id = ?", by, replaced)
    text = talk("osprey cache", told=(known, other, DECIDED))
    result = finished(busy, ended(busy, "two", text, "knows", project="/p"))
    assert (result["facts"], result["saved"]) == (4, 2)
    assert [fact["content"] for fact in facts_of(busy, "two")] == [other]
    assert busy.memory(replaced)["superseded_by"] is None, "it was said again"


def test_a_session_that_goes_on_keeps_its_file_and_its_summary(busy: Home, script: Script) -> None:
    meets, moved = "Linnet meets on Mondays at nine.", "Linnet moved to Ghent in spring."
    script.reads("linnet board", notes("Linnet", meets))
    first = finished(busy, ended(busy, "on", talk("linnet board", told=[meets])))
    script.reads("linnet board", notes("Other title", moved))
    longer = talk("linnet board", turns=9, told=[meets, moved])
    later = ended(busy, "on", longer)
    assert finished(busy, later)["path"] == first["path"]
    text = (busy.workspace.root / str(first["path"])).read_text("utf-8")
    assert "Other title" in text
    assert len(busy.rows("SELECT * FROM session_summaries WHERE session_key = 'on'")) == 1
    assert len(facts_of(busy, "on")) == 2
    again = ended(busy, "on", longer)
    assert again == later, "what was read is not read again"


def test_what_is_said_while_a_session_is_read_is_read_next(
    busy: Home, script: Script, server: FakeServer
) -> None:
    told = ["Siskin sends its mail at six.", "Siskin also sends on Sundays."]
    hang = Hang(threading.Event(), notes("Siskin", told[0]))
    script.reads("siskin mail", hang, notes("Siskin", told[1]))
    first = ended(busy, "while", talk("siskin mail", told=told))
    eventually(lambda: any("siskin mail" in prompt for prompt in server.prompts))
    assert row(busy, first, "summary_jobs")["status"] == "processing"
    assert ended(busy, "while", talk("siskin mail", turns=9, told=told)) == first
    hang.release.set()
    finished(busy, first)
    rest = "SELECT id FROM summary_jobs WHERE session_id = 'while' AND id <> ?"
    eventually(lambda: bool(busy.rows(rest, first)))
    finished(busy, str(busy.value(rest, first)))
    assert len(facts_of(busy, "while")) == 2


def test_a_long_session_is_read_in_parts(busy: Home, script: Script, server: FakeServer) -> None:
    script.reads("Notes were taken of the parts", notes("The whole plover"))
    opens, closes = "Plover opens its doors at ten.", "Plover closes its doors at five."
    script.reads("part 1 of 3", notes("First", opens))
    script.reads("part 2 of 3", "I cannot read this.")
    script.reads("part 3 of 3", notes("Third", closes))
    text = f"User: {opens}\n{talk('plover house', turns=300, told=[closes])}"
    result = finished(busy, ended(busy, "long", text))
    assert str(result["path"]).endswith("-the-whole-plover.md") and result["saved"] == 2
    parts = [prompt for prompt in server.prompts if "of 3 of the session" in prompt]
    assert len(parts) == 4, "what could not be read was asked for once more"
    whole = "\n".join(part.split("\nUser: ", 1)[-1] for part in parts)
    assert all(f"Step {turn}." in whole for turn in (1, 100, 200, 299))


def test_what_a_model_gives_no_notes_of_is_read_by_the_rules(
    busy: Home, script: Script, server: FakeServer
) -> None:
    script.reads("twite farm", "No.", '{"summary": "cut in the mid')
    said = f"{talk('twite farm')}\nUser: The twite farm service listens on port 4410."
    job_id = ended(busy, "odd", said)
    assert finished(busy, job_id)["saved"] == 1
    assert row(busy, job_id)["attempts"] == 1
    asked = [prompt for prompt in server.prompts if "twite farm" in prompt]
    assert sum(prompt.startswith("You take notes") for prompt in asked) == 2
    assert "listens on port 4410" in facts_of(busy, "odd")[0]["content"]
    assert row(busy, job_id, "summary_jobs")["status"] == "done"


def test_a_job_that_died_shows_on_its_session_and_can_be_brought_back(
    home: Home, script: Script, server: FakeServer
) -> None:
    script.reads("crane yard", Status(400))
    home.configure(manifest(url=server.url))
    with home.worker():
        told = "The crane yard has three cranes."
        job_id = ended(home, "dead", talk("crane yard", told=[told]), attempts=1)
        finished(home, job_id, "dead")
        shown = row(home, job_id, "summary_jobs")
        assert shown["status"] == "failed" and shown["error"]
        script.reads("crane yard", notes("Crane", told))
        home.db.write(transitions.requeue, now=clock.now(), kind="summarize")
        finished(home, job_id)
        assert row(home, job_id, "summary_jobs")["status"] == "done"


def test_eight_sessions_of_a_project_become_an_arc_and_four_arcs_an_epoch(
    busy: Home, script: Script
) -> None:
    script.reads(
        "These are notes of consecutive work", "```markdown\n# The wren year\n\nMuch was done.\n```"
    )
    for number in range(32):
        at = f"2026-01-{number % 28 + 1:02d}T10:00:0{number // 28}.000Z"
        busy.run(
            "INSERT INTO session_summaries (id, project, depth, kind, content, earliest_at, latest_at,"
            " session_key, agent_id, created_at) VALUES (?, '/p/wren', 0, 'session', ?, ?, ?, ?, 'wren', ?)",
            *(f"s{number}", f"Note {number}: much was done", at, at, f"k{number}", at),
        )
    script.reads("wren nest", notes("Wren"))
    finished(busy, ended(busy, "wren", talk("wren nest"), agent="wren", project="/p/wren"))
    eventually(lambda: len(busy.rows("SELECT * FROM session_summaries WHERE depth = 2")) == 1)
    arcs = busy.rows("SELECT * FROM session_summaries WHERE depth = 1 ORDER BY latest_at")
    assert [arc["kind"] for arc in arcs] == ["arc"] * 4
    assert {arc["content"] for arc in arcs} == {"# The wren year\n\nMuch was done."}
    children = "SELECT child_id FROM session_summary_children WHERE parent_id = ? ORDER BY ordinal"
    assert len(busy.rows(children, arcs[0]["id"])) == 8
    [epoch] = busy.rows("SELECT * FROM session_summaries WHERE depth = 2")
    assert (epoch["kind"], epoch["agent_id"], epoch["project"]) == ("epoch", "wren", "/p/wren")
    assert len(busy.rows(children, epoch["id"])) == 4
    queued = busy.rows("SELECT DISTINCT max_attempts FROM memory_jobs WHERE job_type = 'condense'")
    assert [one["max_attempts"] for one in queued] == [4]


def test_a_session_is_judged_by_what_was_shown_to_it(busy: Home, script: Script) -> None:
    shown = busy.remember("The dunlin archive lies in Oslo.")
    busy.run(
        "INSERT INTO session_memories (id, session_key, memory_id, rank, was_injected, created_at)"
        " VALUES ('i1', 'judged', ?, 1, 1, '2026-01-01')",
        shown,
    )
    judged = {"score": 1.4, "confidence": 0.5, "memories_used": 1, "reasoning": "of use"}
    judged["per_memory"] = [{"id": shown[:8], "relevance": 0.7}, {"id": "", "relevance": 1}]
    script.reads("Memories were shown to an assistant", json.dumps(judged))
    script.reads("dunlin plan", notes("Dunlin"))
    finished(busy, ended(busy, "judged", talk("dunlin plan")))
    [score] = busy.rows("SELECT * FROM session_scores WHERE session_key = 'judged'")
    assert (score["score"], score["confidence"], score["memories_recalled"]) == (1.0, 0.5, 1)
    assert (score["memories_used"], score["reasoning"], score["harness"]) == (1, "of use", "codex")
    relevance = "SELECT relevance_score FROM session_memories WHERE id = 'i1'"
    assert busy.value(relevance) == 0.7


def test_a_session_that_says_nothing_new_is_kept_and_not_read(
    busy: Home, script: Script, server: FakeServer
) -> None:
    text = "User: " + "well then " * 80
    script.reads("well then well then", notes("Well"))
    first = ended(busy, "dull one", text, agent="dull")
    finished(busy, first)
    second = ended(busy, "dull two", text + "so be it", agent="dull")
    assert finished(busy, second) == {"skipped": "not_significant"}
    assert not any("so be it" in prompt for prompt in server.prompts)
    stored = "SELECT content FROM session_transcripts WHERE session_key = 'dull two'"
    assert str(busy.value(stored)).endswith("so be it")


@pytest.mark.parametrize(
    ("said", "fact"),
    [
        ("The client must cap retries at 7.", "The client must cap retries at 7."),
        ("We chose Postgres 17 over MySQL.", "The team chose Postgres 17 over MySQL."),
        ("How many retries may the client make?", None),
    ],
)
def test_a_short_session_is_read_for_what_it_states(
    busy: Home, server: FakeServer, said: str, fact: str | None
) -> None:
    key = f"short {said[:12]}"
    result = finished(busy, ended(busy, key, f"User: {said}\nAssistant: Done."))
    assert [row["content"] for row in facts_of(busy, key)] == ([fact] if fact else [])
    assert fact or result == {"skipped": "not_significant"}
    assert not any(f"{said}\nAssistant: Done." in prompt for prompt in server.prompts)


def test_a_session_of_an_older_file_is_read_without_what_recall_put_into_it(
    busy: Home, script: Script, server: FakeServer
) -> None:
    recalled = '[signet:recall | query="x" | results=1 | engine=hybrid]\n- The ruff is red.\n\n'
    flooded = "The ruff marsh is flooded in spring."
    text = talk("ruff marsh", told=[flooded]).replace("User: ", f"User: {recalled}", 1)
    script.reads("ruff marsh", notes("Ruff", flooded))
    session = Session(agent_id="default", key="older", harness="codex", project=None, text="")

    def adopt(tx: WriteTx) -> str:
        job_id = requests.of_session(tx, session, attempts=3, now=clock.now()).job_id
        tx.run("UPDATE summary_jobs SET transcript = ? WHERE id = ?", (text, job_id))
        return job_id

    job_id = busy.db.write(adopt)
    assert finished(busy, job_id)["saved"] == 1
    assert not any("The ruff is red" in prompt for prompt in server.prompts)


def test_a_provider_that_is_down_costs_no_attempt(home: Home, script: Script) -> None:
    drained = "The avocet pond is drained in June."
    script.reads("avocet pond", notes("Avocet", drained))
    with scripted(script) as gone:
        home.configure(manifest(url=gone.url))
        gone.stop()
        job_id = ended(home, "down", talk("avocet pond", told=[drained]))
        with home.worker():
            eventually(lambda: _waits_uncharged(home, job_id))
            assert home.value("SELECT provider FROM provider_breakers") == "llm"
            gone.start()
            finished(home, job_id)
    assert len(facts_of(home, "down")) == 1


def _waits_uncharged(home: Home, job_id: str) -> bool:
    job = row(home, job_id)
    waits = (job["status"], job["last_error_code"], job["attempts"])
    return waits == ("pending", "provider_down", 0)


LEARNED = (
    "User: I prefer tabs over spaces in Go code. We use PostgreSQL for the billing service.\n"
    "Assistant: Noted, the billing service uses PostgreSQL.\n"
    "User: We decided to deploy the billing service on Tuesdays because support is complete then.\n"
    "Assistant: I will keep that in mind for the next release and write it into the calendar.\n"
)


def test_without_a_model_the_rules_take_the_same_notes_every_time(home: Home) -> None:
    home.configure(manifest("rules"))
    text = LEARNED + talk("billing service", turns=4)
    with home.worker():
        one = finished(home, ended(home, "r1", text, agent="a1"))
        two = finished(home, ended(home, "r2", text, agent="a2"))
    said = [[f["content"] for f in facts_of(home, key)] for key in ("r1", "r2")]
    assert said[0] == said[1] and len(said[0]) >= 2
    written = [(home.workspace.root / str(r["path"])).read_text("utf-8") for r in (one, two)]
    assert written[0] == written[1] and "- The user prefers tabs" in written[0]
    assert str(one["path"]).endswith("-heron.md") and str(two["path"]).endswith("-heron-2.md")


def test_with_extraction_off_the_transcript_stays_and_nothing_dies(home: Home) -> None:
    home.configure(manifest("none"))
    job_id = ended(home, "off", LEARNED * 2)
    with home.worker():
        assert finished(home, job_id) == {"skipped": "no_model"}
    assert home.value("SELECT COUNT(*) FROM session_transcripts") == 1
    assert files_of(home) == []


@pytest.mark.parametrize("mode", ["shadowMode", "mutationsFrozen"])
def test_jobs_wait_while_nothing_may_be_changed(home: Home, mode: str) -> None:
    home.configure(manifest("rules", None, embedding="none", api_key=None, **{mode: True}))
    job_id = ended(home, "waits", LEARNED * 2)
    with home.worker():
        eventually(lambda: row(home, job_id)["last_error_code"] == "not_now")
        waiting = row(home, job_id)
        assert (waiting["status"], waiting["attempts"]) == ("pending", 0)
        assert home.value("SELECT COUNT(*) FROM memories") == 0
        home.configure_live(manifest("rules"))
        finished(home, job_id)
    assert facts_of(home, "waits") and files_of(home)


def test_jobs_that_waited_to_be_allowed_run_when_that_has_changed_while_no_worker_ran(
    home: Home,
) -> None:
    home.configure(manifest("rules", mutationsFrozen=True))
    job_id = ended(home, "waits", LEARNED * 2)
    with home.worker():
        eventually(lambda: row(home, job_id)["last_error_code"] == "not_now")
    home.configure(manifest("rules"))
    with home.worker():
        finished(home, job_id)


def everything(home: Home) -> dict[str, object]:
    """Return what a session has left, in words that do not depend on ids and times."""
    tables = {
        "facts": "SELECT content, type, importance, agent_id, project FROM memories ORDER BY content",
        "history": "SELECT event, changed_by, new_content FROM memory_history ORDER BY 1, 3",
        "summaries": "SELECT content, depth, project FROM session_summaries ORDER BY 1",
        "links": "SELECT COUNT(*) FROM session_summary_memories",
        "mentions": "SELECT canonical_name, mentions FROM entities ORDER BY 1",
    }
    found: dict[str, object] = {
        name: [tuple(one) for one in home.rows(sql)] for name, sql in tables.items()
    }
    return found | {"files": [(path.name, path.read_text("utf-8")) for path in files_of(home)]}


@pytest.mark.parametrize("where", ["reading", "named", "written"])
def test_a_killed_worker_leaves_no_twin(tmp_path: Path, where: str) -> None:
    """Killed while the model reads, when the name is chosen, and when the file is there and the facts are not."""
    text, answers = (
        talk("curlew hut", told=[SAID]),
        [notes("Curlew", SAID), notes("A new title", SAID)],
    )
    found = []
    for killed in (False, True):
        script = Script()
        with scripted(script) as server, a_home(tmp_path / str(killed)) as home:
            home.configure(manifest(url=server.url))
            job_id = ended(home, "k", text)
            if killed:
                _kill(home, script, server, where, answers)
            script.reads("curlew hut", answers[1 if killed and where != "reading" else 0])
            with home.worker():
                finished(home, job_id)
            found.append(everything(home))
    if where != "reading":
        # The second reading gave another title; the file keeps the name that was chosen.
        assert str(found[1]["files"]).replace("A new title", "Curlew") == str(found[0]["files"])
        found = [{**one, "files": [], "summaries": []} for one in found]
    assert found[0] == found[1]


def _kill(home: Home, script: Script, server: FakeServer, where: str, answers: list[str]) -> None:
    """Run a worker up to a place and kill it there."""
    if where == "reading":
        script.reads("curlew hut", Hang())
        with home.worker() as victim:
            eventually(lambda: bool(server.prompts))
            victim.kill()
            victim.wait()
    else:
        script.reads("curlew hut", answers[0])
        with home.runs("worker.stops_at", {"STOP_AFTER": where}) as victim:
            victim.wait()
            assert victim.returncode == -9
    home.run(
        "UPDATE memory_jobs SET status = 'pending', lease_owner = NULL, lease_until_ms = NULL,"
        " leased_at = NULL, due_ms = 0 WHERE job_type = 'summarize'"
    )
