"""Create IDs (RFC 9562; the `uuid` module loads slowly), and read agent IDs from session keys."""

import os
import re
import time

DEFAULT_AGENT = "default"
#: Prefix of a person's name in the agent ID of that person's data.
USER_PREFIX = "user:"
#: Prefix of a space's name in the visibility of its memories.
SPACE_PREFIX = "space:"

#: Characters of a short ID: three groups of a UUID. In a time-ordered one they contain the time to a quarter of a
#: microsecond, so later memories cannot make a short ID ambiguous.
SHORT_CHARS = 18

_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_SHORT = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}")


def new_id() -> str:
    """Return a random UUID (version 4) as text, for rows that clients see."""
    bits = int.from_bytes(os.urandom(16), "big") & ~(0xF << 76) & ~(0x3 << 62) | 4 << 76 | 0x2 << 62
    text = f"{bits:032x}"
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"


def new_ordered_id() -> str:
    """Return a time-ordered UUID (version 7) as text; IDs sort by creation.

    The 12 bits after the milliseconds contain their fraction (RFC 9562 §6.2, method 3), so that IDs of one
    millisecond are ordered too. The rest is random but not secret: asking the system would release the interpreter
    lock nine times in a save.
    """
    import random  # not at the top: every hook loads this module, few make an id

    milliseconds, rest = divmod(time.time_ns(), 1_000_000)
    head = f"{milliseconds:012x}"
    tail = f"{0b10 << 62 | random.getrandbits(62):016x}"
    return f"{head[:8]}-{head[8:]}-7{rest * 4096 // 1_000_000:03x}-{tail[:4]}-{tail[4:]}"


def short(id_: str) -> str:
    """Return a UUID's prefix that identifies it for a model; other IDs unchanged."""
    return id_[:SHORT_CHARS] if _UUID.fullmatch(id_) else id_


def is_uuid(id_: str) -> bool:
    return _UUID.fullmatch(id_) is not None


def is_short(id_: str) -> bool:
    """Return whether this looks like a shortened UUID."""
    return _SHORT.fullmatch(id_) is not None


def of_user(name: str) -> str:
    """Return the agent ID of a person with a separate key (AUTH-27)."""
    return f"{USER_PREFIX}{name}"


def is_of_user(agent_id: str) -> bool:
    return agent_id.startswith(USER_PREFIX)


def of_space(name: str) -> str:
    """Return the visibility of the memories of a space."""
    return f"{SPACE_PREFIX}{name}"


def space_of(visibility: str | None) -> str | None:
    """Return the space that a visibility names; None for a memory that belongs to its owner."""
    named = visibility or ""
    return named.removeprefix(SPACE_PREFIX) if named.startswith(SPACE_PREFIX) else None


def shared_by(agent_id: str | None, visibility: str | None) -> tuple[str, str] | None:
    """Return the author and the space of a memory in a space, else None."""
    space = space_of(visibility)
    return ((agent_id or "").removeprefix(USER_PREFIX), space) if space else None


def agent_of_session(session_key: str | None) -> str | None:
    """Return the agent ID in a session key `agent:{id}:{rest}`, else None."""
    parts = (session_key or "").split(":", 2)
    return parts[1] if len(parts) == 3 and parts[0] == "agent" and parts[1] else None
