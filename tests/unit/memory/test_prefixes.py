"""Prefixes and inferred types."""

import pytest

from signet.domain.memory import wording


def test_critical_comes_first_then_tags() -> None:
    parsed = wording.parse_prefixes("critical: [project,auth]: never expose tokens")
    assert parsed == wording.Parsed(
        content="never expose tokens", pinned=True, importance=1.0, tags=("project", "auth")
    )


def test_tags_before_critical_leave_critical_in_the_content() -> None:
    parsed = wording.parse_prefixes("[a]: critical: x")
    assert (parsed.content, parsed.pinned, parsed.tags) == ("critical: x", False, ("a",))


def test_without_a_prefix_nothing_is_pinned() -> None:
    assert wording.parse_prefixes("  plain words ") == wording.Parsed(
        content="plain words", pinned=False, importance=None, tags=None
    )


@pytest.mark.parametrize("text", ["CRITICAL: x", "  Critical:x", "critical:\n x "])
def test_critical_matches_in_any_case_at_the_start(text: str) -> None:
    parsed = wording.parse_prefixes(text)
    assert (parsed.content, parsed.pinned, parsed.importance) == ("x", True, 1.0)


def test_critical_inside_a_sentence_is_only_a_word() -> None:
    assert not wording.parse_prefixes("This is critical: x").pinned


def test_tags_are_trimmed_lowered_and_empty_ones_dropped() -> None:
    assert wording.parse_prefixes("[ A, ,b ,]: one\ntwo") == wording.Parsed(
        content="one\ntwo", pinned=False, importance=None, tags=("a", "b")
    )


@pytest.mark.parametrize(
    "text",
    [
        "[]: x",
        "[a] x",
        "[a]x: y",
        "[ERROR]: disk full",
        "[warn]: disk is at 91 %",
        "[TODO]: mend the gate",
        "[1]: https://example.org",
        "[docs]: https://example.org",
        "[^2]: see the appendix",
        "[12:04:11]: started",
        "[a,\nb]: x",
    ],
)
def test_what_is_not_a_tag_list_stays(text: str) -> None:
    assert wording.parse_prefixes(text) == wording.Parsed(content=text)


@pytest.mark.parametrize("text", ["critical:", " critical: [a,b]: ", "[a]:"])
def test_a_prefix_alone_leaves_nothing(text: str) -> None:
    assert wording.parse_prefixes(text).content == ""


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("User prefers tabs", "preference"),
        ("she likes tea", "preference"),
        ("he wants a dog", "preference"),
        ("We decided on Postgres", "decision"),
        ("They agreed to meet", "decision"),
        ("We will use Redis", "decision"),
        ("Never push on Friday", "rule"),
        ("You must sign commits", "rule"),
        ("We decided to always lint", "decision"),
        ("I learned that FTS5 has triggers", "learning"),
        ("TIL that SQLite has a vacuum mode", "learning"),
        ("There is a bug in the parser", "issue"),
        ("The build is broken", "issue"),
        ("A problem with time zones", "issue"),
        ("Paris is in France", "fact"),
        ("The debug port is 9229", "fact"),
        ("Wait until the deploy ends", "fact"),
        ("Drop unwanted rows", "fact"),
        ("Mustard goes well with it", "fact"),
        ("Nevertheless it moves", "fact"),
    ],
)
def test_the_type_follows_from_the_words(content: str, expected: str) -> None:
    assert wording.infer_type(content) == expected
