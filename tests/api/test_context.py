"""What a session was given, from where, and what it used of it: GET /api/sessions/{key}/context."""

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from signet import clock
from signet.domain.auth.tokens import TokenScope
from signet.domain.injections import trace
from signet.domain.retention import purge
from signet.domain.retention.purge import Windows
from signet.queue import transitions
from signet.queue.job_context import JobContext
from support.http import Answer, Api, an_api
from support.tokens import a_token, bearer

WALRUS = "The walrus sleeps on the northern pier at night, next to crane 4711."
FALCON = "The falcon of the harbour hunts mice behind the customs shed at dawn."
ASK_WALRUS = "Where does the walrus sleep at night?"
ASK_FALCON = "What does the falcon hunt at dawn?"
KEY = "5d0c7a1e-walrus"


def remember(api: Api, content: str) -> str:
    return str(api.post("/api/memory/remember", {"content": content}).body["id"])


def hook(api: Api, name: str, key: str = KEY, **body: object) -> Answer:
    sent = {"harness": "claude-code", "sessionKey": key, "cwd": "/work/harbour", **body}
    return api.post(f"/api/hooks/{name}", sent)


def prompt(api: Api, message: str, key: str = KEY) -> str:
    return str(hook(api, "user-prompt-submit", key, userMessage=message).body["inject"])


def context(api: Api, key: str = KEY, query: str = "") -> Any:
    found = api.get(f"/api/sessions/{key}/context{query}")
    assert found.status == 200, found.body
    return found.body


def log(*said: tuple[str, object]) -> str:
    """Return a log as Claude Code writes it."""
    return "\n".join(
        json.dumps({"type": role, "message": {"role": role, "content": content}})
        for role, content in said
    )


def ends(api: Api, *said: tuple[str, object], key: str = KEY) -> None:
    answer = hook(api, "session-end", key, transcript=log(*said), reason="other")
    assert answer.status == 200, answer.body
    traced(api)


def traced(api: Api, *, is_done: bool = True) -> None:
    """Run the jobs that look for uses, as the worker does; none is left then where `is_done`."""
    held = api.state.db.write(
        transitions.claim,
        "light",
        10,
        owner="me",
        now=clock.now(),
        monotonic_ms=clock.monotonic_ms(),
        lease_ms=60_000,
    )
    for one in held:
        if one.kind == "trace_use":
            trace.run(JobContext(lease=one, db=api.state.db))
    done = [row for row in api.rows("memory_jobs") if row["job_type"] == "trace_use"]
    assert all(row["status"] == "completed" for row in done) is is_done, done


def given(found: Any) -> dict[str, Any]:
    """Return the memories that were given, by their text."""
    items = [item for one in found["injections"] for item in one["given"]]
    return {item["text"] or item["id"]: item for item in items if item["kind"] == "memory"}


def told_both(api: Api, key: str = KEY) -> tuple[str, str]:
    """Begin a session and give it a memory at each of two prompts; return their ids."""
    hook(api, "session-start", key)
    ids = remember(api, WALRUS), remember(api, FALCON)
    assert WALRUS in prompt(api, ASK_WALRUS, key) and FALCON in prompt(api, ASK_FALCON, key)
    return ids


def test_a_session_says_what_it_was_given_and_what_it_used(api: Api) -> None:
    walrus, falcon = told_both(api)
    before = api.rows("memories")
    found = context(api)
    assert [one["phase"] for one in found["injections"]] == ["start", "prompt", "prompt"]
    assert [one["prompt"] for one in found["injections"]] == [0, 1, 2]
    first = given(found)[WALRUS]
    assert (first["id"], first["reason"], first["use"]) == (walrus, "match", "not known yet")
    assert first["tokens"] == -(-first["chars"] // 4) and first["saidAt"]
    assert not found["isOver"] and found["totals"]["unknown"] == 2
    ends(
        api,
        ("user", ASK_WALRUS),
        ("assistant", "It sleeps on the northern pier at night, next to crane 4711."),
        ("user", ASK_FALCON),
        ("assistant", "No idea, I have never seen one."),
    )
    found = context(api)
    assert (found["isOver"], found["harness"]) == (True, "claude-code")
    assert found["project"] == "/work/harbour"
    first, second = given(found)[WALRUS], given(found)[FALCON]
    assert (first["use"], first["usedBy"], first["usedIn"]) == ("used", "quoted", {"turn": 1})
    assert (second["id"], second["use"], second["usedBy"]) == (falcon, "not used", None)
    assert found["injections"][1]["message"] == ASK_WALRUS
    assert [found["totals"][name] for name in ("given", "used", "notUsed", "unknown")] == [
        2,
        1,
        1,
        0,
    ]
    assert found["totals"]["tokens"] == sum(one["tokens"] for one in found["injections"])
    assert api.rows("memories") == before  # looking counts as no use


def test_a_tool_call_is_a_use_and_what_a_tool_said_first_is_none(api: Api) -> None:
    told_both(api)
    call = {"type": "tool_use", "id": "1", "name": "Edit", "input": {"new": "CRANE = '4711-north'"}}
    read = {"type": "tool_use", "id": "2", "name": "Read", "input": {"path": "notes.md"}}
    own = {
        "type": "tool_use",
        "id": "3",
        "name": "mcp__signet__memory_get",
        "input": {"id": WALRUS},
    }
    ends(
        api,
        ("user", ASK_WALRUS),
        ("assistant", [own, call | {"input": {"new": "lamps.put(crane='4711')"}}]),
        ("user", ASK_FALCON),
        ("assistant", [{"type": "text", "text": "I look."}, read]),
        ("user", [{"type": "tool_result", "tool_use_id": "2", "content": FALCON}]),
        ("assistant", "It hunts mice behind the customs shed."),
    )
    found = given(context(api))
    assert (found[WALRUS]["usedBy"], found[WALRUS]["usedIn"]["tool"]) == ("values", "Edit")
    assert found[FALCON]["use"] == "not used"
    assert api.rows("session_steps") == []


def test_reading_twice_changes_nothing_and_a_session_that_goes_on_may_use_it_later(
    api: Api,
) -> None:
    told_both(api)
    said = [("user", ASK_WALRUS), ("assistant", "I do not know."), ("user", ASK_FALCON)]
    ends(api, *said, ("assistant", "Nor that."))
    rows = api.rows("injected_items")
    assert {item["use"] for item in given(context(api)).values()} == {"not used"}
    ends(api, *said, ("assistant", "Nor that."))
    assert api.rows("injected_items") == rows
    quoted = ("assistant", "It hunts mice behind the customs shed at dawn.")
    ends(api, *said, ("assistant", "Nor that."), ("user", "So?"), quoted)
    assert given(context(api))[FALCON]["use"] == "used"
    ends(api, *said, ("assistant", "Nor that."), ("user", "So?"), quoted)
    assert given(context(api))[FALCON]["use"] == "used"


def test_what_comes_in_while_the_job_runs_is_looked_at_too(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    told_both(api)
    said = ("user", ASK_WALRUS), ("assistant", "I look.")
    read = trace._read

    def then_more(*asked: Any) -> Any:
        monkeypatch.setattr(trace, "_read", read)
        found = read(*asked)
        edit = {"type": "tool_use", "name": "Edit", "input": {"new": "crane = 4711"}}
        hook(api, "session-end", transcript=log(*said, ("assistant", [edit])), reason="other")
        return found

    monkeypatch.setattr(trace, "_read", then_more)
    hook(api, "session-end", transcript=log(*said), reason="other")
    [row] = [row for row in api.rows("memory_jobs") if row["job_type"] == "trace_use"]
    assert row["status"] == "pending"
    traced(api, is_done=False)
    assert given(context(api))[WALRUS]["use"] == "not used"
    traced(api)
    assert given(context(api))[WALRUS]["usedIn"]["tool"] == "Edit"


def test_while_a_session_runs_nothing_is_called_unused(api: Api) -> None:
    told_both(api)
    said = log(
        ("user", ASK_WALRUS),
        ("assistant", "Near crane 4711."),
        ("user", ASK_FALCON),
        ("assistant", "Hm."),
    )
    hook(api, "session-end", transcript=said, reason="stop")  # a turn's end
    traced(api)
    found = given(context(api))
    assert (found[WALRUS]["use"], found[FALCON]["use"]) == ("used", "not known yet")


def test_what_is_left_out_says_why(api: Api) -> None:
    told_both(api)
    prompt(api, ASK_WALRUS)  # said already

    api.configure("hooks: {userPromptSubmit: {minScore: 1}}\n")
    prompt(api, ASK_FALCON, "other-session-1")
    again = context(api)["injections"][-1]
    assert (again["given"], again["chars"]) == ([], 0)
    assert again["leftOut"][0]["reason"] == "said"
    far = context(api, "other-session-1")["injections"][-1]
    assert {item["reason"] for item in far["leftOut"]} == {"floor"}
    assert far["floor"] == 1 > far["bestScore"] > 0.4


def test_a_recall_and_a_compaction_of_a_session_are_recorded(api: Api) -> None:
    told_both(api)
    asked = {"harness": "claude-code", "sessionKey": KEY, "query": "walrus"}
    assert api.post("/api/hooks/recall", asked).body["count"]
    api.post("/api/memory/recall", {"query": "falcon", "sessionKey": KEY})
    api.post("/api/memory/recall", {"query": "falcon"})  # of no session
    hook(api, "pre-compaction")
    found = context(api)["injections"][3:]
    assert [(one["phase"], one["prompt"]) for one in found] == [
        ("recall", 2),
        ("recall", 2),
        ("compaction", 2),
    ]
    assert all(one["given"] for one in found)


def test_a_start_says_what_its_text_consists_of(api: Api) -> None:
    memory_id = remember(api, WALRUS)
    (api.state.workspace.root / "AGENTS.md").write_text("Be brief.", "utf-8")
    (api.state.workspace.root / "MEMORY.md").write_text(f"- {FALCON}\n- Boil tea.", "utf-8")
    falcon = remember(api, FALCON)
    text = hook(api, "session-start").body["inject"]
    [start] = context(api)["injections"]
    sections = {item["id"]: item for item in start["given"] if item["kind"] == "section"}
    [memory] = [item for item in start["given"] if item["kind"] == "memory"]
    assert (memory["id"], memory["reason"]) == (memory_id, "important")
    assert {"date", "instructions"} <= set(sections) and start["chars"] == len(text)
    assert all(one["use"] is None and one["text"] in text for one in sections.values())
    assert all(len(one["text"]) == one["chars"] for one in sections.values())
    assert sections["instructions"]["text"].endswith("Be brief.")
    assert "hunts mice" in sections["memory"]["text"]
    # The same words are kept once, and without what is forgotten.
    hook(api, "session-start", "5d0c7a1e-second")
    assert context(api, "5d0c7a1e-second")["injections"]
    kept = [row["content"] for row in api.rows("section_texts")]
    assert kept.count(sections["instructions"]["text"]) == 1
    assert api.send("DELETE", f"/api/memory/{falcon}?reason=test").status == 200
    [start] = context(api)["injections"]
    [told] = [item for item in start["given"] if item["id"] == "memory"]
    assert (told["state"], "hunts mice" in told["text"]) == ("changed", False)
    assert "Boil tea." in told["text"]
    for key in (KEY, "5d0c7a1e-second"):
        body = {"mode": "execute", "reason": "over"}
        assert api.post(f"/api/sessions/{key}/forget", body).status == 200
    assert api.rows("section_texts") == []


def test_what_was_erased_is_not_kept_of_a_file_that_still_says_it(api: Api) -> None:
    falcon = remember(api, FALCON)
    erased = api.send("DELETE", f"/api/memory/{falcon}?reason=private&erase=true")
    assert erased.status == 200
    (api.state.workspace.root / "AGENTS.md").write_text(f"Be brief.\n{FALCON}", "utf-8")
    assert "hunts mice" in hook(api, "session-start").body["inject"]
    [start] = context(api)["injections"]
    [told] = [item for item in start["given"] if item["id"] == "instructions"]
    assert told["text"].endswith("Be brief.")
    assert not any("hunts mice" in row["content"] for row in api.rows("section_texts"))


def test_a_session_is_told_again_as_it_went(api: Api) -> None:
    told_both(api)
    saved = {"content": "Crane 4711 is painted in May.", "sessionKey": KEY}
    saved_id = api.post("/api/memory/remember", saved).body["id"]
    ends(
        api,
        ("user", ASK_WALRUS),
        ("assistant", "Near crane 4711."),
        ("user", ASK_FALCON),
        ("assistant", "Mice, I think."),
    )
    before = api.rows("memories")
    found = api.get(f"/api/sessions/{KEY[:6]}/replay").body
    assert [(one["role"], one["text"]) for one in found["turns"]] == [
        ("user", ASK_WALRUS),
        ("assistant", "Near crane 4711."),
        ("user", ASK_FALCON),
        ("assistant", "Mice, I think."),
    ]
    assert [one["turn"] for one in found["injections"]] == [0, 0, 2]
    assert {name: found[name] for name in context(api)} == context(api)
    assert [(one["id"], one["how"]) for one in found["memories"]] == [(saved_id, "saved")]
    assert found["summary"] is None
    assert api.rows("memories") == before, "looking is no use"
    assert api.get("/api/sessions/none-of-these/replay").status == 404


def test_the_text_of_a_forgotten_memory_is_gone_from_the_record(api: Api) -> None:
    walrus, _ = told_both(api)
    ends(api, ("user", ASK_WALRUS), ("assistant", "Near crane 4711."))
    gone = api.send("DELETE", f"/api/memory/{walrus}?reason=test")
    assert gone.status == 200, gone.body
    found = context(api)
    assert "northern pier" not in json.dumps(found)
    [item] = [one for one in found["injections"][1]["given"] if one["id"] == walrus]
    assert (item["state"], item["text"], item["use"]) == ("forgotten", None, "used")
    assert given(found)[FALCON]["state"] == "kept"
    stored = [api.rows(table) for table in ("session_injections", "session_steps")]
    items = api.state.db.read(lambda tx: tx.tuples("SELECT * FROM injected_items"))
    assert "pier" not in str(stored) + str(items) and walrus in str(items)
    api.run("DELETE FROM memories WHERE id = ?", walrus)
    [item] = [one for one in context(api)["injections"][1]["given"] if one["id"] == walrus]
    assert item["state"] == "gone"


def test_a_memory_that_was_changed_says_so(api: Api) -> None:
    walrus, _ = told_both(api)
    changed = {"content": "The walrus moved to Oban.", "reason": "test"}
    answer = api.send("PATCH", f"/api/memory/{walrus}", json.dumps(changed).encode())
    assert answer.status == 200, answer.body
    assert given(context(api))["The walrus moved to Oban."]["state"] == "changed"


def test_a_session_is_found_by_its_beginning_and_as_the_latest_of_a_folder(api: Api) -> None:
    told_both(api)
    hook(api, "session-start", "another-session-7", cwd="/work/other")
    assert context(api, "5d0c")["sessionKey"] == KEY
    assert context(api, "latest")["sessionKey"] == "another-session-7"
    assert context(api, "latest", "?project=/work/harbour/src")["sessionKey"] == KEY
    hook(api, "session-start", "5d0c7a1e-second")
    for key, said in (
        ("5d0c", "Several sessions start with '5d0c'"),
        ("5d0c7a1e-walrsu", f"similar: {KEY}"),
        ("zzzz", "another-session-7 (/work/other)"),
        ("latest?project=/nowhere", "No session of /nowhere has a record yet"),
    ):
        refused = api.get(
            f"/api/sessions/{key}".replace("?", "/context?")
            if "?" in key
            else f"/api/sessions/{key}/context"
        )
        assert refused.status == 404 and said in refused.error, refused.body


def test_old_records_go_with_the_events(api: Api) -> None:
    told_both(api)
    ends(api, ("user", ASK_WALRUS), ("assistant", "Near crane 4711."))
    later = clock.now() + timedelta(days=89)
    purge.sweep(api.state.db, windows=Windows(), now=later)
    assert len(context(api)["injections"]) == 3
    swept = purge.sweep(api.state.db, windows=Windows(), now=later + timedelta(days=2))
    assert swept.counts["injectionsPurged"] == 3
    assert api.get(f"/api/sessions/{KEY}/context").status == 404
    assert api.state.db.read(lambda tx: tx.value("SELECT count(*) FROM injected_items")) == 0


def test_another_agents_session_is_not_shown(tmp_path: Path) -> None:
    with an_api(tmp_path / "agents", "auth:\n  mode: team\n") as api:
        admin = bearer(a_token(api, "admin"))
        agent = json.dumps({"name": "cato"}).encode()
        assert api.send("POST", "/api/agents", agent, admin).status == 201
        begun = {"harness": "codex", "sessionKey": KEY, "agentId": "cato", "project": "/p"}
        sent = json.dumps(begun).encode()
        assert api.send("POST", "/api/hooks/session-start", sent, admin).status == 200
        path = f"/api/sessions/{KEY}/context"
        for scope, status in (
            (TokenScope(agent="bea"), 404),
            (TokenScope(project="/q"), 404),
            (TokenScope(agent="cato"), 200),
        ):
            token = bearer(a_token(api, "agent", sub="x", scope=scope))
            refused = api.send("GET", path, b"", token)
            assert refused.status == status, refused.body
            assert status == 200 or "/p" not in str(refused.body)


def test_a_token_of_one_project_reads_no_session_of_another(tmp_path: Path) -> None:
    with an_api(tmp_path / "agents", "auth:\n  mode: team\n") as api:
        admin = bearer(a_token(api, "admin"))

        def send(path: str, token: dict[str, str], **body: object) -> Answer:
            return api.send("POST", path, json.dumps(body).encode(), token)

        begun = {"harness": "codex", "sessionKey": KEY, "project": "/p"}
        assert send("/api/hooks/session-start", admin, **begun).status == 200
        other = bearer(a_token(api, "agent", sub="x", scope=TokenScope(project="/q")))
        asked = {"query": "walrus", "sessionKey": KEY, "project": "/q"}
        assert send("/api/memory/recall", other, **asked).status == 403
        assert send("/api/memory/context", other, prompt="walrus", sessionKey=KEY).status == 403
        assert api.send("GET", f"/api/sessions/{KEY}/context", b"", other).status == 404
