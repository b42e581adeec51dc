"""How people write down decisions and new rules. Pure."""

import re
from functools import lru_cache

from signet.text import patterns

#: Words that announce an outcome at the beginning of a turn or paragraph.
_OUTCOME = patterns.lazy(
    r"\b(?:recap|final|finally|summar(?:y|ise|ize)|to sum up|settled|agreed|decided|decision|conclusion"
    r"|amend(?:ed|ing|ment)?|supersed(?:es|ed|ing)|going forward)\b",
    re.IGNORECASE,
)
_RULE = patterns.lazy(
    r"\b(?:must|never|always|exactly|only|instead|rule|policy|from now on)\b", re.IGNORECASE
)
#: Words that announce a change to an earlier outcome, in reports and in conversation.
_AMENDS = patterns.lazy(
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
    """Return whether a turn or paragraph begins by announcing a decision."""
    return _OUTCOME.search(text[:_BEGINNING]) is not None


def rules(text: str) -> int:
    """Return the number of different rule words in a text."""
    return len({found.lower() for found in _RULE.findall(text)})


def decides(text: str) -> bool:
    """Return whether a text settles something: it announces a decision, or uses two rule words."""
    return is_outcome(text) or rules(text) > 1


def amends(text: str) -> bool:
    """Return whether a text announces a change to something earlier."""
    return _AMENDS.search(text) is not None


#: Forms of questions, with or without a mark.
_ASKS = patterns.lazy(
    r"[?？]|(?:^|[,:;.] |\band )(?:who|what|when|where|which|why|how|what's|remind me|do you know"
    r"|wer|was|wann|wo|wie|welche\w*|warum|qui|quand|où|quel\w*|comment|pourquoi"
    r"|quién|qué|cuándo|dónde|cuál\w*|cómo)\b",
    re.IGNORECASE,
)
#: Phrases for having no answer, only a guess or a question.
_NO_ANSWER = patterns.lazy(
    r"\b(?:(?:do|does|did|could|can|was|am|is|are|have|has)(?: not|n['’]t)|cannot|can['’]t|unable"
    r"|not (?:sure|clear|documented|known|find|found|seen)|unclear|unknown|nothing|nowhere"
    r"|no (?:idea|access|\w+ (?:about|for|of|on|in))|without|depends|sorry|unless|nobody"
    r"|(?:would|['’]d) (?:have|need|guess|expect|assume|choose|say)|need (?:to|more)|could be"
    r"|probably|presumably|likely|maybe|perhaps|might|may|seems?|usually|typically|commonly|often"
    r"|by default|(?:i|i['’]ll) (?:guess|assume|think|believe|remember|suppose)"
    r"|(?:let me|i['’]d|i['’]ll|i would|i can) (?:look|check|read|search|find)"
    r"|do you want|should i|shall i|would you|nicht|keine?n?|vermutlich|wahrscheinlich|vielleicht"
    r"|müsste|pas|aucun\w*|sans doute|peut-être|probablement|faudrait"
    r"|no (?:lo )?(?:sé|encuentro|veo|estoy)|supongo|probablemente|quizás?|tendría)\b|\?\s*$",
    re.IGNORECASE,
)
_SAYS = patterns.lazy(r"^(User|Assistant|Tool)[^:\n]{0,60}: ", re.MULTILINE)
_VALUE = patterns.lazy(r"\d|[`_/@]|[a-z][A-Z]")
#: Longer messages count as statements: a person's without a question, and anyone's.
_SHORT, _LONG = 48, 160
_SENTENCE = patterns.lazy(r"(?<=[.!?])\s+")
#: A longer sentence before or after a question is a statement.
_ASIDE = 24


@lru_cache(1_024)
def only_asks(talk: str) -> bool:
    """Return whether people in a conversation only ask, and no answer contains information."""
    _, *parts = _SAYS.split(talk)
    is_asked = False
    for who, said in zip(parts[::2], parts[1::2], strict=True):
        message = said.strip()
        if who == "Tool":
            continue
        if len(message) > _LONG:
            return False
        if who == "User" and _ASKS.search(message):
            sentences = _SENTENCE.split(message)
            if any(len(one) > _ASIDE and not _ASKS.search(one) for one in sentences):
                return False
            is_asked = True
        elif who == "User":
            if len(message) > _SHORT or _VALUE.search(message) or decides(message):
                return False
        elif not _NO_ANSWER.search(message):
            return False
    return is_asked
