"""What was forgotten does not come back by itself, and does when somebody says it again."""

import json
from pathlib import Path
from urllib.parse import quote

import pytest

from signet.domain.memory import wording
from support.http import Api, an_api

SAID = "I keep the spare key under the blue flowerpot."


def remember(api: Api, text: str, **fields: object) -> str:
    return str(api.post("/api/memory/remember", {"content": text, **fields}).body["id"])


def forget(api: Api, memory_id: str) -> None:
    answer = api.send("DELETE", f"/api/memory/{memory_id}?reason=wrong")
    assert answer.status == 200, answer.body


def taken(api: Api, text: str, **fields: object) -> str:
    """Import a text, as from another program's file, and return what became of it."""
    body = api.post(
        "/api/import", {"records": [{"record": "text", "content": text, **fields}]}
    ).body
    fates = [fate for fate in ("new", "known", "forgotten", "refused") if body[fate]]
    assert len(fates) == 1, body
    return fates[0]


def listed(api: Api, **headers: str) -> list[dict[str, object]]:
    body = api.get("/api/memory/forgotten", **headers).body
    assert body["total"] == len(body["values"])
    return list(body["values"])


@pytest.mark.parametrize(
    "again",
    [
        SAID,
        "i keep the spare key under the BLUE flowerpot",
        "The user keeps the spare key under the blue flowerpot.",
        "Note: I keep the **spare key** under the blue flowerpot!",
        "Please remember that I keep the spare key under the blue flowerpot",
        "[home, keys]: I keep the spare key under the blue flowerpot.",
        "User: I keep the spare key under the blue flowerpot.",
        "The user said that the user keeps the spare keys under the blue flowerpot.",
        "I keep the spare key under the blue flowerpot. I keep the spare key under the blue flowerpot!",
    ],
)
def test_a_forgotten_value_is_not_taken_in_again_in_other_words(api: Api, again: str) -> None:
    forget(api, remember(api, SAID))
    assert taken(api, again) == "forgotten"


@pytest.mark.parametrize(
    "other",
    [
        "I do not keep the spare key under the blue flowerpot.",
        "I keep the spare key under the red flowerpot.",
        "Ana keeps the spare key under the blue flowerpot.",
        "I keep the spare key under the blue flowerpot. The code of the gate is 4711.",
    ],
)
def test_another_value_is_taken_in(api: Api, other: str) -> None:
    forget(api, remember(api, SAID))
    assert taken(api, other) == "new"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The rent is $900.", "The rent is €900."),
        ("The limit is 1.5 MB.", "The limit is 15 MB."),
        ("x < 5 holds", "x > 5 holds"),
        ("She writes C", "She writes C++"),
        ("It is -4 degrees", "It is 4 degrees"),
        ("Ana loves 🍎", "Ana loves 🍐"),
        ("Ana told Ben", "Ben told Ana"),
        ("My cat is old", "Your cat is old"),
    ],
)
def test_signs_numbers_and_order_make_another_value(one: str, other: str) -> None:
    assert not set(wording.read_value(one).hashes) & set(wording.read_value(other).hashes)


def test_the_list_says_what_when_and_why_and_for_how_long_it_can_be_recovered(api: Api) -> None:
    first, second = remember(api, SAID), remember(api, "The gate code is 4711. " * 8)
    forget(api, first)
    forget(api, second)
    newest, oldest = listed(api)
    assert (oldest["id"], oldest["label"], oldest["why"]) == (first, SAID, "forgotten")
    assert oldest["agentId"] == "default" and oldest["scope"] is None
    assert str(oldest["since"])[:4] < str(oldest["recoverableUntil"])
    assert str(newest["label"]).endswith("…") and len(str(newest["label"])) <= 80
    page = api.get("/api/memory/forgotten?limit=1").body
    assert ([one["id"] for one in page["values"]], page["total"]) == ([second], 2)
    last = api.get(f"/api/memory/forgotten?limit=1&cursor={page['next']}").body
    assert ([one["id"] for one in last["values"]], last["next"]) == ([first], None)


def test_whoever_says_it_again_means_it_and_the_answer_says_so(api: Api) -> None:
    memory_id = remember(api, SAID)
    forget(api, memory_id)
    said = {"content": "i keep the spare key under the blue flowerpot"}
    refused = api.post("/api/memory/remember", said, **{"x-signet-actor-type": "harness"})
    assert (refused.status, refused.body["status"]) == (409, "forgotten_value")
    person = {"x-signet-actor-type": "operator"}
    saved = api.post("/api/memory/remember", {**said, "origin": "user"}, **person)
    assert (saved.body["deduped"], saved.body["lifted"]) == (False, [memory_id])
    assert listed(api) == []
    assert taken(api, "The user keeps the spare key under the blue flowerpot.") == "new"


def test_whoever_writes_it_into_another_memory_means_it(api: Api) -> None:
    gone, other = remember(api, SAID), remember(api, "The key is at home.")
    forget(api, gone)
    body = {"content": SAID.upper(), "reason": "found again"}
    sent = json.dumps(body).encode()
    refused = api.send("PATCH", f"/api/memory/{other}", sent, {"x-signet-actor-type": "agent"})
    assert (refused.status, refused.body["status"]) == (409, "forgotten_value")
    person = {"x-signet-actor-type": "operator"}
    patched = api.send("PATCH", f"/api/memory/{other}", sent, person)
    assert (patched.status, patched.body["lifted"]) == (200, [gone])


def test_recovering_and_lifting_end_it(api: Api) -> None:
    memory_id = remember(api, SAID)
    forget(api, memory_id)
    assert api.post(f"/api/memory/{memory_id}/recover", {"reason": "a slip"}).status == 200
    assert listed(api) == []
    forget(api, memory_id)
    lift = f"/api/memory/forgotten/{memory_id}/lift"
    assert api.post(lift).body == {"success": True, "id": memory_id}
    assert (listed(api), api.post(lift).status) == ([], 404)
    assert taken(api, SAID) == "new"


def test_what_is_lifted_is_told_from_earlier_sessions_again(api: Api) -> None:
    memory_id = remember(api, SAID)
    turns = ("User", SAID), ("Assistant", "Noted."), ("User", "The boat is green.")
    talk = "\n".join(f"{who}: {text}" for who, text in turns)
    ended = {"harness": "codex", "sessionKey": "keys", "transcript": talk}
    assert api.post("/api/hooks/session-end", ended).status == 200
    transcript = "/api/sessions/keys/transcript"
    assert "flowerpot" in str(api.get(transcript).body)
    forget(api, memory_id)
    assert "flowerpot" not in str(api.get(transcript).body)
    assert api.post(f"/api/memory/forgotten/{memory_id}/lift").status == 200
    assert "flowerpot" in str(api.get(transcript).body)
    assert api.get(f"/api/memory/{memory_id}").status == 404
    queued = [row for row in api.rows("memory_jobs") if row["job_type"] == "clean_texts"]
    assert [json.loads(row["payload"])["is_back"] for row in queued][-1] is True


def test_an_erased_value_has_no_text_and_is_not_taken_in_again(api: Api) -> None:
    memory_id = remember(api, SAID)
    body = {"mode": "execute", "ids": [memory_id], "reason": "secret", "force": True}
    assert api.post("/api/memory/forget", body).body["deleted"] == 1
    [one] = listed(api)
    assert (one["why"], one["label"], one["recoverableUntil"]) == ("erased", None, None)
    assert taken(api, SAID.lower()) == "forgotten"
    assert "flowerpot" not in str(api.rows("forgotten_values"))


def test_it_holds_for_the_agent_and_for_what_that_agent_would_read_of_others(api: Api) -> None:
    api.add_agent("scout")
    forget(api, remember(api, SAID))
    private = "The door of the shed has no lock at all."
    forget(api, remember(api, private, visibility="private"))
    assert taken(api, SAID, agentId="scout") == "forgotten"
    assert taken(api, SAID, agentId="scout", visibility="private") == "new"
    assert taken(api, private, agentId="scout") == "new"
    assert taken(api, private) == "forgotten"
    of_scout = "Scout sleeps in the tent by the lake."
    owned = remember(api, of_scout, agentId="scout")
    answer = api.send("DELETE", f"/api/memory/{owned}?reason=wrong&agent_id=scout")
    assert answer.status == 200, answer.body
    # Scout reads its own rows alone, so nothing comes back to it.
    assert taken(api, of_scout) == "new"
    assert [
        one["id"] for one in api.get("/api/memory/forgotten?agent_id=scout").body["values"]
    ] == [owned]


def test_what_is_forgotten_without_a_scope_is_forgotten_in_all(api: Api) -> None:
    forget(api, remember(api, SAID))
    assert taken(api, SAID, scope="work") == "forgotten"
    at_work = remember(api, "The tea is in the second drawer.", scope="work")
    answer = api.post(
        "/api/memory/forget", {"mode": "execute", "ids": [at_work], "reason": "wrong"}
    )
    assert answer.body["deleted"] == 1, answer.body
    assert taken(api, "The tea is in the second drawer.") == "forgotten"
    assert taken(api, "The tea is in the second drawer.", scope="work") == "forgotten"
    assert taken(api, "The tea is in the second drawer.", scope="home") == "new"


def test_a_long_text_loses_its_forgotten_pieces_alone(api: Api) -> None:
    kept = "The harbour opens at six and closes at nine in the evening, every day of the year. " * 6
    gone = "The captain keeps the second ledger behind the panel of the chart room, wrapped. " * 7
    forget(api, remember(api, gone.strip()))
    assert taken(api, gone) == "forgotten"
    assert taken(api, kept + gone) == "new"
    contents = [row["content"] for row in api.rows("memories") if not row["is_deleted"]]
    assert contents and not any("ledger" in text and "harbour" not in text for text in contents)


def test_a_deleted_document_and_merged_repetitions_forget_no_value(api: Api) -> None:
    made = api.post(
        "/api/documents", {"source_type": "text", "content": SAID, "title": "Keys"}
    ).body["id"]
    api.send("DELETE", f"/api/documents/{made}?reason=old")
    assert listed(api) == []


def exported(api: Api) -> list[dict[str, object]]:
    found: list[dict[str, object]] = []
    cursor: str | None = ""
    while cursor is not None:
        page = api.get(f"/api/export?everything=true&cursor={quote(cursor)}").body
        found += [one for one in page["records"] if one["record"] not in ("signet", "end")]
        cursor = page["next"]
    return found


def restored(api: Api, records: list[dict[str, object]], **more: object) -> dict[str, object]:
    body = api.post("/api/import", {"records": records, **more}).body
    assert body["reasons"] == []
    return {fate: body[fate] for fate in ("new", "known", "forgotten", "refused")}


def test_an_export_of_before_does_not_bring_back_what_was_forgotten_and_purged(api: Api) -> None:
    kept = remember(api, "The harbour opens at six.")
    gone = remember(api, SAID, hints=["Where do I keep the spare key?"])
    records = exported(api)
    forget(api, gone)
    before = len(api.rows("memory_history"))
    assert restored(api, records)["new"] == 0
    api.run("DELETE FROM memories WHERE id = ?", gone)
    api.run("DELETE FROM memory_hints WHERE memory_id = ?", gone)
    counts = restored(api, records, preview="0" * 32, last=True)
    assert restored(api, records) == counts
    assert counts["new"] == 0 and counts["refused"] == 0
    assert int(str(counts["forgotten"])) >= 2
    assert [row["id"] for row in api.rows("memories")] == [kept]
    assert len(api.rows("memory_history")) == before


def test_an_erased_memory_does_not_come_back_with_an_export_of_when_it_was_forgotten(
    api: Api,
) -> None:
    gone = remember(api, SAID)
    forget(api, gone)
    records = exported(api)
    erased = api.send("DELETE", f"/api/memory/{gone}?reason=private&erase=true")
    assert (erased.status, erased.body["heldBy"]) == (200, [])
    counts = restored(api, records)
    assert counts["new"] == 0 and counts["refused"] == 0
    assert api.rows("memories") == []
    assert not any("flowerpot" in str(row) for row in api.rows("memory_history"))


def test_an_export_of_before_does_not_bring_back_the_names_in_what_was_erased(api: Api) -> None:
    for name in ("Ada Winter and her", "Ben Summer and his"):
        remember(api, f"We asked {name} aunt for the keys.")
    ends = ("Ada Winter", "Ben Summer"), ("Ada Winter", "Zora Quill"), ("Zora Quill", "Hill Side")
    triples = [{"source": one, "relationship": "owes", "target": two} for one, two in ends]
    told = {"entity": "Zora Quill", "aspect": "home", "attributes": ["lives in the mill"]}
    gone = remember(api, "At the quay they met.", entities=triples, aspects=[told])
    records = exported(api)
    before = api.rows("entities")
    api.send("DELETE", f"/api/memory/{gone}?reason=private&erase=true")
    left = [row["name"] for row in api.rows("entities")]
    assert {row["name"] for row in before} - set(left) == {"Zora Quill", "Hill Side"}
    for _ in range(2):
        restored(api, records, preview="0" * 32, last=True)
        restored(api, records)
        assert [row["name"] for row in api.rows("entities")] == left
        assert api.rows("entity_dependencies") == api.rows("relations") == []
        assert "mill" not in str(api.rows("entity_attributes"))


def test_what_was_forgotten_elsewhere_comes_with_the_export(api: Api, tmp_path: Path) -> None:
    gone = remember(api, SAID)
    forget(api, gone)
    records = exported(api)
    with an_api(tmp_path / "other") as other:
        assert restored(other, records)["refused"] == 0
        assert [one["id"] for one in listed(other)] == [gone]
        assert taken(other, SAID.upper()) == "forgotten"
        assert other.post(f"/api/memory/{gone}/recover", {"reason": "a slip"}).status == 200


def test_an_erased_memory_says_so_in_its_history_and_nothing_else(api: Api) -> None:
    memory_id = remember(api, SAID)
    body = json.dumps({"content": f"{SAID} It is dry.", "reason": "more"}).encode()
    api.send("PATCH", f"/api/memory/{memory_id}", body)
    api.send("DELETE", f"/api/memory/{memory_id}?reason=private&erase=true")
    rows = [row for row in api.rows("memory_history") if row["memory_id"] == memory_id]
    assert [row["event"] for row in rows] == ["created", "updated", "deleted"]
    assert all(row["old_content"] is None and row["new_content"] is None for row in rows)
    assert json.loads(rows[-1]["metadata"])["erased"] is True
    told = api.get(f"/api/memory/{memory_id}/history").body["history"]
    assert [one["event"] for one in told] == ["created", "updated", "deleted"]
    api.add_agent("scout")
    other = api.get(f"/api/memory/{memory_id}/history?agent_id=scout")
    assert other.status == 404
    for table in ("memories", "memory_history", "memories_cold", "entities", "memory_jobs"):
        assert "flowerpot" not in str(api.rows(table)).lower(), table
    pending = [row["job_type"] for row in api.rows("memory_jobs") if row["status"] == "pending"]
    assert set(pending) == {"clean_texts", "rewrite_store"}
