"""DELETE /api/memory/:id, POST /api/memory/forget and recover."""

import hashlib
import json
from urllib.parse import urlencode

import pytest

from support.http import Answer, Api


def remember(api: Api, text: str, **fields: object) -> str:
    return str(api.post("/api/memory/remember", {"content": text, **fields}).body["id"])


def delete(api: Api, memory_id: str, body: object = None, query: str = "", **h: str) -> Answer:
    sent = b"" if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
    return api.send("DELETE", f"/api/memory/{memory_id}{query}", sent, h)


def preview(api: Api, **choice: object) -> dict[str, object]:
    answer = api.post("/api/memory/forget", choice)
    assert answer.status == 200, answer.body
    assert isinstance(answer.body, dict)
    return answer.body


def execute(api: Api, **choice: object) -> Answer:
    return api.post("/api/memory/forget", {"mode": "execute", "reason": "old", **choice})


def chosen(found: dict[str, object]) -> list[str]:
    candidates = found["candidates"]
    assert isinstance(candidates, list)
    return [candidate["id"] for candidate in candidates]


def found_by_legacy(api: Api, query: str) -> int:
    return len(api.get(f"/memory/search?{urlencode({'q': query})}").body["results"])


# -- one ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("where", ["body", "query"])
def test_a_deleted_memory_is_hidden_and_its_history_says_why(api: Api, where: str) -> None:
    memory_id = remember(api, "The heron nests in April.")
    said = {"reason": "moved away", "if_version": 1}
    answer = (
        delete(api, memory_id, said)
        if where == "body"
        else delete(api, memory_id, query="?reason=moved%20away&if_version=1")
    )
    assert (answer.status, answer.body) == (
        200,
        {
            "success": True,
            "id": memory_id,
            "status": "deleted",
            "currentVersion": 1,
            "newVersion": 2,
        },
    )
    assert api.get(f"/api/memory/{memory_id}").status == 404
    event = api.get(f"/api/memory/{memory_id}/history").body["history"][-1]
    assert (event["event"], event["reason"]) == ("deleted", "moved away")
    assert (event["oldContent"], event["newContent"]) == ("The heron nests in April.", None)
    assert event["metadata"] == {"force": False, "ifVersion": 1}


def test_a_deletion_needs_a_reason_and_a_body_that_can_be_read(api: Api) -> None:
    memory_id = remember(api, "The heron nests in April.")
    for answer, words in (
        (delete(api, memory_id), "reason is required"),
        (delete(api, memory_id, {"reason": " "}), "reason is required"),
        (delete(api, memory_id, b"{"), "Invalid JSON body"),
        (delete(api, memory_id, [], query="?reason=x"), "Invalid JSON body"),
        (delete(api, memory_id, query="?reason=x&if_version=many"), "if_version: "),
        (delete(api, memory_id, query="?reason=x&force=perhaps"), "force: "),
    ):
        assert (answer.status, answer.error[: len(words)]) == (400, words)
    assert api.get(f"/api/memory/{memory_id}").status == 200


def test_each_refusal_of_a_deletion_has_its_status(api: Api) -> None:
    pinned = remember(api, "Never cut the blue wire", pinned=True)
    for answer, code, status in (
        (delete(api, "none", {"reason": "x"}), 404, "not_found"),
        (delete(api, pinned, {"reason": "x", "if_version": 7}), 409, "version_conflict"),
        (delete(api, pinned, {"reason": "x"}), 409, "pinned_requires_force"),
        (
            delete(api, pinned, {"reason": "x", "force": True}, x_signet_actor_type="pipeline"),
            403,
            "autonomous_force_denied",
        ),
        (delete(api, pinned, {"reason": "x", "force": True}), 200, "deleted"),
        (delete(api, pinned, {"reason": "x"}), 409, "already_deleted"),
    ):
        assert (answer.status, answer.body["status"]) == (code, status)
    # A single deletion is never for good, forced or not.
    assert api.post(f"/api/memory/{pinned}/recover", {"reason": "oops"}).status == 200


# -- recover --------------------------------------------------------------------------------------


def test_a_recovered_memory_is_found_again(api: Api) -> None:
    memory_id = remember(api, "The heron nests in April.")
    delete(api, memory_id, {"reason": "x"})
    answer = api.post(f"/api/memory/{memory_id}/recover?reason=oops&if_version=2")
    assert (answer.status, answer.body) == (
        200,
        {
            "success": True,
            "id": memory_id,
            "status": "recovered",
            "currentVersion": 2,
            "newVersion": 3,
            "retentionDays": 30,
        },
    )
    assert api.get(f"/api/memory/{memory_id}").body["deleted_at"] is None
    assert api.post("/api/memory/recall", {"query": "heron"}).body["count"] == 1
    event = api.get(f"/api/memory/{memory_id}/history").body["history"][-1]
    assert (event["event"], event["newContent"]) == ("recovered", "The heron nests in April.")
    assert event["metadata"] == {"ifVersion": 2, "retentionWindowMs": 2_592_000_000}


def test_several_are_recovered_each_for_itself(api: Api) -> None:
    ids = [remember(api, f"Heron {number}.") for number in range(3)]
    for memory_id in ids[:2]:
        assert api.delete(f"/api/memory/{memory_id}?reason=x").status == 200
    body = api.post("/api/memory/recover", {"ids": [*ids, "none"], "reason": "oops"}).body
    assert (body["requested"], body["recovered"]) == (4, 2)
    statuses = [one["status"] for one in body["results"]]
    assert statuses == ["recovered", "recovered", "not_deleted", "not_found"]
    assert not any(row["is_deleted"] for row in api.rows("memories"))
    refused: list[dict[str, object]] = [{"ids": []}, {"ids": ids}, {"reason": "x"}]
    for wrong in (*refused, {"ids": ["n"] * 201, "reason": "x"}):
        assert api.post("/api/memory/recover", wrong).status == 400


def test_a_preview_shows_texts_and_is_narrowed_like_a_list(api: Api) -> None:
    remember(api, "Heron one.", project="pond", tags="bird")
    pinned = remember(api, "Heron two.", project="pond", pinned=True)
    remember(api, "Heron three.", project="lake")
    found = preview(api, project="pond")["candidates"]
    assert isinstance(found, list)
    assert sorted(one["content"] for one in found) == ["Heron one.", "Heron two."]
    assert {one["tags"] for one in found} == {"bird", None} and all(one["who"] for one in found)
    assert chosen(preview(api, query="heron", pinned=True)) == [pinned]


def test_each_refusal_of_a_recovery_has_its_status(api: Api) -> None:
    memory_id = remember(api, "The heron nests in April.")
    path = f"/api/memory/{memory_id}/recover"
    assert api.post(path).error == "reason is required"
    assert api.post(path, b"{").error == "Invalid JSON body"
    unknown = api.post("/api/memory/none/recover", {"reason": "x"})
    assert (unknown.status, unknown.body["status"]) == (404, "not_found")
    active = api.post(path, {"reason": "x", "if_version": 9})
    assert (active.status, active.body["status"]) == (409, "not_deleted")
    delete(api, memory_id, {"reason": "x"})
    stale = api.post(path, {"reason": "x", "if_version": 1})
    assert (stale.status, stale.body["status"]) == (409, "version_conflict")
    said = {"content": "the heron nests in april!", "origin": "user"}
    person = {"x-signet-actor-type": "operator"}
    again = api.post("/api/memory/remember", said, **person).body["id"]
    twin = api.post(path, {"reason": "x"})
    assert (twin.status, twin.body["status"]) == (409, "duplicate_content_hash")
    assert twin.body["duplicateMemoryId"] == again


@pytest.mark.parametrize("deleted_at", [None, "some day", "2020-01-01T00:00:00.000Z"])
def test_what_was_forgotten_too_long_ago_cannot_be_recovered(
    api: Api, deleted_at: str | None
) -> None:
    memory_id = remember(api, "The heron nests in April.")
    api.run("UPDATE memories SET is_deleted = 1, deleted_at = ?", deleted_at)
    refused = api.post(f"/api/memory/{memory_id}/recover", {"reason": "x"})
    assert (refused.status, refused.body["status"]) == (409, "retention_expired")


def test_recovery_brings_back_the_job_that_passed_the_memory_over(api: Api) -> None:
    memory_id = remember(api, "The heron nests in April.")
    delete(api, memory_id, {"reason": "x"})
    api.run("DELETE FROM memory_jobs")
    api.post(f"/api/memory/{memory_id}/recover", {"reason": "x"})
    queued = {job["job_type"] for job in api.rows("memory_jobs")}
    assert queued == {"clean_texts", "extract"}


# -- many -----------------------------------------------------------------------------------------


def test_a_preview_shows_the_best_first_and_writes_nothing(api: Api) -> None:
    heron = remember(api, "The heron nests in April, a heron.")
    other = remember(api, "A grey heron stood by the long river near the old mill.", pinned=True)
    remember(api, "The owl hunts at night.")
    found = preview(api, query="heron")
    assert (found["mode"], found["count"], found["requiresConfirm"]) == ("preview", 2, False)
    assert chosen(found) == [heron, other]
    candidates = found["candidates"]
    assert isinstance(candidates, list)
    assert all(0 < candidate["score"] <= 1 for candidate in candidates)
    assert [candidate["pinned"] for candidate in candidates] == [False, True]
    assert [candidate["version"] for candidate in candidates] == [1, 1]
    assert found["confirmToken"] == token(heron, other)
    assert api.get("/api/memories").body["stats"]["total"] == 3
    assert len(api.rows("memory_history")) == 3


def token(*ids: str) -> str:
    return hashlib.sha256("|".join(sorted(ids)).encode()).hexdigest()[:32]


@pytest.mark.parametrize(
    ("query", "meant"),
    [
        ("nuke the notes about the Hamburg warehouse", [0]),
        ("you can bin the stuff on my shoe size", [1]),
        ("wipe whatever you learned about my shoe size and my ring size", [1, 2]),
        ("streiche bitte meine Adresse in Kiel", [3]),
        ("dimentica tutto su Hamburg", [0, 4]),
        # These words are subjects, although no memory has them.
        ("lamps of the Hamburg warehouse", []),
        ("my hat size", []),
    ],
)
def test_a_verb_that_no_memory_has_is_no_subject(api: Api, query: str, meant: list[int]) -> None:
    texts = (
        "The Hamburg warehouse closes in March.",
        "My shoe size is 43.",
        "My ring size is 60.",
        "Meine Adresse in Kiel ist Hafenweg 3.",
        "Hamburg has a harbour.",
    )
    ids = [remember(api, text) for text in texts]
    assert sorted(chosen(preview(api, query=query))) == sorted(ids[at] for at in meant)


def test_named_memories_come_in_their_order_once_and_only_while_active(api: Api) -> None:
    ids = [remember(api, f"Number {n}.") for n in range(30)]
    delete(api, ids[0], {"reason": "x"})
    named = [f" {id_} " for id_ in reversed(ids)] + ids[:3] + ["none"]
    found = preview(api, ids=named)
    assert chosen(found) == list(reversed(ids[1:]))
    assert chosen(preview(api, ids=named, limit=2)) == [ids[29], ids[28]]


def test_words_and_filters_beside_ids_choose_among_them(api: Api) -> None:
    owl = remember(api, "The owl hunts at night.", who="nora")
    hen = remember(api, "The hen sleeps at night.", who="nora")
    remember(api, "The owl is not named.", who="nora")
    assert chosen(preview(api, ids=[hen, owl], query="owl")) == [owl]
    assert chosen(preview(api, ids=[hen, owl], query="night")) == [hen, owl]
    assert chosen(preview(api, ids=[hen, owl], query="!!")) == []
    assert chosen(preview(api, ids=[hen, owl], query=" ", who="nora")) == [hen, owl]
    done = execute(api, ids=[hen, owl], query="hen").body
    assert [one["id"] for one in done["results"]] == [hen]
    assert api.get(f"/api/memory/{owl}").status == 200


def test_what_the_limit_leaves_out_is_counted_and_can_be_seen(api: Api) -> None:
    made = [remember(api, f"Swan {n} on the lake.", who="nora") for n in range(25)]
    for choice in ({"who": "nora"}, {"query": "swan"}, {"query": "swan lake", "who": "nora"}):
        first = preview(api, **choice)
        assert (first["count"], first["total"]) == (20, 25)
        rest = preview(api, **choice, offset=20, limit=200)
        assert (rest["count"], rest["total"]) == (5, 25)
        assert sorted(chosen(first) + chosen(rest)) == sorted(made)
    assert preview(api, ids=made, limit=3)["total"] == 25
    done = execute(api, who="nora").body
    assert (done["deleted"], done["total"]) == (20, 25)


def test_filters_alone_show_the_weightiest_first(api: Api) -> None:
    low = remember(api, "The owl hunts.", who="nora", importance=0.2, tags="night,bird")
    high = remember(api, "The owl sleeps.", who="nora", importance=0.9, tags="bird")
    pinned = remember(api, "The owl is old.", who="nora", importance=0.1, pinned=True)
    remember(api, "The owl is mine.", who="ben", sourceType="mail")
    assert chosen(preview(api, who="nora")) == [pinned, high, low]
    assert chosen(preview(api, tags="bird")) == [high, low]
    assert chosen(preview(api, tags=["bird", "night"])) == [low]
    assert chosen(preview(api, tags="bi")) == []
    assert len(chosen(preview(api, source_type="mail"))) == 1
    assert len(chosen(preview(api, query="owl", who="nora", type="fact"))) == 3
    assert len(chosen(preview(api, since="2020-01-01"))) == 4
    assert chosen(preview(api, until="2020-01-01")) == []


def test_all_words_must_be_there_or_all_but_one_of_four(api: Api) -> None:
    both = remember(api, "The owl hunts mice.")
    remember(api, "The owl sleeps.")
    remember(api, "A mouse hunts cheese.")
    assert chosen(preview(api, query="what does the owl hunt")) == [both]
    assert chosen(preview(api, query="owl hunts green mice")) == [both]
    unlike = preview(api, query="owl hunts Bavarian mice")
    assert chosen(unlike) == []
    assert isinstance(unlike["similar"], list)
    (near,) = unlike["similar"]
    assert near["id"] == both and near["why"] == "holds owl, hunts, mice; lacks bavarian"


def test_a_name_that_two_have_is_taken_with_what_the_request_calls_it(api: Api) -> None:
    landlord = remember(api, "Tobias, our landlord, raises the rent.")
    neighbour = remember(api, "Our neighbour Tobias Krall has the spare key.")
    unknown = remember(api, "Tobias plays chess.")
    found = preview(api, query="everything about our landlord Tobias")
    assert chosen(found) == [landlord]
    assert {one["id"] for one in found["similar"]} == {neighbour, unknown}  # type: ignore[attr-defined]
    delete(api, neighbour, {"reason": "moved"})
    found = preview(api, query="everything about our landlord Tobias")
    assert set(chosen(found)) == {landlord, unknown}


@pytest.mark.parametrize(
    ("query", "meant", "similar"),
    [
        ("I don't want you to keep my phone number", [0], [1]),
        ("olvida mi dirección", [10], [11]),
        ("забудь мой адрес", [12], [13]),
        ("clean up everything about vendor Quantix", [14], []),
        ("lösch alles über Projekt Zeder", [15], [16]),
        ("the phone number", [0, 1], []),
        ("mes allergies", [2], [3]),
        ("remove the reminder about the dentist", [4], []),
        ("nothing about the ficus please, delete it", [5], []),
        ("die Sache mit dem Ficus", [5], []),
        ("sensor S-17", [6], [7]),
        ("datos del cliente 3127", [8], []),
        ("cancella gli appunti sulla fiera di Bologna", [9], []),
    ],
)
def test_a_request_takes_what_it_names_and_nothing_of_others(
    api: Api, query: str, meant: list[int], similar: list[int]
) -> None:
    texts = (
        "My phone number is 0151 5550 1234.",
        "The phone number of the dentist is 0611 555 87.",
        "Mes allergies : pollen et arachides.",
        "Birch pollen allergies are common in April.",
        "Reminder: call the dentist before Friday.",
        "The ficus needs water.",
        "Sensor S-17 reports too high values.",
        "The cable of S17 was replaced in June.",
        "El cliente 3127 paga a treinta días.",
        "Fiera di Bologna: lo stand è il numero 14.",
        "Mi dirección es Calle Mayor 5.",
        "La dirección del viento cambia.",
        "Мой адрес: улица Садовая, 5.",
        "Адрес сервера менять нельзя.",
        "The vendor Quantix has an SLA of 99.9 percent.",
        "Projekt Zeder ist geheim.",
        "Die Zedern im Park sind krank.",
    )
    ids = [remember(api, text) for text in texts]
    found = preview(api, query=query)
    assert sorted(chosen(found)) == sorted(ids[at] for at in meant)
    assert {one["id"] for one in found["similar"]} >= {ids[at] for at in similar}  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("query", "meant"),
    [
        ("forget when my licence expires", [0]),
        ("forget my sleep apnoea", [2]),
        ("forget my husband's diet", [4]),
        ("forget my ex-landlord", [5]),
        ("forget the train to Ghent", [9]),
        ("forget the bike rack", [12]),
        ("vergiss Antons Lohn", [13]),
    ],
)
def test_a_request_in_other_words_takes_facts_of_the_named_person(
    api: Api, query: str, meant: list[int]
) -> None:
    texts = (
        "Nora's licence expires in May.",
        "Pelle's licence expires in June.",
        "Nora has sleep apnoea since 2019.",
        "Pelle, the husband of Nora, is a baker.",
        "Pelle keeps a strict diet.",
        "Gus Hale was the landlord of Nora in Leeds.",
        "Nora is allergic to walnuts.",
        "We pay Hetzner 90 euros a month.",
        "Hetzner has a data centre in Finland.",
        "The train to Ghent leaves at 7:12.",
        "The train from Ghent arrives at 22:40.",
        "Mill 4 was shut down in March.",
        "The bicycle rack is behind the shed.",
        "Antons Gehalt steigt im Mai.",
    )
    (api.state.workspace.root / "USER.md").write_text("# User\n\n- Name: Nora Lind\n")
    ids = [remember(api, text) for text in texts]
    assert chosen(preview(api, query=query)) == [ids[at] for at in meant]


def test_a_form_of_address_contradicts_only_another_one(api: Api) -> None:
    her = remember(api, "Mrs Weber sings in the choir.")
    client = remember(api, "Our client Weber pays by invoice.")
    found = preview(api, query="everything about Mr Weber")
    assert chosen(found) == []
    delete(api, her, {"reason": "moved"})
    assert chosen(preview(api, query="everything about Mr Weber")) == [client]


def test_other_spellings_are_shown_and_stay(api: Api) -> None:
    plan = remember(api, "plan_7 was approved.")
    other = remember(api, "Plan 7 needs money.")
    remember(api, "plan_7_b was rejected.")
    found = preview(api, query="delete everything about plan_7", limit=1)
    assert chosen(found) == [plan] and found["candidates"][0]["why"] == "holds plan_7"  # type: ignore[index]
    assert [one["id"] for one in found["similar"]] == [other]  # type: ignore[attr-defined]
    done = execute(api, query="delete everything about plan_7").body
    assert (done["deleted"], done["total"]) == (1, 1)
    assert api.get(f"/api/memory/{other}").status == 200


def test_a_question_without_words_is_looked_for_as_it_stands(api: Api) -> None:
    memory_id = remember(api, "Is that so?! Really.")
    remember(api, "It is so.")
    found = preview(api, query="?!")
    assert chosen(found) == [memory_id]
    candidates = found["candidates"]
    assert isinstance(candidates, list)
    (one,) = candidates
    assert (one["score"], one["pinned"], one["version"]) == (0.0, False, 1)
    assert (one["content"], one["type"], one["tags"]) == ("Is that so?! Really.", "fact", None)


@pytest.mark.parametrize("mark", ['"', "[", "]", ",", '", "'])
def test_how_tags_are_stored_is_no_text_of_a_memory(api: Api, mark: str) -> None:
    tagged = remember(api, "The owl hunts.", tags="night++,birds")
    api.run("UPDATE memories SET tags = 'night++,birds' WHERE id = ?", remember(api, "It is old."))
    assert chosen(preview(api, query=mark)) == []
    assert tagged in chosen(preview(api, query="++")) and found_by_legacy(api, mark) == 0
    assert found_by_legacy(api, "++") == 2


def test_executing_forgets_each_and_can_be_undone(api: Api) -> None:
    ids = [remember(api, f"The owl hunts {n}.") for n in range(3)]
    pinned = remember(api, "The owl is old.", pinned=True)
    answer = execute(api, query="owl", limit=10)
    body = answer.body
    assert (answer.status, body["mode"], body["requested"], body["deleted"]) == (
        200,
        "execute",
        4,
        3,
    )
    assert (body["success"], body["count"], body["pinned"]) == (True, 4, 1)
    statuses = {result["id"]: result["status"] for result in body["results"]}
    assert statuses == dict.fromkeys(ids, "deleted") | {pinned: "pinned_requires_force"}
    assert api.get("/api/memories").body["stats"]["total"] == 1
    assert api.post(f"/api/memory/{ids[0]}/recover", {"reason": "oops"}).status == 200


def test_force_removes_a_memory_with_all_that_hangs_on_it(api: Api) -> None:
    memory_id = remember(
        api, "We met Ada Winter in Oslo.", pinned=True, hints=["who was met in Oslo?"]
    )
    api.run(
        "INSERT INTO embeddings (id, content_hash, vector, dimensions, source_type, source_id, chunk_text, created_at)"
        " VALUES ('v', 'h', x'0000000000000000', 2, 'memory', ?, '', '')",
        memory_id,
    )
    answer = execute(api, ids=[memory_id], force=True)
    assert answer.body["results"] == [
        {"success": True, "id": memory_id, "status": "deleted", "currentVersion": 1}
    ]
    for table in (
        "memories",
        "embeddings",
        "memory_hints",
        "memory_entity_mentions",
        "entities",
        "memories_fts_docsize",
    ):
        assert api.rows(table) == [], table
    queued = {job["job_type"]: job["memory_id"] for job in api.rows("memory_jobs")}
    assert queued == {"clean_texts": None, "rewrite_store": None}
    event = api.rows("memory_history")[-1]
    assert (event["memory_id"], event["event"]) == (memory_id, "deleted")
    assert json.loads(event["metadata"])["force"] is True
    told = api.get(f"/api/memory/{memory_id}/history").body["history"]
    assert [(one["event"], one["oldContent"]) for one in told][-1] == ("deleted", None)
    assert api.post(f"/api/memory/{memory_id}/recover", {"reason": "x"}).status == 404


def test_the_pipeline_may_not_force_out_what_a_person_has_pinned(api: Api) -> None:
    memory_id = remember(api, "Never cut the blue wire", pinned=True)
    asked = {"mode": "execute", "reason": "x", "ids": [memory_id], "force": True}
    answer = api.post("/api/memory/forget", asked, x_signet_actor_type="pipeline")
    assert answer.body["results"][0]["status"] == "autonomous_force_denied"
    assert api.get(f"/api/memory/{memory_id}").status == 200


def test_more_than_25_need_the_token_of_the_set_that_was_seen(api: Api) -> None:
    for number in range(26):
        remember(api, f"The owl hunts {number}.")
    seen = preview(api, query="owl", limit=100)
    assert (seen["count"], seen["requiresConfirm"]) == (26, True)
    remember(api, "The owl came back.")
    for guess in (None, "nonsense", seen["confirmToken"]):
        refused = execute(api, query="owl", limit=100, confirm_token=guess)
        assert (refused.status, refused.body["requiresConfirm"]) == (400, True)
        assert refused.body["count"] == 27
        assert "confirmToken" not in refused.body
    assert api.get("/api/memories").body["stats"]["total"] == 27
    fresh = preview(api, query="owl", limit=100)["confirmToken"]
    assert execute(api, query="owl", limit=100, confirm_token=fresh).body["deleted"] == 27


def test_few_need_no_token_but_one_of_another_set_is_refused(api: Api) -> None:
    for number in range(2):
        remember(api, f"The owl hunts {number}.")
    seen = preview(api, query="owl")
    assert seen["requiresConfirm"] is False
    remember(api, "The owl came back.")
    for guess in ("nonsense", seen["confirmToken"]):
        refused = execute(api, query="owl", confirm_token=guess)
        assert (refused.status, refused.body["count"]) == (400, 3)
        assert refused.error.startswith("The confirm_token is of other memories")
    fresh = preview(api, query="owl")["confirmToken"]
    assert execute(api, query="owl", confirm_token=fresh).body["deleted"] == 3


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({}, "ids, query or a filter is required"),
        ({"query": " ", "tags": ""}, "ids, query or a filter is required"),
        ({"limit": 5}, "ids, query or a filter is required"),
        ({"query": "owl", "mode": "delete"}, "mode: "),
        ({"query": "owl", "limit": 0}, "limit: "),
        ({"query": "owl", "limit": -3}, "limit: "),
        ({"ids": []}, "ids: "),
        ({"ids": [5]}, "ids.0: "),
        ({"ids": ["  "]}, "ids.0: an id must not be blank"),
        ({"ids": ["a", ""], "mode": "execute", "reason": "x"}, "ids.1: an id must not be blank"),
        ({"query": "owl", "offset": -1}, "offset: "),
        ({"ids": "a"}, "ids: "),
        ({"ids": ["a"] * 201}, "ids: "),
        ({"query": "owl", "force": "true"}, "force: "),
        ({"query": "owl", "since": "yesterday"}, "since must be"),
        ({"query": "please forget everything"}, "query names nothing"),
        ({"query": "x" * 4_097}, "query: "),
        ({"query": "owl", "if_version": 1}, "if_version is for one memory"),
        ({"query": "owl", "mode": "execute"}, "reason is required"),
        ([], "Invalid JSON body"),
    ],
)
def test_a_choice_that_makes_no_sense_is_refused(api: Api, body: object, words: str) -> None:
    remember(api, "The owl hunts at night.")
    refused = api.post("/api/memory/forget", body)
    assert (refused.status, refused.error[: len(words)]) == (400, words)
    assert api.get("/api/memories").body["stats"]["total"] == 1


@pytest.mark.parametrize(
    "query", ['"', "a AND owl (", "NEAR(x", "content:x", "*", "\0", "😀", "x" * 4_096]
)
def test_no_question_breaks_the_search(api: Api, query: str) -> None:
    remember(api, "The owl hunts at night.")
    assert api.post("/api/memory/forget", {"query": query}).status == 200


def test_nobody_sees_or_forgets_what_he_may_not_read(api: Api) -> None:
    api.add_agent()
    mine = remember(api, "The owl code is 4711.", agentId="ada", visibility="private")
    remember(api, "The owl bench.", scope="bench")
    assert preview(api, query="owl")["count"] == preview(api, ids=[mine])["count"] == 0
    assert execute(api, ids=[mine]).body["requested"] == 0
    assert chosen(preview(api, query="owl", agentId="ada")) == [mine]
    assert preview(api, query="owl", scope="bench")["count"] == 1
