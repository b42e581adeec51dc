"""Tokenizers, held against IDs of the `transformers` package and of the `tokenizers` library."""

from pathlib import Path

import pytest

from providers.native import tiny
from providers.native.cases import Case
from signet.providers import scale
from signet.providers.native import folder, minilm, tokens, unigram
from signet.providers.native.session import Unusable
from signet.providers.native.tokens import Tokenizer

PIECES = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "play", "##ing", "##s", "[", "]", "cls", "a"]


@pytest.fixture
def tokenizer(tmp_path: Path) -> Tokenizer:
    (tmp_path / "vocab.txt").write_text("\n".join(PIECES))
    return tokens.read(tmp_path, max_tokens=minilm.MAX_TOKENS)


def pieces(tokenizer: Tokenizer, text: str) -> list[str]:
    return [PIECES[number] for number in tokenizer.encode(text)]


def test_every_reference_text_gets_the_known_ids(installed: Path, cases: list[Case]) -> None:
    tokenizer = tokens.read(installed, max_tokens=minilm.MAX_TOKENS)
    assert [tokenizer.encode(case.text) for case in cases] == [case.ids for case in cases]


def test_a_marker_word_in_a_text_is_plain_text(tokenizer: Tokenizer) -> None:
    assert pieces(tokenizer, "[CLS]") == ["[CLS]", "[", "cls", "]", "[SEP]"]


def test_a_text_of_megabytes_gives_256_ids_and_still_ends_with_the_marker(
    tokenizer: Tokenizer,
) -> None:
    ids = tokenizer.encode("a " * 2_000_000)
    assert len(ids) == minilm.MAX_TOKENS
    assert PIECES[ids[-1]] == "[SEP]"


def test_lone_surrogates_and_control_characters_vanish(tokenizer: Tokenizer) -> None:
    assert pieces(tokenizer, "pl\ud800a\x00y\u200bs") == pieces(tokenizer, "plays")


def test_words_are_told_as_the_model_reads_them(tokenizer: Tokenizer) -> None:
    ids, words = tokenizer.words("Pláying, plays [a")
    assert [PIECES[number] for number in ids[1:-1]] == [
        *("play", "##ing", "[UNK]", "play", "##s", "[", "a")
    ]
    assert words == [("playing", 2), (",", 1), ("plays", 2), ("[", 1), ("a", 1)]


def test_a_vocabulary_without_markers_is_refused(tmp_path: Path) -> None:
    (tmp_path / "vocab.txt").write_text("a\nb\n")
    with pytest.raises(Unusable, match=r"vocab.txt cannot be read: .*\[CLS\]"):
        tokens.read(tmp_path, max_tokens=8)


def test_the_likeliest_pieces_of_a_mapped_vocabulary_are_chosen(tmp_path: Path) -> None:
    markers = [(name, 0.0) for name in ("<s>", "<pad>", "</s>", "<unk>")]
    pieces = {"▁": -4.0, "▁ab": -3.0, "a": -5.0, "b": -5.0, "c": -2.0, "bc": -1.5, "▁a": -2.0}
    path = tmp_path / unigram.FILE
    unigram.write(path, [*markers, *pieces.items()], unknown=3, start=0, end=2)
    cutter = unigram.Unigram(path, max_tokens=8)
    assert cutter.encode("abc") == [0, 10, 9, 2]
    assert cutter.encode("ａｂ\u0000 xyc") == [0, 5, 4, 3, 8, 2]
    assert cutter.encode("ab " * 20) == [0, *[5] * 6, 2]


def test_a_mapped_vocabulary_gives_the_ids_of_the_library(tmp_path: Path) -> None:
    source = tiny.unigram_folder(tmp_path / "source")
    wanted = tokens.read(source, max_tokens=64)
    folder.copy(source, tmp_path / "copy")
    mapped = folder.open_(tmp_path / "copy").tokenizer
    assert isinstance(mapped, unigram.Unigram)
    for text in (text for pair in scale.pairs() for text in pair):
        assert mapped.encode(text) == wanted.encode(text)
