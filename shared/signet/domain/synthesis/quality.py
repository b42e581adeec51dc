"""Check a model's MEMORY.md before it replaces a good one (PIP-46): whole, without repetition, made of the memories."""

import re
from collections import Counter

from signet.domain.extraction.grounding import Grounds, Verdict, content
from signet.domain.synthesis import prompt
from signet.domain.synthesis.sources import Sources

#: Shortest file, as a share of the plain list of the same memories.
LEAST_LENGTH = 0.1
#: Share of the lines that may lack support; such lines are left out of the file.
MOST_UNSUPPORTED = 0.3
#: The most important memories of which the file must repeat most words, and the share of them that it must hold.
TOP, LEAST_COVERAGE, MOST_WORDS = 10, 0.5, 0.5
#: Lines of this many characters are judged; shorter ones are headings and labels.
LINE_CHARS = 12

_FENCE = re.compile(r"</?[a-z][a-z-]*-[0-9a-f]{4,}>")
_HEADING = re.compile(r"#{1,6} ")


class Bad(ValueError):
    """A model's text that must not become MEMORY.md; the message is the reason."""


def checked_text(text: str, sources: Sources, *, plain: str, is_cut: bool) -> str:
    """Return a model's text without lines that the sources do not support; raises Bad for an unusable text.

    `plain` is the list that is written without a model.
    """
    if is_cut:
        raise Bad("it ends before its end: the answer reached the model's limit")
    if _FENCE.search(text):
        raise Bad("it contains markers of the request")
    lines = [line for line in text.splitlines() if line.strip()]
    if any(count > 1 for line, count in Counter(lines).items() if len(line) >= LINE_CHARS):
        raise Bad("it repeats lines")
    if len(text) < LEAST_LENGTH * len(plain):
        raise Bad(f"it is too short: {len(text)} characters for {len(sources)} sources")
    if coverage(text, sources) < LEAST_COVERAGE:
        raise Bad("it leaves out most of the important memories")
    grounds = Grounds(
        "\n".join(
            [*(one.content for one in sources.memories), *(one.content for one in sources.notes)]
        ),
        prompt.TASK,
    )
    body = [line for line in lines if not _HEADING.match(line)]
    unsaid = {line for line in body if not _is_said(grounds, line)}
    if not set(body) - unsaid:
        raise Bad("it contains nothing from the memories")
    dropped = {line for line in unsaid if len(line) >= LINE_CHARS}
    if len(dropped) > MOST_UNSUPPORTED * len(lines):
        raise Bad("most of it is not in the memories")
    return "\n".join(line for line in text.splitlines() if line not in dropped)


def coverage(text: str, sources: Sources) -> float:
    """Return the share of the most important memories whose words a text mostly contains, 1 without any."""
    grounds, top = Grounds(text), sources.memories[:TOP]
    held = [one for one in top if grounds.share(one.content) >= MOST_WORDS]
    return len(held) / len(top) if top else 1.0


def _is_said(grounds: Grounds, line: str) -> bool:
    return not content(line) or grounds.judge(line) is Verdict.SAID
