from signet.db import fts


def test_words_are_lower_case_distinct_and_without_marks_at_their_ends() -> None:
    assert fts.words('Tea, "tea" (GREEN) tea? well-known!') == ["tea", "green", "well-known"]


def test_an_apostrophe_parts_a_word_and_one_letter_is_none() -> None:
    assert fts.words("Ann's dog's toy") == ["ann", "dog", "toy"]


def test_one_character_of_another_script_is_a_word() -> None:
    assert fts.words("日 a я") == ["日", "я"]


def test_stop_words_leave_the_question_unless_nothing_else_is_left() -> None:
    assert fts.content_words("What is the port of the server?") == ["port", "server"]
    assert fts.content_words("who am I") == ["who", "am"]


def test_month_names_and_negations_of_a_list_are_told_apart() -> None:
    assert "may" not in fts.STOP_WORDS
    assert {"no", "not", "nor"} <= fts.STOP_WORDS


def test_a_long_text_is_cut_to_a_bounded_number_of_words() -> None:
    many = " ".join(f"word{number}" for number in range(500))
    assert len(fts.content_words(many)) == fts.MAX_WORDS


def test_each_word_is_quoted() -> None:
    assert fts.any_of(["near", "or"]) == '"near" OR "or"'
    assert fts.all_of(["near", "or"]) == '"near" AND "or"'
    assert fts.any_of(["miet*mietest", "or"]) == '("miet"* OR "mietest") OR "or"'


def test_a_better_bm25_never_gets_a_lower_score() -> None:
    scores = fts.scores({1: -2.37, 2: -0.91, 3: -0.000002})
    assert scores[1] == 1.0
    assert scores[1] > scores[2] > scores[3] > 0


def test_tiny_bm25_of_a_small_store_still_fills_the_scale() -> None:
    assert fts.scores({7: -0.000002}) == {7: 1.0}
    assert fts.scores({7: 0.0}) == {7: 1.0}
    assert fts.scores({}) == {}
