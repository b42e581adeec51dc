"""The forms of a memory's text: as stored, in one line, as compared, as hashed.

Deterministic and without locale. Two texts that differ only in case, spacing, Unicode form or one trailing run of
punctuation have the same hash, and are therefore the same memory. A text is stored with its lines and its indentation.
"""

import hashlib
import re
import unicodedata
from dataclasses import dataclass

from signet.text.surrogates import encodable

#: One trailing run of these does not make a text different.
TRAILING = ".,!?;:"

_LINE_END = re.compile(r"\r\n?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Normalized:
    """One text in its stored form, in one line, in its compared form, and its hash."""

    storage: str
    flat: str
    canonical: str
    content_hash: str

    @property
    def has_words(self) -> bool:
        """Say whether anything is left of the text besides trailing punctuation."""
        return bool(_stripped(self.flat))


def normalize(text: str) -> Normalized:
    """Return all forms of the text; `storage` is empty when the text is blank."""
    stored = storage(text)
    flat = " ".join(stored.split())
    compared = _compared(flat)
    return Normalized(storage=stored, flat=flat, canonical=compared, content_hash=_hash(compared))


def storage(text: str) -> str:
    """Return the stored form: without outer blanks, lines ended by `\\n`, valid as UTF-8."""
    return _LINE_END.sub("\n", encodable(text).replace("\0", " ")).strip()


def one_line(text: str) -> str:
    """Return the stored text in one line: each run of whitespace is one space."""
    return " ".join(storage(text).split())


def canonical(text: str) -> str:
    """Return the text as it is compared and hashed; never empty unless the text is blank."""
    return _compared(one_line(text))


def content_hash(text: str) -> str:
    """Return the SHA-256 of the canonical text, as 64 hex digits."""
    return _hash(canonical(text))


def _hash(compared: str) -> str:
    return hashlib.sha256(compared.encode()).hexdigest()


def _compared(flat: str) -> str:
    return _stripped(flat) or flat.lower()


def _stripped(flat: str) -> str:
    return composed(flat).lower().rstrip(TRAILING).strip()


def composed(text: str) -> str:
    """Return a text in NFC, in which it is compared."""
    return unicodedata.normalize("NFC", text)
