"""Pages that cost a parser far more than their size: a small one can keep it busy for hours, or fill the memory.

A parser of HTML walks the elements that are open at many tags, and opens formatting anew wherever a block begins inside
of formatting that nobody has closed (HTML Standard §13.2.4.3). Both are products of two numbers, and so are bounded
here before the page is parsed. Measured with lexbor: 200,000 nested `<div>` take a minute, 1,000 different `<b>` before
3,000 `<p>` take 1.1 GB.
"""

import re
from collections import Counter, defaultdict

#: Tags times open elements: about a second. Tags times formatting that may be opened anew: about 400 MB.
MOST_WALKED = 500_000_000
MOST_FORMATTED = 1_000_000
#: More formatting than this is open at once in no page that a person wrote.
USUAL_FORMATTING = 20

_TAG = re.compile(r"<(/?)([a-zA-Z][^\s/<>]*)([^<>]*)")
#: Elements that hold nothing, or end where the next one of theirs begins.
_FLAT = frozenset(
    "area base br col embed hr img input link meta param source track wbr"
    " p li dt dd td th tr tbody thead tfoot option optgroup rb rp rt rtc".split()
)
_FORMATTING = frozenset("a b big code em font i nobr s small strike strong tt u".split())
_ONCE = frozenset({"a", "nobr"})
_DRAWN = frozenset({"svg", "math"})
_DRAWN_HTML = frozenset("desc foreignobject title annotation-xml mi mo mn ms mtext".split())


def is_hostile(text: str) -> bool:
    """Return whether parsing this page would take more than a page may. Linear in its length."""
    opened: Counter[str] = Counter()
    formatting: defaultdict[str, list[str]] = defaultdict(list)
    depth = formats = walked = formatted = 0
    for tag in _TAG.finditer(text):
        walked += depth
        formatted += max(formats - USUAL_FORMATTING, 0)
        if walked > MOST_WALKED or formatted > MOST_FORMATTED:
            return True
        name, rest = tag[2].lower(), tag[3]
        if name in _FLAT:
            continue
        if tag[1]:
            if opened[name]:
                opened[name] -= 1
                depth -= 1
            if formatting[name]:
                formatting[name].pop()
                formats -= 1
        elif not (rest.endswith("/") and _is_drawing(opened)):
            held = formatting[name]
            if name in _ONCE and opened[name]:
                continue
            opened[name] += 1
            depth += 1
            if name in _FORMATTING and held.count(rest) < 3:
                held.append(rest)
                formats += 1
    return False


def _is_drawing(opened: Counter[str]) -> bool:
    """Return whether elements may close themselves here."""
    return any(opened[name] for name in _DRAWN) and not any(opened[name] for name in _DRAWN_HTML)
