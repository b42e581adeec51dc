"""What a save may say beside its text: things, relations, aspects, hints, transcript, what it corrects."""

import pytest

from support.http import Api

REMEMBER = "/api/memory/remember"


def remember(api: Api, text: str, **fields: object) -> str:
    return str(api.post(REMEMBER, {"content": text, **fields}).body["id"])


def test_things_relations_and_aspects_are_written_into_the_graph(api: Api) -> None:
    answer = api.post(
        REMEMBER,
        {
            "content": "the new store is quick",
            "entities": [
                "npm",
                {"name": "**Heron**", "type": "Project"},
                {
                    "source": "Heron",
                    "sourceType": "project",
                    "relationship": "Uses",
                    "target": "SQLite",
                    "target_type": "tool",
                    "confidence": 0.7,
                },
                {"name": "status"},
            ],
            "aspects": [
                {
                    "entityName": "Heron",
                    "aspect": "Storage",
                    "attributes": [
                        "keeps rows in one file",
                        {"content": "never loses a write", "kind": "constraint", "importance": 0.9},
                    ],
                },
                {"entity": "npm", "aspect": "use", "value": "installs the tools"},
            ],
        },
    )
    assert (answer.status, answer.body["entities_linked"]) == (200, 3)
    types = {row["name"]: row["entity_type"] for row in api.rows("entities")}
    assert types == {"npm": "extracted", "Heron": "project", "SQLite": "tool"}
    (relation,) = api.rows("relations")
    assert (relation["relation_type"], relation["confidence"]) == ("uses", 0.7)
    assert [row["canonical_name"] for row in api.rows("entity_aspects")] == ["storage", "use"]
    said = {row["attribute_value"]: row for row in api.rows("entity_attributes")}
    assert set(said) == {"keeps rows in one file", "never loses a write", "installs the tools"}
    rule = said["never loses a write"]
    assert (rule["kind"], rule["importance"], rule["confidence"]) == ("constraint", 0.9, 0.9)
    assert {row["source_memory_id"] for row in said.values()} == {answer.body["id"]}
    assert len(api.rows("memory_entity_mentions")) == 3


def test_what_was_told_makes_the_memory_found_by_the_name(api: Api) -> None:
    told = {"entity": "Heron", "aspect": "speed", "content": "a thousand rows in a blink"}
    memory_id = remember(api, "the new store is quick", aspects=[told])
    found = api.post("/api/memory/recall", {"query": "Heron"}).body["results"]
    assert [result["id"] for result in found] == [memory_id]


def test_the_parts_may_stand_in_an_object_as_published_clients_send_them(api: Api) -> None:
    structured = {
        "entities": [{"source": "Heron", "relationship": "uses", "target": "SQLite"}],
        "aspects": [],
        "hints": ["where are the rows kept?"],
    }
    answer = api.post(REMEMBER, {"content": "the new store is quick", "structured": structured})
    assert (answer.body["entities_linked"], answer.body["hints_written"]) == (2, 1)
    assert api.post(REMEMBER, {"content": "another one", "structured": None}).status == 200


def test_the_same_text_again_adds_nothing_to_the_graph(api: Api) -> None:
    body = {"content": "the new store is quick", "entities": ["Heron", "SQLite"]}
    api.post(REMEMBER, body)
    again = api.post(REMEMBER, body | {"entities": ["Osprey"]})
    assert again.body["deduped"] is True
    assert [row["mentions"] for row in api.rows("entities")] == [1, 1]


def test_a_long_text_carries_what_was_told_on_its_first_piece(api: Api) -> None:
    text = " ".join(f"the shelf number {number} holds a few old books." for number in range(60))
    answer = api.post(REMEMBER, {"content": text, "entities": ["Heron"]})
    mentioned = [
        row["memory_id"]
        for row in api.rows("memory_entity_mentions")
        if row["mention_text"] == "Heron"
    ]
    assert mentioned == [answer.body["id"]]


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"entities": "Heron"}, "entities: "),
        ({"entities": [5]}, "entities.0: Input should be an object"),
        ({"entities": [{}]}, "entities.0: neither a name nor"),
        ({"entities": [{"source": "Heron", "target": "SQLite"}]}, "entities.0: neither a name nor"),
        ({"entities": [{"name": "Heron", "confidence": 2}]}, "entities.0.confidence: "),
        ({"entities": ["Heron"] * 101}, "entities: "),
        ({"aspects": {"entity": "Heron"}}, "aspects: "),
        ({"aspects": [{"aspect": "speed", "content": "x"}]}, "aspects.0.entity is required"),
        ({"aspects": [{"entity": "Heron", "content": "x"}]}, "aspects.0.aspect is required"),
        ({"aspects": [{"entity": "Heron", "aspect": "speed"}]}, "aspects.0.attributes is required"),
        (
            {"aspects": [{"entity": "Heron", "aspect": "speed", "attributes": [{"kind": "law"}]}]},
            "aspects.0.attributes.0.content is required",
        ),
        (
            {"aspects": [{"entity": "Heron", "aspect": "s", "content": "x", "kind": "law"}]},
            "aspects.0.attributes.0.kind: ",
        ),
        ({"structured": "yes"}, "structured is not an object"),
        ({"structured": {"aspects": 5}}, "aspects: "),
        ({"supersedes": 5}, "supersedes: "),
        ({"supersedes": [""]}, "supersedes.0: an id must not be blank"),
        ({"supersedes": "none"}, "supersedes names a memory that does not exist"),
    ],
)
def test_parts_of_another_shape_are_refused_by_name_and_nothing_is_saved(
    api: Api, fields: dict[str, object], words: str
) -> None:
    refused = api.post(REMEMBER, {"content": "the new store is quick", **fields})
    assert (refused.status, refused.error[: len(words)]) == (400, words)
    assert api.rows("memories") == api.rows("entities") == []


def test_a_transcript_is_kept_under_its_source(api: Api) -> None:
    remember(api, "We fixed the gate.", transcript="A: fix it\nB: done", sourceId="s-1")
    (kept,) = api.rows("session_transcripts")
    assert (kept["session_key"], kept["content"]) == ("s-1", "A: fix it\nB: done")


@pytest.mark.parametrize("as_list", [False, True])
def test_a_correction_names_what_it_replaces(api: Api, as_list: bool) -> None:
    old = remember(api, "Lunch is at noon.")
    answer = api.post(
        REMEMBER, {"content": "Lunch is at one.", "supersedes": [old] if as_list else old}
    )
    assert (answer.status, answer.body["superseded"]) == (200, [old])
    row = next(row for row in api.rows("memories") if row["id"] == old)
    assert (row["superseded_by"], row["is_deleted"]) == (answer.body["id"], 0)


def test_a_correction_that_was_saved_before_replaces_all_the_same_and_only_once(api: Api) -> None:
    new, old = remember(api, "Lunch is at one."), remember(api, "Lunch is at noon.")
    body = {"content": "Lunch is at one.", "supersedes": [old, new]}
    first = api.post(REMEMBER, body).body
    assert (first["id"], first["deduped"], first["superseded"]) == (new, True, [old])
    events = len(api.rows("memory_history"))
    assert "superseded" not in api.post(REMEMBER, body).body
    assert len(api.rows("memory_history")) == events


def test_a_correction_of_what_nobody_may_read_or_is_forgotten_is_refused(api: Api) -> None:
    api.add_agent()
    private = remember(api, "The code is 4711.", agentId="ada", visibility="private")
    gone = remember(api, "Lunch is at noon.")
    api.send("DELETE", f"/api/memory/{gone}?reason=x")
    for old in (private, gone):
        refused = api.post(REMEMBER, {"content": "A new one.", "supersedes": [old]})
        assert (refused.status, refused.body["id"]) == (400, old)
    assert len(api.rows("memories")) == 2
