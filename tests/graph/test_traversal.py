"""Memories that hang on what the question names, though they share no word with it."""

import pytest

from recall.world import ask, found, remember
from signet.db import Database, ReadTx, WriteTx
from signet.db.visibility import Reader
from signet.domain.graph import traversal
from signet.domain.recall import tuning
from signet.domain.recall.models import Filters, FoundBy, RecallSettings

AT = "2026-01-01"


def _entity(
    tx: WriteTx, name: str, *, agent_id: str = "default", pinned: int = 0, mentions: int = 1
) -> str:
    id_ = f"{agent_id}/{name}"
    tx.run(
        "INSERT INTO entities (id, name, canonical_name, entity_type, mentions, agent_id, pinned, created_at,"
        " updated_at) VALUES (?, ?, ?, 'system', ?, ?, ?, ?, ?)",
        (id_, name, name.lower(), mentions, agent_id, pinned, AT, AT),
    )
    return id_


def _mention(tx: WriteTx, memory_id: str, entity_id: str, confidence: float = 0.8) -> None:
    tx.run(
        "INSERT INTO memory_entity_mentions (memory_id, entity_id, confidence) VALUES (?, ?, ?)",
        (memory_id, entity_id, confidence),
    )
    tx.run("UPDATE entities SET mentions = mentions + 1 WHERE id = ?", (entity_id,))


def _edge(tx: WriteTx, source: str, target: str, strength: float, confidence: float) -> None:
    tx.run(
        "INSERT INTO entity_dependencies (id, source_entity_id, target_entity_id, dependency_type, strength,"
        " confidence, created_at, updated_at) VALUES (?, ?, ?, 'uses', ?, ?, ?, ?)",
        (f"{source}>{target}", source, target, strength, confidence, AT, AT),
    )


def _attribute(
    tx: WriteTx,
    entity_id: str,
    aspect: str,
    value: str,
    *,
    memory_id: str | None = None,
    kind: str = "attribute",
    importance: float = 0.5,
    status: str = "active",
) -> None:
    aspect_id = f"{entity_id}#{aspect}"
    tx.run(
        "INSERT INTO entity_aspects (id, entity_id, aspect_name, canonical_name, created_at, updated_at)"
        " VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
        (aspect_id, entity_id, aspect, aspect, AT, AT),
    )
    tx.run(
        "INSERT INTO entity_attributes (id, aspect_id, entity_id, attribute_value, normalized_value, kind,"
        " importance, status, source_memory_id, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            *(f"{aspect_id}={value}", aspect_id, entity_id, value, value.lower(), kind),
            *(importance, status, memory_id, AT, AT),
        ),
    )


def _walk(
    db: Database, words: list[str], bounds: traversal.TraversalBounds | None = None
) -> traversal.Traversal:
    def go(tx: ReadTx) -> traversal.Traversal:
        start = traversal.focal(tx, words, agent_id="default")
        return traversal.traverse(
            tx, start, bounds=bounds or traversal.TraversalBounds(), expired=lambda: False
        )

    return db.read(go)


def test_a_memory_of_a_named_thing_is_added_behind_those_that_match(db: Database) -> None:
    def fill(tx: WriteTx) -> None:
        remember(tx, "text", "Atlas is slow on Mondays", embedded=False)
        remember(tx, "linked", "The batch window moved to four o'clock", embedded=False)
        remember(tx, "stranger", "The kettle is on", embedded=False)
        atlas = _entity(tx, "Atlas")
        _mention(tx, "linked", atlas)

    db.write(fill)
    result = ask(db, "why is Atlas slow")
    assert found(result) == ["text", "linked"]
    assert result.hits[1].source is FoundBy.TRAVERSAL
    assert result.hits[1].score < result.hits[0].score


def test_no_walk_displaces_a_better_match_from_a_full_page(db: Database) -> None:
    def fill(tx: WriteTx) -> None:
        atlas = _entity(tx, "Atlas")
        for number in range(20):
            remember(tx, f"flat {number}", f"Atlas report number {number}", embedded=False)
            remember(tx, f"walk {number}", f"Unrelated line {number}", embedded=False)
            _mention(tx, f"walk {number}", atlas)

    db.write(fill)
    flat = found(ask(db, "Atlas report", settings=RecallSettings(graph=False)))
    assert found(ask(db, "Atlas report")) == flat
    assert len(flat) == 10


def test_rows_of_the_walk_pass_the_filters(db: Database) -> None:
    def fill(tx: WriteTx) -> None:
        atlas = _entity(tx, "Atlas")
        remember(tx, "mine", "Batch window at four", embedded=False, type="decision")
        remember(
            tx,
            "private",
            "Batch window at five",
            embedded=False,
            agent_id="x",
            visibility="private",
        )
        remember(tx, "other", "Batch window at six", embedded=False, type="fact")
        for memory_id in ("mine", "private", "other"):
            _mention(tx, memory_id, atlas)

    db.write(fill)
    assert set(found(ask(db, "Atlas"))) == {"mine", "other"}
    assert found(ask(db, "Atlas", filters=Filters(type="decision"))) == ["mine"]


def test_what_may_not_be_shown_takes_no_place_of_what_may(db: Database) -> None:
    def fill(tx: WriteTx) -> None:
        atlas = _entity(tx, "Atlas")
        for number in range(tuning.PAGE_GRAPH_POOL):
            remember(
                tx, f"f{number}", f"Line {number}", embedded=False, type="fact", importance=0.9
            )
            remember(tx, f"a{number}", f"Old {number}", embedded=False, visibility="archived")
            _mention(tx, f"f{number}", atlas)
            _mention(tx, f"a{number}", atlas, 0.9)
        remember(tx, "mine", "Batch window at four", embedded=False, type="decision")
        _mention(tx, "mine", atlas)

    db.write(fill)
    assert found(ask(db, "Atlas", filters=Filters(type="decision"))) == ["mine"]


def test_the_constraints_of_what_is_named_are_candidates_however_much_weighs_more(
    db: Database,
) -> None:
    def fill(tx: WriteTx) -> None:
        atlas = _entity(tx, "Atlas")
        for number in range(tuning.PAGE_GRAPH_POOL):
            remember(tx, f"m{number}", f"Line {number}", embedded=False, importance=0.9)
            _mention(tx, f"m{number}", atlas)
        remember(tx, "rule", "Never on a Friday", embedded=False)
        _attribute(tx, atlas, "days", "never friday", memory_id="rule", kind="constraint")

    db.write(fill)
    assert "rule" in found(ask(db, "Atlas"))


def test_a_constraint_is_walked_to_though_what_is_named_first_has_filled_the_walk(
    db: Database,
) -> None:
    def fill(tx: WriteTx) -> None:
        atlas, kafka = _entity(tx, "Atlas", pinned=1), _entity(tx, "Kafka")
        for number in range(traversal.TraversalBounds().memories):
            remember(tx, f"m{number}", f"Line {number}", embedded=False)
            _mention(tx, f"m{number}", atlas)
        remember(tx, "rule", "Never on a Friday", embedded=False)
        _attribute(tx, kafka, "days", "never friday", memory_id="rule", kind="constraint")

    db.write(fill)
    assert _walk(db, ["atlas", "kafka"]).constraints == {"rule"}


def test_only_the_readers_own_graph_is_walked(db: Database) -> None:
    def fill(tx: WriteTx) -> None:
        remember(tx, "a", "Batch window at four", embedded=False, agent_id="x")
        _mention(tx, "a", _entity(tx, "Atlas", agent_id="x"))

    db.write(fill)
    assert found(ask(db, "Atlas")) == []
    assert found(ask(db, "Atlas", reader=Reader(agent_id="x"))) == ["a"]


def test_a_suppressed_thing_is_no_start_and_no_target(db: Database) -> None:
    def fill(tx: WriteTx) -> None:
        atlas, redis = _entity(tx, "Atlas"), _entity(tx, "Redis")
        _edge(tx, atlas, redis, 0.9, 0.9)
        for entity, memory_id in ((atlas, "a"), (redis, "r")):
            remember(tx, memory_id, f"Note {memory_id}", embedded=False)
            _mention(tx, memory_id, entity)
        tx.run(
            "INSERT INTO entity_pinning (id, entity_id, pin_type, created_at) VALUES ('p', ?, 'suppress', ?)",
            (redis, AT),
        )

    db.write(fill)
    assert set(_walk(db, ["atlas"]).memories) == {"a"}
    assert _walk(db, ["redis"]).focal == []


def test_a_pinned_thing_joins_only_when_the_question_names_it(db: Database) -> None:
    def fill(tx: WriteTx) -> None:
        _entity(tx, "Atlas"), _entity(tx, "Atlas Copy", pinned=1), _entity(tx, "Zebra", pinned=1)

    db.write(fill)
    assert [entity.name for entity in _walk(db, ["atlas"]).focal] == ["Atlas Copy", "Atlas"]


def _pin(tx: WriteTx, entity_id: str, weight: float | None = None) -> None:
    tx.run(
        "INSERT INTO entity_pinning (id, entity_id, pin_type, weight_override, created_at)"
        " VALUES (?, ?, 'pin', ?, ?)",
        (f"pin of {entity_id}", entity_id, weight, AT),
    )


def test_a_pin_weighs_what_the_walk_brings(db: Database) -> None:
    def fill(tx: WriteTx) -> None:
        for name, weight in (("Plain", None), ("Usual", None), ("Heavy", 1.9), ("Nothing", 0.0)):
            entity = _entity(tx, f"Atlas {name}")
            remember(tx, name, f"Note {name}", embedded=False, importance=0.6)
            _mention(tx, name, entity)
            if name != "Plain":
                _pin(tx, entity, weight)

    db.write(fill)
    found_by_walk = _walk(db, ["atlas"]).memories
    assert found_by_walk == pytest.approx({"Plain": 0.6, "Usual": 0.75, "Heavy": 1.0})


def test_the_walk_follows_strong_and_sure_edges_alone(db: Database) -> None:
    def fill(tx: WriteTx) -> None:
        atlas = _entity(tx, "Atlas")
        for name, strength, confidence in (
            ("Strong", 0.9, 0.9),
            ("Weak", 0.3, 0.9),
            ("Unsure", 1.0, 0.4),
        ):
            target = _entity(tx, name)
            _edge(tx, atlas, target, strength, confidence)
            remember(tx, name, f"Note of {name}", embedded=False)
            _mention(tx, name, target)

    db.write(fill)
    assert set(_walk(db, ["atlas"]).memories) == {"Strong"}


def test_constraints_come_first_and_superseded_values_never(db: Database) -> None:
    def fill(tx: WriteTx) -> None:
        atlas = _entity(tx, "Atlas")
        for memory_id in ("rule", "old", "new"):
            remember(tx, memory_id, f"Note of {memory_id}", embedded=False)
        _attribute(
            tx,
            atlas,
            "limits",
            "No deploy on Friday",
            memory_id="rule",
            kind="constraint",
            importance=0.9,
        )
        _attribute(tx, atlas, "port", "5432", memory_id="old", status="superseded")
        _attribute(tx, atlas, "port", "5433", memory_id="new")

    db.write(fill)
    assert _walk(db, ["atlas"]).memories == {"rule": 0.9, "new": 0.5}


def test_the_walk_keeps_its_budget(db: Database) -> None:
    def fill(tx: WriteTx) -> None:
        atlas = _entity(tx, "Atlas")
        for number in range(30):
            remember(tx, f"m{number}", f"Note {number}", embedded=False)
            _mention(tx, f"m{number}", atlas)

    db.write(fill)
    assert len(_walk(db, ["atlas"], traversal.TraversalBounds(memories=7)).memories) == 7


def test_a_walk_that_is_out_of_time_returns_what_it_has(db: Database) -> None:
    def fill(tx: WriteTx) -> None:
        for name in ("Atlas One", "Atlas Two"):
            remember(tx, name, f"Note of {name[-3:]}", embedded=False)
            _mention(tx, name, _entity(tx, name))

    db.write(fill)
    ticks = iter((False, True))

    def go(tx: ReadTx) -> traversal.Traversal:
        start = traversal.focal(tx, ["atlas"], agent_id="default")
        return traversal.traverse(
            tx, start, bounds=traversal.TraversalBounds(), expired=lambda: next(ticks)
        )

    walk = db.read(go)
    assert walk.timed_out
    assert len(walk.memories) == 1


def test_a_part_of_a_name_in_another_script_is_found(db: Database) -> None:
    def fill(tx: WriteTx) -> None:
        _entity(tx, "Проект Луна")

    db.write(fill)
    assert [entity.name for entity in _walk(db, ["луна"]).focal] == ["Проект Луна"]


@pytest.mark.parametrize("mentions", [2, 2_000], ids=["seldom_mentioned", "often_mentioned"])
def test_reasons_of_a_decision_are_appended_once(db: Database, mentions: int) -> None:
    def fill(tx: WriteTx) -> None:
        atlas = _entity(tx, "Atlas", mentions=mentions)
        remember(tx, "decision", "Atlas moves to the new region", embedded=False, type="decision")
        remember(tx, "reason", "Latency for the southern users", embedded=False, type="rationale")
        remember(
            tx, "hidden", "A secret cause", embedded=False, type="rationale", visibility="archived"
        )
        for memory_id in ("decision", "reason", "hidden"):
            _mention(tx, memory_id, atlas)

    db.write(fill)
    result = ask(db, "moves region", settings=RecallSettings(traversal=False))
    assert found(result) == ["decision", "reason"]
    reason = result.hits[1]
    assert (reason.score, reason.source, reason.supplementary) == (0.0, FoundBy.GRAPH, True)


def test_entities_and_cards_show_only_what_the_reader_may_see(db: Database) -> None:
    def fill(tx: WriteTx) -> None:
        atlas = _entity(tx, "Atlas")
        remember(tx, "open", "Atlas listens on port 5433", embedded=False)
        remember(tx, "hidden", "Other words", embedded=False, agent_id="x", visibility="private")
        _attribute(tx, atlas, "port", "5433", memory_id="open")
        _attribute(tx, atlas, "password", "hunter2", memory_id="hidden")
        _attribute(tx, atlas, "limits", "No deploy on Friday", kind="constraint")

    db.write(fill)
    result = ask(db, "Atlas port", entities=True, cards=True)
    assert result.entities is not None
    names = {aspect["name"] for aspect in result.entities[0]["aspects"]}  # type: ignore[attr-defined]  # JSON
    assert names == {"port", "limits"}
    card = result.hits[-1]
    assert (card.id, card.source, card.supplementary) == (
        "constructed:Atlas",
        FoundBy.CONSTRUCTED,
        True,
    )
    assert "5433" in card.content and "No deploy on Friday" in card.content
    assert "hunter2" not in card.content
    assert 0.01 <= card.score < result.hits[0].score


def test_a_card_names_no_thing_that_only_memories_of_another_scope_name(db: Database) -> None:
    def fill(tx: WriteTx) -> None:
        atlas, scoped, plain, told = (_entity(tx, n) for n in ("Atlas", "Bench", "Redis", "Rack"))
        remember(tx, "open", "Atlas listens on port 5433", embedded=False)
        remember(tx, "trial", "Atlas uses Bench and Redis", embedded=False, scope="trial")
        remember(tx, "both", "Redis is fast", embedded=False)
        _attribute(tx, atlas, "network", "port 5433", memory_id="open")
        for memory_id, thing in (("trial", scoped), ("trial", plain), ("both", plain)):
            _mention(tx, memory_id, thing)
        for thing in (scoped, plain, told):
            _edge(tx, atlas, thing, 0.9, 0.9)

    db.write(fill)
    card = ask(db, "Atlas port", cards=True).hits[-1]
    assert card.content.splitlines()[-1] in ("Related: Redis, Rack", "Related: Rack, Redis")


def test_cards_stay_within_the_limit(db: Database) -> None:
    def fill(tx: WriteTx) -> None:
        remember(tx, "open", "Atlas listens on port 5433", embedded=False)
        _attribute(tx, _entity(tx, "Atlas"), "port", "5433")

    db.write(fill)
    assert found(ask(db, "Atlas port", cards=True, limit=1)) == ["open"]


def test_expand_gives_the_transcripts_of_the_callers_agent(db: Database) -> None:
    def fill(tx: WriteTx) -> None:
        for key, agent in (("s1", "default"), ("s2", "x")):
            tx.run(
                "INSERT INTO session_transcripts (agent_id, session_key, content, created_at) VALUES (?, ?, ?, ?)",
                (agent, key, f"All that was said in {key}", AT),
            )
        remember(tx, "said", "The harbour closes at six", embedded=False, source_id="s1")
        remember(tx, "theirs", "The harbour opens at five", embedded=False, source_id="s2")
        remember(tx, "derived", "Harbour hours", embedded=False, source_id="said")

    db.write(fill)
    assert ask(db, "harbour", expand=True).sources == {"s1": "All that was said in s1"}
    assert ask(db, "hours", expand=True).sources == {"s1": "All that was said in s1"}
    assert ask(db, "harbour").sources is None
    assert ask(db, "opens five", expand=True, filters=Filters(until="2020-01-01")).sources is None
