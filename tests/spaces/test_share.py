"""Memories of people in named spaces: who reads them, how they enter, and what a withdrawal restores (AUTH-32)."""

import json

from spaces.people import ALL, HERS, admin, change, key, remove, row, saved, share, texts, withdraw
from support.http import Api
from support.tokens import bearer

JSON = {"content-type": "application/json", "accept": "application/json, text/event-stream"}


def test_a_memory_enters_a_space_and_comes_back(api: Api) -> None:
    anna, bert = key(api, "anna", billing=ALL), key(api, "bert", billing=("read",))
    carl, dora = key(api, "carl", board=ALL), key(api, "dora")
    memory = saved(api, anna)
    before = row(api, memory)
    assert [texts(api, one) for one in (bert, carl, dora)] == [set(), set(), set()]
    shared = share(api, memory, anna, note="for the invoices")
    assert shared.status == 200, shared.body
    assert (shared.body["state"], shared.body["author"], shared.body["sharedBy"]) == (
        "shared",
        "anna",
        "anna",
    )
    assert [texts(api, one) for one in (anna, bert, carl, dora)] == [{HERS}, {HERS}, set(), set()]
    asked = {"query": "invoice server port", "touch": False}  # a use is counted at any time later
    [hit] = api.post("/api/memory/recall", asked, **bert).body["results"]
    assert hit["shared"] == {"by": "anna", "space": "billing"}
    listed = api.get("/api/shares?space=billing", **bert).body["shares"]
    assert [(one["memoryId"], one["content"], one["note"]) for one in listed] == [
        (memory, HERS, "for the invoices")
    ]
    assert api.get("/api/shares", **dora).body["shares"] == []
    back = withdraw(api, memory, anna)
    assert (back.status, back.body["state"], back.body["endedBy"]) == (200, "withdrawn", "anna")
    assert [texts(api, one) for one in (anna, bert)] == [{HERS}, set()]
    assert row(api, memory) == before
    changes = api.get(f"/api/memory/{memory}/history", **anna).body["history"]
    assert [one["event"] for one in changes] == ["created", "shared", "withdrawn"]


def test_a_withdrawal_restores_text_and_fields(api: Api) -> None:
    anna, bert = key(api, "anna", billing=ALL), key(api, "bert", billing=ALL)
    memory = saved(api, anna, tags=["ports"], importance=0.6)
    before = row(api, memory)
    assert share(api, memory, anna).status == 200
    other = "The invoice server runs on port 1."
    assert change(api, memory, bert, content=other, tags=[], pinned=True) == 200
    assert texts(api, anna) == {other}
    assert withdraw(api, memory, bert).status == 200
    after = row(api, memory)
    same = ("content", "tags", "pinned", "importance", "visibility", "agent_id", "content_hash")
    assert {name: after[name] for name in same} == {name: before[name] for name in same}


def test_verbs_limit_what_a_key_does(api: Api) -> None:
    anna = key(api, "anna", billing=("read", "promote"))
    reads, writes = key(api, "bert", billing=("read",)), key(api, "carl", billing=("read", "write"))
    memory = saved(api, anna)
    refused = share(api, saved(api, reads, "The crane is red."), reads)
    assert (refused.status, refused.error) == (
        403,
        "this key may not promote in the space 'billing'",
    )
    assert share(api, memory, anna, "board").status == 403
    assert share(api, memory, anna).status == 200
    assert share(api, memory, anna).status == 409
    for of, status in ((reads, 403), (writes, 200)):
        assert change(api, memory, of, pinned=True) == status
    assert remove(api, f"/api/memory/{memory}?reason=x&force=1", writes) == 403
    assert withdraw(api, memory, reads).status == 403
    assert withdraw(api, memory, key(api, "dora")).status == 404
    assert withdraw(api, memory, writes).status == 200
    assert texts(api, anna) == {HERS}


def test_an_author_without_the_space_reads_it_no_more_but_withdraws_it(api: Api) -> None:
    memory = saved(api, key(api, "anna", billing=ALL))
    assert share(api, memory, key(api, "anna", billing=ALL)).status == 200
    anna = key(api, "anna")
    assert texts(api, anna) == set()
    [mine] = api.get("/api/shares", **anna).body["shares"]
    assert (mine["memoryId"], mine["content"], mine["state"]) == (memory, None, "shared")
    assert withdraw(api, memory, anna).status == 200
    assert texts(api, anna) == {HERS}


def test_a_space_that_asks_for_review(api: Api) -> None:
    anna, bert = key(api, "anna", board=ALL), key(api, "bert", board=ALL)
    reads = key(api, "carl", board=("read",))
    memory, other = saved(api, anna), saved(api, anna, "The board meets on Mondays.")
    assert share(api, memory, anna, "board").body["state"] == "proposed"
    assert share(api, other, anna, "board").body["state"] == "proposed"
    assert [texts(api, one) for one in (bert, reads)] == [set(), set()]
    assert api.get("/api/shares?state=proposed", **reads).body["shares"] == []
    waiting = {
        one["memoryId"]: one for one in api.get("/api/shares?state=proposed", **bert).body["shares"]
    }
    assert waiting[memory]["content"] == HERS
    path = f"/api/shares/{waiting[memory]['id']}/decide"
    assert api.post(path, {"approve": True}, **anna).status == 403  # not one's own
    assert api.post(path, {"approve": True}, **reads).status == 403
    assert api.post(path, {"approve": True}, **bert).body["state"] == "shared"
    assert api.post(path, {"approve": True}, **bert).status == 409
    assert texts(api, reads) == {HERS}
    # What was changed meanwhile is not what the proposal was.
    assert change(api, other, anna, content="The board meets never.") == 200
    late = f"/api/shares/{waiting[other]['id']}/decide"
    assert api.post(late, {"approve": True}, **bert).status == 409
    refused = api.post(late, {"approve": False}, **bert).body
    assert (refused["state"], refused["decidedBy"]) == ("refused", "bert")
    assert texts(api, reads) == {HERS}


def test_earlier_texts_stay_private(api: Api) -> None:
    anna, bert = key(api, "anna", billing=ALL), key(api, "bert", billing=("read",))
    memory = saved(api, anna, "My salary is 4711 and the invoice server is old.")
    assert change(api, memory, anna, content=HERS) == 200
    assert share(api, memory, anna).status == 200
    asked = [
        f"/api/memory/{memory}/history",
        "/api/memory/history",
        "/api/export?cursor=",
        "/api/memories?as_of=2036-01-01T00:00:00Z",
    ]
    page, shown = "", []
    while page is not None:
        answer = api.get(f"/api/export?cursor={page}", **bert).body
        shown.append(json.dumps(answer))
        page = answer["next"]
    shown += [json.dumps(api.get(one, **bert).body) for one in asked]
    assert HERS in shown[0] + "".join(shown) and "salary" not in "".join(shown)
    assert "salary" in json.dumps(api.get(f"/api/memory/{memory}/history", **anna).body)


def test_agents_do_not_share(api: Api) -> None:
    anna = key(api, "anna", billing=ALL)
    memory = saved(api, anna)
    answer = share(api, memory, {**anna, "x_signet_actor_type": "harness"})
    assert (answer.status, answer.body["code"]) == (403, "not_for_agents")
    assert texts(api, key(api, "bert", billing=ALL)) == set()


def test_only_what_is_ones_own_and_alive_is_shared(api: Api) -> None:
    anna, bert = key(api, "anna", billing=ALL), key(api, "bert", billing=ALL)
    common = saved(api, admin(api), "Everybody knows the crane.")
    assert share(api, common, anna).status == 403
    private = saved(api, bert, "Bert keeps the crane key.")
    assert share(api, private, anna).status in (403, 404)
    gone = saved(api, anna, "The old crane is gone.")
    assert remove(api, f"/api/memory/{gone}?reason=x", anna) == 200
    assert share(api, gone, anna).status == 400
    assert share(api, common, admin(api), "none").status == 404


def test_a_long_text_is_shared_with_all_its_pieces(api: Api) -> None:
    anna, bert = key(api, "anna", billing=ALL), key(api, "bert", billing=("read",))
    text = "\n\n".join(
        f"Paragraph {n} about the invoice server and its many ports. " * 6 for n in range(8)
    )
    memory = saved(api, anna, text)
    count = len(texts(api, anna))
    assert count > 1 and share(api, memory, anna).status == 200
    assert len(texts(api, bert)) == count
    piece = next(str(one["id"]) for one in api.rows("memories") if one["id"] != memory)
    assert share(api, piece, anna).status == 409
    assert withdraw(api, piece, anna).status == 200
    assert texts(api, bert) == set() and len(texts(api, anna)) == count


def test_a_text_that_was_saved_again_meanwhile_is_not_there_twice(api: Api) -> None:
    anna = key(api, "anna", billing=ALL)
    memory = saved(api, anna)
    assert share(api, memory, anna).status == 200
    again = saved(api, anna)
    assert again != memory
    assert share(api, again, anna).status == 409
    assert withdraw(api, memory, anna).status == 200
    alive = [one["id"] for one in api.rows("memories") if not one["is_deleted"]]
    assert alive == [again]


def test_a_space_is_removed_and_its_memories_return(api: Api) -> None:
    anna, bert = key(api, "anna", billing=ALL), key(api, "bert", billing=("read",))
    memory = saved(api, anna)
    share(api, memory, anna)
    assert remove(api, "/api/spaces/billing", anna) == 403
    assert remove(api, "/api/spaces/billing", admin(api)) == 200
    assert row(api, memory)["visibility"] == "private"
    assert (texts(api, anna), texts(api, bert)) == ({HERS}, set())
    assert [one["name"] for one in api.get("/api/spaces", **admin(api)).body["spaces"]] == ["board"]


def test_spaces_are_known_to_their_keys(api: Api) -> None:
    anna = key(api, "anna", billing=("read",))
    [known] = api.get("/api/spaces", **anna).body["spaces"]
    assert (known["name"], known["verbs"], known["memories"]) == ("billing", ["read"], 0)
    assert api.get("/api/spaces", **key(api, "dora")).body["spaces"] == []
    assert len(api.get("/api/spaces", **admin(api)).body["spaces"]) == 2
    bad = api.post("/api/spaces", {"name": "No Good"}, **admin(api))
    assert bad.status == 400
    assert api.post("/api/spaces", {"name": "billing"}, **admin(api)).status == 409
    changed = api.send("PATCH", "/api/spaces/billing", b'{"review": true}', dict(admin(api)))
    assert changed.body["review"] is True


def test_a_session_receives_what_its_key_reads_and_who_wrote_it(api: Api) -> None:
    anna = key(api, "anna", billing=ALL)
    rule = "We decided: always deploy the invoice server of Larder behind the blue proxy."
    memory = saved(api, anna, rule, type="decision")
    assert share(api, memory, anna).status == 200
    prompt = {"harness": "codex", "userMessage": "How do we deploy the invoice server of Larder?"}
    for of, user, reads in (
        (key(api, "bert", billing=("read",)), "bert", True),
        (key(api, "carl"), "carl", False),
    ):
        start = api.post(
            "/api/hooks/session-start", {"harness": "codex", "sessionKey": f"s-{user}"}, **of
        )
        asked = api.post(
            "/api/hooks/user-prompt-submit", {**prompt, "sessionKey": f"t-{user}"}, **of
        )
        for answer in (start, asked):
            said = answer.body["inject"]
            assert ("blue proxy" in said) is reads, (user, said)
            assert ("by anna in space billing" in said) is reads
        params = {"name": "memory_search", "arguments": {"query": "invoice server deploy"}}
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        found = json.dumps(
            api.send("POST", "/mcp", json.dumps(message).encode(), {**JSON, **of}).body
        )
        assert ("blue proxy" in found) is reads and ("anna" in found) is reads


def test_a_removed_agent_leaves_what_it_shared(api: Api) -> None:
    api.add_agent("scout")
    root = admin(api)
    shared, other = (saved(api, root, text, agentId="scout") for text in (HERS, "Scout is out."))
    assert share(api, shared, root, agentId="scout").status == 200
    assert remove(api, "/api/agents/scout", root) == 200
    assert row(api, other)["visibility"] == "archived"
    assert texts(api, key(api, "bert", billing=("read",))) == {HERS}


def test_a_token_for_spaces_names_its_person(api: Api) -> None:
    root = admin(api)
    body = {"role": "agent", "scope": {"spaces": {"billing": ["read"]}}}
    refused = api.post("/api/auth/token", body, **root)
    assert refused.status == 400 and "user or an agent" in refused.error
    body["scope"] = {"user": "anna", "spaces": {"billing": ["read", "promote"]}}
    made = bearer(api.post("/api/auth/token", body, **root).body["token"])
    who = api.get("/api/auth/whoami", **made).body["claims"]
    assert who["scope"] == {"user": "anna", "spaces": {"billing": ["promote", "read"]}}
    assert (
        api.post(
            "/api/auth/token",
            {"role": "agent", "scope": {"user": "a", "spaces": {"billing": ["own"]}}},
            **root,
        ).status
        == 400
    )
    assert (
        api.post(
            "/api/auth/token",
            {"role": "agent", "scope": {"user": "a", "spaces": {"B b": ["read"]}}},
            **root,
        ).status
        == 400
    )


def test_shares_are_paged_newest_first(api: Api) -> None:
    anna = key(api, "anna", billing=ALL)
    ids = [saved(api, anna, f"Invoice {number} is paid.") for number in range(3)]
    for one in ids:
        assert share(api, one, anna).status == 200
    first = api.get("/api/shares?limit=2", **anna).body
    rest = api.get(f"/api/shares?limit=2&cursor={first['next']}", **anna).body
    assert [one["memoryId"] for one in (*first["shares"], *rest["shares"])] == ids[::-1]
    assert rest["next"] is None
