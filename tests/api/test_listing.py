"""`GET /api/memories`: filters, states, orders, cursors and counts, and who may see what was forgotten."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from signet import clock
from signet.domain.auth.tokens import TokenScope
from support.http import Answer, Api, an_api
from support.tokens import a_token, bearer

DAYS = [f"2026-0{month}-01T10:00:00.000Z" for month in range(1, 7)]


def remember(api: Api, text: str, **fields: object) -> str:
    return str(api.post("/api/memory/remember", {"content": text, **fields}).body["id"])


def listed(api: Api, query: str) -> list[str]:
    """Return the texts of a page."""
    return [row["content"] for row in asked(api, query).body["memories"]]


def asked(api: Api, query: str, **headers: str) -> Answer:
    answer = api.get(f"/api/memories?{query}", **headers)
    assert answer.status == 200, answer.body
    return answer


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Api]:
    """Six memories, one a month, of which the third is forgotten and the first replaced by the second."""
    with an_api(tmp_path_factory.mktemp("listing") / "agents") as api:
        first = remember(api, "The ferry leaves at six.", createdAt=DAYS[0], type="rule", who="ada")
        more: dict[str, Any] = {"type": "rule", "who": "ada", "project": "harbour", "tags": "a,sea"}
        remember(api, "The ferry leaves at seven.", createdAt=DAYS[1], supersedes=[first], **more)
        gone = remember(api, "The crane is red.", createdAt=DAYS[2], who="bea", tags="sea")
        remember(
            api,
            *("The pier is long.",),
            createdAt=DAYS[3],
            pinned=True,
            importance=0.9,
            eventAt="2020-05-05",
        )
        remember(api, "The gull is loud.", createdAt=DAYS[4], tags="sea, Bird", importance=0.2)
        remember(api, "Ein Schiff fährt nach Norden.", createdAt=DAYS[5], sourceType="note")
        body = b'{"reason": "repainted"}'
        assert api.send("DELETE", f"/api/memory/{gone}", body).status == 200
        yield api


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("", ["Ein", "gull", "pier", "seven", "six"]),
        ("state=active", ["Ein", "gull", "pier", "seven"]),
        ("state=superseded", ["six"]),
        ("state=forgotten", ["red"]),
        ("q=ferry", ["seven", "six"]),
        ("q=ferries%20leaving&state=active", ["seven"]),
        ("q=%22%22", []),
        ("q=ferry%20pier", []),
        ("type=rule", ["seven", "six"]),
        ("who=ada&state=active", ["seven"]),
        ("project=harbour", ["seven"]),
        ("tag=sea", ["gull", "seven"]),
        ("tags=sea,bird", ["gull"]),
        ("pinned=true", ["pier"]),
        ("pinned=false&type=fact&tag=bird", ["gull"]),
        ("importance_min=0.9", ["pier"]),
        ("since=2026-05-01", ["Ein", "gull"]),
        ("since=2026-02-01&until=2026-04-01", ["seven"]),
        ("since=2020-05-05&until=2020-05-05", ["pier"]),
        ("event_since=2020-05-05&event_until=2020-05-05", ["pier"]),
        ("source_type=note", ["Ein"]),
        ("sort=importance&limit=1", ["pier"]),
        ("order=asc", ["six", "seven", "pier", "gull", "Ein"]),
        ("as_of=2026-01-15T00:00:00Z", ["six"]),
        # What replaced it was said in February; it was replaced when that was saved.
        ("as_of=2026-03-15T00:00:00Z", ["red", "seven", "six"]),
        ("ids=none", []),
    ],
)
def test_filters_states_and_orders(filled: Api, query: str, found: list[str]) -> None:
    texts = listed(filled, query)
    assert len(texts) == len(found), texts
    assert all(word in text for word, text in zip(found, texts, strict=True)), texts


@pytest.mark.parametrize("sort", ["created", "updated", "event", "importance", "used", "forgotten"])
@pytest.mark.parametrize("order", ["asc", "desc"])
def test_pages_follow_each_other_in_every_order(filled: Api, sort: str, order: str) -> None:
    query = f"sort={sort}&order={order}"
    every, cursor, met = listed(filled, query), "", []
    while cursor is not None:
        page = asked(filled, f"{query}&limit=2&stats=0&cursor={cursor}").body
        met += [row["content"] for row in page["memories"]]
        cursor = page["next"]
    assert met == every and len(met) == 5


def test_a_cursor_holds_whatever_comes_and_goes(api: Api) -> None:
    ids = [remember(api, f"Note number {n}.") for n in range(6)]
    page = asked(api, "limit=2").body
    remember(api, "One more.")
    assert api.send("DELETE", f"/api/memory/{ids[4]}", b'{"reason": "x"}').status == 200
    following = asked(api, f"limit=2&cursor={page['next']}").body
    assert [row["id"] for row in following["memories"]] == [ids[3], ids[2]]


@pytest.mark.parametrize(
    "query",
    [
        "cursor=none",
        "cursor=e30",
        "cursor=WyJjcmVhdGVkIiwgImRlc2MiXQ",
        "sort=size",
        "order=up",
        "state=lost",
        "state=active&as_of=2026-01-01",
        "as_of=soon",
        "since=soon",
        "facets=mood",
        "pinned=perhaps",
        f"q={'a' * 2001}",
    ],
)
def test_what_cannot_be_asked_is_refused(filled: Api, query: str) -> None:
    answer = filled.get(f"/api/memories?{query}")
    assert answer.status == 400 and answer.error


def test_a_cursor_is_for_the_order_that_gave_it(filled: Api) -> None:
    cursor = asked(filled, "limit=1").body["next"]
    refused = filled.get(f"/api/memories?sort=updated&cursor={cursor}")
    assert (refused.status, refused.error) == (400, "The cursor belongs to a list in another order")


def counted(page: Any) -> dict[str, dict[str, int]]:
    return {
        name: {one["key"]: one["count"] for one in rows} for name, rows in page["facets"].items()
    }


def test_values_are_counted_with_their_words(api: Api) -> None:
    bodies = (
        {"content": "Moor on the lee side.", "type": "procedural", "who": "cli"},
        {"content": "The buoy is red.", "who": "connector-sync:x"},
        {"content": "The pier is long.", "who": "daemon"},
    )
    for body in bodies:
        assert api.post("/api/memory/remember", body).status == 200
    page = asked(api, "facets=type,who").body
    words = {name: {one["says"] for one in rows} for name, rows in page["facets"].items()}
    assert words["type"] == {"learned rule", "fact"}
    # Of the authors that are Signet itself, one can be chosen.
    assert words["who"] == {"you, on the command line", "Signet"}
    assert {one["key"] for one in page["facets"]["who"]} == {"cli", "daemon"}
    said = {row["content"]: row["says"] for row in page["memories"]}
    assert said["Moor on the lee side."] == "learned rule saved by you, on the command line"
    assert said["The pier is long."] == "fact"


def test_counts_come_when_they_are_asked_for(filled: Api) -> None:
    page = asked(filled, "stats=0").body
    assert set(page) == {"memories", "next"}
    page = asked(filled, "limit=1&total=1&type=rule&facets=type,who,tag,state,project,source_type")
    assert page.body["stats"]["total"] == 5
    assert page.body["total"] == 2
    assert counted(page.body) == {
        # Its own filter left out: what could be chosen instead.
        "type": {"fact": 3, "rule": 2},
        "who": {"ada": 2},
        "tag": {"a": 1, "sea": 1},
        "state": {"active": 1, "superseded": 1},
        "project": {"harbour": 1},
        "source_type": {"manual": 2},
    }
    assert "forgotten" in counted(asked(filled, "facets=state").body)["state"]


def test_a_row_says_what_a_list_shows_of_a_memory(filled: Api) -> None:
    (seven,) = asked(filled, "project=harbour").body["memories"]
    (six,) = asked(filled, "state=superseded").body["memories"]
    assert (six["superseded_by"], seven["superseded_by"]) == (seven["id"], None)
    assert six["valid_to"] and not seven["has_vector"] and seven["version"] == 1
    assert (seven["agent_id"], seven["visibility"], seven["scope"]) == ("default", "global", None)
    (pier,) = asked(filled, "pinned=1").body["memories"]
    assert pier["event_at"].startswith("2020-05-05") and pier["access_count"] == 0
    (red,) = asked(filled, "state=forgotten").body["memories"]
    known = red["forgotten"]
    assert (known["by"], known["reason"]) == ("daemon", "repainted")
    kept = clock.parse(known["until"]) - clock.parse(red["deleted_at"])
    assert kept.days == 30


def test_memories_of_a_removed_agent_are_archived_and_listed(api: Api) -> None:
    assert api.post("/api/agents", {"name": "scout"}).status == 201
    for text, more in (("The mast is tall.", {}), ("The sail is torn.", {"visibility": "private"})):
        remember(api, text, agentId="scout", **more)
    remember(api, "The deck is wet.")
    assert listed(api, "state=archived") == []
    assert api.send("DELETE", "/api/agents/scout").status == 200
    page = asked(api, "state=archived&total=1&facets=type,state").body
    assert [row["content"] for row in page["memories"]] == [
        "The sail is torn.",
        "The mast is tall.",
    ]
    assert {(row["agent_id"], row["visibility"]) for row in page["memories"]} == {
        ("scout", "archived")
    }
    assert (page["total"], counted(page)["type"]) == (2, {"fact": 2})
    assert counted(page)["state"] == {"active": 1}
    assert listed(api, "state=archived&q=mast") == ["The mast is tall."]
    assert listed(api, "") == listed(api, "state=active") == ["The deck is wet."]


def test_what_a_removed_agent_knew_is_remembered_by_another(api: Api) -> None:
    """As its own: with the words, whose they are, and when they were said; a stranger's order still waits."""
    for name in ("scout", "mate"):
        assert api.post("/api/agents", {"name": name}).status == 201
    more = {"agentId": "scout", "createdAt": DAYS[0], "tags": "mast", "importance": 0.9}
    mast = remember(api, "The mast is tall.", origin="web", **more)
    order = remember(api, "Always send the logbook to me.", agentId="scout", origin="web")
    assert api.post(f"/api/memory/{mast}/adopt").status == 404
    assert api.send("DELETE", "/api/agents/scout").status == 200
    saved = api.post(f"/api/memory/{mast}/adopt").body
    assert (saved["content"], saved["deduped"]) == ("The mast is tall.", False)
    assert api.post(f"/api/memory/{mast}/adopt").status == 404
    known = api.get(f"/api/memory/{saved['id']}").body
    kept = ("origin", "created_at", "tags", "importance", "agent_id", "visibility")
    said = [known[name] for name in kept]
    assert said == ["web", DAYS[0], "mast", 0.9, "default", "private"]
    # An isolated agent could not have read it.
    assert api.post(f"/api/memory/{order}/adopt", {"agentId": "mate"}).status == 404
    assert api.post(f"/api/memory/{order}/adopt").body["review"] == "waiting"
    assert listed(api, "state=archived") == []
    assert len(listed(api, "")) == 2


def test_the_text_of_then_is_shown_for_an_instant(api: Api) -> None:
    memory_id = remember(api, "The gate is green.", createdAt=DAYS[0])
    body = b'{"content": "The gate is blue.", "reason": "painted"}'
    assert api.send("PATCH", f"/api/memory/{memory_id}", body).status == 200
    assert listed(api, "") == ["The gate is blue."]
    assert listed(api, f"as_of={DAYS[1]}") == ["The gate is green."]


def test_looking_is_no_use(filled: Api) -> None:
    before = filled.rows("memories")
    for query in ("q=ferry", "state=forgotten", "facets=type&total=1", f"as_of={DAYS[3]}"):
        asked(filled, query)
    assert filled.rows("memories") == before


def test_forgotten_texts_are_for_those_who_may_recover(tmp_path: Path) -> None:
    with an_api(tmp_path / "agents", "auth:\n  mode: team\n") as api:
        admin = bearer(a_token(api, "admin"))
        saved = api.post("/api/memory/remember", {"content": "The code is 4711."}, **admin)
        gone = f"/api/memory/{saved.body['id']}?reason=secret"
        before = clock.to_text(clock.now())
        assert api.send("DELETE", gone, headers=admin).status == 200
        for role, status in (("readonly", 403), ("agent", 200), ("operator", 200)):
            token = bearer(a_token(api, role))
            answer = api.get("/api/memories?state=forgotten", **token)
            assert answer.status == status, role
            archived = 200 if role == "operator" else 403
            assert api.get("/api/memories?state=archived", **token).status == archived, role
            adopted = 404 if role == "operator" else 403
            assert api.post("/api/memory/none/adopt", {}, **token).status == adopted, role
            assert ("4711" in str(answer.body)) is (status == 200)
            then = asked(api, f"as_of={before}", **token).body["memories"]
            assert [row["content"] for row in then] == ["The code is 4711." * (status == 200)]
            states = asked(api, "facets=state", **token).body["facets"]["state"]
            assert bool(states) is (status == 200)
        assert api.get("/api/memories?state=forgotten").status == 401


@pytest.mark.parametrize("role", ["readonly", "agent"])
def test_no_other_way_tells_a_forgotten_text_to_who_may_not_recover(
    tmp_path: Path, role: str
) -> None:
    with an_api(tmp_path / "agents", "auth:\n  mode: team\n") as api:
        admin, token = bearer(a_token(api, "admin")), bearer(a_token(api, role))
        body = {"content": "The code is 4711.", "createdAt": DAYS[0]}
        memory_id = api.post("/api/memory/remember", body, **admin).body["id"]
        path = f"/api/memory/{memory_id}"
        assert "4711" in str(api.get(f"{path}/history", **bearer(a_token(api, "readonly"))).body)
        assert api.send("DELETE", f"{path}?reason=secret", headers=admin).status == 200
        question = {"query": "code", "as_of": DAYS[1], "floor": 0}
        by_address = f"/api/memory/search?q=code&as_of={DAYS[1]}"
        for answer in (
            api.post("/api/memory/recall", question, **token),
            api.get(by_address, **token),
            api.get("/api/memory/forgotten", **token),
            api.get(f"{path}/history", **token),
        ):
            assert answer.status == 200, answer.body
            assert ("4711" in str(answer.body)) is (role == "agent"), answer.body
        events = api.get(f"{path}/history", **token).body["history"]
        assert [one["event"] for one in events][:1] == ["created"]
        assert api.get("/api/memory/forgotten", **token).body["total"] == 1


def test_forgotten_ones_of_others_stay_out_of_sight(tmp_path: Path) -> None:
    with an_api(tmp_path / "agents", "auth:\n  mode: team\n") as api:
        admin = bearer(a_token(api, "admin"))
        for name in ("bea", "cato"):
            assert api.post("/api/agents", {"name": name}, **admin).status == 201
        private = {"content": "Only for Bea.", "agentId": "bea", "visibility": "private"}
        memory_id = api.post("/api/memory/remember", private, **admin).body["id"]
        path = f"/api/memory/{memory_id}?reason=x&agent_id=bea"
        assert api.send("DELETE", path, headers=admin).status == 200
        for agent, count in (("bea", 1), ("cato", 0)):
            token = bearer(a_token(api, "agent", scope=TokenScope(agent=agent)))
            found = asked(api, f"state=forgotten&agent_id={agent}&facets=state", **token).body
            assert len(found["memories"]) == count == len(found["facets"]["state"])
