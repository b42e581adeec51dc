"""The audit log: who read, shared, exported and deleted what, and through which key (AUTH-33)."""

import json
from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from signet import clock
from signet.domain.retention import purge
from signet.domain.retention.purge import Windows
from spaces.people import ALL, HERS, admin, change, key, remove, saved, share, texts, withdraw
from support.http import Api, an_api

PROMPT = {
    "harness": "codex",
    "sessionKey": "s",
    "userMessage": "Which port has the invoice server?",
}


def entries(api: Api, query: str = "") -> list[Mapping[str, Any]]:
    answer = api.get(f"/api/audit?limit=1000{query}", **admin(api))
    assert answer.status == 200, answer.body
    return list(answer.body["entries"])


def acts(api: Api, query: str) -> list[tuple[str, str, str | None, int]]:
    return [
        (one["action"], one["actor"], one["space"], one["count"]) for one in entries(api, query)
    ]


def test_what_happens_to_a_memory_is_logged(api: Api) -> None:
    anna, bert = key(api, "anna", billing=ALL, board=ALL), key(api, "bert", board=ALL)
    memory, other = saved(api, anna), saved(api, anna, "The board meets on Mondays.")
    share(api, memory, anna)
    withdraw(api, memory, anna)
    share(api, other, anna, "board")
    waiting = api.get("/api/shares?state=proposed", **bert).body["shares"][0]["id"]
    api.post(f"/api/shares/{waiting}/decide", {"approve": False}, **bert)
    assert remove(api, f"/api/memory/{memory}?reason=x", anna) == 200
    assert api.post(f"/api/memory/{memory}/recover", {"reason": "x"}, **anna).status == 200
    assert remove(api, f"/api/memory/{memory}?reason=x&erase=1&force=1", anna) == 200
    assert api.get("/api/export", **anna).status == 200
    assert [one for one in acts(api, "") if one[0] != "read"] == [
        ("share", "anna", "billing", 1),
        ("withdraw", "anna", "billing", 1),
        ("propose", "anna", "board", 1),
        ("refuse", "bert", "board", 1),
        ("forget", "anna", None, 1),
        ("recover", "anna", None, 1),
        ("erase", "anna", None, 1),
        ("export", "anna", None, 0),
    ]
    first = entries(api, "&action=share")[0]
    assert (first["key_id"], first["agent"], first["memory_ids"]) == (
        "jti-anna",
        "user:anna",
        [memory],
    )


def test_reads_are_logged_with_their_memories_and_no_text(api: Api) -> None:
    anna, bert = key(api, "anna", billing=ALL), key(api, "bert", billing=("read",))
    memory = saved(api, anna)
    share(api, memory, anna)
    texts(api, bert)
    api.get(f"/api/memory/{memory}", **bert)
    api.get(f"/api/memory/{memory}/history", **bert)
    api.post("/api/hooks/session-start", PROMPT, **bert)
    api.post("/api/hooks/user-prompt-submit", PROMPT, **bert)
    api.get("/api/memory/none", **bert)
    read = {one["operation"]: one for one in entries(api, "&actor=bert&action=read")}
    shown = {"memories", "recall", "memory", "history", "start_session"}
    assert {name for name, one in read.items() if one["memory_ids"] == [memory]} >= shown
    assert len([one for one in entries(api, "&actor=bert") if one["operation"] == "memory"]) == 1
    assert {one["key_id"] for one in read.values()} == {"jti-bert"}
    assert "invoice" not in json.dumps(entries(api))


def test_the_log_is_exported_filtered_and_paged(api: Api) -> None:
    anna = key(api, "anna", billing=ALL)
    for number in range(5):
        share(api, saved(api, anna, f"Invoice {number} is paid."), anna)
    page, found = api.get("/api/audit?action=share&limit=2", **admin(api)).body, []
    while True:
        found += page["entries"]
        if page["next"] is None:
            break
        page = api.get(f"/api/audit?action=share&limit=2&cursor={page['next']}", **admin(api)).body
    assert len(found) == 5 == len({one["number"] for one in found})
    lines = api.get("/api/audit/export?action=share", **admin(api)).body.splitlines()
    assert [json.loads(line) for line in lines] == found
    newest = api.get("/api/audit?action=share&limit=2&newest=true", **admin(api)).body
    assert newest == {"entries": found[-2:], "next": None}
    refused = api.get("/api/audit?action=login", **admin(api))
    assert refused.status == 400 and "withdraw" in str(refused.body)
    for path in ("/api/audit", "/api/audit/export"):
        refused = api.get(f"{path}?since=soon", **admin(api))
        assert (refused.status, refused.error) == (400, "since must be an ISO timestamp")
    assert entries(api, "&since=2036-01-01") == [] == entries(api, "&until=2020-01-01")
    assert [one["action"] for one in entries(api, "&space=billing")] == ["share"] * 5


@pytest.mark.parametrize("role", ["readonly", "agent", "operator"])
def test_only_admins_read_the_log(api: Api, role: str) -> None:
    for path in ("/api/audit", "/api/audit/export"):
        assert api.get(path, **key(api, "anna", role, billing=ALL)).status == 403


def test_in_local_mode_reads_are_not_logged_but_deletions_are(tmp_path: Path) -> None:
    with an_api(tmp_path / "agents") as api:
        memory = saved(api, {})
        texts(api, {})
        assert change(api, memory, {}, pinned=True) == 200
        assert remove(api, f"/api/memory/{memory}?reason=x&force=1", {}) == 200
        assert acts(api, "") == [("forget", "owner", None, 1)]
        assert HERS not in json.dumps(entries(api))


def test_old_entries_are_deleted(api: Api) -> None:
    anna = key(api, "anna", billing=ALL)
    share(api, saved(api, anna), anna)
    later = clock.now() + timedelta(days=400)
    assert purge.sweep(api.state.db, windows=Windows(audit=timedelta(days=500)), now=later)
    assert len(entries(api, "&action=share")) == 1
    purge.sweep(api.state.db, windows=Windows(audit=timedelta(days=365)), now=later)
    assert entries(api, "&action=share") == []
