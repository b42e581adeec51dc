"""HTML, and XML read the same way.

Parsed as browsers do it (selectolax, over the lexbor engine), because nothing about a page that somebody wrote can be
relied on: the standard library's parser needs 21 s for 60 kB of `<a <a <a` on Python 3.11, this one none.
Lines keep what a reader needs: paragraphs are apart, headings begin with `#`, items with `-`.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import TYPE_CHECKING

from signet.domain.documents.readers.files import DocumentText, Raw, decode, is_binary
from signet.errors import PermanentJobError

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

_CODE = frozenset(
    "script style template noscript svg math iframe object head select textarea".split()
)
#: What surrounds the text on every page of a site.
_AROUND = frozenset({"nav", "footer"})
_BLOCKS = frozenset(
    "address article aside blockquote body caption dd details dialog div dl dt fieldset figcaption figure footer form"
    " h1 h2 h3 h4 h5 h6 header hr legend li main nav ol p pre section summary table tr ul".split()
)
#: Blocks that stay close to the one before.
_LINES = frozenset("li tr dt dd br".split())
_HEADINGS = {f"h{level}": "#" * level + " " for level in range(1, 7)}
_SPACES = re.compile(r"\s+")
_GAP = re.compile(r"(?<![ \t])[ \t]*+\n(?:[ \t]*+\n)+")
_SELF_CLOSED = re.compile(r"<([\w:.-]++)([^<>]*+)(?<=/)>")
_MARKUP = re.compile(rb"\s*<(!doctype html|html|head|body)[\s>]", re.IGNORECASE)


def is_html(data: bytes) -> bool:
    return _MARKUP.match(data[:1_024]) is not None


def read(raw: Raw) -> DocumentText:
    """Return title and text of a page, without navigation and footer; raises PermanentJobError without text."""
    from selectolax.lexbor import LexborHTMLParser

    if is_binary(raw.data) and "charset" not in raw.content_type.lower():
        raise PermanentJobError("not a text: the content is binary")
    text = decode(raw.data, raw.content_type, declares=True)
    text = _unfolded(text) if text.lstrip().startswith("<?xml") else text
    if is_hostile(text):
        raise PermanentJobError("the page is nested too deeply")
    root = LexborHTMLParser(text).root
    if root is None:
        return DocumentText(text="")
    titles = (node for node in root.css("title") if node.parent and node.parent.tag != "svg")
    title = next((_SPACES.sub(" ", node.text()).strip() for node in titles), None)
    # A page whose navigation was never closed is all navigation.
    return DocumentText(
        text=_text(root, _CODE | _AROUND) or _text(root, _CODE), title=title or None
    )


def _unfolded(xml: str) -> str:
    spelled = _SELF_CLOSED.sub(lambda tag: f"<{tag[1]}{tag[2][:-1]}></{tag[1]}>", xml)
    return spelled.replace("<![CDATA[", "").replace("]]>", "")


def _text(root: "LexborNode", dropped: frozenset[str]) -> str:
    parts: list[str] = []
    for piece in _pieces(root, dropped):
        at_start = not parts or parts[-1].endswith("\n")
        parts.append(piece.lstrip(" ") if at_start else piece)
    return _GAP.sub("\n\n", "".join(parts)).strip()


def _pieces(root: "LexborNode", dropped: frozenset[str]) -> Iterator[str]:
    """Yield text and breaks in page order; iterative, because pages may nest deeply."""
    node: LexborNode | None = root
    verbatim = 0
    while node is not None:
        tag = node.tag or ""
        is_kept = tag not in dropped
        if node.is_text_node:
            said = node.text_content or ""
            yield said if verbatim else _SPACES.sub(" ", said)
        elif is_kept:
            verbatim += tag == "pre"
            yield _before(tag)
            if node.child is not None:
                node = node.child
                continue
        while node is not None:
            if node.tag not in dropped:
                verbatim -= node.tag == "pre"
                yield _after(node.tag or "")
            if node.next is not None:
                node = node.next
                break
            node = node.parent


def _before(tag: str) -> str:
    if tag in _LINES:
        return "\n- " if tag == "li" else "\n"
    return "\n\n" + _HEADINGS.get(tag, "") if tag in _BLOCKS else ""


def _after(tag: str) -> str:
    if tag in ("td", "th"):
        return " "
    return "\n\n" if tag in _BLOCKS - _LINES else ""


#: Tags times open elements: about a second. Tags times formatting that may be reopened: about 400 MB.
MOST_WALKED = 500_000_000
MOST_FORMATTED = 1_000_000
#: More formatting than this is open at once in no page that a person wrote.
USUAL_FORMATTING = 20

_TAG = re.compile(r"<(/?)([a-zA-Z][^\s/<>]*)([^<>]*)")
#: Elements without content, or that end where the next one of their kind begins.
_FLAT = frozenset(
    "area base br col embed hr img input link meta param source track wbr"
    " p li dt dd td th tr tbody thead tfoot option optgroup rb rp rt rtc".split()
)
_FORMATTING = frozenset("a b big code em font i nobr s small strike strong tt u".split())
_ONCE = frozenset({"a", "nobr"})
_DRAWN = frozenset({"svg", "math"})
_DRAWN_HTML = frozenset("desc foreignobject title annotation-xml mi mo mn ms mtext".split())


def is_hostile(text: str) -> bool:
    """Return whether parsing this page would be too expensive. Linear in its length."""
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
    return any(opened[name] for name in _DRAWN) and not any(opened[name] for name in _DRAWN_HTML)
