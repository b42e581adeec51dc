"""Which routed tools appear as tools of their own, and which fit a search (MC-30). Pure, except for `Recent`."""

import re
import threading
from collections.abc import Sequence
from datetime import datetime, timedelta

from signet.domain.marketplace.models import Context, Mode, Policy, Routed

#: How long a tool that was searched counts as recent, how many are remembered for a context, and for how many of them.
RECENT = timedelta(minutes=30)
MAX_RECENT = 500
MAX_CONTEXTS = 200

_WORD = re.compile(r"[^\W_]+")
#: What a word of the question is worth where it stands.
_WEIGHTS = (4.0, 2.0, 1.0)


class Recent:
    """What was searched lately, for each place that searches; safe to use from several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._found: dict[Context, dict[str, datetime]] = {}

    def note(self, context: Context, ids: Sequence[str], *, now: datetime) -> None:
        """Remember that these were found, the best first."""
        with self._lock:
            seen = self._found.pop(context, {})
            for id_ in reversed(ids):
                seen.pop(id_, None)
                seen[id_] = now
            self._found[context] = dict(list(seen.items())[-MAX_RECENT:])
            while len(self._found) > MAX_CONTEXTS:
                del self._found[next(iter(self._found))]

    def of(self, context: Context, *, now: datetime) -> list[str]:
        """Return what was found within the last half hour, the latest first."""
        with self._lock:
            seen = self._found.get(context, {})
            return [id_ for id_, at in reversed(seen.items()) if now - at < RECENT]


def exposed(tools: Sequence[Routed], policy: Policy, recent: Sequence[str]) -> list[Routed]:
    """Return the tools that appear, in the order of `tools`: recently searched ones have the first right to a place."""
    if policy.mode is Mode.EXPANDED:
        return list(tools)
    known = {one.id for one in tools}
    chosen = [id_ for id_ in recent if id_ in known]
    if policy.mode is Mode.COMPACT:
        chosen = chosen[: policy.max_search_results]
    else:
        first = set(chosen)
        chosen += [one.id for one in tools if one.id not in first]
        chosen = chosen[: policy.max_expanded_tools]
    places = set(chosen)
    return [one for one in tools if one.id in places]


def search(tools: Sequence[Routed], query: str, limit: int) -> list[tuple[Routed, float]]:
    """Return the tools that fit a question with their score from 0 to 1, the best first.

    Each word counts most in the name of the tool, less in the name of the server, least in the description; a
    word that only begins another counts half.
    """
    asked = set(_words(query))
    if not asked:
        return []
    most = _WEIGHTS[0] * len(asked)
    scored = [(one, _score(one, asked) / most) for one in tools]
    found = [pair for pair in scored if pair[1] > 0]
    return sorted(found, key=lambda pair: (-pair[1], pair[0].own_name))[:limit]


def _score(one: Routed, asked: set[str]) -> float:
    fields = (one.tool.name, f"{one.server.id} {one.server.name}", one.tool.description)
    words = [set(_words(text)) for text in fields]
    return sum(
        max(_worth(word, among, weight) for among, weight in zip(words, _WEIGHTS, strict=True))
        for word in asked
    )


def _worth(word: str, among: set[str], weight: float) -> float:
    if word in among:
        return weight
    return weight / 2 if any(other.startswith(word) for other in among) else 0.0


def _words(text: str) -> list[str]:
    # readFile is read and file.
    parted = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", text)
    return [word.lower() for word in _WORD.findall(parted)]
