"""What programs put into a session is taken out; what somebody said stays."""

import pytest

from signet.domain.transcripts import records

HEAD = '[signet:recall | query="a [b] c" | results=2 | engine=hybrid]'


@pytest.mark.parametrize(
    ("text", "left"),
    [
        (f"{HEAD}\n- One thing (May 3)\n- Another (2026-01-02)\n\nUser: hello", "User: hello"),
        (
            "[signet:recall | results=1 | engine=hybrid]\n- One (May 3)\n"
            "<memory-feedback>session_key=s ids=a,b</memory-feedback>\nUser: hello",
            "User: hello",
        ),
        (f"{HEAD}\n\n- One thing\nSo I asked.", "So I asked."),
        (f"{HEAD} - One (odd) thing (May 3) - Another (Jan 4, 2026) User: hello", "User: hello"),
        ("<memory-feedback>rate</memory-feedback> Thanks", "Thanks"),
        ("Before\n<system-reminder>cut off here", "Before"),
        ("[memory active | /remember | /recall]\n# Date\nMonday\nUser: hello", "User: hello"),
        (
            "Read @a.md\n\n--- Content from referenced files ---\n\nContent from @a.md:\n\nNever push."
            "\n--- End of content ---\nPlease.",
            "Read @a.md\n\n\nPlease.",
        ),
        ("Read @a.md\n--- Content from referenced files ---\ncut off", "Read @a.md"),
        ("A note on the <system-reminder> tag.", "A note on the <system-reminder> tag."),
        ("Nothing to see - here (May 3)", "Nothing to see - here (May 3)"),
    ],
)
def test_only_what_somebody_said_is_left(text: str, left: str) -> None:
    assert records.without_injected(text).strip() == left


def test_a_text_that_speaks_of_a_tag_all_the_time_is_read_at_once() -> None:
    """(With one look to the end of the text for each of them it would be read in minutes.)"""
    text = "We saw <system-reminder> in it.\n" * 40_000
    assert records.without_injected(text) == text
