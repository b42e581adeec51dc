"""Origins of memories, ordered by trust."""

from enum import StrEnum


class Origin(StrEnum):
    """The origin of a memory's text, most trusted first.

    `user`: the user's words. `agent`: saved by an agent or a program. `inferred`: derived from messages. `imported`:
    from a file, a document or another store. `tool`: output of a tool. `web`: from a page or an email.
    """

    USER = "user"
    AGENT = "agent"
    INFERRED = "inferred"
    IMPORTED = "imported"
    TOOL = "tool"
    WEB = "web"


class Review(StrEnum):
    """The review state of a memory; a rejected one is forgotten.

    `waiting`: it instructs its reader, and is not injected unasked. `replaces`: it would replace a memory of higher
    origin, and does so once approved.
    """

    WAITING = "waiting"
    REPLACES = "replaces"
    APPROVED = "approved"


_ORDER = tuple(Origin)
#: Untrusted origins.
STRANGERS = frozenset({Origin.TOOL, Origin.WEB})
_OWN = frozenset({Origin.AGENT, Origin.INFERRED})
#: Origins of participants in a workspace's sessions.
SPEAKERS = _OWN | {Origin.USER}


def distance(origin: Origin) -> int:
    """Return 0 for the words of a workspace's people and agents, more for those of less trusted origins."""
    return 0 if origin in SPEAKERS else _ORDER.index(origin)


def doubt(origin: Origin) -> int:
    """Return `distance`, but more for an agent, whose statement does not hide the user's."""
    return 1 if origin is Origin.AGENT else distance(origin)


def lowest(*origins: Origin) -> Origin:
    """Return the least trusted of these origins, for a text derived from all of them."""
    return max(origins, key=_ORDER.index)


def may_replace(new: Origin, old: Origin) -> bool:
    """Return whether a text of one origin may replace one of another without approval."""
    return _ORDER.index(new) <= _ORDER.index(old) or {new, old} <= _OWN
