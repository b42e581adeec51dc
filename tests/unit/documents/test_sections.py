"""Chunks of a text with headings say what they are about."""

from signet.domain.documents.source import HEADING_CHARS, sections, windows

#: Lines of ten characters.
LINES = (
    "# A guide",
    "Welcome.1",
    "## Set up",
    "Install.1",
    "```python",
    "# no head",
    "```      ",
    "Start it.",
    "### Deep ",
    "In there.",
    "## Use it",
    "# Another",
    "The end.1",
)
TEXT = "".join(f"{line}\n" for line in LINES)


def test_a_window_is_told_under_the_headings_above_it() -> None:
    assert [found.rpartition(": ")[0] for found in sections(TEXT, 10, 0)] == [
        "",
        "A guide",
        "A guide",
        *["A guide › Set up"] * 6,
        "A guide › Set up › Deep",
        "A guide",
        "",
        "Another",
    ]


def test_headings_change_nothing_else_about_the_windows() -> None:
    for size, overlap in ((10, 0), (30, 7), (1_000, 0)):
        told = [found.rpartition(": ")[2] for found in sections(TEXT, size, overlap)]
        assert told == windows(TEXT, size, overlap)


def test_a_text_without_headings_has_the_plain_windows() -> None:
    text = "word " * 100 + "#hash is no heading"
    assert sections(text, 50, 10) == windows(text, 50, 10)


def test_a_long_heading_is_cut_and_many_are_no_burden() -> None:
    text = f"# {'long ' * 100}\n" + "".join(f"## {n}\ntext\n" for n in range(20_000))
    found = sections(text, 500, 100)
    assert max(map(len, found)) <= 500 + HEADING_CHARS + len(" › 19999: ")
