"""The tokenizer, held against ids the `tokenizers` package gave for the same texts."""

from pathlib import Path

from providers.native.cases import Case
from signet.providers.native import wordpiece
from signet.providers.native.weights import VOCABULARY_FILE
from signet.providers.native.wordpiece import WordPiece

PIECES = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "play", "##ing", "##s", "[", "]", "cls", "a"]


def a_tokenizer() -> WordPiece:
    return WordPiece({piece: number for number, piece in enumerate(PIECES)})


def words(text: str) -> list[str]:
    return [PIECES[number] for number in a_tokenizer().encode(text)]


def test_every_reference_text_gets_the_ids_of_the_tokenizers_package(
    installed: Path, cases: list[Case]
) -> None:
    tokenizer = wordpiece.read(installed / VOCABULARY_FILE)
    assert [tokenizer.encode(case.text) for case in cases] == [case.ids for case in cases]


def test_the_longest_known_piece_is_taken_first() -> None:
    assert words("Playing plays") == ["[CLS]", "play", "##ing", "play", "##s", "[SEP]"]


def test_a_word_with_one_unknown_piece_is_wholly_unknown() -> None:
    assert words("playful play") == ["[CLS]", "[UNK]", "play", "[SEP]"]


def test_a_marker_word_in_a_text_is_plain_text() -> None:
    assert words("[CLS]") == ["[CLS]", "[", "cls", "]", "[SEP]"]


def test_a_text_of_megabytes_gives_256_ids_and_still_ends_with_the_marker() -> None:
    ids = a_tokenizer().encode("a " * 2_000_000)
    assert len(ids) == wordpiece.MAX_TOKENS
    assert PIECES[ids[-1]] == "[SEP]"


def test_lone_surrogates_and_control_characters_vanish() -> None:
    assert words("pl\ud800a\x00y\u200bs") == words("plays")
