"""Usage by route and by provider, from the samples of counters. Pure."""

import re
from collections.abc import Iterable, Mapping

#: A metric's samples: labels and value.
Samples = Iterable[tuple[Mapping[str, str], float]]

_ID = re.compile(r"\{(?:\w+_)?id\}")
_NAME = re.compile(r"\{(\w+)\}")
#: From this status on an answer counts as an error.
ERROR_STATUS = 400


def template(route: str) -> str:
    """Return a route as it is documented: `/api/memory/:id`."""
    return _NAME.sub(r":\1", _ID.sub(":id", route))


def endpoints(requests: Samples, seconds: Samples) -> dict[str, dict[str, float]]:
    """Return count, errors and total latency (ms) of each route, from the counters of requests."""
    found: dict[str, dict[str, float]] = {}
    for labels, value in requests:
        mine = found.setdefault(_key(labels), {"count": 0, "errors": 0, "totalLatencyMs": 0})
        mine["count"] += int(value)
        mine["errors"] += int(value) if int(labels["status"]) >= ERROR_STATUS else 0
    for labels, value in seconds:
        if _key(labels) in found:
            found[_key(labels)]["totalLatencyMs"] += round(value * 1000, 3)
    return dict(sorted(found.items()))


def providers(calls: Samples, seconds: Samples) -> dict[str, dict[str, float]]:
    """Return calls, failures (a timeout is one) and total latency (ms) of each provider."""
    found: dict[str, dict[str, float]] = {}
    for labels, value in calls:
        mine = found.setdefault(
            labels["provider"], {"calls": 0, "failures": 0, "totalLatencyMs": 0}
        )
        mine["calls"] += int(value)
        mine["failures"] += 0 if labels["outcome"] == "success" else int(value)
    for labels, value in seconds:
        if labels["provider"] in found:
            found[labels["provider"]]["totalLatencyMs"] += round(value * 1000, 3)
    return dict(sorted(found.items()))


def _key(labels: Mapping[str, str]) -> str:
    return f"{labels['method']} {template(labels['route'])}"
