"""Which letters some bytes are. Pure.

Asked in this order: the byte order mark, the Content-Type, what the text says of itself, UTF-8. Bytes that are not of
the encoding become U+FFFD: a text with a few wrong letters is worth more than none.
"""

import codecs
import re

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_PARAMETER = re.compile(r"charset\s*=\s*[\"']?([\w.:-]+)", re.IGNORECASE)
#: `<meta charset="…">`, `<meta http-equiv … content="text/html; charset=…">`, `<?xml … encoding="…"?>`.
_DECLARED = re.compile(
    rb"<meta[^>]{0,400}?charset\s*=\s*[\"']?([\w.:-]+)|^\s*<\?xml[^>]{0,200}?encoding\s*=\s*[\"']([\w.:-]+)",
    re.IGNORECASE,
)
#: How far into a page a declaration may stand.
DECLARED_BYTES = 4_096
#: What pages in these really use (WHATWG Encoding Standard §4.2).
_MEANT = {"iso8859-1": "cp1252", "ascii": "cp1252"}
#: Encodings of letters that documents are written in; Python's others are transports or tricks.
_LETTERS = re.compile(
    r"utf-?(8|16|32)|cp125\d|cp(866|874|932|936|949|950)|iso8859|koi8|mac|big5|gb|hz|euc|shift|iso2022|johab|tis"
)


def decode(data: bytes, content_type: str, *, declares: bool = False) -> str:
    """Return the text; `declares` for forms that can say their own encoding (HTML, XML)."""
    for mark, marked in _MARKS:
        if data.startswith(mark):
            return data[len(mark) :].decode(marked, "replace")
    said = _PARAMETER.search(content_type)
    name = _known(said.group(1)) if said else None
    if name is None and declares:
        found = _DECLARED.search(data[:DECLARED_BYTES])
        name = _known((found.group(1) or found.group(2)).decode("ascii")) if found else None
        # A page that can be read as ASCII so far is no UTF-16, whatever it says.
        name = "utf-8" if name and name.startswith("utf-") else name
    return data.decode(name or "utf-8", "replace")


def is_binary(data: bytes) -> bool:
    """Return whether these bytes are no text: text has no NUL, but for the wide encodings, which have a mark."""
    return b"\0" in data[:8_192] and not data.startswith(tuple(mark for mark, _ in _MARKS))


def _known(label: str) -> str | None:
    """Return Python's name of an encoding of letters."""
    try:
        name = codecs.lookup(label).name
    except (LookupError, ValueError):
        return None
    name = _MEANT.get(name, name)
    return name if _LETTERS.match(name.replace("_", "")) else None
