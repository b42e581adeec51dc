"""What one memory says about whom."""

import time
from collections.abc import Collection

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signet.domain.graph import analysis


def nobody(_: Collection[str]) -> Collection[str]:
    return ()


def link(text: str) -> analysis.Analysis:
    return analysis.analyse(text, nobody)


def canonical(text: str) -> list[str]:
    return [entity.canonical for entity in link(text).entities]


def test_alice_is_reached_from_one_short_sentence() -> None:
    linked = link("Alice prefers Postgres over MySQL")
    assert [entity.name for entity in linked.entities] == ["Alice", "Postgres", "MySQL"]
    assert linked.attributes == (
        analysis.FoundAttribute(
            entity="alice", aspect="preferences", content="prefers Postgres over MySQL"
        ),
    )
    assert linked.pairs == (("alice", "postgres"), ("alice", "mysql"), ("postgres", "mysql"))
    assert linked.is_decision
    assert (linked.kind, linked.importance) == ("constraint", 0.85)


def test_without_a_decision_an_attribute_is_only_an_attribute() -> None:
    linked = link("Bob works at Acme Corp")
    assert (linked.kind, linked.importance) == ("attribute", 0.5)


def test_the_subject_is_the_first_name_of_the_segment_not_the_longest() -> None:
    linked = link("Bob lives near Postgres Conference Hall.")
    assert [(a.entity, a.content) for a in linked.attributes] == [
        ("bob", "lives near Postgres Conference Hall")
    ]


def test_each_segment_gives_one_clause() -> None:
    linked = link("Alice moved to Rome last year. Her friend Bob teaches chess!\n- Kai: who paints")
    assert [(a.entity, a.aspect, a.content) for a in linked.attributes] == [
        ("alice", "events", "moved to Rome last year"),
        ("bob", "activities", "teaches chess"),
    ]


def test_a_doubtful_name_counts_when_an_earlier_memory_knew_it() -> None:
    text = "Kafka: three brokers in Oslo"
    assert canonical(text) == ["oslo"]
    linked = analysis.analyse(text, lambda _: ["kafka"])
    assert [entity.canonical for entity in linked.entities] == ["kafka", "oslo"]


def test_the_store_is_asked_once_for_all_names() -> None:
    asked: list[list[str]] = []

    def remember(names: Collection[str]) -> Collection[str]:
        asked.append([*names])
        return ()

    analysis.analyse("Kafka: up. Kafka: down. We moved to Redis. Redis: fine.", remember)
    assert asked == [["kafka", "redis"]]
    analysis.analyse("nothing has a name here", remember)
    assert len(asked) == 1


def test_one_entity_for_many_spellings() -> None:
    assert canonical("We asked ACME, then Acme, then the old Acme again.") == ["acme"]


def test_pairs_are_limited_to_eight_names() -> None:
    listed = ", ".join(f"Node{letter}x" for letter in "abcdefghijkl")
    linked = link(f"We know {listed}.")
    assert len(linked.entities) == 12
    assert len(linked.pairs) == 28


def test_a_clause_is_cut_at_two_hundred_characters() -> None:
    (attribute,) = link("Alice likes " + "very " * 100 + "long walks").attributes
    assert len(attribute.content) <= 200


@pytest.mark.parametrize("text", ["", "   ", "nothing here to see", "Ok. Yes. No.", "Hi Bob"])
def test_a_text_without_clauses_gives_no_attributes(text: str) -> None:
    assert link(text).attributes == ()


@pytest.mark.parametrize(
    ("clause", "expected"),
    [
        ("enjoys long walks", "preferences"),
        ("hates mornings", "preferences"),
        ("is a nurse", "properties"),
        ("became a father", "properties"),
        ("travelled to Peru", "events"),
        ("attends a course", "events"),
        ("studies law", "activities"),
        ("has two cats", "properties"),
        ("thinks it over", "perspectives"),
        ("married young", "relationships"),
        ("grew up in Oslo", "background"),
        ("lives in Rome", "background"),
        ("decided against it", "decision patterns"),
        ("hopes to retire", "decision patterns"),
        ("wants to retire", "decision patterns"),
        ("plays chess", "activities"),
        ("told them everything", "general"),
        ("in the corner", "general"),
        ("likes to visit Rome", "preferences"),
        ("is visiting", "properties"),
        ("played chess and moved house", "events"),
    ],
)
def test_the_first_family_of_verbs_names_the_aspect(clause: str, expected: str) -> None:
    assert analysis.aspect(clause) == expected


@pytest.mark.parametrize(
    "text",
    [
        "We chose Rust over Go",
        "They have chosen tabs instead",
        "She decided to leave",
        "We decided on Postgres",
        "Bob decided against Kafka",
        "We switched from npm to Bun",
        "Switched to trunk-based work",
        "We migrated away from Heroku",
        "They migrate to Kubernetes",
        "He picked Vim over Emacs",
        "We went with SQLite",
        "We are sticking with Django",
        "The team committed to monthly releases",
        "We settled on blue",
        "The service will use Redis",
        "We will go with option two",
        "I prefer tea over coffee",
        "She preferred Go instead",
        "The team adopted Ruff",
        "Architecture decision: one process",
        "This is a design decision",
    ],
)
def test_decision_language_is_recognised(text: str) -> None:
    assert analysis.is_decision(text)


@pytest.mark.parametrize(
    "text",
    [
        "I prefer tea",
        "We like Rust",
        "She chose wisely",
        "He picked a card",
        "Decided things stay decided",
        "We prefer tea. It is over now.",
        "The migration is done",
        "We will useful",
    ],
)
def test_other_language_is_no_decision(text: str) -> None:
    assert not analysis.is_decision(text)


@given(st.text(max_size=300))
def test_no_text_raises_and_attributes_belong_to_entities(text: str) -> None:
    linked = analysis.analyse(text, lambda names: [name for name in names if len(name) % 2 == 0])
    known = {entity.canonical for entity in linked.entities}
    assert {attribute.entity for attribute in linked.attributes} <= known
    assert {end for pair in linked.pairs for end in pair} <= known
    assert all(5 <= len(attribute.content) <= 200 for attribute in linked.attributes)


def test_a_huge_text_of_triggers_stays_cheap() -> None:
    text = "prefer Chose picked " * 5_000
    started = time.process_time()
    link(text)
    assert time.process_time() - started < 10
