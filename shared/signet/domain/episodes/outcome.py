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
#: How a later talk says that it changes an earlier one: in the words of reports, and as people say it.
_AMENDS = re.compile(
    r"\b(?:amend\w*|supersed\w*|no longer|revis(?:e|ed|ion|ing)|overrul\w*|changes? (?:to|of) the|update[sd]? to the"
    r"|chang(?:e|ed|es|ing) (?:that|this|it|(?:my|our|his|her|their) minds?)|change of plans?|on second thoughts?"
    r"|(?:scrap|drop|undo|forget|reverse) (?:that|this|what|the old)|any ?more|(?:go|going|went|switch\w*) back to"
    r"|(?:that|it|this|which)(?: is|['’]s) (?:outdated|obsolete|off the table|wrong now)"
    r"|(?:do|does|did|doing) (?:it|that) (?:differently|the other way)"
    r"|nicht mehr|doch nicht|doch lieber|stattdessen|geändert|ändern (?:wir|das)|hinfällig|überholt|umentschieden"
    r"|n['’]est plus|ne sont plus|n['’]utilis\w* plus|finalement|à la place|on change|changement de"
    r"|ya no|en vez de|cambiamos|cambio de|mejor dicho|больше не|уже не|передума\w+|отменя\w+|вместо этого)\b"
    r"|改成|改为|改為|换成|不再|取消|変更|取りやめ",
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
