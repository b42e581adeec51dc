"""The words of a question are marked in a text exactly where full text finds them (REC-40)."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signet.db import fts, highlight, script
from signet.db.driver import sqlite


def marked(question: str, text: str) -> str:
    """Return a text with brackets around its marked places."""
    parts, last = [], 0
    for start, end in highlight.ranges(text, fts.content_words(question)):
        parts += [text[last:start], f"[{text[start:end]}]"]
        last = end
    return "".join([*parts, text[last:]])


@pytest.mark.parametrize(
    ("question", "shown"),
    [
        (
            "deploying on fridays",
            "We never [deploy] on a [Friday]; [deploys], deployment, Fridayish",
        ),
        ("TB-5521", "[TB-5521], [TB 5521] and [tb5521], not TB-55210"),
        ("python 3.11", "[python3.11] and [Python] [3.11], not 3.1"),
        ("v3.4.0", "release [3.4.0], not 3.4.01"),
        ("配置文件", "我们决定用Git保存[配置文件]，[配置]"),
        ("データベース", "[ﾃﾞｰﾀﾍﾞｰｽ] と [データベース]"),
        ("Straße", "[Strasse], [STRAẞE] und [Straße]"),
        ("café", "un [cafe\u0301] au [Café], [CAFE]"),
        ("🚀 launch", "the [🚀] [launched]"),
        ("wie hoch sind die Mieten", "die [Miete] der [Mieter]"),
        ("keys", "[key] 1\ufe0f\u20e3 [keyed] monkeys [key]"),
        ("ΟΔΟΣ", "η [οδος] και [ΟΔΟΣ]"),
        ("<img onerror>", "<[img] src=x [onerror]=y>"),
        ("nothing here", "Another text"),
    ],
)
def test_words_are_marked_as_the_index_reads_them(question: str, shown: str) -> None:
    assert marked(question, re.sub(r"[\[\]]", "", shown)) == shown


def test_a_range_ends_after_a_whole_sign() -> None:
    text = "cafe\u0301\u0302 naïve\u0301"
    for start, end in highlight.ranges(text, ["cafe", "naive"]):
        assert end == len(text) or text[end] == " ", text[start:end]


WORDS = st.sampled_from(
    "deploy deploys deployed running runs flies fly Straße 配置 文件 3.4.0 x-ray".split()
)


@given(st.lists(WORDS, min_size=1, max_size=6), st.lists(WORDS, min_size=1, max_size=2))
def test_a_text_is_marked_if_full_text_finds_it(words: list[str], asked: list[str]) -> None:
    text, terms = " ".join(words), fts.content_words(" ".join(asked))
    table = sqlite.connect(":memory:")
    table.execute("CREATE VIRTUAL TABLE t USING fts5(word, tokenize = 'porter unicode61')")
    indexed = script.indexed(" ".join(part for word in text.split() for part in script.cut(word)))
    table.execute("INSERT INTO t VALUES (?)", (script.usual(indexed),))
    [(count,)] = table.execute("SELECT count(*) FROM t WHERE t MATCH ?", (fts.any_of(terms),))
    assert bool(count) == bool(highlight.ranges(text, terms))


@given(st.text(max_size=300), st.text(max_size=30), st.integers(20, 120))
def test_any_text_has_ordered_places_and_a_window(text: str, question: str, chars: int) -> None:
    places = highlight.ranges(text, fts.content_words(question))
    flat = [at for pair in places for at in pair]
    assert flat == sorted(set(flat)) and (not flat or 0 <= flat[0] <= flat[-1] <= len(text))
    start, end = highlight.window(text, places, chars)
    assert 0 <= start <= end <= len(text) and end - start <= chars


def test_a_window_holds_the_places() -> None:
    text = f"{'filler words ' * 100}the walrus sleeps{' more filler' * 100}"
    start, end = highlight.window(text, highlight.ranges(text, ["walrus", "sleeps"]), 200)
    assert "walrus sleeps" in text[start:end] and text[start - 1] == " "
