"""Which statements take the place of which: half of these pairs must leave both standing."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signet.domain.graph import claims
from signet.domain.graph.claims import Signal

#: Older, newer, why the newer one counts.
REPLACED = [
    ("The port is 3850", "Actually the port is 8080, not 3850", "named"),
    ("The port is 3850.", "The port is 8080.", "value_conflict"),
    ("The API's port is 3850", "The port of the API is now 8080", "value_conflict"),
    ("The team is based in Paris", "The team moved from Paris to Berlin", "named"),
    ("Alice lives in Paris", "Alice moved to Berlin", "value_conflict"),
    ("Alice lives in Paris", "Alice now lives in Berlin", "value_conflict"),
    ("Alice moved to Paris", "Alice moved from Paris to Rome last month", "named"),
    ("Bob works at Acme", "Bob works for Globex now", "value_conflict"),
    ("Bob works at Acme", "Bob no longer works at Acme", "negation"),
    ("Bob works at Acme", "Bob left Acme for Globex", "named"),
    ("The team uses Jest for unit tests", "The team switched from Jest to Vitest", "named"),
    ("The team uses Jest", "The team replaced Jest with Vitest", "named"),
    ("The team uses Jest", "The team stopped using Jest", "negation"),
    ("The team uses Jest", "The team uses Vitest instead of Jest", "named"),
    ("The user uses Vim", "The user doesn't use Vim", "negation"),
    ("The database is MySQL", "The team migrated the database from MySQL to Postgres", "named"),
    ("Billing runs on Node 18", "Billing runs on Node 20", "value_conflict"),
    ("Billing runs on Heroku", "Billing now runs on Fly", "value_conflict"),
    ("The API listens on port 8080", "The API listens on port 9090", "value_conflict"),
    (
        "The rate limit is 100 requests per minute",
        "The rate limit is 200 requests per minute",
        "value_conflict",
    ),
    ("The deadline is 3 May", "Update: the deadline is 10 May", "value_conflict"),
    ("The deadline is Friday", "The deadline is Monday", "value_conflict"),
    (
        "The user's favourite editor is Vim",
        "The user's favourite editor is Emacs",
        "value_conflict",
    ),
    (
        "The user's phone number is 555-0100",
        "The user's phone number is 555-0199",
        "value_conflict",
    ),
    ("The user's manager is Carol", "The user's manager is Dave", "value_conflict"),
    ("The default branch is master", "The default branch is main", "value_conflict"),
    ("The maintainer of Kestrel is Nora", "Kestrel's maintainer is Tom", "value_conflict"),
    ("Alice is 34 years old", "Alice is 35 years old", "value_conflict"),
    ("Alice is a doctor", "Alice is a nurse, not a doctor", "named"),
    ("Alice is married", "Alice is divorced", "antonym"),
    ("Dark mode is enabled", "Dark mode is disabled", "antonym"),
    ("Registration is open", "Registration is closed", "antonym"),
    ("The cache is shared", "The cache is not shared", "negation"),
    ("The user likes coffee", "The user hates coffee", "negation"),
    ("The user prefers tabs over spaces", "The user prefers spaces over tabs", "named"),
    ("Always squash feature branches", "Never squash feature branches", "negation"),
    ("The theme colour is blue", "The theme colour is green", "value_conflict"),
    ("The staging host is a.example.com", "The staging host is b.example.com", "value_conflict"),
]

BOTH_STAND = [
    ("The port is 3850", "The port is 3850 by default"),
    ("The staging port is 3850", "The production port is 8080"),
    ("The port is 3850 in staging", "The port is 8080 in production"),
    ("The port is 3850", "The port is 8080 in production"),
    ("The port is 3850", "The port might be 8080"),
    ("The port is 3850", "Is the port 8080?"),
    ("The port is 3850", "The port was 8080"),
    ("The port is 3850", "The timeout is 8080"),
    ("The port is 3850", "The port is open"),
    ("Alice lives in Paris", "Bob lives in Berlin"),
    ("Alice lives in Paris", "Alice lives in France"),
    ("Alice lives in Paris", "Alice wants to move to Berlin"),
    ("Alice lives in Paris", "Alice will move to Berlin"),
    ("Alice lives in Paris", "Alice visited Berlin"),
    ("Alice lives in Paris", "Alice moved to the platform team"),
    ("Alice lives in Paris", "Alice moved to Linux"),
    ("Alice lives in Paris", "Alice also lives in Berlin"),
    ("Alice lives in Paris", "Alice works in Berlin"),
    ("Alice lives in Paris", "She moved to Berlin"),
    ("The team is based in Paris", "The team moved from Jira to Linear"),
    ("Bob works at Acme", "Bob works at home"),
    ("Bob works at Acme", "Bob works on the parser"),
    ("The team uses Postgres", "The team uses Redis"),
    ("The team uses Jest", "The team switched from Mocha to Vitest"),
    ("The team uses Jest", "The frontend team switched from Jest to Vitest"),
    ("The team uses Jest", "The team stopped using Mocha"),
    ("The user likes coffee", "The user likes tea"),
    ("The user likes coffee", "The user hates tea"),
    ("The user prefers tea", "The user prefers dark mode"),
    ("Alice is a doctor", "Alice is a mother"),
    ("Alice is a doctor", "Alice is tired"),
    ("The server is fast", "The server is in Frankfurt"),
    ("The user's daughter is Mia", "The user's daughter is Zoe"),
    ("Billing runs on Kubernetes", "Billing runs on AWS"),
    ("Billing runs on Linux", "Billing runs on port 8080"),
    ("Always squash feature branches", "Never squash release branches"),
    ("The meeting is at 3 pm", "The meeting is at 3 pm on Mondays"),
    ("Dark mode is enabled", "The beta is disabled"),
    ("The database is Postgres", "The database is slow"),
    ("The number of outcomes is 6", "The number of outcomes is 2"),
    ("Alice moved to Berlin", "Alice said Bob moved to Rome"),
    ("The port is 3850. The host is a.example.com.", "The port is 8080"),
]


def why(older: str, newer: str) -> Signal | None:
    old, new = claims.parse(older), claims.parse(newer)
    return claims.replaces(new, old) if old and new else None


@pytest.mark.parametrize(("older", "newer", "signal"), REPLACED)
def test_the_newer_replaces_the_older(older: str, newer: str, signal: str) -> None:
    assert why(older, newer) == signal


@pytest.mark.parametrize(("older", "newer"), BOTH_STAND)
def test_both_stand(older: str, newer: str) -> None:
    assert why(older, newer) is None


@pytest.mark.parametrize(
    "text", [older for older, _, _ in REPLACED] + [new for _, new, _ in REPLACED]
)
def test_nothing_replaces_itself(text: str) -> None:
    assert why(text, text) is None


def test_ten_things_that_somebody_uses_all_stand() -> None:
    used = [f"Nora uses {tool}" for tool in "Vim Git Fish Tmux Make Rust Zig Nix Bun Jq".split()]
    assert not [(a, b) for a in used for b in used if why(a, b)]


def test_a_clause_gets_its_subject_from_outside() -> None:
    old, new = claims.parse("lives in Paris", "Alice"), claims.parse("moved to Berlin", "Alice")
    assert old is not None
    assert new is not None
    assert claims.replaces(new, old) is Signal.VALUE


@given(
    st.lists(
        st.sampled_from(
            "Alice The port is not no longer lives in moved from to , and . 's 8080 \u017f \x00 instead of"
            ' always never = replaced with uses " ( ) Actually now Paris'.split(" ")
        ),
        max_size=12,
    ),
    st.text(max_size=40),
)
def test_no_text_raises(parts: list[str], more: str) -> None:
    text = " ".join(parts)
    for said in (text, f"{text} {more}", f"{more} {text}"):
        claim = claims.parse(said)
        if claim is not None:
            claims.replaces(claim, claim)
