"""New ids, and the agent id that a session key carries."""

import os
import time

DEFAULT_AGENT = "default"


def new_id() -> str:
    """Return a random UUID (version 4) as text, for rows that clients see."""
    return _uuid(os.urandom(16), version=4)


def new_ordered_id() -> str:
    """Return a time-ordered UUID (version 7) as text: id order is creation order.

    The 12 bits after the milliseconds hold their fraction (RFC 9562 §6.2, method 3), so that ids of one
    millisecond are ordered too.
    """
    milliseconds, rest = divmod(time.time_ns(), 1_000_000)
    fraction = rest * 4096 // 1_000_000
    head = milliseconds << 16 | fraction
    return _uuid(head.to_bytes(8, "big") + os.urandom(8), version=7)


def agent_of_session(session_key: str | None) -> str | None:
    """Return the agent id in a session key of the form `agent:{id}:{rest}`, else None."""
    parts = (session_key or "").split(":", 2)
    return parts[1] if len(parts) == 3 and parts[0] == "agent" and parts[1] else None


def _uuid(raw: bytes, *, version: int) -> str:
    """Return 16 bytes as the text of a UUID (RFC 9562 §4); the `uuid` module takes long to load."""
    bits = int.from_bytes(raw, "big") & ~(0xF << 76) & ~(0x3 << 62) | version << 76 | 0x2 << 62
    text = f"{bits:032x}"
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"
