"""What was typed as a choice, and what it means."""

import pytest

from signet.care.setup import choices
from signet.care.setup.choices import BadChoice
from signet.cli import identify
from signet.errors import Conflict


def test_no_harness_is_a_choice_and_not_a_name_among_others() -> None:
    assert choices.harnesses(["none"]) == ()
    assert choices.harnesses([]) is None
    with pytest.raises(BadChoice, match="Unknown harness: none"):
        choices.harnesses(["codex,none"])


def test_ids_that_share_a_beginning_are_told_by_what_differs() -> None:
    keys = ["aaaa1111-2222-01", "aaaa1111-2222-02", "bbbb"]
    with pytest.raises(Conflict, match=r"aaaa1111-2222-01, aaaa1111-2222-02$"):
        identify.one(keys, "aaaa", noun="session", see="sessions", id=str)
    many = [f"cccc1111-{number}" for number in range(9)]
    with pytest.raises(Conflict, match=r"cccc1111-4, …$"):
        identify.one(many, "cccc", noun="session", see="sessions", id=str)
