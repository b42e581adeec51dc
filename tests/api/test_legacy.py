"""The older reads: search by words and filters, what is similar, recall in the form of a hook."""

import pytest

from signet.domain.embeddings import vectors as embeddings
from support.database import MADE_AT
from support.http import Api
from support.models import packed_vector

WIDTH = 512


def remember(api: Api, text: str, **fields: object) -> str:
    return str(api.post("/api/memory/remember", {"content": text, **fields}).body["id"])


def found(api: Api, query: str, **headers: str) -> list[str]:
    answer = api.get(f"/memory/search{query}", **headers)
    assert answer.status == 200, answer.body
    return [row["content"] for row in answer.body["results"]]


def embed(api: Api, memory_id: str, model: str = "toy") -> None:
    """Give a memory the vector of its words."""
    [row] = [row for row in api.rows("memories") if row["id"] == memory_id]
    pairs = [(row["content"], packed_vector(row["content"], WIDTH))]
    api.state.db.write(embeddings.replace, memory_id, row["content_hash"], pairs, model, MADE_AT)


def test_words_are_found_best_first_and_everything_a_client_reads_is_there(api: Api) -> None:
    remember(api, "The heron nests in the reeds beside the long canal.", tags="birds,water")
    best = remember(api, "Heron, heron, heron.", importance=0.9, pinned=True, who="anna")
    answer = api.get("/memory/search?q=heron").body
    assert len(answer["results"]) == 2
    row = answer["results"][0]
    assert (row["id"], row["who"], row["pinned"], row["type"]) == (best, "anna", True, "fact")
    assert {"id", "content", "created_at", "who", "importance", "tags", "type", "pinned"} <= set(
        row
    )
    assert answer["results"][1]["tags"] == "birds,water"


@pytest.mark.parametrize("query", ["50%25", "%22", "(", "AND", "c%2B%2B", "*", "a_b", "%5C"])
def test_what_is_no_expression_is_looked_for_as_it_stands(api: Api, query: str) -> None:
    remember(api, 'Only 50% of "AND (a_b*\\ in c++" is true.')
    remember(api, "Something else entirely: 5 of 10 axb.")
    assert found(api, f"?q={query}") == ['Only 50% of "AND (a_b*\\ in c++" is true.']


def test_an_expression_of_full_text_search_may_be_used(api: Api) -> None:
    remember(api, "The kite shop opens at nine.")
    remember(api, "The kettle boils at nine.")
    assert found(api, "?q=ki*") == ["The kite shop opens at nine."]
    assert found(api, "?q=nine+NOT+kite") == ["The kettle boils at nine."]


def test_a_tag_matches_whole_and_every_one_must(api: Api) -> None:
    remember(api, "The build is red.", tags="build,ci")
    remember(api, "The buttons are round.", tags="ui,ci")
    assert found(api, "?tags=ui") == ["The buttons are round."]
    assert found(api, "?tags=ci,build") == ["The build is red."]
    assert found(api, "?tags=bui") == []


def test_filters_alone_order_by_importance_that_fades_with_pinned_first(api: Api) -> None:
    for text, fields in {
        "Old and weighty.": {"importance": 0.9},
        "New and light.": {"importance": 0.4},
        "Pinned.": {"importance": 0.1, "pinned": True},
        "Ancient.": {"importance": 0.8},
    }.items():
        remember(api, text, who="bo", **fields)
    days = {"Old and weighty.": 10, "New and light.": 0, "Pinned.": 400, "Ancient.": 1_000}
    for text, age in days.items():
        api.run(
            "UPDATE memories SET created_at ="
            " strftime('%Y-%m-%dT%H:%M:%fZ', 'now', ?) WHERE content = ?",
            f"-{age} days",
            text,
        )
    rows = api.get("/memory/search?who=bo").body["results"]
    assert [row["content"] for row in rows] == [
        "Pinned.",
        "Old and weighty.",
        "New and light.",
        "Ancient.",
    ]
    assert [row["score"] for row in rows] == pytest.approx([1.0, 0.9 * 0.95**10, 0.4, 0.08], 1e-2)


def test_filters_narrow_what_words_find(api: Api) -> None:
    remember(api, "The heron is grey.", type="rule", importance=0.9, who="anna")
    remember(api, "The heron is tall.", importance=0.2, pinned=True)
    assert found(api, "?q=heron&type=rule") == ["The heron is grey."]
    assert found(api, "?q=heron&who=anna") == ["The heron is grey."]
    assert found(api, "?q=heron&importance_min=0.5") == ["The heron is grey."]
    assert found(api, "?q=heron&pinned=true") == ["The heron is tall."]
    assert found(api, "?q=heron&since=2999-01-01") == []
    assert len(found(api, "?q=heron&limit=1")) == 1
    assert len(found(api, "?q=heron&limit=")) == 2
    assert len(found(api, "?q=heron&limit=-3")) == 1


def test_the_list_is_narrowed_by_source(api: Api) -> None:
    for number in (1, 2):
        remember(api, f"Turn {number}.", source_type="chat", source_id="s1", ordinal=number)
    remember(api, "Turn of another.", source_type="chat", source_id="s2")
    api.run("UPDATE memories SET is_deleted = 1 WHERE content = 'Turn 1.'")
    for name in ("source_id", "sourceId"):
        rows = api.get(f"/api/memories?{name}=s1").body["memories"]
        assert [row["content"] for row in rows] == ["Turn 2."]
    assert api.get("/api/memories?source_id=none").body["memories"] == []


def test_without_words_and_filters_nothing_is_found(api: Api) -> None:
    remember(api, "The heron is grey.")
    assert found(api, "") == []
    assert found(api, "?limit=5") == []


@pytest.mark.parametrize("query", ["?q=a&since=soon", "?importance_min=much", "?pinned=perhaps"])
def test_filters_that_make_no_sense_are_refused(api: Api, query: str) -> None:
    assert api.get(f"/memory/search{query}").status == 400


def test_authors_are_listed_once_and_in_order(api: Api) -> None:
    api.add_agent()
    for text, who in (("One.", "zoe"), ("Two.", "anna"), ("Three.", "zoe")):
        remember(api, text, who=who)
    remember(api, "Four.", who="hidden", agentId="other", visibility="private")
    assert api.get("/memory/search?distinct=who&q=ignored").body == {"values": ["anna", "zoe"]}
    remember(api, "Five.", type="recipe")
    assert api.get("/memory/search?distinct=type").body == {"values": ["fact", "recipe"]}


def test_forgotten_and_private_memories_are_never_found(api: Api) -> None:
    api.add_agent()
    gone = remember(api, "The heron is gone.")
    theirs = remember(api, "The heron is theirs.", agentId="other", visibility="private")
    api.run("UPDATE memories SET is_deleted = 1 WHERE id = ?", gone)
    assert found(api, "?q=heron") == found(api, "?type=fact") == []
    assert found(api, "?q=heron&agent_id=other") == ["The heron is theirs."]
    for memory_id in (gone, theirs):
        embed(api, memory_id)
        assert api.get(f"/memory/similar?id={memory_id}").status == 404


def test_similar_memories_come_nearest_first_without_the_one_that_was_asked_about(api: Api) -> None:
    api.add_agent()
    ids = [
        remember(api, text)
        for text in ("red green blue", "red green yellow", "red cold iron", "the old mill stands")
    ]
    private = remember(api, "red green blue again", agentId="other", visibility="private")
    for memory_id in (*ids, private):
        embed(api, memory_id)
    answer = api.get(f"/memory/similar?id={ids[0]}&k=2").body["results"]
    assert [row["id"] for row in answer] == ids[1:3]
    assert set(answer[0]) == {
        *("id", "content", "type", "tags", "score", "confidence", "created_at"),
        *("who", "importance", "pinned"),
    }
    assert {row["pinned"] for row in answer} == {False}
    api.run("UPDATE memories SET pinned = 1, who = 'ada', importance = 0.9 WHERE id = ?", ids[1])
    changed = api.get(f"/memory/similar?id={ids[0]}&k=1").body["results"][0]
    assert (changed["who"], changed["importance"], changed["pinned"]) == ("ada", 0.9, True)
    assert 1 > answer[0]["score"] > answer[1]["score"] > 0
    assert answer[0]["tags"] == []
    assert api.get(f"/memory/similar?id={ids[0]}&type=rule").body["results"] == []


def test_similar_needs_an_id_and_a_vector(api: Api) -> None:
    memory_id = remember(api, "The heron is grey.")
    missing = api.get("/memory/similar")
    assert (missing.status, missing.error) == (400, "id is required")
    for unknown in (memory_id, "nobody"):
        answer = api.get(f"/memory/similar?id={unknown}")
        assert (answer.status, answer.body["results"]) == (404, [])
        assert "embedding" in answer.error


def test_a_hook_recalls_with_the_same_engine(api: Api) -> None:
    remember(api, "The heron is grey.", project="/p")
    remember(api, "The heron is tall.", project="/q")
    asked = {"harness": "codex", "query": "what colour is the heron", "project": "/p", "limit": 5}
    answer = api.post("/api/hooks/recall", asked)
    assert answer.status == 200
    assert answer.body["count"] == 1
    assert answer.body["results"] == answer.body["memories"]
    assert answer.body["results"][0]["content"] == "The heron is grey."


@pytest.mark.parametrize(
    "body", [{"harness": "codex"}, {"query": "x"}, {"harness": " ", "query": ""}]
)
def test_a_hook_without_harness_or_query_is_refused(api: Api, body: object) -> None:
    answer = api.post("/api/hooks/recall", body)
    assert (answer.status, answer.error) == (400, "harness and query are required")


def test_a_process_that_signet_started_is_told_nothing(api: Api) -> None:
    remember(api, "The heron is grey.")
    for body in ({"harness": "codex", "query": "heron"}, b"not json"):
        answer = api.post("/api/hooks/recall", body, x_signet_no_hooks="1")
        assert answer.body == {"memories": [], "results": [], "count": 0, "internal": True}
