"""The noise guard."""

from signet.domain.extraction import escalate
from signet.domain.extraction.models import Extraction, Fact
from signet.domain.graph.models import Triple
from signet.domain.memory import wording


def a_fact(content: str, kind: str = "fact") -> Fact:
    return Fact(content=content, type=kind, confidence=0.9)


def a_triple(source: str, target: str) -> Triple:
    return Triple(
        source=source,
        source_type="unknown",
        relationship="uses",
        target=target,
        target_type="unknown",
        confidence=0.9,
    )


def needs(extraction: Extraction) -> bool:
    return escalate.is_needed(extraction, max_entities=2, max_facts_per_entity=2)


def test_up_to_the_limits_nothing_happens() -> None:
    facts = (a_fact("Redis is fast."), a_fact("Redis is small."), a_fact("Kafka is big."))
    assert not needs(
        Extraction(facts=facts, triples=(a_triple("Redis", "Kafka"), a_triple("A", "B")))
    )


def test_one_relation_too_many_escalates() -> None:
    assert needs(Extraction(triples=tuple(a_triple("Redis", f"t{n}") for n in range(3))))


def test_one_name_in_too_many_facts_escalates() -> None:
    facts = tuple(a_fact(f"redis holds key {n}.") for n in range(3))
    assert needs(Extraction(facts=facts, triples=(a_triple("Redis", "Kafka"),)))


def test_the_reduction_keeps_new_facts_and_constraints_and_what_they_name() -> None:
    known = wording.content_hash("Redis is old news.")
    reduced = escalate.reduce(
        Extraction(
            facts=(
                a_fact("Redis is old news"),
                a_fact("Kafka is new."),
                a_fact("kafka is NEW"),
                a_fact("The team chose Rust.", "decision"),
                a_fact("The team chose Rust.", "decision"),
                a_fact("Never commit keys."),
            ),
            triples=(a_triple("Redis", "Memcached"), a_triple("Team", "Rust")),
            warnings=("before",),
        ),
        lambda digest: digest == known,
    )
    assert [fact.content for fact in reduced.facts] == [
        "Kafka is new.",
        "The team chose Rust.",
        "The team chose Rust.",
        "Never commit keys.",
    ]
    assert [triple.source for triple in reduced.triples] == ["Team"]
    assert reduced.warnings[0] == "before"
    assert "4 of 6 facts" in reduced.warnings[1]
    assert "1 of 2 entities" in reduced.warnings[1]
