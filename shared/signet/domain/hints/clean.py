"""Select the hints in a model's answer (PIP-31): questions and requests without foreign content."""

import re

from signet.domain.extraction.grounding import Grounds, content, particulars
from signet.providers import answers

HINT_CHARS = range(11, 300)
#: A hint of at most this many content words needs none of the memory's ("Where do I live?").
FREE_WORDS = 2

_NUMBER = re.compile(r"^(?:[-*•–>]+|\(?\d{1,2}[.):]|Q\d*:)\s*", re.IGNORECASE)
_QUOTES = "\"'“”‘’`*_,"
_ASKS = re.compile(
    r"(?:who|whom|whose|what|which|when|where|why|how|is|are|was|were|do|does|did|has|have|had|can|could|should|will"
    r"|would|tell|show|find|list|give|explain|describe|remind|recall|name|look)\b",
    re.IGNORECASE,
)
#: A label before a hint: `When: Apr 27` is no hint, `Temporal: When was it?` contains one.
_LABEL = re.compile(r"^[A-Za-z][A-Za-z -]{1,30}:\s+")
#: Comments of a model on its work, and phrases of the prompt.
_CHATTER = re.compile(
    r"\b(?:questions?|hints?|cues?|this memory|the memory|the user|markers?|answers?:)\b"
    r"|^(?:here (?:are|is)|sure|okay|let me|let's|i (?:need|will|should|can|have))\b",
    re.IGNORECASE,
)


def hints(answer: str, *, memory: str, most: int) -> tuple[str, ...]:
    """Return at most `most` hints of an answer, each once, in order."""
    kept: dict[str, str] = {}
    grounds = Grounds(memory)
    for line in answers.without_thoughts(answer).splitlines():
        hint = _bare(line)
        if _is_hint(hint) and hint.casefold() != memory.casefold() and _is_about(hint, grounds):
            kept.setdefault(hint.casefold().rstrip("?!. "), hint)
    return tuple(kept.values())[:most]


def _is_about(hint: str, grounds: Grounds) -> bool:
    """Return whether a hint fits its memory: no foreign names or numbers, and a common word unless it is very short.

    Hints use other words on purpose, but a longer question without any word of the memory is about something else.
    """
    words = content(hint)
    shares = len(words) <= FREE_WORDS or grounds.share(hint) > 0
    return shares and all(map(grounds.names, particulars(hint)))


def _bare(line: str) -> str:
    text = _NUMBER.sub("", line.strip()).strip().strip(_QUOTES).strip()
    label = _LABEL.match(text)
    behind = text[label.end() :].strip(_QUOTES) if label else ""
    return behind if behind.endswith("?") or _ASKS.match(behind) else text


def _is_hint(text: str) -> bool:
    if len(text) not in HINT_CHARS or text[0] in "{[<" or _CHATTER.search(text):
        return False
    if _LABEL.match(text):
        return False
    return text.endswith("?") or _ASKS.match(text) is not None
