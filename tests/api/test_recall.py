"""POST /api/memory/recall and GET /api/memory/search: the answer, the refusals, the count of accesses."""

import pytest

from support.http import Api
from support.processes import eventually

RECALL = "/api/memory/recall"
SEARCH = "/api/memory/search"


def remember(api: Api, *texts: str, **fields: object) -> list[str]:
    return [
        api.post("/api/memory/remember", {"content": text, **fields}).body["id"] for text in texts
    ]


def test_an_answer_has_every_field_that_clients_read(api: Api) -> None:
    (memory_id,) = remember(api, "Ada keeps bees on the roof.", tags="home", who="ada")
    answer = api.post(RECALL, {"query": "bees"})
    assert answer.status == 200
    (result,) = answer.body["results"]
    assert answer.body["memories"] == answer.body["results"]
    assert (answer.body["query"], answer.body["method"], answer.body["count"]) == (
        "bees",
        "keyword",
        1,
    )
    assert result["id"] == memory_id
    assert result["content"] == "Ada keeps bees on the roof."
    assert (result["content_length"], result["truncated"]) == (27, False)
    assert (result["tags"], result["who"], result["pinned"]) == ("home", "ada", False)
    assert isinstance(result["score"], float) and 0 < result["score"] <= 1
    assert result["source"] in ("keyword", "traversal")
    assert result["created_at"].endswith("Z")


def test_an_empty_page_says_what_came_nearest_and_why_it_was_left_out(api: Api) -> None:
    remember(api, *(f"Yard {number} has bees." for number in range(30)))
    question = "when did the bees of the vicar swarm in the gardens of Cambridge"
    answer = api.post(RECALL, {"query": question}).body
    assert (answer["results"], answer["count"]) == ([], 0)
    nearest = answer["nearest"]
    assert nearest["content"].endswith("has bees.")
    assert 0 <= nearest["score"] < 0.4
    assert nearest["left_out"].startswith('only these words match: "bees", and the meaning is not')
    assert not any(row["access_count"] for row in api.rows("memories"))
    assert "nearest" not in api.post(RECALL, {"query": "bees"}).body
    assert "nearest" not in api.post(RECALL, {"query": "zeppelins"}).body


def test_a_score_is_how_relevant_a_result_is_and_min_score_goes_by_it(api: Api) -> None:
    remember(api, "Ada keeps bees on the roof.", "Ben keeps hens in the yard.")
    [row] = api.post(RECALL, {"query": "which hens laid brown eggs"}).body["results"]
    assert row["score"] < 0.5
    for least, count in ((row["score"] - 0.02, 1), (row["score"] + 0.02, 0)):
        asked = {"query": "which hens laid brown eggs", "min_score": least}
        assert api.post(RECALL, asked).body["count"] == count


def test_an_answer_says_that_it_is_by_words_alone_unless_no_model_is_wanted(api: Api) -> None:
    remember(api, "Ada keeps bees on the roof.")
    assert "degraded" not in api.post(RECALL, {"query": "bees"}).body
    settings = "embedding: {provider: ollama, base_url: 'http://127.0.0.1:9'}\n"
    (api.state.workspace.root / "agent.yaml").write_text(settings, "utf-8")
    api.state.live.poll()
    answer = api.post(RECALL, {"query": "bees"}).body
    assert (answer["method"], answer["degraded"]) == ("keyword", ["vector"])


def test_a_text_that_was_saved_in_pieces_is_one_result_with_parts(api: Api) -> None:
    said = " ".join(f"The bees of hive {n} made {n} jars of honey on the roof." for n in range(40))
    pieces = api.post("/api/memory/remember", {"content": said}).body["ids"]
    (other,) = remember(api, "Ada sells honey from the roof.")
    results = api.post(RECALL, {"query": "bees honey roof", "floor": 0}).body["results"]
    assert len(pieces) > 3
    assert {len({row["id"]} & set(pieces)) for row in results} == {0, 1} and len(results) == 2
    (text,) = [row for row in results if row["id"] != other]
    parts = [part["id"] for part in text["parts"]]
    assert {text["id"], *parts} == set(pieces)
    assert text["more"] == f"and {len(parts)} more passages"
    assert all(part["content"] in said for part in text["parts"])


@pytest.mark.sqlite_file  # a server stores no infinite number
def test_a_number_that_json_does_not_have_is_null(api: Api) -> None:
    remember(api, "Ada keeps bees on the roof.")
    api.run("UPDATE memories SET importance = 9e999")
    answer = api.post(RECALL, {"query": "bees"})
    assert answer.status == 200
    assert answer.body["results"][0]["importance"] is None


def test_the_address_form_gives_the_same_answer(api: Api) -> None:
    remember(api, "Ada keeps bees on the roof.", "Ben keeps hens in the yard.")
    asked = api.post(RECALL, {"query": "keeps", "limit": 1}).body
    searched = api.get(f"{SEARCH}?q=keeps&limit=1").body
    assert [row["id"] for row in searched["results"]] == [row["id"] for row in asked["results"]]
    assert searched["count"] == 1


def test_filters_narrow_the_answer_in_both_forms(api: Api) -> None:
    remember(api, "Ada keeps bees.", who="ada", tags="home", type="fact")
    remember(api, "Ben keeps hens.", who="ben", tags=["home", "farm"], pinned=True)
    for name, value in (("who", "ben"), ("tags", "farm"), ("pinned", True)):
        asked = api.post(RECALL, {"query": "keeps", name: value}).body["results"]
        found = api.get(f"{SEARCH}?q=keeps&{name}={str(value).lower()}").body["results"]
        assert [row["who"] for row in asked] == [row["who"] for row in found] == ["ben"]


def test_accesses_are_counted_behind_the_answer(api: Api) -> None:
    remember(api, "Ada keeps bees.", "Ben keeps hens.")
    api.post(RECALL, {"query": "bees"})

    def counted() -> bool:
        api.get("/health/live")  # lets the event loop of this process turn
        return [row["access_count"] for row in api.rows("memories")] == [1, 0]

    eventually(counted)


@pytest.mark.parametrize(("limit", "count"), [(-5, 1), (0, 1), (2, 2), (10**30, 3), (None, 3)])
def test_a_limit_is_kept_within_bounds(api: Api, limit: int | None, count: int) -> None:
    remember(api, "One hen sits.", "Two hens sit.", "Three hens sit.")
    assert api.post(RECALL, {"query": "hens sit", "limit": limit}).body["count"] == count
    given = "" if limit is None else limit
    assert api.get(f"{SEARCH}?q=hens+sit&limit={given}").body["count"] == count


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"query": ""}, "query is required"),
        ({"query": "  "}, "query is required"),
        ({}, "query is required"),
        ({"query": 5}, "query: Input should be a valid string"),
        ({"query": ["a"]}, "query: Input should be a valid string"),
        ({"query": "a", "limit": "many"}, "limit: Input should be a valid integer"),
        ({"query": "a", "since": "soon"}, "since must be an ISO timestamp"),
        ({"query": "a", "until": "then"}, "until must be an ISO timestamp"),
        ({"query": "a", "now": 5}, "now: not an ISO timestamp"),
        ({"query": "a", "tags": {}}, "tags: neither a string nor a list of strings"),
        ({"query": "a", "tags": ["t"] * 200_000}, "tags: more than 100 tags"),
        ({"query": "a", "tags": "t," * 101}, "tags: more than 100 tags"),
        ({"query": "a", "min_score": "low"}, "min_score: Input should be a valid number"),
    ],
)
def test_what_makes_no_sense_is_refused_by_name(
    api: Api, fields: dict[str, object], words: str
) -> None:
    refused = api.post(RECALL, fields)
    assert refused.status == 400
    assert refused.error.startswith(words)


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("", "query is required"),
        ("?q=", "query is required"),
        ("?q=a&expand=perhaps", "expand: Input should be a valid boolean"),
        ("?q=a&importance_min=x", "importance_min: Input should be a valid number"),
        ("?q=a&min_score=nan", "min_score: Input should be a finite number"),
        ("?q=a&since=soon", "since must be an ISO"),
    ],
)
def test_the_address_form_refuses_as_clearly(api: Api, query: str, words: str) -> None:
    refused = api.get(SEARCH + query)
    assert refused.status == 400
    assert refused.error.startswith(words)


@pytest.mark.parametrize(
    "query",
    ["?q=hens&limit=", "?q=hens&expand=", "?q=hens&type=&since=&project="],
)
def test_an_empty_parameter_counts_as_left_out(api: Api, query: str) -> None:
    remember(api, "Hens lay eggs.")
    assert api.get(SEARCH + query).body["count"] == 1


def test_a_field_with_an_empty_text_counts_as_left_out(api: Api) -> None:
    remember(api, "Hens lay eggs.")
    names = ("type", "who", "since", "until", "as_of", "project", "scope", "limit", "keywordQuery")
    assert api.post(RECALL, {"query": "hens", **dict.fromkeys(names, "")}).body["count"] == 1


def test_the_plus_of_a_zone_may_arrive_as_a_space(api: Api) -> None:
    remember(api, "Hens lay eggs.", createdAt="2024-05-01T10:00:00Z")
    for since, count in (("11:00:00+02:00", 1), ("11:00:00+00:00", 0)):
        assert api.get(f"{SEARCH}?q=hens&since=2024-05-01T{since}").body["count"] == count


def test_as_many_tags_as_are_allowed_can_be_asked_for(api: Api) -> None:
    tags = [f"t{number}" for number in range(100)]
    remember(api, "Bees fly home.", tags=tags)
    remember(api, "Bees fly out.", tags=tags[1:])
    answer = api.post(RECALL, {"query": "bees", "tags": ",".join(tags).upper()}).body
    assert [row["content"] for row in answer["results"]] == ["Bees fly home."]
    assert "degraded" not in answer


def test_a_private_memory_is_found_by_its_agent_alone(api: Api) -> None:
    api.add_agent()
    remember(api, "The code is 4711.", agentId="ada", visibility="private")
    assert api.post(RECALL, {"query": "code", "agentId": "ada"}).body["count"] == 1
    assert api.post(RECALL, {"query": "code", "sessionKey": "agent:ada:x"}).body["count"] == 1
    assert api.post(RECALL, {"query": "code", "agentId": "ben"}).body["count"] == 0
    assert api.post(RECALL, {"query": "code"}).body["count"] == 0
