"""Asking for vectors, and saying whose fault it is when there are none.

A failure is the text's only when the provider is well: one that fails everybody is down, which costs no job an attempt
and lets one of them ask now and then (queue/circuit_breaker.py).
"""

from collections.abc import Sequence

from signet.errors import ProviderDown, ProviderFailed
from signet.providers.ports import Embedder


def embedded(embedder: Embedder, pieces: Sequence[str]) -> list[bytes]:
    """Return the vectors of texts; raises ProviderDown when the provider is at fault, ProviderFailed when a text is."""
    try:
        return embedder.embed(pieces)
    except ProviderFailed as error:
        fault = embedder.fault()
        if fault is None:
            raise
        raise ProviderDown(fault) from error
