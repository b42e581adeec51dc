"""Where the words of a memory come from, and in which order such words are trusted."""

from enum import StrEnum


class Origin(StrEnum):
    """Where the words of a memory come from, the most trusted first.

    `user`: said by the user. `agent`: saved by an agent or a program. `inferred`: distilled from what was said.
    `imported`: from a file, a document or another store. `tool`: what a tool answered. `web`: from a page or a mail.
    """

    USER = "user"
    AGENT = "agent"
    INFERRED = "inferred"
    IMPORTED = "imported"
    TOOL = "tool"
    WEB = "web"


class Review(StrEnum):
    """What a person is asked, or has said, of a memory; a rejected one is forgotten.

    `waiting`: it tells its reader what to do, and is not read out unasked. `replaces`: it would replace words of a
    better origin, and does once a person approves it.
    """

    WAITING = "waiting"
    REPLACES = "replaces"
    APPROVED = "approved"


_ORDER = tuple(Origin)
#: Origins that nobody here vouches for.
STRANGERS = frozenset({Origin.TOOL, Origin.WEB})
_OWN = frozenset({Origin.AGENT, Origin.INFERRED})
#: Those who take part in the sessions of a workspace.
SPEAKERS = _OWN | {Origin.USER}


def lowest(*origins: Origin) -> Origin:
    """Return the least trusted of these origins: that of what was made from all of them."""
    return max(origins, key=_ORDER.index)


def may_replace(new: Origin, old: Origin) -> bool:
    """Return whether words of one origin may take the place of words of another without anybody's consent."""
    return _ORDER.index(new) <= _ORDER.index(old) or {new, old} <= _OWN
