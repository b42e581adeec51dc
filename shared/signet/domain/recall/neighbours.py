"""Which memories come from one source, and which are next to each other there. Pure."""

from collections import Counter
from collections.abc import Iterable, Mapping

Around = Mapping[int, Iterable[int]]


def symmetric(beside: Mapping[int, Iterable[int]]) -> dict[int, set[int]]:
    """Return who is beside whom, said from both sides."""
    around: dict[int, set[int]] = {}
    for seq, others in beside.items():
        for other in others:
            around.setdefault(seq, set()).add(other)
            around.setdefault(other, set()).add(seq)
    return around


def groups(places: Mapping[int, tuple[int | None, int | None]]) -> dict[int, int]:
    """Return what each memory came from: its source when others share it, else what was saved with it.

    `places` gives the source and the batch (project and instant) of each; None where there is none.
    """
    sizes = Counter(source for source, _ in places.values() if source is not None)
    named = {
        seq: source if source is not None and sizes[source] > 1 else batch
        for seq, (source, batch) in places.items()
    }
    return {seq: name for seq, name in named.items() if name is not None}
