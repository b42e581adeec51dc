"""Remove repetitions of the prompt from a provider's error message. Pure.

Errors are stored with jobs, in logs and in counts, while the prompt's texts may be forgotten.
"""

import re

#: Consecutive common words that count as a repetition.
RUN = 4
LEFT_OUT = "[…]"
_WORD = re.compile(r"\w+")


def without(said: str, asked: str) -> str:
    """Return the message without runs of words that occur in the prompt."""
    theirs = [word.casefold() for word in _WORD.findall(asked)]
    known = {tuple(theirs[at : at + RUN]) for at in range(len(theirs) - RUN + 1)}
    found = list(_WORD.finditer(said))
    words = [word[0].casefold() for word in found]
    kept: list[str] = []
    end = at = 0
    while at < len(words):
        last = at
        while tuple(words[last : last + RUN]) in known:
            last += 1
        if last > at:
            last += RUN - 1
            kept += (said[end : found[at].start()], LEFT_OUT)
            end = found[last - 1].end()
        at = max(last, at + 1)
    return "".join([*kept, said[end:]])
