"""Which lines say what was forgotten."""

import pytest

from signet.domain.transcripts import withheld

MILLS = " ".join(f"Mill {number} grinds barley for the baker." for number in range(60))


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("My dog is named Quillbert, by the way.", "The user's dog is named Quillbert."),
        ("User: I live in Bergen now.", "User lives in Bergen"),
        (
            "We deploy on Fridays once tests are green.",
            "Deploys happen on Fridays after tests are green",
        ),
        ("Backup key: locker 47", "The backup key is stored in locker 47"),
    ],
)
def test_other_words_for_the_same_are_the_same(line: str, said: str) -> None:
    assert withheld.says(line, said)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("Ada lives in Tromso", "Ada lives in Bergen"),
        ("Backup key: locker 48", "The backup key is stored in locker 47"),
        (
            "The tests are green on my machine.",
            "Deploys happen on Fridays after the tests are green",
        ),
        ("", "Ada lives in Bergen"),
        ("Ada lives in Bergen", ""),
    ],
)
def test_another_name_number_or_matter_is_not(line: str, said: str) -> None:
    assert not withheld.says(line, said)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("- Tea is at four. My dog Quillbert fears thunder. Rye.", "- Tea is at four. Rye."),
        ("User: My dog is Quillbert. He fears thunder. Bye.", "User: Bye."),
        ("User: Quillbert, my dog, fears thunder.\nUser: Tea?", "User: Tea?"),
        (f"{MILLS} My dog Quillbert fears thunder.", MILLS),
    ],
)
def test_of_a_line_what_says_something_else_stays(text: str, left: str) -> None:
    known = [withheld.statement("I'm told that my dog Quillbert fears thunder.")]
    assert withheld.without(text, known) == left


def test_only_the_lines_that_say_it_are_left_out() -> None:
    known = [withheld.statement("The user's dog is named Quillbert and fears thunder.")]
    text = (
        "User: The flat is in Bergen.\nUser: My dog fears thunder.\nQuillbert is his name.\n\nBye."
    )
    assert withheld.without(text, known) == "User: The flat is in Bergen.\n\nBye."
    assert withheld.without("Nothing of it.", known) == "Nothing of it."


@pytest.mark.parametrize(
    ("old", "new", "said", "is_left_out"),
    [
        ("The user ships at 02:30.", "The user ships at 04:00.", "Noted: ships at 02:30.", True),
        ("The user ships at 02:30.", "The user ships at 04:00.", "We ship at 04:00.", False),
        ("The host is heron-2", "The host is heron-3", "The host is heron-2.", True),
        ("The host is heron-2", "The host is heron-3", "The host is heron-3.", False),
        ("We use tabs in Python", "We use spaces in Python", "Use tabs.", True),
        ("We use tabs in Python", "We use spaces in Python", "Two browser tabs are open.", False),
        ("Ana approves deploys", "Ben approves deploys", "Ana is on holiday.", False),
        ("I like tea", "I like green tea", "I like tea.", False),
        ("明日の会議は10時です", "明日の会議は11時です", "明日の会議は10時です。", True),
        ("明日の会議は10時です", "明日の会議は11時です", "明日の会議は11時です。", False),
    ],
)
def test_a_correction_applies_to_what_was_said_before_it(
    old: str, new: str, said: str, is_left_out: bool
) -> None:
    known = [withheld.outdated(old, new)._replace(until="2026-03-02")]
    assert (withheld.without(said, known, "2026-03-01") == "") is is_left_out
    assert withheld.without(said, known, "2026-03-03") == said
