"""The words of the documentation: `PYTHONPATH=tests python -m docs.spelling` adds new ones to `words.txt`."""

import re
from collections.abc import Iterator
from pathlib import Path

from docs.pages import ROOT, is_generated

KNOWN = Path(__file__).with_name("words.txt")
#: Shorter words are near too many others; the last letters make forms of one word.
LEAST, END = 5, 2
_SKIPPED = re.compile(r"```.*?```|`[^`\n]*`|<!--.*?-->|https?://\S+|\]\([^)]*\)", re.DOTALL)
_LETTERS = "abcdefghijklmnopqrstuvwxyz"


def words() -> set[str]:
    """Return the words of all pages outside code, in small letters."""
    pages = [*(ROOT / "docs").rglob("*.md"), *ROOT.glob("*.md")]
    written = (page for page in pages if not is_generated(page))
    texts = (_SKIPPED.sub(" ", page.read_text("utf-8")) for page in written)
    return {word.lower() for text in texts for word in re.findall(r"[A-Za-z][a-z]+", text)}


def suspects(found: set[str], known: set[str]) -> dict[str, set[str]]:
    """Return unknown words that differ from known ones by one slip of the finger, with those."""
    near = {word: known.intersection(_slips(word)) for word in found - known if len(word) >= LEAST}
    return {word: meant for word, meant in near.items() if meant}


def _slips(word: str) -> Iterator[str]:
    for at in range(1, len(word) - END):
        head, tail = word[:at], word[at:]
        yield head + tail[1:]
        yield head + tail[1] + tail[0] + tail[2:]
        for letter in _LETTERS:
            yield head + letter + tail
            yield head + letter + tail[1:]


def known() -> set[str]:
    return set(KNOWN.read_text("utf-8").split())


if __name__ == "__main__":
    KNOWN.write_text("\n".join(sorted(known() | words())) + "\n", "utf-8")
