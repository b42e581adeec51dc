"""Secrets under a passphrase: what opens them, and what a stranger's file may ask for."""

import json
import unicodedata
from dataclasses import asdict, replace

import pytest

from signet.domain.secrets.vault import Secret, Wrapped, WrongPassphrase, unwrap, wrap
from signet.errors import Invalid

PASSPHRASE = "seven herons über Lund"
SECRETS = {
    "GITHUB_TOKEN": Secret(value="ghp_x", created="2025", updated="2026"),
    "KEY": Secret(value="Zeile 1\nZeile 2 猫", created="2025", updated="2025"),
}


@pytest.fixture(scope="module")
def wrapped() -> Wrapped:
    return wrap(SECRETS, PASSPHRASE)


def test_the_passphrase_opens_them_however_it_was_typed(wrapped: Wrapped) -> None:
    again = Wrapped.from_json(json.loads(json.dumps(asdict(wrapped))))
    assert unwrap(again, PASSPHRASE) == SECRETS
    assert unwrap(again, unicodedata.normalize("NFD", PASSPHRASE)) == SECRETS
    text = json.dumps(asdict(wrapped))
    assert "ghp_x" not in text and "GITHUB_TOKEN" not in text
    assert wrapped.count == 2


def test_nothing_else_does(wrapped: Wrapped) -> None:
    for passphrase in ("", "seven herons", PASSPHRASE + " "):
        with pytest.raises(WrongPassphrase):
            unwrap(wrapped, passphrase)
    for damaged in (
        replace(wrapped, box=wrapped.box[:-8] + "AAAAAAA="),
        replace(wrapped, salt="AAAA"),
        replace(wrapped, box="no base64!"),
        replace(wrapped, n=wrapped.n // 2),
    ):
        with pytest.raises(WrongPassphrase):
            unwrap(damaged, PASSPHRASE)


def test_a_short_passphrase_is_refused() -> None:
    with pytest.raises(Invalid, match="has 11 characters; it needs at least 12"):
        wrap(SECRETS, "x" * 11)


@pytest.mark.parametrize(
    "change",
    [
        {"n": 1 << 30},
        {"r": 1 << 20},
        {"p": 17},
        {"p": 0},
        {"n": 100_000},
        {"n": 0},
        {"n": True},
        {"n": "131072"},
        {"r": None},
        {"salt": 5},
        {"box": []},
        {"count": -1},
    ],
)
def test_a_file_cannot_ask_for_more_than_a_machine_has(
    wrapped: Wrapped, change: dict[str, object]
) -> None:
    with pytest.raises(Invalid):
        Wrapped.from_json({**asdict(wrapped), **change})
    with pytest.raises(Invalid):
        Wrapped.from_json([])
