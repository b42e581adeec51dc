from signet.domain.recall import answer
from signet.domain.recall.models import FoundBy, Hit, PartKind, Result, ResultPart, ScoreStep, Why

FIELDS = {
    *("id", "content", "content_length", "truncated", "score", "source", "type", "tags", "pinned"),
    *("importance", "who", "project", "created_at"),
}


def _hit(content: str = "text", **changes: object) -> Hit:
    fields: dict[str, object] = {
        "id": "a",
        "content": content,
        "score": 0.123456,
        "source": FoundBy.HYBRID,
        "type": "fact",
        "created_at": "2026-01-01T00:00:00.000Z",
        **changes,
    }
    return Hit(**fields)  # type: ignore[arg-type]  # checked by the test


def test_the_answer_has_the_fields_that_clients_read() -> None:
    body = answer.body(Result(query="q", method="hybrid", hits=(_hit(),), took_ms=1.5))
    assert {"results", "query", "method"} <= body.keys()
    assert body["memories"] == body["results"]
    assert body["count"] == 1
    assert body["stats"] == {"total": 1, "searchTime": 1.5}
    assert not {"entities", "sources", "degraded"} & body.keys()


def test_a_row_has_two_decimals_and_no_optional_field_that_is_not_set() -> None:
    row = answer.row(_hit(), truncate_chars=500)
    additive = {"says", "source_type", "source_id", "accessCount", "lastAccessed"}
    assert set(row) == FIELDS | additive
    assert row["score"] == 0.12


def test_a_long_text_is_cut_and_says_so() -> None:
    row = answer.row(_hit("x" * 501), truncate_chars=500)
    assert row["content"] == "x" * 500 + " [truncated]"
    assert (row["content_length"], row["truncated"]) == (501, True)
    assert answer.row(_hit("x" * 500), truncate_chars=500)["truncated"] is False


def test_supplements_and_explanations_are_marked() -> None:
    why = Why(
        channels={"keyword": {"score": 1.0, "rank": 1}}, steps=(ScoreStep("words", 0.0, 0.4),)
    )
    row = answer.row(_hit(supplementary=True, why=why), truncate_chars=500)
    assert row["supplementary"] is True
    assert row["explain"] == {
        "channels": {"keyword": {"score": 1.0, "rank": 1, "says": "keywords"}},
        "stages": [
            {
                "stage": "words",
                "before": 0.0,
                "after": 0.4,
                "says": "it contains rare words of the question",
            }
        ],
    }


def test_parts_are_lines_below_a_result_and_all_are_counted() -> None:
    parts = [ResultPart(id=f"p{n}", kind=PartKind.PASSAGE, content="y" * 200) for n in range(12)]
    fact = ResultPart(id="f", kind=PartKind.FACT, content="z")
    row = answer.row(_hit(parts=(fact, *parts)), truncate_chars=500)
    assert row["more"] == "and 12 more passages, 1 fact"
    shown = row["parts"]
    assert isinstance(shown, list)
    assert shown[0] == {"id": "f", "kind": "fact", "content": "z"}
    assert len(shown) == answer.MAX_PARTS
    assert len(shown[1]["content"]) == answer.PART_CHARS


def test_a_result_without_parts_says_nothing_of_them() -> None:
    assert not {"parts", "more"} & answer.row(_hit(), truncate_chars=500).keys()
