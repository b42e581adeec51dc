"""What saves and triples leave in the graph."""

from datetime import UTC, datetime

import pytest

from signet.db import Row, WriteTx
from signet.domain.graph import link, names
from signet.domain.graph.models import Triple

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)


def said(
    source: str,
    relationship: str,
    target: str,
    *,
    source_type: str = "unknown",
    target_type: str = "unknown",
    confidence: float = 0.8,
) -> Triple:
    return Triple(
        source=source,
        source_type=source_type,
        relationship=relationship,
        target=target,
        target_type=target_type,
        confidence=confidence,
    )


def a_link(tx: WriteTx, text: str, *, memory_id: str = "m1", agent_id: str = "default") -> int:
    return link.apply(tx, memory_id, text, agent_id, NOON)


def persisted(
    tx: WriteTx,
    *found: Triple,
    memory_id: str = "m1",
    facts: tuple[tuple[str, str], ...] = (),
    agent_id: str = "default",
) -> int:
    return link.write_triples(tx, memory_id, found, facts=facts, agent_id=agent_id, now=NOON)


def entity(tx: WriteTx, canonical: str, agent_id: str = "default") -> Row:
    row = tx.one(
        "SELECT * FROM entities WHERE canonical_name = ? AND agent_id = ?", (canonical, agent_id)
    )
    assert row is not None, f"no entity {canonical}"
    return row


def mentions(tx: WriteTx, canonical: str) -> set[str]:
    rows = tx.all(
        "SELECT memory_id FROM memory_entity_mentions WHERE entity_id = ?",
        (entity(tx, canonical)["id"],),
    )
    return {row[0] for row in rows}


def rows(tx: WriteTx, sql: str) -> list[tuple[object, ...]]:
    return [tuple(row) for row in tx.all(sql)]


EDGES = (
    "SELECT s.canonical_name, d.dependency_type, t.canonical_name, round(d.strength, 3), round(d.confidence, 3)"
    " FROM entity_dependencies d JOIN entities s ON s.id = d.source_entity_id"
    " JOIN entities t ON t.id = d.target_entity_id ORDER BY 1, 3"
)


def test_a_linked_text_gives_entities_mentions_attributes_and_one_edge(tx: WriteTx) -> None:
    assert a_link(tx, "The crew says Ada Winter lives in Port Ellen.") == 2
    assert entity(tx, "ada winter")["name"] == "Ada Winter"
    assert entity(tx, "ada winter")["entity_type"] == "extracted"
    assert mentions(tx, "ada winter") == mentions(tx, "port ellen") == {"m1"}
    assert rows(tx, EDGES) == [("ada winter", "related_to", "port ellen", 0.3, 0.5)]
    attributes = tx.all(
        "SELECT e.canonical_name, a.attribute_value, a.kind, a.source_memory_id, a.status"
        " FROM entity_attributes a JOIN entities e ON e.id = a.entity_id"
    )
    assert [tuple(row) for row in attributes] == [
        ("ada winter", "lives in Port Ellen", "attribute", "m1", "active")
    ]
    assert tx.value("SELECT reason FROM entity_dependencies") == "named together in one memory"


def test_a_text_without_names_leaves_the_graph_alone(tx: WriteTx) -> None:
    assert a_link(tx, "it rained all day and nobody came") == 0
    assert tx.value("SELECT count(*) FROM entities") == 0


def test_an_entity_counts_the_memories_that_name_it(tx: WriteTx) -> None:
    a_link(tx, "We met Ada Winter at the harbour.", memory_id="m1")
    a_link(tx, "Later Ada Winter sold the boat.", memory_id="m2")
    persisted(tx, said("Ada Winter", "sold", "boat"), memory_id="m2")
    assert entity(tx, "ada winter")["mentions"] == 2
    assert mentions(tx, "ada winter") == {"m1", "m2"}


def test_a_name_seen_before_is_known_at_the_start_of_a_sentence(tx: WriteTx) -> None:
    assert a_link(tx, "Heron again and nobody minds.", memory_id="m1") == 0
    persisted(tx, said(source="Heron", relationship="uses", target="Redis"), memory_id="m2")
    assert a_link(tx, "Heron again and nobody minds.", memory_id="m3") == 1


def test_agents_do_not_share_entities(tx: WriteTx) -> None:
    a_link(tx, "We met Ada Winter.", agent_id="default")
    a_link(tx, "We met Ada Winter.", memory_id="m2", agent_id="scout")
    assert entity(tx, "ada winter")["id"] != entity(tx, "ada winter", "scout")["id"]
    assert entity(tx, "ada winter", "scout")["mentions"] == 1


def test_the_same_attribute_and_edge_are_written_once(tx: WriteTx) -> None:
    text = "The crew says Ada Winter lives in Port Ellen."
    a_link(tx, text, memory_id="m1")
    a_link(tx, text, memory_id="m2")
    a_link(tx, "In Port Ellen they met Ada Winter.", memory_id="m3")
    assert len(rows(tx, EDGES)) == 1
    assert (
        tx.value("SELECT count(*) FROM entity_attributes WHERE attribute_value LIKE 'lives%'") == 1
    )


def test_a_decision_becomes_a_constraint(tx: WriteTx) -> None:
    a_link(tx, "At the harbour Ada Winter decided to use Postgres.")
    found = rows(tx, "SELECT DISTINCT kind, importance FROM entity_attributes")
    assert found == [("constraint", 0.85)]


def test_a_triple_gives_typed_entities_a_relation_and_an_edge(tx: WriteTx) -> None:
    kept = persisted(
        tx,
        said(
            source="Heron",
            source_type="project",
            relationship="Uses",
            target="Redis",
            target_type="tool",
            confidence=0.9,
        ),
    )
    assert kept == 1
    assert entity(tx, "heron")["entity_type"] == "project"
    assert entity(tx, "redis")["entity_type"] == "tool"
    assert rows(tx, "SELECT relation_type, strength, mentions, confidence FROM relations") == [
        ("uses", 1.0, 1, 0.9)
    ]
    assert rows(tx, EDGES) == [("heron", "uses", "redis", 0.9, 0.9)]
    assert tx.value("SELECT reason FROM entity_dependencies") == "Heron uses Redis"


def test_a_triple_told_again_is_counted_and_its_confidence_averaged(tx: WriteTx) -> None:
    for number, confidence in enumerate((0.9, 0.6, 0.3)):
        triple = said(source="Heron", relationship="uses", target="Redis", confidence=confidence)
        persisted(tx, triple, memory_id=f"m{number}")
    assert rows(tx, "SELECT mentions, round(confidence, 6), strength FROM relations") == [
        (3, 0.6, 1.0)
    ]
    assert rows(tx, EDGES) == [("heron", "uses", "redis", 0.6, 0.6)]
    assert entity(tx, "heron")["mentions"] == 3


def test_a_real_type_replaces_an_unknown_one_and_nothing_else(tx: WriteTx) -> None:
    a_link(tx, "We met Ada Winter.")
    for kind, expected in (("unknown", "extracted"), ("person", "person"), ("tool", "person")):
        triple = said(source="Ada Winter", source_type=kind, relationship="owns", target="a yawl")
        persisted(tx, triple)
        assert entity(tx, "ada winter")["entity_type"] == expected


def test_derived_facts_mention_what_they_name(tx: WriteTx) -> None:
    persisted(
        tx,
        said(source="Heron", relationship="uses", target="Redis"),
        facts=(("f1", "Heron caches in redis."), ("f2", "Herons are birds.")),
    )
    assert mentions(tx, "redis") == {"m1", "f1"}
    assert mentions(tx, "heron") == {"m1", "f1"}
    assert entity(tx, "heron")["mentions"] == 2


@pytest.mark.parametrize(
    "name",
    [
        "x", "42", "200 ms", "$5", "10x", "days", "**", "2026-05-01", "12:30", "3 May 2026", "May 2026", "**Status**",
        "Notes", "n/a", "https://example.org/a", "/etc/hosts", "~/notes", "./run.sh", "src/app/main.py", "y" * 121,
    ],
)  # fmt: skip
def test_what_is_no_name_makes_no_entity(tx: WriteTx, name: str) -> None:
    assert persisted(tx, said(source="Heron", relationship="has", target=name)) == 0
    assert tx.value("SELECT count(*) FROM entities") == 0


@pytest.mark.parametrize(
    ("raw", "name"),
    [
        ("Go", "Go"), ("npm", "npm"), ("C#", "C#"), ("**Heron**", "Heron"), ("`pip`", "pip"), ("CI/CD", "CI/CD"),
        ("Current Project Alpha", "Current Project Alpha"), ("April", "April"), ("Marcus 3", "Marcus 3"),
        ("  Ada   Winter ", "Ada Winter"), ("Node.js", "Node.js"), ("Zoë", "Zoë"), ("東京", "東京"),
    ],
)  # fmt: skip
def test_short_and_foreign_names_are_names(raw: str, name: str) -> None:
    assert names.clean(raw) == name


def test_nothing_relates_to_itself(tx: WriteTx) -> None:
    assert persisted(tx, said(source="Redis", relationship="is", target=" redis ")) == 0
    assert tx.value("SELECT count(*) FROM entities") == 0


def test_the_memory_that_is_kept_takes_over_mentions_and_attributes(tx: WriteTx) -> None:
    for memory_id, text in (
        ("keeper", "Ada Winter lives in a house by the sea."),
        ("double", "Ada Winter lives with Ben Summer by the lake."),
        ("other", "Ben Summer has a dog and two cats."),
    ):
        a_link(tx, text, memory_id=memory_id)
    link.hand_over(tx, ["keeper", "double"], "keeper", now=NOON)
    assert mentions(tx, "ada winter") == {"keeper"}
    assert mentions(tx, "ben summer") == {"keeper", "other"}
    assert entity(tx, "ada winter")["mentions"] == 1
    assert entity(tx, "ben summer")["mentions"] == 2
    sources = "SELECT DISTINCT source_memory_id FROM entity_attributes ORDER BY 1"
    assert rows(tx, sources) == [("keeper",), ("other",)]


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("Ada Winter", None),
        ("C#", None),
        ("**Ada Winter**", "Markdown marks"),
        ("**Status**", "a label, no name"),
        ("x", "too short"),
        ("a" * 121, "too long"),
        ("2026-05-01", "a number, date, unit, address or path"),
        ("https://example.org/a", "a number, date, unit, address or path"),
    ],
)
def test_what_is_wrong_with_a_name(name: str, wrong: str | None) -> None:
    assert names.problem(name) == wrong
