"""What belongs to another owner is neither changed nor, where it is private, shown (AUTH-18, AUTH-27).

Each test is one way around the rule that once was open. tests/identities asks every operation that takes an ID.
"""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from signet.domain.auth.tokens import TokenScope
from support.http import Answer, Api, an_api
from support.tokens import a_token, bearer

SETTINGS = "auth:\n  mode: hybrid\n"
Key = Mapping[str, str]


@pytest.fixture
def api(tmp_path: Path) -> Iterator[Api]:
    with an_api(tmp_path / "agents", SETTINGS) as api:
        api.add_agent("bob")
        yield api


def user(api: Api, name: str, role: str = "agent") -> Key:
    return bearer(a_token(api, role, sub=name, scope=TokenScope(user=name)))


def of_project(api: Api, project: str) -> Key:
    return bearer(a_token(api, "operator", scope=TokenScope(project=project)))


def save(api: Api, content: str, *, of: Key | None = None, **fields: object) -> str:
    answer = api.post("/api/memory/remember", {"content": content, **fields}, **(of or {}))
    assert answer.status == 200, answer.body
    return str(answer.body["id"])


def active(api: Api) -> set[str]:
    return {row["content"] for row in api.rows("memories") if not row["is_deleted"]}


def tables(api: Api, *names: str) -> list[list[tuple[object, ...]]]:
    return api.state.db.read(
        lambda tx: [sorted(map(tuple, tx.all(f"SELECT * FROM {name}")), key=repr) for name in names]
    )


def denied(answer: Answer, whose: str) -> bool:
    return (answer.status, answer.error) == (403, f"scope restricted to {whose}")


@pytest.mark.parametrize("owner", ["bob", "default"])
@pytest.mark.parametrize("role", ["agent", "operator"])
def test_a_document_of_others_is_not_deleted(api: Api, owner: str, role: str) -> None:
    sent = {"source_type": "text", "content": "The dam is dry.", "agentId": owner}
    document_id = api.post("/api/documents", sent).body["id"]
    chunk = save(
        api, "The dam is dry.", agentId=owner, type="document_chunk", sourceType="document"
    )
    api.run("INSERT INTO document_memories VALUES (?, ?, 0)", document_id, chunk)
    before = tables(api, "documents", "memories", "document_memories", "memory_jobs")
    anna, path = user(api, "anna", role), f"/api/documents/{document_id}?reason=x"
    assert api.get(f"/api/documents/{document_id}", **anna).status == 200
    assert denied(api.send("DELETE", path, headers=anna), "user 'anna'")
    assert tables(api, "documents", "memories", "document_memories", "memory_jobs") == before
    assert api.send("DELETE", path).body["memoriesRemoved"] == 1


@pytest.mark.parametrize("force", [False, True])
@pytest.mark.parametrize(
    "choice", [{"query": "crane"}, {"tags": "yard"}, {"all": True, "type": "fact"}]
)
def test_forgetting_by_a_choice_takes_the_callers_own(
    api: Api, choice: dict[str, object], force: bool
) -> None:
    anna = user(api, "anna")
    save(api, "Bob owns the crane.", agentId="bob", tags="yard", type="fact")
    save(api, "All share the crane.", tags="yard", type="fact")
    save(api, "Anna owns the crane.", of=anna, tags="yard", type="fact")
    body = {"mode": "preview", "reason": "tidy", "force": force, **choice}
    shown = api.post("/api/memory/forget", body, **anna).body
    assert (shown["count"], "Bob" in json.dumps(shown)) == (1, False)
    done = api.post("/api/memory/forget", {**body, "mode": "execute"}, **anna).body
    assert done["deleted"] == 1
    assert active(api) == {"Bob owns the crane.", "All share the crane."}


def test_blanks_around_an_id_open_nothing(api: Api) -> None:
    memory_id = save(api, "Bob owns the crane.", agentId="bob")
    body = {"mode": "execute", "reason": "x", "ids": [f" {memory_id}", f"{memory_id}\t"]}
    done = api.post("/api/memory/forget", body, **user(api, "anna")).body
    assert [one["status"] for one in done["results"]] == ["scope_denied"]
    assert active(api) == {"Bob owns the crane."}


def test_a_value_that_another_owner_erased_stays_withheld(api: Api) -> None:
    memory_id = save(api, "The vault is behind the clock.", agentId="bob")
    erased = api.send("DELETE", f"/api/memory/{memory_id}?reason=x&erase=true&agentId=bob")
    assert erased.status == 200, erased.body
    before = tables(api, "forgotten_values", "withheld_statements")
    path = f"/api/memory/forgotten/{memory_id}/lift"
    assert denied(api.post(path, **user(api, "anna")), "user 'anna'")
    assert tables(api, "forgotten_values", "withheld_statements") == before


def test_a_correction_is_for_the_owner_and_a_rating_for_every_reader(api: Api) -> None:
    memory_id, anna = save(api, "Bob owns the crane.", agentId="bob"), user(api, "anna")
    said = {"session_id": "s", "memory_id": memory_id, "feedback_type": "correction"}
    before = tables(api, "memories", "memory_history", "agent_feedback")
    refused = api.post("/api/memory/feedback", {**said, "correction_text": "No."}, **anna)
    assert denied(refused, "user 'anna'")
    assert tables(api, "memories", "memory_history", "agent_feedback") == before
    rated = api.post("/api/memory/feedback", {**said, "feedback_type": "negative"}, **anna)
    assert rated.status == 200, rated.body
    assert {row["agent_id"] for row in api.rows("agent_feedback")} == {"user:anna"}


@pytest.mark.parametrize("content", ["The shed is locked.", "The shed is locked. " * 400])
def test_a_save_that_is_refused_has_changed_nothing(api: Api, content: str) -> None:
    save(api, content, project="shed", sourceType="note", sourceId="n1", tags="shed")
    changed = ("memories", "memory_history", "memory_sources", "forgotten_values")
    before = tables(api, *changed)
    garden = {**of_project(api, "garden"), "x-signet-actor-type": "operator"}
    again = {"content": content, "sourceType": "note", "sourceId": "n1"}
    assert denied(api.post("/api/memory/remember", again, **garden), "project 'garden'")
    assert tables(api, *changed) == before


def test_what_a_user_forgets_limits_nobody_else(api: Api) -> None:
    text, anna = "The gate opens at seven.", user(api, "anna")
    memory_id = save(api, text, of=anna, visibility="global")
    assert api.send("DELETE", f"/api/memory/{memory_id}?reason=x", headers=anna).status == 200
    told = {"harness": "codex", "sessionKey": "s", "summary": text}
    assert api.post("/api/hooks/compaction-complete", told).status == 200
    assert active(api) == {text}


def _session(api: Api, key: str, of: Key, **fields: str) -> None:
    """Let a session run from start to end, with a checkpoint and something that it was given."""
    call = {"harness": "codex", "sessionKey": key, **fields}
    save(api, f"The {key} zeppelin is blue.", of=of)
    for hook, more in (
        ("session-start", {}),
        ("user-prompt-submit", {"userMessage": f"Where is the {key} zeppelin?"}),
        ("pre-compaction", {"sessionContext": f"The {key} zeppelin flies."}),
        ("session-checkpoint-extract", {"transcript": f"User: the {key} zeppelin lands"}),
    ):
        answer = api.post(f"/api/hooks/{hook}", {**call, **more}, **of)
        assert answer.status == 200, (hook, answer.body)


@pytest.mark.parametrize("role", ["readonly", "agent", "operator"])
def test_a_key_without_limits_is_no_key_to_a_users_sessions(api: Api, role: str) -> None:
    _session(api, "secret", user(api, "anna"), project="/yard")
    rows = ("session_states", "session_transcripts", "session_checkpoints", "memories")
    before, team = tables(api, *rows), bearer(a_token(api, role))
    for path in (
        "/api/sessions", "/api/sessions?state=all", "/api/sessions/secret", "/api/sessions/latest/context",
        "/api/sessions/secret/transcript", "/api/sessions/secret/context", "/api/sessions/secret/replay",
        "/api/checkpoints?project=/yard", "/api/checkpoints/secret",
    ):  # fmt: skip
        hidden = json.dumps(api.get(path, **team).body)
        assert "/yard" not in hidden and "zeppelin" not in hidden, path
        found = json.dumps(api.get(path, **user(api, "anna")).body)
        assert "/yard" in found or "zeppelin" in found, path
    for path in ("/api/memories", "/api/sessions", "/api/documents", "/api/export"):
        refused = api.get(f"{path}?agent_id=user:anna", **team)
        assert refused.status == 403, path
        named = api.get(path, x_signet_agent_id="user:anna", **team)
        assert named.status == 403 or "zeppelin" not in json.dumps(named.body), path
    for name, body in (("bypass", {"enabled": True}), ("renew", {}), ("forget", {"reason": "x"})):
        changed = {**body, "mode": "execute", "agent_id": "user:anna", "agentId": "user:anna"}
        for sent in (body, changed):
            assert api.post(f"/api/sessions/secret/{name}", sent, **team).status in (403, 404), name
    assert tables(api, *rows) == before


def test_a_session_without_a_project_is_outside_of_every_project(api: Api) -> None:
    _session(api, "loose", {})
    before, garden = tables(api, "session_transcripts", "memories"), of_project(api, "garden")
    for mode in ("preview", "execute"):
        body = {"mode": mode, "reason": "x"}
        assert api.post("/api/sessions/loose/forget", body, **garden).status == 404
    assert tables(api, "session_transcripts", "memories") == before


def test_two_users_may_have_sessions_of_one_key(api: Api) -> None:
    for name in ("anna", "bert"):
        _session(api, "main", user(api, name), project=f"/{name}")
    found = api.get("/api/sessions?state=all", **user(api, "anna")).body["sessions"]
    assert [(one["agentId"], one["project"]) for one in found] == [("user:anna", "/anna")]
    owners = {row["agent_id"] for row in api.rows("session_transcripts")}
    assert owners == {"user:anna", "user:bert"}
