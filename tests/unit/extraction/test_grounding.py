"""Which statements of a model are supported by the text it read."""

import pytest

from signet.domain.extraction import prompt
from signet.domain.extraction.grounding import Grounds, Verdict, repeats

STORAGE = "We talked long about storage. Kestrel runs on SQLite now, and Nora looks after it."
RETRIES = "We decided to cap retries at seven with jitter because the gateway bans above 8."
TABS = "I prefer tabs over spaces"


@pytest.mark.parametrize(
    ("source", "statement", "verdict"),
    [
        (STORAGE, "Kestrel stores its data in SQLite", Verdict.SAID),
        (STORAGE, "Nora maintains the Kestrel project", Verdict.SAID),
        (RETRIES, "The gateway bans clients that exceed 8 requests.", Verdict.SAID),
        (RETRIES, "The team capped retries at 7 with jitter.", Verdict.SAID),
        (RETRIES, "The team capped retries at 9 with jitter.", Verdict.LOOSE),
        (RETRIES, "The team at Globex capped retries with jitter.", Verdict.LOOSE),
        (TABS, "The user prefers tabs over spaces for indentation.", Verdict.SAID),
        ("I relocated to Porto in spring", "The user lives in Porto.", Verdict.SAID),
        ("I live in Berlin and love cycling.", "The user lives in Madrid.", Verdict.LOOSE),
        ("我住在柏林，我喜欢喝绿茶。", "用户住在柏林。", Verdict.SAID),
        ("我住在柏林，我喜欢喝绿茶。", "用户在马德里工作。", Verdict.INVENTED),
        (
            "Wir deployen den Ledger donnerstags.",
            "Der Ledger wird donnerstags deployt.",
            Verdict.SAID,
        ),
        ("I like rainy weather.", "The user works at Globex.", Verdict.INVENTED),
        (TABS, "Der Nutzer bevorzugt Leerzeichen", Verdict.INVENTED),
        (TABS, "At most 20, each 10 to 2000 characters.", Verdict.ECHO),
        (TABS, "Leave out greetings, questions, plans of the moment, code and logs", Verdict.ECHO),
        (TABS, "... ... ... ...", Verdict.EMPTY),
        (TABS, "content of the fact", Verdict.EMPTY),
        (TABS, "The tabs are that the tabs are that the tabs are that the tabs", Verdict.EMPTY),
    ],
)
def test_a_statement_is_judged_by_the_words_of_its_source(
    source: str, statement: str, verdict: Verdict
) -> None:
    assert Grounds(source, prompt.INSTRUCTIONS).judge(statement) is verdict


def test_a_text_about_the_request_itself_is_no_echo() -> None:
    text = "Our memory tool keeps preferences, decisions, constraints, identity and procedures."
    kept = "The memory tool keeps preferences, decisions, constraints, identity and procedures."
    assert Grounds(text, prompt.INSTRUCTIONS).judge(kept) is Verdict.SAID


@pytest.mark.parametrize(
    ("text", "is_loop"),
    [
        ("the " * 40, True),
        ("Line one says this again.\n" * 5, True),
        (
            "Retries are capped at 7. Nora prefers short answers. Releases go out on Thursdays.",
            False,
        ),
        ("To be, or not to be, that is the question", False),
    ],
)
def test_loops_are_found(text: str, is_loop: bool) -> None:
    assert repeats(text) is is_loop
