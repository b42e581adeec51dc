"""The three forms of a memory's text: as stored, as compared, as hashed.

Deterministic and without locale. Two texts that differ only in case, spacing or one trailing run of
punctuation have the same hash, and are therefore the same memory.
"""

import hashlib
from dataclasses import dataclass

from signet.text.surrogates import encodable

#: One trailing run of these does not make a text different.
TRAILING = ".,!?;:"


@dataclass(frozen=True, slots=True, kw_only=True)
class Normalized:
    """One text in its stored form, its compared form and its hash."""

    storage: str
    canonical: str
    content_hash: str

    @property
    def has_words(self) -> bool:
        """Say whether anything is left of the text besides trailing punctuation."""
        return bool(_stripped(self.storage))


def normalize(text: str) -> Normalized:
    """Return all three forms of the text; `storage` is empty when the text is blank."""
    stored = storage(text)
    compared = _compared(stored)
    return Normalized(storage=stored, canonical=compared, content_hash=_hash(compared))


def storage(text: str) -> str:
    """Return the text trimmed, each run of whitespace one space, and valid as UTF-8."""
    return " ".join(encodable(text).replace("\0", " ").split())


def canonical(text: str) -> str:
    """Return the text as it is compared and hashed; never empty unless the text is blank."""
    return _compared(storage(text))


def content_hash(text: str) -> str:
    """Return the SHA-256 of the canonical text, as 64 hex digits."""
    return _hash(canonical(text))


def _hash(compared: str) -> str:
    return hashlib.sha256(compared.encode()).hexdigest()


def _compared(stored: str) -> str:
    return _stripped(stored) or stored.lower()


def _stripped(stored: str) -> str:
    return stored.lower().rstrip(TRAILING).strip()
