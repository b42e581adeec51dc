"""Secrets never reach the database, whichever way a text comes in, and the answer says so."""

import json
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from signet.db.gate import WriteGate
from signet.text import masking
from support.http import Api, an_api

TOKEN = "ghp_" + "1aB2" * 9
MASKED = "[masked: GitHub token]"
KINDS = ["GitHub token"]


def stored(api: Api) -> str:
    """Return everything that any table holds, as one text."""
    names = "SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'"
    tables = [row[0] for row in api.state.db.read(lambda tx: tx.all(names))]
    rows = [row for name in tables for row in _rows(api, name)]
    return json.dumps(rows, default=repr)


def _rows(api: Api, table: str) -> list[dict[str, Any]]:
    return [dict(row) for row in api.state.db.read(lambda tx: tx.all(f'SELECT * FROM "{table}"'))]


def remember(api: Api) -> Any:
    sent = {"content": f"The deploy uses {TOKEN}.", "hints": [f"what is {TOKEN} for?"]}
    return api.post("/api/memory/remember", sent | {"transcript": TOKEN, "sourceId": "s"}).body


def remember_long(api: Api) -> Any:
    return api.post("/api/memory/remember", {"content": f"{'Long. ' * 5_000} {TOKEN}"}).body


def hook(api: Api) -> Any:
    sent = {"harness": "claude-code", "content": f"The deploy uses {TOKEN}."}
    return api.post("/api/hooks/remember", sent).body


def modify(api: Api) -> Any:
    made = api.post("/api/memory/remember", {"content": "The deploy needs a token."}).body
    changed = {"content": f"The deploy uses {TOKEN}.", "reason": "known now"}
    headers = {"content-type": "application/json"}
    path = f"/api/memory/{made['id']}"
    return api.send("PATCH", path, json.dumps(changed).encode(), headers).body


def modify_many(api: Api) -> Any:
    made = api.post("/api/memory/remember", {"content": "The deploy needs a token."}).body
    patch = {"id": made["id"], "content": f"The deploy uses {TOKEN}."}
    sent = {"patches": [patch], "reason": "known now"}
    return api.post("/api/memory/modify", sent).body["results"][0]


def document(api: Api) -> Any:
    sent = {"source_type": "text", "content": f"# Deploy\n\nUse {TOKEN}."}
    return api.post("/api/documents", sent).body


def session_end(api: Api) -> Any:
    sent = {"harness": "claude-code", "sessionKey": "s1", "transcript": f"User: use {TOKEN}"}
    return api.post("/api/hooks/session-end", sent).body


def checkpoint(api: Api) -> Any:
    sent = {"harness": "claude-code", "sessionKey": "s1", "transcript": f"User: use {TOKEN}"}
    return api.post("/api/hooks/session-checkpoint-extract", sent).body


def imported_text(api: Api) -> Any:
    record = {"record": "text", "content": f"The deploy uses {TOKEN}."}
    return api.post("/api/import", {"records": [record]}).body


def imported_row(api: Api) -> Any:
    row = {"record": "memory", "id": "m1", "content": f"The deploy uses {TOKEN}."}
    return api.post("/api/import", {"records": [row]}).body


WAYS = [remember, remember_long, hook, modify, modify_many, document, session_end, checkpoint]
WAYS += [imported_text, imported_row]


@pytest.mark.parametrize("way", WAYS, ids=[way.__name__ for way in WAYS])
def test_a_secret_is_masked_before_it_is_stored_and_the_answer_says_so(api: Api, way: Any) -> None:
    assert way(api)["masked"] == KINDS
    kept = stored(api)
    assert TOKEN not in kept and MASKED in kept


@pytest.mark.parametrize("way", WAYS, ids=[way.__name__ for way in WAYS])
def test_private_text_is_not_stored(api: Api, way: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(globals(), "TOKEN", "<private>the violet cellar</private>")
    assert way(api)["masked"] == ["private text"]
    prompt = {"harness": "codex", "sessionKey": "s2", "userMessage": f"Where is {TOKEN} now?"}
    assert api.post("/api/hooks/user-prompt-submit", prompt).status == 200
    for name in ("pre-compaction", "session-end"):
        api.post(f"/api/hooks/{name}", {"harness": "codex", "sessionKey": "s2"})
    kept = stored(api)
    assert "violet" not in kept and "[masked: private text]" in kept


def test_others_can_write_while_a_change_is_masked(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = api.post("/api/memory/remember", {"content": "The deploy needs a token."}).body
    mask, could_write = masking.mask, []

    def watched(text: str) -> masking.Masked:
        gate = WriteGate(api.state.db.path)
        with closing(gate):
            could_write.append(gate.try_enter())
        return mask(text)

    monkeypatch.setattr(masking, "mask", watched)
    patch = {"id": made["id"], "content": f"The deploy uses {TOKEN}."}
    sent = {"patches": [patch], "reason": "known now"}
    assert api.post("/api/memory/modify", sent).body["results"][0]["masked"] == KINDS
    assert could_write == [True]


def test_an_import_is_masked_as_a_text_and_as_a_row(api: Api) -> None:
    rows = [
        {"record": "memory", "id": "m1", "content": f"The deploy uses {TOKEN}."},
        {"record": "transcript", "agent_id": "default", "session_key": "s", "content": TOKEN},
    ]
    rows[1] |= {"created_at": "2026-05-01T00:00:00.000Z"}
    for row in rows:
        answer = api.post("/api/import", {"records": [row]})
        assert (answer.status, answer.body["reasons"]) == (200, [])
    kept = stored(api)
    assert TOKEN not in kept and kept.count(MASKED) >= 2
    assert TOKEN.lower() not in kept


def test_one_setting_switches_it_off(tmp_path: Path) -> None:
    with an_api(tmp_path / "agents", settings="memory: {mask_secrets: false}\n") as api:
        for way in (remember, session_end, document):
            assert "masked" not in way(api)
        assert TOKEN in stored(api) and MASKED not in stored(api)


def test_a_text_without_secrets_is_answered_as_before(api: Api) -> None:
    assert "masked" not in api.post("/api/memory/remember", {"content": "Ada likes tea."}).body


def test_a_memory_that_is_only_a_mask_is_not_injected(api: Api) -> None:
    for text in (f"The shop key is {TOKEN}", "Ana deploys the shop on Friday."):
        api.post("/api/memory/remember", {"content": text, "pinned": True})
    started = api.post("/api/hooks/session-start", {"harness": "codex", "sessionKey": "shop-1"})
    assert "Ana deploys" in started.body["inject"] and "masked" not in started.body["inject"]
    found = api.post("/api/memory/recall", {"query": "shop key"}).body["results"]
    assert MASKED in str(found)
