"""The chance that a user's sentence settles something that later sessions should know. Pure.

`kinds.py` knows the words of decisions, and finds a fifth of what people settle in everyday talk: "pay once, 14.99"
answers a question and contains none of them. This weighs the form of a sentence instead, by a logistic regression that
`loadtests/settled.py` fits on labelled sentences of invented developers. `settles.json` has the weights, and the
figures for each developer by weights fitted on the others.
"""

import json
import math
import re
from collections.abc import Sequence
from functools import cache, lru_cache
from importlib import resources

from signet.domain.statements import kinds
from signet.domain.statements.kinds import StatementKind
from signet.domain.statements.language import pattern

#: Of a sentence, each 0 or 1 unless noted: its kind is one of the settling ones, or `open`; it has a question mark; the
#: agent asked before; nothing was said before; ln(1 + words), up to MOST_WORDS; it contains a digit, a comma, a colon,
#: a word that binds ("only", "never"), a passing state, a word that points outside of it, one about the speaker, and
#: one that explains or narrates.
FEATURES = (
    "settling", "open", "question", "asked", "begins", "length", "digit", "comma", "colon", "binds", "passing",
    "points", "own", "narrates",
)  # fmt: skip
#: From here on, more words make a decision no more probable: engineers explain in long sentences.
MOST_WORDS = 16
#: Kinds that settle something.
SETTLING = frozenset(StatementKind) - {StatementKind.OPEN, StatementKind.FACT}
_WORD, _DIGIT = re.compile(r"\w+"), re.compile(r"\d")


def features(sentence: str, before: str | None) -> Sequence[float]:
    """Return the features of a sentence; `before` is the agent's last message, None at the start of a session."""
    said, kind = kinds.bare(sentence), kinds.kind_of(sentence)
    return (
        kind in SETTLING,
        kind is StatementKind.OPEN,
        "?" in sentence,
        before is not None and before.rstrip().endswith(("?", "？")),
        before is None,
        math.log(1 + min(MOST_WORDS, len(_WORD.findall(said)))),
        _DIGIT.search(said) is not None,
        "," in said,
        ":" in said,
        pattern("binds").search(said) is not None,
        pattern("passing").search(said) is not None,
        kinds.is_open(said),
        pattern("own").search(said) is not None,
        pattern("narrates").search(said) is not None,
    )


@lru_cache(4_096)
def chance(sentence: str, before: str | None) -> float:
    """Return the chance, 0..1; 0 for a question, a joke, a quotation and machine text."""
    if not kinds.is_meant(kinds.bare(sentence)):
        return 0.0
    weights = _weights()
    logit = weights["bias"] + sum(
        weights[name] * value
        for name, value in zip(FEATURES, features(sentence, before), strict=True)
    )
    return 1 / (1 + math.exp(-logit))


@cache
def _weights() -> dict[str, float]:
    text = resources.files("signet.domain.statements").joinpath("settles.json").read_text("utf-8")
    found: dict[str, float] = json.loads(text)["weights"]
    return found
