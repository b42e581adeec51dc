"""The API process without anything that observes it: counters, histograms, events, the log's context.

What observing costs is the difference. The product has no such switch and knows nothing of this.
"""

import sys
from contextlib import nullcontext

from prometheus_client.metrics import Counter, Histogram, MetricWrapperBase

from signet.observe import record
from signet_api import guard, main


def nothing(*_: object, **__: object) -> None:
    """Do nothing."""


def itself(found: object, *_: object, **__: object) -> object:
    """Return what it is called on."""
    return found


def close_eyes() -> None:
    """Put nothing in the place of all that observes."""
    for owner, name, instead in (
        (MetricWrapperBase, "labels", itself),
        (Counter, "inc", nothing),
        (Histogram, "observe", nothing),
        (Histogram, "time", lambda _: nullcontext()),
        (record, "event", nothing),
        (record, "error", nothing),
        (guard, "answered", nothing),
        (guard, "bind_contextvars", nothing),
        (guard, "clear_contextvars", nothing),
        (guard, "get_contextvars", dict),
    ):
        setattr(owner, name, instead)


if __name__ == "__main__":
    close_eyes()
    sys.exit(main.main())
