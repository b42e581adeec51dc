"""The vector of a question, by how much each of its words tells.

A text's vector is the mean of the states of its tokens, and in the mean of a question half is "what did you say about
the". Whoever knows how rare its words are in a store weighs them by that (decision 43).
"""

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

#: What a word of which nothing is known, or a mark, weighs beside the mean of the others.
REST = 0.25


class Question:
    """A question that a model has read; markers count in its mean alone."""

    def __init__(self, words: Sequence[tuple[str, int]], states: "NDArray[np.float32]") -> None:
        """Take the states of all tokens, markers included, and each word with the number of its tokens."""
        import numpy as np

        self._mean = _unit(states.sum(axis=0))
        ends = np.cumsum([1, *(count for _, count in words)])
        starts = ends[:-1][ends[:-1] < len(states) - 1]
        self._words = [word for word, _ in words[: len(starts)]]
        # Half as exact is exact enough, and many questions are kept.
        self._states = (
            np.add.reduceat(states[:-1], starts).astype(np.float16) if len(starts) else None
        )

    def vector(self, tells: Mapping[str, float]) -> bytes:
        """Return its vector, of length one; the mean of all tokens where nothing is known of its words.

        `tells` has how much words tell, lower-case and without accents.
        """
        import numpy as np

        known = [tells.get(word) for word in self._words]
        told = [one for one in known if one is not None]
        rest = REST * math.fsum(told) / max(1, len(told))
        if self._states is None or rest <= 0:
            return self._mean
        weights = np.array([rest if one is None else one for one in known], dtype=np.float32)
        return _unit(np.einsum("i,ij->j", weights, self._states.astype(np.float32)))


def _unit(vector: "NDArray[np.float32]") -> bytes:
    import numpy as np

    length = float(np.sqrt(np.einsum("i,i->", vector, vector))) or 1.0
    return (vector / length).astype("<f4").tobytes()
