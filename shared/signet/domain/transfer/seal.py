"""Seal the memories in an export, so that an import by the same user trusts their origin.

Without a valid seal nothing in a file counts as the words of the user, because anyone can write a file (MEM-65). The
key is a random file of the user, not the id of the machine, which every user of the machine can read.
"""

import hashlib
import hmac
import json
from collections.abc import Mapping
from contextlib import suppress

from signet.domain.secrets import keys
from signet.files import locked
from signet.paths import config_home

#: The field of a record with the seal, and the fields that it covers.
FIELD = "seal"
_FIELDS = ("id", "content", "agent_id", "visibility", "scope", "origin", "review")


def key() -> bytes:
    """Return the key of this user, created on first use; empty if it cannot be stored or read."""
    folder = config_home() / "exports"
    with suppress(OSError, keys.KeyMissing), locked(folder / ".lock"):
        return keys.made_key(folder)
    return b""


def of(record: Mapping[str, object], key: bytes) -> str:
    """Return the seal of a memory's record: HMAC-SHA256 in hexadecimal."""
    said = json.dumps([record.get(name) for name in _FIELDS], ensure_ascii=True)
    return hmac.new(key, said.encode(), hashlib.sha256).hexdigest()


def holds(record: Mapping[str, object], key: bytes) -> bool:
    """Return whether a record has a seal of this user for its present values."""
    found = record.get(FIELD)
    if not key or not isinstance(found, str) or not found.isascii():
        return False
    return hmac.compare_digest(found, of(record, key))
