"""How people write down what was decided, and what is to be done from now on. Pure."""

import re

#: How an outcome is announced; looked for where a turn or paragraph begins.
_OUTCOME = re.compile(
    r"\b(?:recap|final|finally|summar(?:y|ise|ize)|to sum up|settled|agreed|decided|decision|conclusion"
    r"|amend(?:ed|ing|ment)?|supersed(?:es|ed|ing)|going forward)\b",
    re.IGNORECASE,
)
_RULE = re.compile(
    r"\b(?:must|never|always|exactly|only|instead|rule|policy|from now on)\b", re.IGNORECASE
)
#: How a later talk says that it changes an earlier one.
_AMENDS = re.compile(
    r"\b(?:amend\w*|supersed\w*|no longer|revis(?:e|ed|ion|ing)|overrul\w*"
    r"|changes? (?:to|of) the|update[sd]? to the)\b",
    re.IGNORECASE,
)
_BEGINNING = 160


def is_outcome(text: str) -> bool:
    """Return whether a turn or paragraph begins by saying that something was decided."""
    return _OUTCOME.search(text[:_BEGINNING]) is not None


def rules(text: str) -> int:
    """Return how many different words of rules a text uses."""
    return len({found.lower() for found in _RULE.findall(text)})


def decides(text: str) -> bool:
    """Return whether a text settles something: it says that it does, or uses two words of rules."""
    return is_outcome(text) or rules(text) > 1


def amends(text: str) -> bool:
    """Return whether a text says that it changes something earlier."""
    return _AMENDS.search(text) is not None
