"""Who the agent is, as IDENTITY.md says it in lines such as `- name: Juno`."""

import re

from signet.wire.config import Identity

#: A bullet perhaps, a key that may be bold, a colon, the rest of the line.
_LINE = re.compile(
    r"^[ \t]*(?:[-*][ \t]+)?\**(name|creature|role|vibe)\**[ \t]*:\**[ \t]*(.*)$", re.M | re.I
)
UNKNOWN = "Unknown"


def parse(text: str) -> Identity:
    """Return the identity that a file tells; the first line of each key counts, a role where there is no creature."""
    found: dict[str, str] = {}
    for key, value in _LINE.findall(text):
        found.setdefault(key.lower(), value.strip())
    return {
        "name": found.get("name") or UNKNOWN,
        "creature": found.get("creature") or found.get("role", ""),
        "vibe": found.get("vibe", ""),
    }
