"""New ids (RFC 9562; the `uuid` module takes long to load), and the agent id that a session key carries."""

import os
import re
import time

DEFAULT_AGENT = "default"
#: Before the name of a person in the id under which what is theirs is kept, as an agent's is.
USER_PREFIX = "user:"

#: Characters of a short id: three groups of a UUID. In a time-ordered one they hold the time to a quarter of a
#: microsecond, so a memory that is saved later cannot make a short id ambiguous.
SHORT_CHARS = 18

_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_SHORT = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}")


def new_id() -> str:
    """Return a random UUID (version 4) as text, for rows that clients see."""
    bits = int.from_bytes(os.urandom(16), "big") & ~(0xF << 76) & ~(0x3 << 62) | 4 << 76 | 0x2 << 62
    text = f"{bits:032x}"
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"


def new_ordered_id() -> str:
    """Return a time-ordered UUID (version 7) as text: id order is creation order.

    The 12 bits after the milliseconds hold their fraction (RFC 9562 §6.2, method 3), so that ids of one
    millisecond are ordered too. The rest is random, but no secret: asking the system for it would give up the
    interpreter lock nine times in a save.
    """
    import random  # not at the top: every hook loads this module, few make an id

    milliseconds, rest = divmod(time.time_ns(), 1_000_000)
    head = f"{milliseconds:012x}"
    tail = f"{0b10 << 62 | random.getrandbits(62):016x}"
    return f"{head[:8]}-{head[8:]}-7{rest * 4096 // 1_000_000:03x}-{tail[:4]}-{tail[4:]}"


def short(id_: str) -> str:
    """Return the beginning of a UUID that is enough to name it to a model; any other id whole."""
    return id_[:SHORT_CHARS] if _UUID.fullmatch(id_) else id_


def is_short(id_: str) -> bool:
    """Return whether this looks like what `short` returns for a UUID."""
    return _SHORT.fullmatch(id_) is not None


def of_user(name: str) -> str:
    """Return the agent id that owns what a person keeps here with a key of their own (AUTH-27)."""
    return f"{USER_PREFIX}{name}"


def is_of_user(agent_id: str) -> bool:
    """Return whether an agent id is a person's."""
    return agent_id.startswith(USER_PREFIX)


def agent_of_session(session_key: str | None) -> str | None:
    """Return the agent id in a session key of the form `agent:{id}:{rest}`, else None."""
    parts = (session_key or "").split(":", 2)
    return parts[1] if len(parts) == 3 and parts[0] == "agent" and parts[1] else None
