"""Names of what is copied, and which vaults are meant."""

import pytest

from signet.domain.secrets import onepassword
from signet.domain.secrets.use import check
from signet.errors import Forbidden, Invalid


def test_names_are_made_of_vault_item_and_field_and_numbered_when_taken() -> None:
    name = onepassword.name_of("OP", ("My Vault", "GitHub (work)", "api key"), set())
    assert name == "OP_MY_VAULT_GITHUB_WORK_API_KEY"
    assert onepassword.name_of("", ("1st",), set()) == "_1ST"
    assert onepassword.name_of("OP", ("a",), {"OP_A", "OP_A_2"}) == "OP_A_3"
    assert onepassword.name_of("", ("…",), set()) == "SECRET"


def test_vaults_are_chosen_by_id_or_name() -> None:
    known = [{"id": "1", "name": "Work"}, {"id": "2", "name": "Home"}]
    assert onepassword.chosen(known, None) == known
    assert onepassword.chosen(known, ["Home", "1"]) == known
    with pytest.raises(Invalid, match="no vault Boat"):
        onepassword.chosen(known, ["Boat"])


@pytest.mark.parametrize(
    ("command", "is_allowed"),
    [
        ("gh pr list", True),
        ("gh  pr  view 3", True),
        ("gh prune", False),
        ("gh auth token", False),
        ("gh pr list; env", False),
        ("gh pr list $(env)", False),
        ("env", False),
    ],
)
def test_a_secret_that_is_kept_to_some_commands_goes_to_no_other(
    command: str, is_allowed: bool
) -> None:
    allowed = {"TOKEN": ("gh pr",)}
    check("env", {"A": "OTHER"}, allowed)
    if is_allowed:
        check(command, {"A": "TOKEN"}, allowed)
    else:
        with pytest.raises(Forbidden, match="execAllow"):
            check(command, {"A": "TOKEN"}, allowed)
