"""Lexical contradiction (PIP-20)."""

import pytest

from signet.domain.extraction import contradiction

OPPOSED = [
    ("Alice uses Postgres for billing", "Alice never uses Postgres for billing"),
    ("The cache layer is enabled in production", "The cache layer is disabled in production"),
    ("Deploys don't run on Friday evenings", "Deploys run on Friday evenings"),
    ("Deploys won’t run on Friday evenings", "Deploys run on Friday evenings"),
    ("The API shouldn't retry payment calls", "The API retries payment calls"),
    ("Always squash feature branches", "Never squash feature branches"),
    ("Dark mode is on by default here", "Dark mode is off by default here"),
    ("The firewall rules allow port 22", "The firewall rules deny port 22"),
    ("Bob didn't join the platform team", "Bob joined the platform team"),
    ("The parser does not allow tabs", "The parser does not deny tabs"),
    ("None of the staging servers run Redis", "All staging servers run Redis"),
]

COMPATIBLE = [
    ("Alice uses Postgres for billing", "Alice uses Postgres for billing and search"),
    ("The sky is not blue", "The milk is cold"),
    ("The build is never cached", "The sky is blue"),
    ("It is not the case that this is so", "It is the case that this is so"),
    ("Flag x is true and false in tests", "Flag x is true in tests"),
    ("", ""),
]


@pytest.mark.parametrize(("new", "old"), OPPOSED)
def test_opposed_texts_are_a_risk_in_both_directions(new: str, old: str) -> None:
    assert contradiction.risk(new, old)
    assert contradiction.risk(old, new)


@pytest.mark.parametrize(("new", "old"), COMPATIBLE)
def test_compatible_texts_are_no_risk(new: str, old: str) -> None:
    assert not contradiction.risk(new, old)


def test_apostrophes_are_deleted_before_words_are_cut() -> None:
    assert contradiction.tokens("Don't a IO!") == {"dont", "io"}


SAME = [
    ("Ada works there since May with the team.", "Since May Ada works there with the team."),
    ("Alice emailed Bob about the invoice.", "Alice emailed to Bob about the invoice."),
    ("Redis caches the sessions of users.", "Redis caches the sessions of the users!"),
]
OTHER = [
    ("Anna prefers tea over coffee.", "Anna prefers coffee over tea."),
    ("Alice reports to Bob.", "Bob reports to Alice."),
    ("Alice was paid by Bob.", "Alice paid Bob."),
    ("The flight goes from Berlin to Paris.", "The flight goes from Paris to Berlin."),
    ("Server A backs up server B.", "Server B backs up server A."),
    ("The office has 3 cats and 5 dogs.", "The office has 5 cats and 3 dogs."),
    ("The team uses three servers for all tests.", "The team uses four servers for all tests."),
    ("The old van never leaves the yard at night.", "The old van leaves the yard at night."),
    (
        "Anna drinks her green tea every morning before work in the small kitchen.",
        "Anna drinks her green tea every evening before work in the small kitchen.",
    ),
    ("Nora lives in Bergen.", "Nora lives in Tromso."),
    ("Анна пьёт чай по утрам дома одна.", "Анна не пьёт чай по утрам дома одна."),
    ("Tom hilft Eva im Garten.", "Eva hilft Tom im Garten."),
    ("小明喜欢小红", "小红喜欢小明"),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_rewordings_say_the_same(one: str, other: str) -> None:
    assert contradiction.says_the_same(one, other)
    assert contradiction.says_the_same(other, one)


@pytest.mark.parametrize(("one", "other"), OTHER)
def test_who_does_what_to_whom_and_how_many_makes_another_statement(one: str, other: str) -> None:
    assert not contradiction.says_the_same(one, other)
    assert not contradiction.says_the_same(other, one)
    assert contradiction.differ(one, other)
