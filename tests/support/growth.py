"""Tell whether the time of a function grows faster than its input: ratios within one process, never seconds."""

import time
from collections.abc import Callable

#: A large input has so many times the characters of a small one.
FACTOR = 8
#: Linear work takes `FACTOR` times as long, quadratic work `FACTOR` squared: 64. Between them is room for noise.
MOST = 3 * FACTOR
#: Whatever a large input takes in less than this, in seconds, needs no second look.
_NOTHING = 0.002


def is_steep(run: Callable[[str], object], make: Callable[[int], str], chars: int) -> bool:
    """Return whether `run` on `FACTOR * chars` characters takes too many times as long as on `chars`.

    Only processor time of this process counts, and only what three tries agree on.
    """
    small, large = make(chars), make(FACTOR * chars)
    return all(_ratio(run, small, large) > MOST for _ in range(3))


def _ratio(run: Callable[[str], object], small: str, large: str) -> float:
    took = processor_seconds(run, large)
    return took / max(processor_seconds(run, small), 1e-6) if took > _NOTHING else 0.0


def processor_seconds(run: Callable[[str], object], text: str) -> float:
    """Return the processor time of one call, in seconds."""
    began = time.process_time()
    run(text)
    return time.process_time() - began


def repeated(piece: str) -> Callable[[int], str]:
    """Return what makes a text of so many characters from a piece."""
    return lambda chars: (piece * (chars // len(piece) + 1))[:chars]
