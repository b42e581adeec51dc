"""Read the passphrase for secrets in a backup from a file, the environment, or a prompt."""

import getpass
from pathlib import Path
from typing import Annotated

from signet import cli
from signet.cli import output
from signet.cli.command import opt
from signet.errors import Invalid

VARIABLE = cli.PASSPHRASE
FileOption = Annotated[
    str | None,
    opt(
        f"Read the passphrase of the secrets from this file; default: {VARIABLE}, else a prompt.",
        metavar="FILE",
    ),
]


def given(file: str | None) -> str | None:
    """Return the passphrase from the file or the environment, else None. Raises Invalid."""
    if file is None:
        return cli.withheld.get(VARIABLE) or None
    try:
        text = Path(file).expanduser().read_text("utf-8")
    except (OSError, UnicodeError) as error:
        raise Invalid(f"{file} cannot be read: {error}") from error
    return text.removesuffix("\n").removesuffix("\r")


def chosen(file: str | None, *, as_json: bool) -> str:
    """Return the passphrase for a new backup, typed twice at a terminal. Raises Invalid."""
    found = given(file)
    if found is not None:
        return found
    if as_json or not output.can_ask():
        raise Invalid(
            f"--secrets needs a passphrase: set {VARIABLE}, or pass --passphrase-file FILE"
        )
    first = getpass.getpass("Passphrase for the secrets: ")
    if getpass.getpass("Repeat the passphrase: ") != first:
        raise Invalid("The two passphrases differ; nothing was backed up")
    return first


def ask_passphrase(file: str | None, question: str, *, as_json: bool) -> str | None:
    """Return the passphrase of an existing backup, None without one and without a terminal. Raises Invalid."""
    found = given(file)
    if found is not None or as_json or not output.can_ask():
        return found
    return getpass.getpass(question) or None
