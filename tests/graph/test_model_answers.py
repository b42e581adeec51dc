"""Reading what a model says about the facts of an entity."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signet.domain.graph import classify
from signet.domain.graph.models import BatchFact, Classification, FoundDependency

FACTS = [
    BatchFact(job_id="j", memory_id="m", text=text)
    for text in ("Heron is checked with Ruff in 12 ms.", "Heron is fast.", "Heron is old.")
]


def given_results(*items: object) -> dict[str, object]:
    return {"results": list(items)}


def test_facts_are_placed_by_their_number() -> None:
    said = given_results(
        {"i": 2, "aspect": " **Open Hours** ", "kind": "Constraint"},
        {"i": 1, "aspect": "people", "kind": "nonsense"},
        {"i": 1, "aspect": "too late", "kind": "attribute"},
        {"i": 9, "aspect": "nobody", "kind": "attribute"},
        {"i": True, "aspect": "nobody"},
        "no object",
    )
    assert classify.read_classifications(said, 3) == {
        0: Classification(aspect="people", kind="attribute"),
        1: Classification(aspect="open hours", kind="constraint"),
    }


@pytest.mark.parametrize("aspect", ["", "  ", "123", None, 7])
def test_an_aspect_without_letters_places_nothing(aspect: object) -> None:
    assert classify.read_classifications(given_results({"i": 1, "aspect": aspect}), 1) == {}


def test_a_long_aspect_is_cut_at_a_word() -> None:
    [placed] = classify.read_classifications(
        given_results({"i": 1, "aspect": "wide " * 20}), 1
    ).values()
    assert placed.aspect == ("wide " * 12).strip()


def test_edges_of_unknown_types_and_to_no_names_are_dropped() -> None:
    said = given_results(
        {
            "i": 1,
            "dependencies": [
                {"target": "Ruff", "type": "Depends On", "reason": "it says so"},
                {"target": "Ruff", "type": "admires"},
                {"target": "12 ms", "type": "uses"},
                {"target": "Globex", "type": "uses", "reason": "invented"},
                "no object",
            ],
        },
        {"i": 2, "dependencies": None},
    )
    assert classify.read_dependencies(said, FACTS) == {
        0: (FoundDependency(target="Ruff", type="depends_on", reason="it says so"),),
        1: (),
    }


@pytest.mark.parametrize(("said", "type"), [("Tool", "tool"), ("unknown", None), ("ghost", None)])
def test_the_type_of_the_entity_is_one_of_ours(said: str, type: str | None) -> None:
    assert classify.entity_type({"entity_type": said}) == type


@given(
    st.recursive(
        st.none() | st.integers() | st.text(), lambda x: st.lists(x) | st.dictionaries(st.text(), x)
    )
)
def test_no_answer_raises(value: object) -> None:
    found = classify.read_results(json.dumps({"results": value}))
    if found is not None:
        classify.read_classifications(found, 3)
        classify.read_dependencies(found, FACTS)
