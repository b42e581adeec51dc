"""Texts and the hashes that they must have, and what must hold for any text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signet.domain.memory import wording

VECTORS = [
    ("User prefers dark mode", "user prefers dark mode", "058e6f30"),
    ("  User   prefers\ndark mode!! ", "user prefers dark mode", "058e6f30"),
    ("...", "...", "ab5df625"),
    ("???", "???", "a03b221c"),
    ("hello! .", "hello!", "ce06092f"),
    ("Signet: stores data in SQLite.;", "signet: stores data in sqlite", "3e7d2c2a"),
]


@pytest.mark.parametrize(("text", "canonical", "start_of_hash"), VECTORS)
def test_the_vectors_of_the_specification_hold(
    text: str, canonical: str, start_of_hash: str
) -> None:
    forms = wording.normalize(text)
    assert forms.canonical == canonical
    assert forms.content_hash[:8] == start_of_hash
    assert len(forms.content_hash) == 64


def test_the_stored_form_keeps_lines_blanks_case_and_punctuation() -> None:
    forms = wording.normalize("\n ci:\r\n\tjobs:\r\r    test:  X!!\n")
    assert forms.storage == "ci:\n\tjobs:\n\n    test:  X!!"
    assert forms.flat == "ci: jobs: test: X!!"


def test_unicode_whitespace_is_whitespace() -> None:
    forms = wording.normalize("\u00a0a\u2003b\u3000\u2028c\u00a0")
    assert (forms.storage, forms.flat) == ("a\u2003b\u3000\u2028c", "a b c")


@pytest.mark.parametrize("text", ["", "   ", "\n\t\u00a0", "\0"])
def test_a_blank_text_has_an_empty_stored_form(text: str) -> None:
    assert wording.normalize(text).storage == ""


def test_only_punctuation_has_no_words_but_still_a_hash() -> None:
    assert not wording.normalize("...").has_words
    assert wording.normalize("...").content_hash != wording.normalize("???").content_hash
    assert wording.normalize("a.").has_words


def test_lone_surrogates_are_replaced_and_pairs_are_joined() -> None:
    assert wording.storage("a \ud83d\ude00 \ud800 b") == "a \U0001f600 \ufffd b"


@given(st.text(st.characters(), max_size=80))
def test_any_text_normalizes_to_something_utf8_can_hold_and_does_so_once(text: str) -> None:
    forms = wording.normalize(text)
    forms.storage.encode()
    assert wording.normalize(forms.storage) == forms


@given(st.text(max_size=60))
def test_spacing_and_one_more_full_stop_change_no_hash(text: str) -> None:
    stored = wording.storage(text)
    if wording.normalize(text).has_words:
        assert wording.content_hash(f"  {stored}.\n") == wording.content_hash(stored)
