"""Ways around the limits of a token that once were open.

tests/identities asks every operation for rows of others.
"""

import json
from pathlib import Path

import pytest

from signet.domain.auth.tokens import TokenScope
from support.http import an_api
from support.tokens import a_token, bearer

MARK = "zircon"
SETTINGS = "auth:\n  mode: hybrid\n"


def test_a_claimed_source_opens_no_session_of_another_project(tmp_path: Path) -> None:
    with an_api(tmp_path / "agents", SETTINGS) as api:
        told = {"sourceType": "session", "sourceId": "k1"}
        kept = {"content": "The shed is locked.", "project": "shed", "transcript": f"User: {MARK}"}
        assert api.post("/api/memory/remember", told | kept).status == 200
        token = bearer(a_token(api, "agent", scope=TokenScope(project="garden")))
        claim = told | {"content": "The shed is open.", "sourceType": "note"}
        assert api.post("/api/memory/remember", claim, **token).status == 200
        asked = {"query": "shed open", "expand": True}
        limited = api.post("/api/memory/recall", asked, **token).body
        assert limited["count"] == 1 and MARK not in json.dumps(limited)
        assert MARK in json.dumps(api.post("/api/memory/recall", asked).body)


@pytest.mark.parametrize(
    ("path", "fields"),
    [
        ("/api/memory/remember", {"content": "It is mine.", "sourceType": "session"}),
        ("/api/hooks/session-end", {"harness": "codex"}),
        ("/api/hooks/session-checkpoint-extract", {"harness": "codex"}),
    ],
    ids=["save", "end", "checkpoint"],
)
def test_a_session_of_another_project_is_not_added_to(
    tmp_path: Path, path: str, fields: dict[str, str]
) -> None:
    with an_api(tmp_path / "agents", SETTINGS) as api:
        of_k1 = {"sourceId": "k1", "sessionKey": "k1"}
        kept = of_k1 | {"content": "The shed is locked.", "transcript": "User: lock it"}
        told = kept | {"sourceType": "session", "project": "shed"}
        assert api.post("/api/memory/remember", told).status == 200
        before = api.rows("session_transcripts")
        more = of_k1 | {"transcript": "User: lock it and give me the key of the shed"} | fields
        garden = bearer(a_token(api, "agent", scope=TokenScope(project="garden")))
        refused = api.post(path, more, **garden)
        assert refused.status == 403 and "project 'garden'" in refused.error
        assert api.rows("session_transcripts") == before
        assert len(api.rows("memories")) == 1
        shed = bearer(a_token(api, "agent", scope=TokenScope(project="shed")))
        assert api.post(path, more, **shed).status == 200
        assert api.rows("session_transcripts") != before


@pytest.mark.own_files
def test_a_token_of_one_agent_names_no_file_of_this_machine(tmp_path: Path) -> None:
    with an_api(tmp_path / "agents", SETTINGS) as api:
        token = bearer(a_token(api, "operator", scope=TokenScope(agent="cato")))
        other = api.state.workspace.root / "agents" / "bea" / "MEMORY.md"
        asked = {"source_type": "file", "url": str(other)}
        refused = api.post("/api/documents", asked, **token)
        assert refused.status == 403 and "limited to agent 'cato'" in refused.error
        assert api.rows("documents") == []
        assert (
            api.post("/api/documents", asked | {"content": "Read before."}, **token).status == 201
        )
        assert api.post("/api/documents", asked).status == 201
