"""A token that is limited to a project, an agent or a user neither sees nor changes what lies outside, on any route."""

import json
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

import pytest

from signet.domain.auth.tokens import TokenScope
from signet_api.permissions import TABLE
from support.http import Answer, Api, an_api
from support.tokens import a_token, bearer

#: In every text, name and tag that lies outside; no question holds it.
MARK = "zircon"
INSIDE = "The gate is green."
SCOPES = {
    "project": TokenScope(project="garden"),
    "agent": TokenScope(agent="bea"),
    "both": TokenScope(project="garden", agent="bea"),
    "user": TokenScope(user="anna"),
}
#: Tables in which whoever is limited to another project and agent changes no row.
KEPT = (
    "memories",
    "memory_history",
    "documents",
    "entities",
    "entity_attributes",
    "session_summaries",
)
QUERIES = (
    "?q=crane&query=crane&limit=50&entity=crane&name=crane",
    "?q=harbour+crane&project=shed&since=2020-01-01&vectors=true",
    "?agent_id=cato&agentId=cato&project=shed&q=crane",
    "?agent_id=user:bert&agentId=user:bert&q=crane",
    "?distinct=who",
    "?prefix=0&id={memory_id}&memory_id={memory_id}",
    "?state=all&session_key=outside&sessionKey=outside&inbox=outside&include_sent=true",
)
#: Each is sent to every route that takes a body.
BODIES: tuple[dict[str, object], ...] = (
    {"query": "crane", "limit": 50, "harness": "codex", "expand": True, "explain": True},
    {"query": "harbour crane", "entities": True, "cards": True, "project": "shed"},
    {"query": "crane", "agentId": "cato", "harness": "codex"},
    {"query": "crane", "agentId": "user:bert", "harness": "codex"},
    {"entity": "Crane", "entityName": "Crane", "reason": "x"},
    {"entity": "Harbour Log", "entityName": "Harbour Log", "entityId": "{entity_id}"},
    {"mode": "execute", "query": "crane", "reason": "tidy", "ids": ["{memory_id}"]},
    {"mode": "execute", "query": "crane", "reason": "tidy", "force": True},
    {"patches": [{"id": "{memory_id}", "content": "mine now", "reason": "x"}], "reason": "x"},
    {"reason": "x", "content": "mine now", "pinned": True, "tags": "mine", "force": True},
    {"content": "mine", "project": "shed", "harness": "codex", "cwd": "shed"},
    {"content": "mine", "agentId": "cato", "harness": "codex", "sessionKey": "agent:cato:main"},
    {"content": "mine", "agentId": "user:bert", "harness": "codex"},
    {"content": "mine", "supersedes": ["{memory_id}"], "harness": "codex"},
    {"all": True, "ids": ["{job_id}"], "memory_id": "{memory_id}"},
    {"sessionKey": "outside", "feedback": {"{memory_id}": 1.0}},
    {
        "sessionKey": "outside",
        "harness": "codex",
        "userMessage": "Where is the crane?",
        "mode": "execute",
    },
    {"sessionKey": "outside", "harness": "codex", "transcript": "User: mine now", "enabled": True},
    {"sessionKey": "outside", "harness": "codex", "digest": "mine now", "summary": "mine now"},
)
SETTINGS = "auth:\n  mode: hybrid\n  rateLimits:\n" + "".join(
    f"    {name}: {{max: 10000}}\n" for name in ("forget", "modify", "batchForget", "forceDelete")
)
#: Routes on which the owner must meet the mark, so that the walk can fail.
MEETS = {
    "GET /api/memories", "GET /api/memory/{memory_id}", "GET /api/memory/search", "GET /memory/search",
    "POST /api/memory/recall", "POST /api/hooks/recall", "GET /api/sessions/summaries", "GET /api/documents",
    "GET /api/documents/{document_id}", "GET /api/knowledge/entities", "GET /api/knowledge/constellation",
    "POST /api/knowledge/expand", "POST /api/knowledge/expand/session", "GET /api/sessions/{session_key}/transcript",
    "GET /api/sessions/{session_key}/context", "POST /api/sessions/search",
}  # fmt: skip


def _outside(api: Api, project: str | None, agent: str) -> dict[str, str]:
    """Save what the limited token must never see; return the ids."""
    memory = api.post(
        "/api/memory/remember",
        {
            "content": f"We decided: the {MARK} crane of {MARK.title()} Ltd stands in the harbour.",
            "project": project,
            "agentId": agent,
            "tags": MARK,
            "who": MARK,
            "sessionKey": "outside",
            "entities": [
                {"source": "Harbour Log", "relationship": "uses", "target": f"{MARK.title()} Crane"}
            ],
            "aspects": [{"entity": f"{MARK.title()} Crane", "aspect": f"{MARK} size",
                         "attributes": [f"{MARK} metres"]}],
        },
    ).body  # fmt: skip
    document = api.post(
        "/api/documents",
        {"source_type": "text", "content": f"A {MARK} page.", "title": MARK, "agentId": agent},
    ).body
    api.run(
        "INSERT INTO session_summaries (id, project, kind, content, earliest_at, latest_at, agent_id, created_at,"
        " session_key) VALUES (?, ?, 'session', ?, '2026', '2026', ?, '2026', 'outside')",
        MARK, project, f"About the {MARK}.", agent,
    )  # fmt: skip
    about = {"harness": "codex", "sessionKey": "outside", "project": project, "agentId": agent}
    for hook, said in (
        ("session-start", {}),
        ("user-prompt-submit", {"userMessage": f"Where is the {MARK} crane?"}),
        ("session-checkpoint-extract", {"digest": f"About the {MARK}."}),
        ("session-end", {"transcript": f"User: the {MARK} crane\nAssistant: the {MARK} harbour"}),
    ):
        told = api.post(f"/api/hooks/{hook}", about | said)
        assert told.status == 200, told.body
    jobs = [row for row in api.rows("memory_jobs") if row["memory_id"] == memory["id"]]
    entity = next(row for row in api.rows("entities") if MARK in row["name"].lower())
    aspect = next(row for row in api.rows("entity_aspects") if row["entity_id"] == entity["id"])
    return {
        "memory_id": memory["id"],
        "session_key": "outside",
        "document_id": document["id"],
        "job_id": jobs[0]["id"],
        "entity_id": entity["id"],
        "aspect_id": aspect["id"],
    }


def _other(scope: TokenScope) -> str:
    """Return whose rows lie outside of a scope, or the agent whose all of them are where it names none."""
    if scope.user:
        return "user:bert"
    return "cato" if scope.agent else "bea"


@pytest.fixture(params=SCOPES)
def limited(
    request: pytest.FixtureRequest, tmp_path: Path
) -> Iterator[tuple[Api, TokenScope, dict[str, str]]]:
    scope = SCOPES[request.param]
    with an_api(tmp_path / "agents", SETTINGS) as api:
        api.add_agent("cato")
        ids = _outside(api, "shed" if scope.project else "garden", _other(scope))
        own = "user:anna" if scope.user else "bea"
        inside = {"content": INSIDE, "project": "garden", "agentId": own}
        assert api.post("/api/memory/remember", inside).status == 200
        api.state.is_stopping = True
        yield api, scope, ids


def _filled(text: str, ids: dict[str, str]) -> str:
    for name, value in ids.items():
        text = text.replace(f"{{{name}}}", value)
    return text


def _asked(
    api: Api, token: str, ids: dict[str, str], routes: Iterable[tuple[str, str]] = TABLE
) -> Iterator[tuple[str, str, Answer]]:
    """Ask routes in every way that could show or change what lies outside; yield route, question, answer."""
    for method, path in routes:
        address = _filled(path, ids).replace("{", "").replace("}", "")
        ways = [("?reason=tidy&force=true", ""), *(("", json.dumps(body)) for body in BODIES)]
        for query, body in [(query, "") for query in QUERIES] if method == "GET" else ways:
            asked = f"{address}{_filled(query, ids)}"
            sent = _filled(body, ids)
            answer = api.send(method, asked, sent.encode(), bearer(token))
            yield f"{method} {path}", f"{asked} {sent}", answer


def test_a_limited_token_sees_and_changes_nothing_outside(
    limited: tuple[Api, TokenScope, dict[str, str]],
) -> None:
    api, scope, ids = limited
    # What lies inside may be used: a session that begins counts what it was told.
    inside = {row["id"] for row in api.rows("memories") if row["content"] == INSIDE}
    before = {table: _rows(api, table, without=inside) for table in KEPT}
    for route, asked, answer in _asked(api, a_token(api, "operator", scope=scope), ids):
        assert answer.status != 500, (route, asked, answer.body)
        shown = json.dumps(answer.body).lower()
        assert MARK not in shown, (route, asked, answer.body)
        for name in ("memory_id", "document_id", "job_id"):
            assert ids[name] in asked or ids[name] not in shown, (route, asked, answer.body)
    for table in KEPT:
        assert before[table].items() <= _rows(api, table).items(), table
    kept = [row for row in api.rows("session_transcripts") if MARK in row["content"].lower()]
    assert [row["agent_id"] for row in kept] == [_other(scope)]


def test_the_owner_meets_what_the_limited_one_does_not(
    limited: tuple[Api, TokenScope, dict[str, str]],
) -> None:
    api, scope, ids = limited
    other = _other(scope)
    of = TokenScope(user="bert") if scope.user else TokenScope(agent=other)
    owner = a_token(api, "agent", scope=of)
    reads = [route for route in TABLE if " ".join(route) in MEETS]
    met = {
        route
        for route, _, answer in _asked(api, owner, ids, reads)
        if MARK in json.dumps(answer.body).lower()
    }
    assert met == MEETS
    assert MARK in _exported(api, owner)
    assert MARK not in _exported(api, a_token(api, "agent", scope=scope))


def _exported(api: Api, token: str) -> str:
    """Return every page of an export."""
    pages, cursor = [], ""
    while cursor is not None:
        answer = api.get(f"/api/export?cursor={cursor}", **bearer(token))
        assert answer.status == 200, answer.body
        pages.append(json.dumps(answer.body["records"]).lower())
        cursor = answer.body["next"]
    return "".join(pages)


def _rows(api: Api, table: str, without: Collection[str] = ()) -> dict[str, str]:
    rows = [row for row in api.rows(table) if row["id"] not in without]
    return {row["id"]: json.dumps(row, default=repr) for row in rows}


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
