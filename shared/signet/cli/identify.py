"""From what a person types to the id of a memory."""

from signet.client import Signet
from signet.errors import Conflict, Invalid, NotFound

#: A shorter beginning is more likely a slip than an id.
SHORTEST = 8
#: A UUID is whole: nothing is looked up for it.
_UUID_CHARS = 36


class Ambiguous(Conflict):
    """Several memories have an id with this prefix."""

    code = "ambiguous_id"


def whole(signet: Signet, typed: str, *, agent: str | None = None) -> str:
    """Return the id that `typed` is or begins; raises NotFound, Ambiguous, or Invalid for too short a beginning."""
    typed = typed.strip()
    if len(typed) == _UUID_CHARS:
        return typed
    found = signet.ids(typed, agent_id=agent)
    if typed in found:
        return typed
    if len(typed) < SHORTEST:
        raise Invalid(
            f"{typed!r} is too short: give at least the first {SHORTEST} characters of the id"
        )
    if not found:
        raise NotFound(f"No memory has an id that starts with {typed}")
    if len(found) > 1:
        shown = "\n  ".join(found)
        raise Ambiguous(f"Several ids start with {typed}; give more characters:\n  {shown}")
    return found[0]
