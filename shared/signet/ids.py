"""New ids, and the agent id that a session key carries."""

import os
import time
import uuid

DEFAULT_AGENT = "default"


def new_id() -> str:
    """Return a random UUID as text, for rows that clients see."""
    return str(uuid.uuid4())


def new_ordered_id() -> str:
    """Return a time-ordered UUID (version 7) as text: id order is creation order.

    The 12 bits after the milliseconds hold their fraction (RFC 9562 §6.2, method 3), so that ids of one
    millisecond are ordered too.
    """
    milliseconds, rest = divmod(time.time_ns(), 1_000_000)
    fraction = rest * 4096 // 1_000_000
    head = milliseconds << 16 | 0x7000 | fraction
    raw = bytearray(head.to_bytes(8, "big") + os.urandom(8))
    raw[8] = (raw[8] & 0x3F) | 0x80
    return str(uuid.UUID(bytes=bytes(raw)))


def agent_of_session(session_key: str | None) -> str | None:
    """Return the agent id in a session key of the form `agent:{id}:{rest}`, else None."""
    parts = (session_key or "").split(":", 2)
    return parts[1] if len(parts) == 3 and parts[0] == "agent" and parts[1] else None
