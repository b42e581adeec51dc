from hypothesis import given
from hypothesis import strategies as st

from signet.domain.embeddings import vectors


def test_a_short_text_is_one_passage() -> None:
    assert vectors.split_passages("  One line. Another.  ") == ["One line. Another."]


def test_a_blank_text_has_none() -> None:
    assert vectors.split_passages(" \n ") == []


def test_passages_end_where_sentences_end() -> None:
    text = " ".join(f"Sentence number {n} is here." for n in range(60))
    found = vectors.split_passages(text)
    assert len(found) > 2
    assert all(passage.endswith("here.") for passage in found)


def test_a_sentence_without_end_is_cut_at_a_space_else_anywhere() -> None:
    assert vectors.split_passages("word " * 30, target=20) == ["word word word word"] * 7 + [
        "word word"
    ]
    assert vectors.split_passages("x" * 50, target=20) == ["x" * 20, "x" * 20, "x" * 10]


@given(st.text(), st.integers(8, 60))
def test_no_passage_is_too_long_and_no_letter_is_lost(text: str, target: int) -> None:
    found = vectors.split_passages(text, target=target)
    assert all(0 < len(passage) <= target for passage in found)
    if len(found) < vectors.MAX_PASSAGES:
        assert "".join("".join(found).split()) == "".join(text.split())
