"""New ids, and the agent id that a session key carries."""

import os
import time
import uuid

DEFAULT_AGENT = "default"


def new_id() -> str:
    """Return a random UUID as text, for rows that clients see."""
    return str(uuid.uuid4())


def new_ordered_id() -> str:
    """Return a time-ordered UUID (version 7, RFC 9562 §5.7) as text: id order is creation order."""
    stamp = time.time_ns() // 1_000_000
    raw = bytearray(stamp.to_bytes(6, "big") + os.urandom(10))
    raw[6] = (raw[6] & 0x0F) | 0x70
    raw[8] = (raw[8] & 0x3F) | 0x80
    return str(uuid.UUID(bytes=bytes(raw)))


def agent_of_session(session_key: str | None) -> str | None:
    """Return the agent id in a session key of the form `agent:{id}:{rest}`, else None."""
    parts = (session_key or "").split(":", 2)
    return parts[1] if len(parts) == 3 and parts[0] == "agent" and parts[1] else None
