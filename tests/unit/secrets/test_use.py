"""Which commands may use a secret (`secrets.execAllow`)."""

import pytest

from signet.domain.secrets.use import check_names
from signet.errors import Forbidden


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
    check_names("env", {"A": "OTHER"}, allowed)
    if is_allowed:
        check_names(command, {"A": "TOKEN"}, allowed)
    else:
        with pytest.raises(Forbidden, match="execAllow"):
            check_names(command, {"A": "TOKEN"}, allowed)
