"""A forgotten session: its texts are gone for good, what was distilled from it alone is hidden, nothing comes again."""

from pathlib import Path
from typing import Any

from api.test_forgotten import exported, listed, remember, restored
from signet import clock
from signet.domain.memory import remember as saving
from signet.domain.memory.models import Actor, Draft, Rules, Visibility
from signet.domain.sessions import forget
from signet.wire.origin import Origin
from support.http import Api, an_api

KEY = "quay-talk"
TURNS = (
    ("User", "The gate of the walled garden is opened with the brass key at dawn."),
    ("Assistant", "Noted: the brass key opens the walled garden."),
    ("User", "And the tower of Skarv is closed in May."),
)
TALK = "\n".join(f"{who}: {text}" for who, text in TURNS)
PIPELINE = Actor(name="summary-worker", type="pipeline", origin=Origin.INFERRED)


def end(api: Api, key: str = KEY, talk: str = TALK) -> None:
    ended = {"harness": "codex", "sessionKey": key, "transcript": talk, "cwd": "/boats/quay"}
    assert api.post("/api/hooks/session-end", ended).status == 200


def fact(api: Api, text: str, key: str = KEY) -> str:
    """Save a fact of a session, as the summary job does, and return its id."""
    draft = Draft(
        content=text,
        type="fact",
        agent_id="default",
        source_type="session_end",
        source_id=key,
        origin=Origin.INFERRED,
        is_asked=False,
        created_at=clock.now(),
        importance=0.5,
        visibility=Visibility.GLOBAL,
        who="summary-worker",
        why="session",
        updated_by="summary-worker",
    )
    db, rules = api.state.db, Rules()
    return db.write(saving.save_told, draft, actor=PIPELINE, rules=rules, now=clock.now()).id


def asked(api: Api, mode: str, key: str = KEY, **body: object) -> Any:
    return api.post(f"/api/sessions/{key}/forget", {"mode": mode, "reason": "private", **body})


def summarised(api: Api) -> Path:
    """Leave a summary with its notes, and one that was made of it and another, and return the notes."""
    note = api.state.workspace.root / "memory" / "2026-05-01-quay.md"
    note.parent.mkdir(exist_ok=True)
    note.write_text("# Quay\nThe brass key opens the garden.\n")
    for summary, key, depth in (("s1", KEY, 0), ("s2", "other", 0), ("s3", None, 1)):
        api.run(
            "INSERT INTO session_summaries (id, depth, kind, content, earliest_at, latest_at, session_key, agent_id,"
            " created_at) VALUES (?, ?, 'session', ?, '2026', '2026', ?, 'default', '2026')",
            *(summary, depth, note.read_text(), key),
        )
    for child in ("s1", "s2"):
        child_of = "INSERT INTO session_summary_children (parent_id, child_id, ordinal) VALUES ('s3', ?, 0)"
        api.run(child_of, child)
    api.run(
        "INSERT INTO summary_jobs (id, session_id, agent_id, harness, transcript, status, result_path, created_at)"
        " VALUES ('j1', ?, 'default', 'codex', '', 'done', 'memory/2026-05-01-quay.md', '2026')",
        KEY,
    )
    return note


def test_a_session_goes_with_what_was_distilled_from_it_alone(api: Api) -> None:
    prompt = {"harness": "codex", "sessionKey": KEY, "userPrompt": "Where is the brass key?"}
    api.post("/api/hooks/user-prompt-submit", prompt)
    api.post("/api/hooks/pre-compaction", {**prompt, "sessionContext": "the brass key"})
    end(api)
    end(api, "other")
    note = summarised(api)
    own, shared = fact(api, "The garden has a brass key."), fact(api, "Skarv is closed in May.")
    fact(api, "Skarv is closed in May.", "other")
    saved = remember(api, "The brass key is mine.", sessionKey=KEY)
    before = {table: api.rows(table) for table in ("memories", "session_transcripts")}
    look = asked(api, "preview").body
    assert {table: api.rows(table) for table in before} == before
    assert look["transcriptChars"] >= len(TALK)
    assert (look["summaries"], look["notes"]) == (1, ["memory/2026-05-01-quay.md"])
    assert [one["id"] for one in look["along"]] == [own]
    assert [(one["id"], one["why"]) for one in look["staying"]] == [(shared, "other_source")]
    done = asked(api, "execute").body
    assert (done["alongCount"], done["notesKept"], note.exists()) == (1, [], False)
    active = {row["id"] for row in api.rows("memories") if not row["is_deleted"]}
    assert active == {shared, saved}
    left = (
        "session_transcripts", "session_summaries", "session_checkpoints", "session_injections",
        "session_steps", "session_memories", "session_scores", "summary_jobs", "episode_chunks",
    )  # fmt: skip
    for table in left:
        assert KEY not in str(api.rows(table)), table
    assert [row["id"] for row in api.rows("session_summaries")] == ["s2"]
    assert api.get(f"/api/sessions/{KEY}/transcript").status == 404
    assert asked(api, "preview").status == 404
    back = api.post(f"/api/memory/{own}/recover", {"reason": "a slip"})
    assert back.status == 200


def test_taking_back_a_save_leaves_what_sessions_state(api: Api) -> None:
    rule = "Always run the tide table before you cast off."
    own, saved = fact(api, rule), remember(api, f"{rule} The quay is wet.")
    body = {"ids": [saved], "mode": "execute", "reason": "a mistake", "undo": True}
    preview = api.post("/api/memory/forget", {**body, "mode": "preview"}).body
    assert preview["alongCount"] == 0
    assert api.post("/api/memory/forget", body).body["results"][0]["status"] == "deleted"
    assert api.get(f"/api/memory/{own}").body["is_deleted"] == 0 and not listed(api)
    again = remember(api, f"{rule} The quay is wet.")
    body = {**body, "ids": [again], "undo": False}
    assert api.post("/api/memory/forget", body).body["results"][0]["alongCount"] == 1


def test_nothing_more_of_it_is_stored(api: Api) -> None:
    prompt = {"harness": "codex", "sessionKey": KEY, "userPrompt": "Where is the brass key?"}
    api.post("/api/hooks/user-prompt-submit", prompt)
    end(api)
    records = exported(api)
    api.post("/api/hooks/user-prompt-submit", prompt)  # which still runs
    assert asked(api, "execute").status == 200
    running = api.get(f"/api/sessions/{KEY}").body
    assert running["bypassed"] is True
    end(api, talk=TALK + "\nAssistant: And more was said of the brass key.")
    assert restored(api, records)["refused"] == 0
    for table in ("session_transcripts", "session_checkpoints", "summary_jobs", "session_steps"):
        assert api.rows(table) == [], table


def test_notes_that_a_person_has_written_into_stay_and_are_named(api: Api) -> None:
    end(api)
    note = summarised(api)
    note.write_text(note.read_text() + "My own line.\n")
    done = asked(api, "execute").body
    assert (done["notes"], done["notesKept"]) == ([], ["memory/2026-05-01-quay.md"])
    assert note.exists()


def test_an_unknown_session_and_one_of_several_agents_are_refused(api: Api) -> None:
    assert asked(api, "execute").status == 404
    api.add_agent("scout")
    end(api)
    theirs = {"harness": "codex", "sessionKey": KEY, "transcript": TALK, "agentId": "scout"}
    assert api.post("/api/hooks/session-end", theirs).status == 200
    found = asked(api, "execute")
    assert (found.status, found.body["agents"]) == (409, ["default", "scout"])
    assert asked(api, "execute", agentId="scout").status == 200
    assert [row["agent_id"] for row in api.rows("session_transcripts")] == ["default"]
    assert api.post(f"/api/sessions/{KEY}/forget", {"mode": "execute"}).status == 400


def test_an_older_state_that_is_put_back_forgets_the_session_again(
    api: Api, tmp_path: Path
) -> None:
    end(api)
    own = fact(api, "The garden has a brass key.")
    with an_api(tmp_path / "older") as older:
        older.post("/api/import", {"records": exported(api)})
        assert len(older.rows("session_transcripts")) == 1
        assert asked(api, "execute").status == 200
        database = older.state.workspace.database
        assert forget.over(api.state.db.path, database, now=clock.now()) == 1
        assert older.rows("session_transcripts") == []
        hidden = {row["id"] for row in older.rows("memories") if row["is_deleted"]}
        assert hidden == {own}
        assert forget.over(api.state.db.path, database, now=clock.now()) == 0
    assert [one["id"] for one in listed(api)] == [own]
