"""`GET /api/sessions?state=all`: running and ended sessions, with what each was given and used."""

import json
from pathlib import Path
from typing import Any, get_args

from learning.talk import claimed
from signet.domain.auth.tokens import TokenScope
from signet.domain.episodes import index as episodes
from signet.domain.injections import record
from signet.domain.sessions import decided
from signet.domain.summaries import prompt
from signet.domain.transcripts import stored
from signet.queue.job_context import JobContext
from signet.wire.sessions import Use
from support.http import Api, an_api
from support.tokens import a_token, bearer

OUTCOMES = get_args(Use)
OPEN = "Shall I commit? Open: who may read the log."


def hook(api: Api, name: str, key: str, cwd: str = "/work/harbour", **body: object) -> None:
    sent = {"harness": "claude-code", "sessionKey": key, "cwd": cwd, **body}
    assert api.post(f"/api/hooks/{name}", sent).status == 200


def listed(api: Api, query: str = "") -> list[dict[str, Any]]:
    answer = api.get(f"/api/sessions?state=all{query}")
    assert answer.status == 200, answer.body
    assert answer.body["count"] == len(answer.body["sessions"])
    return list(answer.body["sessions"])


def play(api: Api, key: str, cwd: str = "/work/harbour") -> None:
    hook(api, "session-start", key, cwd)
    hook(api, "user-prompt-submit", key, cwd, userMessage="Where does the walrus sleep?")


def test_sessions_are_listed_with_what_they_were_given(api: Api) -> None:
    api.post("/api/memory/remember", {"content": "The walrus sleeps on the northern pier."})
    play(api, "first")
    play(api, "second", "/work/shed")
    said = [{"role": "user", "content": "Where does  the walrus\nsleep?"}]
    log = "\n".join(json.dumps({"type": "user", "message": one}) for one in said)
    hook(api, "session-end", "first", transcript=log, reason="other")
    index(api)
    first, second = listed(api)
    assert (first["key"], second["key"]) == ("first", "second")
    assert first["endedAt"] == first["lastAt"] and second["endedAt"] is None
    assert first["title"] == second["title"] == "Where does the walrus sleep?"
    assert (first["harness"], first["project"]) == ("claude-code", "/work/harbour")
    for one in (first, second):
        assert (one["prompts"], one["agentId"], one["bypassed"]) == (1, "default", False)
        assert one["given"] >= 1 and one["tokens"] > 0 and one["startedAt"] <= one["lastAt"]
        assert one["used"] == 0
    assert [one["key"] for one in listed(api, "&project=/work/shed")] == ["second"]
    assert listed(api, "&harness=codex") == []
    running = api.get("/api/sessions").body
    assert [one["key"] for one in running["sessions"]] == ["second"] and "next" not in running


def test_a_session_has_outcome_decisions_files_and_duration(api: Api) -> None:
    api.post("/api/memory/remember", {"content": "The walrus sleeps on the northern pier."})
    play(api, "whole")
    log = transcript()
    hook(api, "session-end", "whole", transcript=log, reason="other")
    index(api)
    [one] = listed(api)
    assert one["title"] == "Move the walrus log to Redis"
    assert one["outcome"] == "The walrus log is in Redis"
    assert one["decisions"] == ["Decision: the walrus log is kept for nine days."]
    assert one["files"] == ["log/keep.py", "/etc/redis.conf"]
    assert one["seconds"] >= 120 and one["startedAt"] < one["lastAt"]
    # The same log again changes nothing, and a longer one adds what is new.
    hook(api, "session-end", "whole", transcript=log + more(), reason="other")
    index(api)
    [later] = listed(api)
    assert later["files"] == ["log/keep.py", "/etc/redis.conf", "log/age.py"]
    assert later["outcome"] == "Entries older than nine days are deleted"


def test_a_digest_has_what_was_decided_and_changed_and_what_is_open(api: Api) -> None:
    project = {"project": "/work/harbour"}
    first = api.post("/api/memory/remember", {"content": "The pier is red.", **project}).body["id"]
    corrected = {"content": "The pier is blue.", "supersedes": [first], **project}
    second = api.post("/api/memory/remember", corrected).body["id"]
    api.post("/api/memory/remember", {"content": "The kiln is cold.", "origin": "imported"})
    hook(api, "session-end", "whole", transcript=transcript(), reason="other")
    index(api)
    [one] = api.get("/api/projects").body["projects"]
    assert one.pop("lastAt") > "2026"
    assert one == {"project": "/work/harbour", "memories": 2, "sessions": 1}
    home = api.get("/api/home?since=2026-05-01T00:00:00Z").body
    [digest] = home["digest"]
    assert digest["project"] == "/work/harbour"
    assert [session["key"] for session in digest["sessions"]] == ["whole"]
    decided, opened, changed = sorted(
        digest["items"], key=lambda one: ("decided", "open", "changed").index(one["kind"])
    )
    assert (decided["text"], decided["id"], decided["isMemory"]) == (
        "Decision: the walrus log is kept for nine days.",
        "whole",
        False,
    )
    assert (opened["text"], opened["openBy"]) == ("who may read the log.", "an agent")
    assert (changed["before"], changed["text"]) == ("The pier is red.", "The pier is blue.")
    assert (changed["id"], changed["isMemory"]) == (second, True)
    assert [one["count"] for one in home["imported"]] == [1]
    later = api.get("/api/home?since=2099-01-01T00:00:00Z").body
    assert later["imported"] == later["digest"] == []
    assert api.get("/api/home?project=/work/shed").body["digest"] == []


def test_titles_say_nothing_that_was_forgotten_or_erased(api: Api) -> None:
    hook(api, "session-start", "whole")
    hook(api, "session-end", "whole", transcript=transcript(), reason="other")
    index(api)
    saved = {"content": "The walrus log is kept for nine days."}
    memory = api.post("/api/memory/remember", saved).body["id"]
    assert api.delete(f"/api/memory/{memory}?reason=wrong").status == 200
    [one] = listed(api)
    assert one["decisions"] == [] and one["title"] == "Move the walrus log to Redis"
    api.post(f"/api/memory/{memory}/recover", {"reason": "right"})
    assert len(listed(api)[0]["decisions"]) == 1
    sent = {"mode": "execute", "reason": "private"}
    assert api.post("/api/sessions/whole/forget", sent).status == 200
    assert api.rows("session_overviews") == []


def test_a_running_session_has_the_title_of_its_first_prompt(api: Api) -> None:
    hook(api, "session-start", "whole")
    assert listed(api)[0]["title"] is None
    prompts = (
        "<private>The password is otter-4711.</private>",
        "ok\n$ git status\nWhy is the walrus log empty since Monday?",
        "Delete the walrus log.",
    )
    for message in prompts:
        hook(api, "user-prompt-submit", "whole", userMessage=message)
    assert listed(api)[0]["title"] == "Why is the walrus log empty since Monday?"
    hook(api, "session-end", "whole", transcript=transcript(), reason="other")
    index(api)
    assert listed(api)[0]["title"] == "Move the walrus log to Redis"


def test_the_title_of_a_session_without_a_transcript_ends_with_its_record(api: Api) -> None:
    for key in ("lost", "whole"):
        play(api, key)
    hook(api, "session-end", "whole", transcript=transcript(), reason="other")
    assert len(api.rows("session_overviews")) == 2
    api.state.db.write(record.delete_old_injections, "2999", 100)
    assert [row["session_key"] for row in api.rows("session_overviews")] == ["whole"]
    forgotten = {"mode": "execute", "reason": "private"}
    assert api.post("/api/sessions/whole/forget", forgotten).status == 200
    hook(api, "user-prompt-submit", "whole", userMessage="Where does the walrus sleep?")
    assert api.rows("session_overviews") == []


def test_a_models_topic_is_the_title(api: Api) -> None:
    notes = "# 2026-05-01 Session Notes\n\n## Walrus log retention\n\nKept for nine days."
    assert prompt.topic(notes) == "Walrus log retention" and prompt.topic("no heading") is None
    hook(api, "session-end", "whole", transcript=transcript(), reason="other")
    api.state.db.write(stored.put_topic, "default", "whole", "Walrus log retention")
    index(api)
    assert listed(api)[0]["title"] == "Walrus log retention"


def transcript() -> str:
    """Return the log of a session with tools, as Claude Code writes it."""
    calls = [
        ("Edit", {"file_path": "/work/harbour/log/keep.py", "old_string": "a", "new_string": "b"}),
        ("Write", {"file_path": "/etc/redis.conf", "content": "x"}),
        ("Read", {"file_path": "/work/harbour/log/other.py"}),
        ("TodoWrite", {"path": "todo"}),
    ]
    tools = [{"type": "tool_use", "id": n, "name": n, "input": given} for n, given in calls]
    return logged(
        0,
        ("user", "thanks, next"),
        ("assistant", "Ready."),
        ("user", "Please move the walrus log to Redis."),
        ("user", "Decision: the walrus log is kept for nine days."),
        (
            "assistant",
            [
                {
                    "type": "text",
                    "text": "Done. The walrus log is in Redis. Shall I commit? Open: who may read the log.",
                },
                *tools,
            ],
        ),
    )


def more() -> str:
    patch = "*** Begin Patch\n*** Update File: log/age.py\n@@\n-a\n+b\n*** End Patch"
    tool = {"type": "tool_use", "id": "p", "name": "apply_patch", "input": {"patch": patch}}
    text = {"type": "text", "text": "Entries older than nine days are deleted."}
    return "\n" + logged(9, ("user", "And delete old entries."), ("assistant", [text, tool]))


def logged(minute: int, *said: tuple[str, object]) -> str:
    return "\n".join(
        json.dumps(
            {
                "type": role,
                "timestamp": f"2026-05-01T09:{minute + at:02}:00Z",
                "message": {"role": role, "content": content},
            }
        )
        for at, (role, content) in enumerate(said)
    )


def index(api: Api) -> None:
    """Do the waiting work of the worker that makes titles."""
    for lease in claimed(api, "index_session"):
        episodes.run(JobContext(lease=lease, db=api.state.db), model=None, decisions=decided.texts)


def test_sessions_are_listed_by_what_came_of_it(api: Api) -> None:
    api.post("/api/memory/remember", {"content": "The walrus sleeps on the northern pier."})
    play(api, "ignored")
    play(api, "helped")
    play(api, "running")
    hook(api, "user-prompt-submit", "empty", userMessage="Paint the fence, please.")
    assert len(listed(api)) == 4
    for key, used in (("helped", "said"), ("ignored", "no")):
        of = f"SELECT seq FROM session_injections WHERE session_key = '{key}'"
        api.run(f"UPDATE injected_items SET used = '{used}' WHERE injection_seq IN ({of})")
    found = {one: [row["key"] for row in listed(api, f"&use={one}")] for one in OUTCOMES}
    assert found == {"given_nothing": ["empty"], "used_nothing": ["ignored"]}
    assert api.get("/api/sessions?state=all&use=lost").status == 400


def test_pages_of_sessions_follow_each_other(api: Api) -> None:
    for number in range(5):
        hook(api, "session-start", f"s{number}")
    every = [one["key"] for one in listed(api)]
    met, cursor = [], ""
    while cursor is not None:
        page = api.get(f"/api/sessions?state=all&limit=2&cursor={cursor}").body
        met += [one["key"] for one in page["sessions"]]
        cursor = page["next"]
    assert met == every and len(met) == 5
    assert api.get("/api/sessions?state=all&cursor=none").status == 400
    assert api.get("/api/sessions?state=lost").status == 400


def test_looking_is_no_use(api: Api) -> None:
    api.post("/api/memory/remember", {"content": "The walrus sleeps on the northern pier."})
    play(api, "first")
    api.settle()
    listed(api)
    before = {name: api.rows(name) for name in ("memories", "session_states", "injected_items")}
    listed(api)
    assert before == {name: api.rows(name) for name in before}


def test_a_limited_token_sees_sessions_of_its_own_alone(tmp_path: Path) -> None:
    with an_api(tmp_path / "agents", "auth: {mode: hybrid}\n") as api:
        api.add_agent("bea")
        play(api, "inside", "garden")
        play(api, "outside", "shed")
        play(api, "agent:bea:main", "garden")

        def keys(scope: TokenScope, query: str = "") -> list[str]:
            token = bearer(a_token(api, "agent", scope=scope))
            answer = api.get(f"/api/sessions?state=all{query}", **token)
            return [str(one["key"]) for one in answer.body.get("sessions", ["refused"])]

        assert {"inside"} < set(keys(TokenScope(project="garden")))
        assert "outside" not in keys(TokenScope(project="garden"))
        theirs = [one["key"] for one in listed(api, "&agent_id=bea")]
        assert keys(TokenScope(agent="bea")) == theirs and len(theirs) == 1
        token = bearer(a_token(api, "agent", scope=TokenScope(project="garden")))
        assert api.get("/api/sessions?state=all&project=shed", **token).status == 403


def test_sessions_of_a_time_are_those_that_were_active_in_it(api: Api) -> None:
    said = "User: Where does the walrus sleep?\nAssistant: On the northern pier, as ever.\n"
    for key, day in (("old", "2026-03-01"), ("new", "2026-03-05")):
        play(api, key)
        hook(api, "session-end", key, transcript=said * 9, reason="other")
        at = f"{day}T10:00:00.000Z"
        for table in ("session_injections", "session_transcripts"):
            api.run(f"UPDATE {table} SET created_at = ? WHERE session_key = ?", at, key)
        api.run("UPDATE session_transcripts SET updated_at = ? WHERE session_key = ?", at, key)

    def keys(query: str) -> list[str]:
        return [one["key"] for one in listed(api, query)]

    assert keys("&since=2026-03-02") == keys("&since=2026-03-05T10:00:00Z") == ["new"]
    assert keys("&until=2026-03-01") == keys("&until=2026-03-05T09:59:00Z") == ["old"]
    assert keys("&since=2026-03-01&until=2026-03-05") == ["new", "old"]
    assert keys("&since=2026-03-02&until=2026-03-04") == []
    assert api.get("/api/sessions?state=all&since=soon").status == 400
    assert api.get("/api/sessions?since=2026-03-02").status == 400
