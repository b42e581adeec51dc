"""Episodes are kept as ranges of their sources."""

from signet.domain.injections import record

SOURCE = """User: The printer cuts long addresses.
Assistant: I shorten each line.
```
a = 1
```
User: No. Print a second label.
Assistant: Decided: a second label, numbered 1/2 and 2/2."""


def test_the_whole_is_one_range() -> None:
    assert record.locate(SOURCE, SOURCE) == [(0, len(SOURCE))]
    assert record.cut(SOURCE, [(0, len(SOURCE))]) == SOURCE


def test_a_stretch_that_leaves_something_out_is_given_back_with_a_gap() -> None:
    told = "[…]\nUser: The printer cuts long addresses.\nAssistant: I shorten each line.\n[code left out]\nUser: No."
    found = record.cut(SOURCE, record.locate(told, SOURCE))
    assert found == (
        "User: The printer cuts long addresses.\nAssistant: I shorten each line.\n[…]\nUser: No."
    )


def test_what_is_not_in_the_source_is_no_range() -> None:
    assert record.locate("Something else.\n\n", SOURCE) == []
