"""How much each word of a question tells by how rare it is in the store, for the vector that ranks.

The mean of a question's token states says "a question about somebody" as loudly as what is asked. With rare words
weighed more what they name comes first. Relevance goes by the plain mean (`cutoff.py`): it tells better whether there
is an answer at all.
"""

import re
from collections.abc import Mapping

from signet.db import fts, script
from signet.domain.recall import cutoff
from signet.domain.recall.run import Run

_PARTS = re.compile(r"\w+")


def tells(run: Run) -> Mapping[str, float]:
    """Return how much the words tell, as a model has them: lower-case, without accents or marks.

    None of scripts that are looked for by pairs of characters.
    """
    if script.has_runs(run.query.text):
        return {}
    weights = cutoff.weights([*run.view.held(run.tx, run.words).values()], run.view.table.count)
    return {
        part: weight
        for term, weight in zip(run.words, weights, strict=True)
        for part in _PARTS.findall(fts.folded(fts.shown(term)))
    }
