"""The words for stored names, in `words.toml`: the dashboard and every command show the same ones."""

import re
from functools import lru_cache

from signet import resources

_TABLE: dict[str, dict[str, str]] = resources.table(__file__)
#: Signet's own processes and jobs, and sources, which are named by an ID.
_OWN = re.compile(_TABLE["own"]["names"])
SIGNET = "Signet"
#: At most this number of answers is cached: most rows of a list have the same four values.
_KEPT = 1_000


def kind(type: str) -> str:
    """Return the type of a memory as people call it."""
    found = _TABLE["kinds"].get(type) or _TABLE["whole"].get(type)
    return found or type.replace("-", " ").replace("_", " ")


def by(name: str | None) -> str:
    """Return who saved or changed something."""
    if not name or _OWN.fullmatch(name):
        return SIGNET
    return _TABLE["people"].get(name, name)


def why(reason: str | None) -> str | None:
    """Return the reason for a change; None for one that names no cause."""
    return reason and (_TABLE["reasons"].get(reason, reason) or None)


@lru_cache(_KEPT)
def memory(type: str, who: str | None, source: str | None, origin: str | None) -> str:
    """Return what a memory is and where it is from: `rule saved by Mira`."""
    from_ = _TABLE["strangers"].get(origin or "")
    if not from_ and type not in _TABLE["whole"]:
        from_ = _TABLE["sources"].get(source or "")
        if not from_ and (name := by(who)) != SIGNET:
            from_ = f"{'imported from' if origin == 'imported' else 'saved by'} {name}"
    return f"{kind(type)} {from_}" if from_ else kind(type)


def told(name: str) -> str:
    """Return a job, a part of a session's start, or a reason for injecting or omitting an item, in words."""
    return _TABLE["told"].get(name) or name.replace("_", " ")
