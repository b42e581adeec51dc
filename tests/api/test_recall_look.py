"""Recall for a person who looks: nothing counts as used, and each answer says why it is what it is."""

import json
from pathlib import Path
from typing import Any

import pytest

from signet.domain.auth.tokens import TokenScope
from support.http import Answer, Api, an_api
from support.processes import eventually
from support.tokens import a_token, bearer

RECALL = "/api/memory/recall"
UNREADABLE = "no memory that you may read has this id"


def remember(api: Api, text: str, **fields: object) -> str:
    return str(api.post("/api/memory/remember", {"content": text, **fields}).body["id"])


def ask(api: Api, query: str, **fields: object) -> Answer:
    answer = api.post(RECALL, {"query": query, "touch": False, **fields})
    assert answer.status == 200, answer.body
    return answer


def test_a_look_counts_as_no_use(api: Api) -> None:
    used = remember(api, "Ada keeps bees on the roof.")
    started = {"harness": "codex", "sessionKey": "s"}
    assert api.post("/api/hooks/session-start", started).status == 200
    said = {"sessionKey": "s", "as_prompt": True, "why_not": used, "explain": True}
    assert ask(api, "bees on the roof", **said).body["count"] == 1
    api.post(RECALL, {"query": "bees", "sessionKey": "s"})

    def phases() -> list[str]:
        api.settle()
        return [row["phase"] for row in api.rows("session_injections")]

    def counted() -> int:
        return int(api.rows("memories")[0]["access_count"])

    eventually(lambda: "recall" in phases() and counted() == len(phases()))
    assert sorted(phases()) in (["recall"], ["recall", "start"])


def test_channels_and_stages_say_in_words_what_they_did(api: Api) -> None:
    remember(api, "Ada keeps bees on the roof.")
    (hit,) = ask(api, "which bees does Ada keep", explain=True).body["results"]
    by_words = hit["explain"]["channels"]["keyword"]
    assert by_words["says"] == "keywords"
    assert set(by_words["matched"]) == {"bees", "ada", "keep"} and by_words["words"] == 3
    assert sum(by_words["matched"].values()) == pytest.approx(by_words["bm25"], abs=0.001)
    assert all(stage["says"] for stage in hit["explain"]["stages"])


def test_the_floor_of_a_page_is_named_although_none_is_asked(api: Api) -> None:
    for number in range(30):
        remember(api, f"Hive {number} has bees.")
    told = ask(api, "bees", explain=True, floor=0, limit=30).body["explain"]
    assert (told["floor"], told["usual_floor"]) == (None, 0.4)


def test_neighbours_are_named(api: Api) -> None:
    said = {"sourceType": "chat", "sourceId": "talk"}
    first = remember(api, "Where do the bees live?", ordinal=1, **said)
    second = remember(api, "The bees live in hives on the roof.", ordinal=2, **said)
    found = ask(api, "bees hives", explain=True, floor=0).body["results"]
    beside = {hit["id"]: hit["explain"].get("neighbours") for hit in found}
    assert beside[second] == [first]


def test_the_graph_says_by_which_names_it_led_to_a_memory(api: Api) -> None:
    aspects = [{"entity": "Larder", "aspect": "storage", "attributes": ["written twice"]}]
    memory_id = remember(api, "Everything is written twice and checked.", aspects=aspects)
    found = ask(api, "larder", explain=True, floor=0).body["results"]
    (hit,) = [hit for hit in found if hit["id"] == memory_id]
    assert hit["explain"]["path"] == ["Larder", "storage"]
    assert hit["explain"]["channels"]["graph"]["says"] == "its entities"


def test_why_a_memory_is_no_result(api: Api) -> None:
    api.add_agent()
    bees = [remember(api, f"Hive {n} of the roof has bees.") for n in range(50)]
    other = remember(api, "The harbour crane is red.")
    gone = remember(api, "Bees sting.")
    assert api.delete(f"/api/memory/{gone}?reason=x").status == 200
    secret = remember(api, "My bees.", agentId="scout", visibility="private")

    def why(memory_id: str, **fields: object) -> dict[str, Any]:
        answer = ask(api, "hive bees roof", why_not=memory_id, **fields).body
        assert answer["why_not"]["id"] == memory_id
        return dict(answer["why_not"])

    assert why(gone)["left_out"] == "it is forgotten"
    assert why("none")["left_out"] == why(secret)["left_out"] == UNREADABLE
    assert why(other, type="decision")["left_out"].startswith("the filters")
    assert why(other)["left_out"].startswith("no word matches, and ")
    found = [why(one) for one in bees]
    assert sorted(one["place"] for one in found if "place" in one) == list(range(1, 11))
    others = [one for one in found if "place" not in one]
    (behind, *_) = [one for one in others if "explain" in one]
    assert behind["left_out"].endswith("rank higher, and the limit is 10")
    assert behind["explain"]["stages"]
    (beyond, *_) = [one for one in others if "explain" not in one]
    assert beyond["left_out"].startswith('only these words match: "hive bees roof", and by')
    asked = {"why_not": bees[-1], "min_score": 0.95, "floor": 0.0}
    far = ask(api, "bees of the vicar in the gardens of Cambridge", **asked).body["why_not"]
    assert far["left_out"].endswith("is below the minimum of 0.95")


def test_a_question_as_a_prompt_shows_what_a_session_would_be_given(api: Api) -> None:
    remember(api, "Ada keeps bees on the roof.")
    question = "where does Ada keep her bees"
    prompt = ask(api, question, as_prompt=True).body["prompt"]
    said = {"harness": "codex", "userPrompt": question}
    given = api.post("/api/hooks/user-prompt-submit", said).body["inject"]
    assert prompt["text"] == given and "Ada keeps bees on the roof." in given
    assert (prompt["chars"], prompt["tokens"]) == (len(given), -(-len(given) // 4))
    api.configure("hooks: {userPromptSubmit: {enabled: false}}\n")
    assert ask(api, question, as_prompt=True).body["prompt"]["text"] == ""


def test_a_limited_token_learns_nothing_of_what_lies_outside(tmp_path: Path) -> None:
    with an_api(tmp_path / "agents", "auth: {mode: hybrid}\n") as api:
        shed = remember(api, "The zircon crane is in the shed.", project="shed")
        token = bearer(a_token(api, "agent", scope=TokenScope(project="garden")))
        body = {"query": "crane", "why_not": shed, "as_prompt": True, "touch": False}
        answer = api.post(RECALL, body, **token)
        assert answer.status == 200 and "zircon" not in json.dumps(answer.body)
        assert answer.body["why_not"]["left_out"] == UNREADABLE


def test_matched_words_are_marked_where_that_is_requested(api: Api) -> None:
    remember(api, "👩‍👧 Ada keeps bees; a beekeeper kept her bee cafe\u0301.")
    far = "The roof is flat. " * 60
    remember(api, f"{far}Ada's hive numbers are on the zeppelin. {far}")
    assert "highlights" not in ask(api, "bees").body["results"][0]
    (hit,) = ask(api, "keeping bees café", highlights=True).body["results"]
    marked = [hit["content"][start:end] for start, end in hit["highlights"]]
    assert marked == ["keeps", "bees", "bee", "cafe\u0301"]
    (hit,) = ask(api, "zeppelin", highlights=True).body["results"]
    ((start, end),) = hit["highlights"]
    assert hit["content"][start:end] == "zeppelin" and hit["truncated"]
    assert hit["content"].startswith("[…] ") and hit["content"].endswith(" [truncated]")
    plain = ask(api, "zeppelin").body["results"][0]["content"]
    assert plain.startswith("The roof") and "zeppelin" not in plain
    answer = api.get(f"{RECALL.replace('recall', 'search')}?q=zeppelin&highlights=1&touch=false")
    assert answer.body["results"][0]["highlights"]
    nearest = ask(api, "paint the zeppelin walls of a bungalow", highlights=True, min_score=1.0)
    assert nearest.body["nearest"]["highlights"]
