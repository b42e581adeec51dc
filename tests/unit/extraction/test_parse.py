"""Reading model answers: every row of the cleaning table, and that nothing raises (PIP-4, PIP-9)."""

import json
from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signet.domain.extraction import parse
from signet.domain.extraction.models import Action, Decision, Extraction, Fact
from signet.domain.graph.models import Triple

FACT = {"content": "Alice uses Postgres.", "type": "fact", "confidence": 0.9}
ENTITY = {
    "source": "Alice",
    "source_type": "person",
    "relationship": "uses",
    "target": "Postgres",
    "target_type": "tool",
    "confidence": 0.8,
}
GOOD = json.dumps({"facts": [FACT], "entities": [ENTITY]})
EXPECTED = Extraction(
    facts=(Fact(content="Alice uses Postgres.", type="fact", confidence=0.9),),
    triples=(
        Triple(
            source="Alice",
            source_type="person",
            relationship="uses",
            target="Postgres",
            target_type="tool",
            confidence=0.8,
        ),
    ),
)


@pytest.mark.parametrize(
    "raw",
    [
        GOOD,
        f"  \n{GOOD}\n",
        f"```json\n{GOOD}\n```",
        f"Sure, here it is:\n```\n{GOOD}\n```\nAnything else?",
        f"Here: {GOOD} and that is all {{really}}",
        f"With {{braces}} before: {GOOD}",
        f"<think>maybe {{'facts': 1}}</think>{GOOD}",
        f"<think>{GOOD.replace('Alice', 'Bob')}</think>\n{GOOD}",
        f"<THINK>\nhm\n</THINK>\n```json\n{GOOD}```",
        GOOD.replace("}]", "},]").replace("]}", "],}"),
        json.dumps(GOOD),
        f'{{"result": {GOOD}}}',
        json.dumps([FACT, ENTITY]),
        json.dumps({"facts": FACT, "entities": ENTITY}),
        json.dumps(
            {
                "facts": [{**FACT, "confidence": "90%"}],
                "entities": [{**ENTITY, "confidence": "0.8"}],
            }
        ),
        '{"note": "first"}' + GOOD,
        f'```json\n{{"steps": []}}\n```\n{GOOD}',
    ],
)
def test_one_answer_is_found_in_many_wrappings(raw: str) -> None:
    assert replace(parse.extraction(raw), warnings=()) == EXPECTED


def test_facts_may_be_bare_texts() -> None:
    [found] = parse.extraction('{"facts": ["Alice uses Postgres."]}').facts
    assert (found.content, found.type) == ("Alice uses Postgres.", "fact")


@pytest.mark.parametrize(
    "raw", ["", "I cannot do that.", "[1, 2]", "{", "<think>" + GOOD, "null", "{]}", "[" * 9999]
)
def test_an_answer_without_an_object_is_empty_and_says_so(raw: str) -> None:
    assert parse.extraction(raw) == Extraction(warnings=(parse.NO_JSON,))


@pytest.mark.parametrize("value", ["null", "{}", '"x"', "3"])
def test_lists_that_are_no_lists_count_as_empty(value: str) -> None:
    assert parse.extraction(f'{{"facts": {value}, "entities": {value}}}') == Extraction()


def test_a_comma_inside_a_text_survives_the_removal_of_trailing_commas() -> None:
    raw = (
        '{"facts": [{"content": "Write it as [a, ] or {b, }.", "type": "fact", "confidence": 1,}]}'
    )
    assert parse.extraction(raw).facts[0].content == "Write it as [a, ] or {b, }."


@pytest.mark.parametrize("item", [3, "text", None, {}, {"content": 7}, {"content": "too short"}])
def test_an_item_that_is_no_fact_is_dropped_with_a_warning(item: object) -> None:
    result = parse.extraction(json.dumps({"facts": [item, FACT]}))
    assert result.facts == EXPECTED.facts
    assert len(result.warnings) == 1


@pytest.mark.parametrize(
    "content",
    ["The facts are that npm is used here.", "The text says that npm is used here."],
)
def test_words_about_the_statement_itself_are_left_out(content: str) -> None:
    raw = json.dumps({"facts": [{**FACT, "content": content}]})
    assert [one.content for one in parse.extraction(raw).facts] == ["Npm is used here."]


def test_a_fact_of_ten_characters_is_long_enough() -> None:
    assert parse.extraction('{"facts": [{"content": "1234567890"}]}').facts


def test_a_long_fact_is_cut_with_a_warning() -> None:
    result = parse.extraction(json.dumps({"facts": [{**FACT, "content": "x" * 2_001}]}))
    assert len(result.facts[0].content) == 2_000
    assert len(result.warnings) == 1


@pytest.mark.parametrize("kind", ["opinion", "", None, 4])
def test_an_unknown_type_becomes_fact_with_a_warning(kind: object) -> None:
    result = parse.extraction(json.dumps({"facts": [{**FACT, "type": kind}]}))
    assert result.facts[0].type == "fact"
    assert len(result.warnings) == 1


@pytest.mark.parametrize(
    ("given_confidence", "expected"),
    [
        (None, 0.5),
        ("high", 0.9),
        ("Medium", 0.75),
        ("low", 0.4),
        ("high or low", 0.5),
        (True, 0.5),
        (-1, 0.0),
        (7, 1.0),
        (0.25, 0.25),
        (10**400, 1.0),
    ],
)
def test_confidence_is_clamped_or_half(given_confidence: object, expected: float) -> None:
    raw = json.dumps({"facts": [{**FACT, "confidence": given_confidence}]})
    assert parse.extraction(raw).facts[0].confidence == expected


def test_confidence_that_is_not_a_number_is_half() -> None:
    raw = '{"facts": [{"content": "Alice uses Postgres.", "type": "fact", "confidence": NaN}]}'
    assert parse.extraction(raw).facts[0].confidence == 0.5


@pytest.mark.parametrize("missing", ["source", "relationship", "target"])
def test_an_entity_without_an_end_is_dropped_with_a_warning(missing: str) -> None:
    broken = {key: value for key, value in ENTITY.items() if key != missing}
    result = parse.extraction(json.dumps({"facts": [], "entities": [broken, ENTITY]}))
    assert result.triples == EXPECTED.triples
    assert len(result.warnings) == 1


def test_an_unknown_entity_type_is_unknown() -> None:
    raw = json.dumps({"facts": [], "entities": [{**ENTITY, "source_type": "wizard"}]})
    assert parse.extraction(raw).triples[0].source_type == "unknown"


def test_more_than_the_cap_is_cut_with_one_warning_each() -> None:
    facts = [{**FACT, "content": f"Fact number {n}."} for n in range(25)]
    result = parse.extraction(json.dumps({"facts": facts, "entities": [ENTITY] * 60}))
    assert (len(result.facts), len(result.triples), len(result.warnings)) == (20, 50, 2)


def test_a_cut_answer_keeps_its_whole_items() -> None:
    raw = '{"facts": [' + json.dumps(FACT) + ', {"content": "Bob likes te'
    result = parse.extraction(raw)
    assert result.facts == EXPECTED.facts
    assert result.warnings == (parse.CUT,)


def test_half_an_emoji_becomes_a_replacement_character() -> None:
    raw = '{"facts": [{"content": "Alice likes \\ud83d tea", "type": "fact"}]}'
    assert parse.extraction(raw).facts[0].content == "Alice likes \ufffd tea"


DECISION = {"action": "update", "targetId": "m2", "confidence": 0.9, "reason": "newer"}


def test_a_decision_is_read() -> None:
    raw = f"<think>x</think>```json\n{json.dumps(DECISION)}\n```"
    assert parse.decision(raw, ["m1", "m2"]) == Decision(
        action=Action.UPDATE, target_id="m2", confidence=0.9, reason="newer"
    )


@pytest.mark.parametrize("action", ["add", "NONE", " Add "])
def test_add_and_none_need_no_target_and_carry_none(action: str) -> None:
    found = parse.decision(json.dumps({**DECISION, "action": action, "targetId": "zzz"}), ["m1"])
    assert isinstance(found, Decision)
    assert found.target_id is None


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"action": "merge"}, "unknown action"),
        ({"action": None}, "unknown action"),
        ({"targetId": None}, "without the id"),
        ({"targetId": "m9"}, "without the id"),
        ({"action": "delete", "targetId": ""}, "without the id"),
        ({"reason": "  "}, "without a reason"),
        ({"action": "add", "reason": None}, "without a reason"),
    ],
)
def test_a_decision_that_cannot_be_used_is_refused_in_words(
    change: dict[str, object], word: str
) -> None:
    found = parse.decision(json.dumps({**DECISION, **change}), ["m1", "m2"])
    assert isinstance(found, str)
    assert word in found


@pytest.mark.parametrize("raw", ["", "add", "[]", '{"facts": []}', '{"action": "add"'])
def test_no_decision_in_the_answer_is_refused(raw: str) -> None:
    assert parse.decision(raw, ["m1"]) == parse.NO_JSON


def test_a_missing_confidence_of_a_decision_is_half() -> None:
    found = parse.decision('{"action": "add", "reason": "new"}', [])
    assert isinstance(found, Decision)
    assert found.confidence == 0.5


NOISE = st.text(alphabet='{}[]":,\\`<>think/facts entities 01.', max_size=300)
READERS: list[Callable[[str], object]] = [parse.extraction, lambda raw: parse.decision(raw, ["m"])]


@given(st.one_of(NOISE, st.text(max_size=200)), st.integers(0, 400))
def test_no_answer_raises(noise: str, cut: int) -> None:
    for read in READERS:
        read(noise)
        read(noise + GOOD[:cut])
        read(GOOD[:cut] + noise)
