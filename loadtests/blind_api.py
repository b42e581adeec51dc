"""The API process without observability: counters, histograms, events, log context.

The difference is the cost of observing. The product has no such switch.
"""

import sys
from contextlib import nullcontext

from prometheus_client.metrics import Counter, Histogram, MetricWrapperBase

from signet.observe import record
from signet_api import guard, main


def nothing(*_: object, **__: object) -> None:
    """Do nothing."""


def itself(found: object, *_: object, **__: object) -> object:
    """Return the object it is called on."""
    return found


def close_eyes() -> None:
    """Replace everything that observes with no-ops."""
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
