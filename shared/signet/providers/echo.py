"""What a provider says of a failure, without what it repeats of the question. Pure.

Errors are kept with jobs, in logs and in counts; the texts that were asked about may be forgotten.
"""

import re

#: So many words in a row that the question has too are a repetition of it.
RUN = 4
LEFT_OUT = "[…]"
_WORD = re.compile(r"\w+")


def without(said: str, asked: str) -> str:
    """Return what was said with every run of words that stands in the question left out."""
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
