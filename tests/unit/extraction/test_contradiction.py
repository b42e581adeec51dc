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
