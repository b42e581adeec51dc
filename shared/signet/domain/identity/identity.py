"""Who the agent is, as IDENTITY.md says it in lines such as `- name: Juno`."""

import re
from dataclasses import dataclass

#: A bullet perhaps, a key that may be bold, a colon, the rest of the line.
_LINE = re.compile(
    r"^[ \t]*(?:[-*][ \t]+)?\**(name|creature|role|vibe)\**[ \t]*:\**[ \t]*(.*)$", re.M | re.I
)
UNKNOWN = "Unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """What the agent is called, and what it is like."""

    name: str = UNKNOWN
    creature: str = ""
    vibe: str = ""


def parse(text: str) -> Identity:
    """Return the identity that a file tells; the first line of each key counts, a role where there is no creature."""
    found: dict[str, str] = {}
    for key, value in _LINE.findall(text):
        found.setdefault(key.lower(), value.strip())
    role = found.pop("role", "")
    given = {"creature": role} | {key: value for key, value in found.items() if value}
    return Identity(**given)
