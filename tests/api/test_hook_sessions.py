"""Who serves a session, and how it is seen and steered."""

from datetime import timedelta
from pathlib import Path

import pytest

from signet import clock
from signet.domain.sessions import calls
from signet.domain.sessions.sql import states
from support.http import Answer, Api, an_api

START, PROMPT, END = (
    f"/api/hooks/{name}" for name in ("session-start", "user-prompt-submit", "session-end")
)
#: A call of every hook that belongs to a session, and what it answers while that is bypassed.
CALLS: dict[str, tuple[dict[str, object], dict[str, object]]] = {
    "session-start": ({}, {"inject": "", "memories": []}),
    "user-prompt-submit": ({"userMessage": "heron"}, {"inject": "", "memoryCount": 0}),
    "remember": ({"content": "The heron is grey."}, {"success": True, "memories": []}),
    "recall": ({"query": "heron"}, {"memories": [], "results": [], "count": 0}),
    "pre-compaction": ({}, {"summaryPrompt": "", "guidelines": "", "instructions": ""}),
    "compaction-complete": ({"summary": "All done."}, {"success": True}),
    "session-end": ({}, {"memoriesSaved": 0}),
}
#: Those that do nothing for processes which Signet has started, and what they answer.
OWN = ("session-start", "user-prompt-submit", "session-end", "remember", "recall")


def call(api: Api, hook: str, path: str | None = None, key: str = "s1", **body: object) -> Answer:
    sent = {"harness": "codex", "sessionKey": key, **CALLS[hook][0], **body}
    headers = {"x_signet_runtime_path": path} if path else {}
    return api.post(f"/api/hooks/{hook}", sent, **headers)


def expire(api: Api, minutes: float) -> None:
    """Let all claims end so many minutes from now."""
    at = clock.to_text(clock.now() + timedelta(minutes=minutes))
    api.run("UPDATE session_states SET expires_at = ?", at)


def keys(api: Api) -> list[str]:
    return [one["key"] for one in api.get("/api/sessions").body["sessions"]]


def test_a_claim_keeps_the_other_path_out_until_the_session_ends(api: Api) -> None:
    assert call(api, "session-start", "plugin").status == 200
    for hook in CALLS:
        if hook != "session-end":
            refused = call(api, hook, "legacy")
            assert (refused.status, refused.error) == (409, "session claimed by plugin path"), hook
            assert call(api, hook, "plugin").status == call(api, hook).status == 200, hook
    assert call(api, "session-start", "elsewhere").status == 200
    assert call(api, "session-end", "legacy").status == 200
    assert keys(api) == []
    assert call(api, "session-start", "legacy").status == 200


def test_only_the_start_of_a_session_claims_it(api: Api) -> None:
    call(api, "user-prompt-submit", "plugin")
    assert call(api, "user-prompt-submit", "legacy").status == 200
    [one] = api.get("/api/sessions").body["sessions"]
    assert (one["runtimePath"], one["expiresAt"]) == ("unknown", None)


def test_the_header_says_the_path_before_the_body(api: Api) -> None:
    call(api, "session-start", "plugin", runtimePath="legacy")
    assert call(api, "session-start", runtimePath="legacy").status == 409
    assert call(api, "session-start", runtimePath="plugin").status == 200


def test_an_expired_claim_gives_way_and_every_call_of_its_owner_renews_it(api: Api) -> None:
    call(api, "session-start", "plugin")
    expire(api, -1)
    assert api.get("/api/sessions/s1").status == 404
    assert call(api, "session-start", "legacy").status == 200
    for hook in ("user-prompt-submit", "remember", "recall", "pre-compaction"):
        expire(api, 60)
        call(api, hook, "legacy")
        state = api.state.db.read(states.get, "default", "s1")
        assert state and state.expires_at > clock.now() + timedelta(hours=3), hook


def test_a_claim_that_has_nearly_ended_is_told_once(api: Api) -> None:
    assert "warnings" not in call(api, "session-start", "plugin").body
    expire(api, 12.5)
    [warning] = call(api, "user-prompt-submit", "plugin").body["warnings"]
    assert "12 minutes" in warning
    expire(api, 12.5)
    assert "warnings" not in call(api, "session-start", "plugin").body


def test_a_session_prefix_and_blanks_are_no_part_of_a_key(api: Api) -> None:
    api.add_agent()
    call(api, "session-start", "plugin", " session:s1 ")
    call(api, "session-start", "plugin", "agent:nora:main")
    assert sorted(keys(api)) == ["agent:nora:main", "s1"]
    assert api.get("/api/sessions/session:s1").body["key"] == "s1"
    assert api.get("/api/sessions?agent_id=nora").body["count"] == 1


def test_a_later_call_need_not_name_the_agent_of_its_session(api: Api) -> None:
    api.add_agent()
    call(api, "session-start", agentId="nora")
    call(api, "remember")
    long = "User: Which port is it, and why is it that one?\nAssistant: It is 8080, as ever.\n" * 9
    call(api, "session-end", transcript=long)
    assert [row["agent_id"] for row in api.rows("memories")] == ["nora"]
    assert [row["agent_id"] for row in api.rows("session_transcripts")] == ["nora"]
    assert keys(api) == []


@pytest.mark.parametrize("hook", CALLS)
def test_a_bypassed_session_does_nothing(api: Api, hook: str) -> None:
    call(api, "session-start", "plugin")
    before = len(api.rows("memories"))
    assert api.post("/api/sessions/s1/bypass", {"enabled": True}).body == {
        "key": "s1",
        "bypassed": True,
    }
    assert call(api, hook).body == {**CALLS[hook][1], "bypassed": True}
    assert len(api.rows("memories")) == before and api.rows("session_transcripts") == []
    if hook == "session-end":
        assert keys(api) == []
        return
    refused = api.post(f"/api/hooks/{hook}", {"sessionKey": "s1"})
    assert (refused.status, call(api, hook, "legacy").status) == (400, 409)
    assert api.get("/api/status").body["bypassedSessions"] == 1
    assert api.post("/api/memory/recall", {"query": "heron"}).status == 200
    api.post("/api/sessions/s1/bypass", {"enabled": False})
    assert "bypassed" not in call(api, hook).body


def test_bypass_wants_a_known_session_and_a_boolean(api: Api) -> None:
    for body in ({}, {"enabled": 1}, {"enabled": "true"}):
        refused = api.post("/api/sessions/s1/bypass", body)
        assert (refused.status, refused.error) == (400, "enabled (boolean) is required")
    unknown = api.post("/api/sessions/s1/bypass", {"enabled": True})
    assert (unknown.status, unknown.error) == (404, "Session not found")


def test_a_claim_can_be_renewed_by_hand(api: Api) -> None:
    call(api, "session-start", "plugin")
    expire(api, 5)
    answer = api.post("/api/sessions/s1/renew").body
    assert (answer["key"], answer["renewed"]) == ("s1", True)
    assert api.get("/api/sessions/s1").body["expiresAt"] == answer["expiresAt"]
    assert api.post("/api/sessions/s2/renew").status == 404
    assert api.get("/api/sessions/s2").error == "Session not found"


def test_summaries_of_sessions_are_not_taken_for_a_session(api: Api) -> None:
    assert "summaries" in api.get("/api/sessions/summaries").body


@pytest.mark.parametrize("hook", OWN)
def test_processes_that_signet_started_leave_no_trace(api: Api, hook: str) -> None:
    for body in (b"not json", {"harness": "codex", "sessionKey": "s1", **CALLS[hook][0]}):
        answer = api.post(f"/api/hooks/{hook}", body, x_signet_no_hooks="1")
        assert answer.body == {**CALLS[hook][1], "internal": True}
    assert api.rows("session_states") == api.rows("memories") == []


@pytest.mark.parametrize(
    ("hook", "error"),
    [
        ("session-start", "harness is required"),
        ("user-prompt-submit", "harness and userMessage or userPrompt are required"),
        ("session-end", "harness is required"),
        ("remember", "harness and content are required"),
        ("recall", "harness and query are required"),
        ("pre-compaction", "harness is required"),
        ("compaction-complete", "harness and summary are required"),
        ("session-checkpoint-extract", "harness and sessionKey are required"),
    ],
)
def test_what_a_hook_needs_is_named(api: Api, hook: str, error: str) -> None:
    for body in ({}, {"harness": " "}, {"harness": "codex"} if "and" in error else {}):
        refused = api.post(f"/api/hooks/{hook}", body)
        assert (refused.status, refused.error) == (400, error)
    for raw in (b"[]", b"{", b"7"):
        assert api.post(f"/api/hooks/{hook}", raw).status == 400


def test_fields_of_another_type_count_as_missing(api: Api) -> None:
    odd = {"harness": "codex", "sessionKey": 7, "project": ["x"], "agentId": {}, "context": 1}
    assert api.post(START, odd).status == 200
    assert api.post(PROMPT, {**odd, "userMessage": 4, "userPrompt": "heron"}).status == 200
    assert api.post(END, {**odd, "transcript": 4}).status == 200
    assert api.rows("session_states") == []


def test_a_failure_nobody_foresaw_is_told_in_the_words_of_hooks(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("the roof is on fire")

    monkeypatch.setattr("signet.domain.sessions.sql.states.get", broken)
    failed = call(api, "session-start")
    assert (failed.status, failed.error) == (500, "Hook execution failed")
    assert call(api, "compaction-complete").error == "Failed to save summary"
    assert api.get("/api/status").status == 200


def test_claims_and_bypass_outlive_the_process(api: Api) -> None:
    call(api, "session-start", "plugin")
    api.post("/api/sessions/s1/bypass", {"enabled": True})
    workspace = api.state.workspace
    api.state.db.writer.stop()
    with an_api(workspace.root) as again:
        assert call(again, "user-prompt-submit").body["bypassed"]
        assert call(again, "session-start", "legacy").status == 409


def test_the_last_call_of_each_harness_is_kept(api: Api) -> None:
    call(api, "session-start", harness="codex")
    call(api, "user-prompt-submit", harness="opencode")
    call(api, "session-end", harness="claude-code")
    seen = api.state.db.read(calls.harnesses)
    assert list(seen) == ["claude-code", "codex", "opencode"]
    for number in range(80):
        call(api, "session-start", key=f"k{number}", harness=f"h{number}")
    assert len(api.state.db.read(calls.harnesses)) == calls.MAX_HARNESSES


def test_what_was_said_in_a_session_can_be_read_and_searched(api: Api) -> None:
    api.add_agent()
    said = "User: Where does the walrus sleep?\nAssistant: The walrus sleeps on the northern pier."
    call(api, "session-end", transcript=said, cwd="/work/zoo")
    shown = api.get("/api/sessions/s1/transcript").body
    assert (shown["content"], shown["project"]) == (said, "/work/zoo")
    assert api.get("/api/sessions/s2/transcript").status == 404
    found = api.post("/api/sessions/search", {"query": "walrus pier", "limit": 99}).body
    assert [one["excerpt"] for one in found["results"]] == [said.split("\n")[1]]
    assert found["results"][0]["sessionKey"] == "s1"
    assert api.post("/api/sessions/search", {"query": "walrus", "agentId": "nora"}).body == {
        "results": [],
        "count": 0,
    }
    assert api.post("/api/sessions/search", {"query": " "}).error == "query is required"


#: Every call with which a harness stores something of a session, without its folder.
STORES = {
    "compaction-complete": {"summary": "The heron project moved to the weir."},
    "remember": {"content": "The heron nests at the weir."},
    "session-end": {
        "transcript": "User: Where does the heron nest?\nAssistant: At the weir.\n" * 9
    },
    "session-checkpoint-extract": {
        "transcript": "User: Which weir?\nAssistant: The old one.\n" * 30
    },
    "pre-compaction": {"sessionContext": "Half of the nests are counted."},
    "user-prompt-submit": {"userMessage": "Which heron nests at the weir, and since when?"},
}


def hook(api: Api, name: str, **body: object) -> Answer:
    answer = api.post(f"/api/hooks/{name}", {"harness": "my-agent", "sessionKey": "s-1", **body})
    assert answer.status == 200, answer.body
    return answer


def projects(api: Api) -> set[str | None]:
    tables = ("memories", "session_transcripts", "session_checkpoints", "session_states")
    return {row["project"] for table in tables for row in api.rows(table)}


@pytest.mark.parametrize("name", STORES)
def test_a_call_without_a_folder_belongs_to_the_project_of_its_session(
    api: Api, tmp_path: Path, name: str
) -> None:
    hook(api, "session-start", cwd=str(tmp_path))
    hook(api, name, **STORES[name])
    assert projects(api) == {str(tmp_path)}


@pytest.mark.parametrize("name", ["compaction-complete", "remember"])
def test_a_save_after_the_end_belongs_to_the_session_too(
    api: Api, tmp_path: Path, name: str
) -> None:
    hook(api, "session-end", cwd=str(tmp_path), **STORES["session-end"])
    hook(api, name, **STORES[name])
    assert projects(api) == {str(tmp_path)}


def test_a_save_that_names_a_session_belongs_to_its_project(api: Api, tmp_path: Path) -> None:
    hook(api, "session-start", cwd=str(tmp_path))
    api.post("/api/memory/remember", {"content": "The heron is grey.", "sessionKey": "s-1"})
    assert projects(api) == {str(tmp_path)}


def test_the_summary_of_a_session_without_a_project_reaches_no_project(
    api: Api, tmp_path: Path
) -> None:
    hook(api, "compaction-complete", summary="The heron project moved to the weir.")
    hook(api, "remember", content="I prefer herons over storks.")
    started = hook(api, "session-start", sessionKey="s-2", cwd=str(tmp_path)).body["inject"]
    assert "storks" in started and "weir" not in started


def test_two_harnesses_with_one_key_have_two_sessions(api: Api, tmp_path: Path) -> None:
    folders = {one: str(tmp_path / one) for one in ("larder", "cellar")}
    callers = dict(zip(("harness-a", "harness-b"), folders.values(), strict=True))
    for harness, folder in callers.items():
        text = f"User: What is in {folder}?\nAssistant: Jam.\n" * 5
        hook(api, "session-start", harness=harness, cwd=folder)
        hook(api, "user-prompt-submit", harness=harness, userMessage="Count the jars of jam.")
        hook(api, "remember", harness=harness, content=f"{harness} has nine jars.")
        hook(api, "compaction-complete", harness=harness, summary=f"{harness} counted jars.")
        hook(api, "session-checkpoint-extract", harness=harness, transcript=text)
    found = api.get("/api/sessions").body["sessions"]
    assert {(one["key"], one["harness"], one["project"]) for one in found} == {
        ("s-1", "harness-a", folders["larder"]),
        ("s-1@harness-b", "harness-b", folders["cellar"]),
    }
    for row in api.rows("memories"):
        harness = row["content"].split()[0]
        assert row["project"] == callers[harness]
        assert row["session_id"] == {"harness-a": "s-1"}.get(harness, "s-1@harness-b")
    hook(api, "session-end", harness="harness-a", transcript="User: Bye.\nAssistant: Bye.\n" * 5)
    assert keys(api) == ["s-1@harness-b"]
    said = {row["session_key"]: row["content"] for row in api.rows("session_transcripts")}
    assert "cellar" in said["s-1@harness-b"] and "cellar" not in said["s-1"]


def test_a_unique_key_is_one_session_in_every_harness(api: Api) -> None:
    key = "6f1c1a52-0d0f-4d0e-9a6e-6f3f2f1d2c3b"
    for harness in ("claude-code", "cursor"):  # which runs the hooks of Claude Code
        hook(api, "session-start", harness=harness, sessionKey=key)
    assert keys(api) == [key]


@pytest.mark.parametrize("hook", CALLS)
@pytest.mark.parametrize("folder", ["taxes", "taxes/2026", "link"])
def test_nothing_happens_in_a_private_folder(
    api: Api, tmp_path: Path, hook: str, folder: str
) -> None:
    (tmp_path / "taxes" / "2026").mkdir(parents=True)
    (tmp_path / "link").symlink_to(tmp_path / "taxes")
    api.configure(f"hooks:\n  privateFolders: [{tmp_path / 'taxes'}]\n")
    long = "User: Which flat is declared?\nAssistant: The flat in Lisbon, as ever.\n" * 20
    more = {"transcript": long} if hook == "session-end" else {}
    answer = call(api, hook, project=str(tmp_path / folder), **more)
    assert answer.body == {**CALLS[hook][1], "bypassed": True}
    assert api.rows("memories") == api.rows("session_transcripts") == []
    beside = call(api, hook, key="s2", project=str(tmp_path / "taxes-of-others"), **more)
    assert "bypassed" not in beside.body


def test_a_session_that_began_in_a_private_folder_stays_private(api: Api, tmp_path: Path) -> None:
    api.configure(f"hooks:\n  privateFolders: {tmp_path / 'taxes'}\n")
    call(api, "session-start", project=str(tmp_path / "taxes"))
    for hook in ("user-prompt-submit", "session-end"):
        assert call(api, hook, project=str(tmp_path / "larder")).body["bypassed"] is True, hook


@pytest.mark.parametrize("value", ["taxes", "[./taxes]", "[1]"])
def test_a_private_folder_must_be_a_whole_path(api: Api, value: str) -> None:
    api.configure(f"hooks:\n  privateFolders: {value}\n")
    assert api.state.settings.hooks.private_folders == ()
    assert "hooks.privateFolders" in str(api.get("/api/status").body)
