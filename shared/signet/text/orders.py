"""Detect texts that instruct their reader. Pure.

`orders`: does the text contain any instruction? Judged generously, for texts from unknown sources. `steers`: does it
have marks of an attack on an agent's memory (overriding instructions, actions that wait for the user's word,
secrecy, sending data away, faked turns and tags, hidden or encoded text, self-copying notes)? Judged strictly, for
texts of people, agents and files.

The patterns are of published attacks: delayed tool invocation (Rehberger 2025), MINJA's bridging steps
(arXiv:2503.03704), AgentPoison's triggers (arXiv:2407.12784), image exfiltration, tag characters, self-copying
notes.
"""

import base64
import binascii
import re

from signet import resources
from signet.text import controls, patterns

_TABLE = resources.expressions(__file__)
#: Instructions: in English, in other languages, and a line that looks like a turn of a conversation.
_ORDERS = tuple(
    patterns.lazy(_TABLE[name], re.IGNORECASE | re.MULTILINE)
    for name in ("order", "foreign", "turn")
)
#: The inside of a sentence, as written in the patterns and as compiled: a dot before a letter does not end it.
_WITHIN, _COMPILED = r"[^.!?\n]", r"(?:[^.!?\n]|\.(?=\w))"
#: Marks of an attack, each with literals of which every match contains one.
_STEERS = tuple(
    (
        one["needles"].split("|"),
        patterns.lazy(one["pattern"].replace(_WITHIN, _COMPILED), re.IGNORECASE | re.MULTILINE),
    )
    for one in _TABLE["steers"]
)
#: Non-ASCII letters that match ASCII ones when case is ignored.
_LIKE_ASCII = {0x130: "i", 0x131: "i", 0x17F: "s"}
_HIDDEN, _ENCODED = patterns.lazy(_TABLE["hidden"]), patterns.lazy(_TABLE["encoded"])
MOST_RUNS = 20


def orders(text: str) -> bool:
    """Return whether a text instructs its reader; generous, because missing one is harmful."""
    shown = controls.clean(text)
    return any(rule.search(shown) for rule in _ORDERS)


def steers(text: str) -> bool:
    """Return whether a text has marks of an attack, including hidden and encoded text."""
    if (not text.isascii() or "\x1b" in text) and _HIDDEN.search(text):
        return True
    shown = controls.clean(text)
    # A speaker precedes a turn; `_LIKE_ASCII` letters are treated as the patterns treat them.
    low = shown.translate(_LIKE_ASCII).lower().removeprefix("assistant:")
    for words, rule in _STEERS:
        for one in words:
            if one in low:
                if rule.search(shown):
                    return True
                break
    return _hides_orders(shown)


def _hides_orders(text: str) -> bool:
    """Return whether a run of base64 is a sentence that instructs its reader."""
    runs = (found[0] for found, _ in zip(_ENCODED.finditer(text), range(MOST_RUNS), strict=False))
    return any(orders(said) or steers(said) for said in map(_decoded, runs) if said)


def _decoded(run: str) -> str:
    """Return the text of a run of base64, "" if it is not text."""
    whole = run.rstrip("=")
    try:
        said = base64.b64decode(whole + "=" * (-len(whole) % 4), validate=True).decode()
    except (binascii.Error, ValueError):
        return ""
    return said if said.isprintable() and " " in said else ""
