"""What proves that a record of a memory was written by an export on this machine, and says what it said then.

Without such a seal nothing in a file is the user's word: whoever wrote the file could have claimed it (MEM-65).
"""

import getpass
import hashlib
import hmac
import json
from collections.abc import Mapping
from contextlib import suppress

from signet.domain.secrets import machine

#: The field of a record that holds it, and what it vouches for.
FIELD = "seal"
_FIELDS = ("id", "content", "agent_id", "visibility", "scope", "origin", "review")


def key() -> bytes:
    """Return the key of this machine and user, empty where the machine has no id; it may run a program."""
    with suppress(machine.NoMachineId, OSError, KeyError):
        name = f"signet export\n{machine.found_id()}\n{getpass.getuser()}"
        return hashlib.sha256(name.encode()).digest()
    return b""


def of(record: Mapping[str, object], key: bytes) -> str:
    """Return the seal of a memory's record: HMAC-SHA256 in hexadecimal."""
    said = json.dumps([record.get(name) for name in _FIELDS], ensure_ascii=True)
    return hmac.new(key, said.encode(), hashlib.sha256).hexdigest()


def holds(record: Mapping[str, object], key: bytes) -> bool:
    """Return whether a record has the seal of this machine and says what it said then."""
    found = record.get(FIELD)
    return bool(key) and isinstance(found, str) and hmac.compare_digest(found, of(record, key))
