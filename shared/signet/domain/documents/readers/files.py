"""Readers of plain text, JSON and PDF, and the detection of character sets."""

import codecs
import json
import logging
import re
from dataclasses import dataclass
from io import BytesIO

from signet.errors import PermanentJobError
from signet.text.controls import encodable


@dataclass(frozen=True, slots=True, kw_only=True)
class Raw:
    """Received bytes, with their Content-Type ("" if unnamed) and name."""

    data: bytes
    content_type: str = ""
    name: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentText:
    """The text and title of a document, and its media type if known."""

    text: str
    title: str | None = None
    content_type: str = ""


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
#: A declaration is searched in this beginning of a page.
DECLARED_BYTES = 4_096
#: What pages in these really use (WHATWG Encoding Standard §4.2).
_MEANT = {"iso8859-1": "cp1252", "ascii": "cp1252"}
#: Encodings of letters that documents are written in; Python's others are transports or tricks.
_LETTERS = re.compile(
    r"utf-?(8|16|32)|cp125\d|cp(866|874|932|936|949|950)|iso8859|koi8|mac|big5|gb|hz|euc|shift|iso2022|johab|tis"
)


def decode(data: bytes, content_type: str, *, declares: bool = False) -> str:
    """Return the text; `declares` for formats that can state their encoding (HTML, XML)."""
    for mark, marked in _MARKS:
        if data.startswith(mark):
            return data[len(mark) :].decode(marked, "replace")
    said = _PARAMETER.search(content_type)
    name = _known(said.group(1)) if said else None
    if name is None and declares:
        found = _DECLARED.search(data[:DECLARED_BYTES])
        name = _known((found.group(1) or found.group(2)).decode("ascii")) if found else None
        # A page that starts as ASCII is not UTF-16, whatever it declares.
        name = "utf-8" if name and name.startswith("utf-") else name
    return data.decode(name or "utf-8", "replace")


def is_binary(data: bytes) -> bool:
    """Return whether these bytes are not text: text has no NUL, except in marked wide encodings."""
    return b"\0" in data[:8_192] and not data.startswith(tuple(mark for mark, _ in _MARKS))


def _known(label: str) -> str | None:
    try:
        name = codecs.lookup(label).name
    except (LookupError, ValueError):
        return None
    name = _MEANT.get(name, name)
    return name if _LETTERS.match(name.replace("_", "")) else None


def read_plain(raw: Raw) -> DocumentText:
    """Return the text unchanged; raises PermanentJobError for binary data."""
    if is_binary(raw.data) and "charset" not in raw.content_type.lower():
        raise PermanentJobError("not a text: the content is binary")
    return DocumentText(text=decode(raw.data, raw.content_type))


def read_json(raw: Raw) -> DocumentText:
    """Return JSON with unescaped letters, so that words can be found; invalid JSON stays unchanged."""
    plain = read_plain(raw)
    try:
        written = json.dumps(json.loads(plain.text), ensure_ascii=False)
    except (ValueError, RecursionError):
        return plain
    # JSON can contain half a surrogate pair, which is not a character.
    return DocumentText(text=encodable(written))


def is_pdf(data: bytes) -> bool:
    return data.startswith(b"%PDF-")


def read_pdf(raw: Raw) -> DocumentText:
    """Return the text of all pages, separated by blank lines.

    Raises PermanentJobError without the extra, and for damaged or encrypted files.
    """
    try:
        import pypdf
    except ImportError as error:
        raise PermanentJobError(
            "PDF documents need an extra that is not installed: pip install 'signetai[pdf]'"
        ) from error
    # The library logs every flaw of a file, even if it can read the file.
    logging.getLogger("pypdf").setLevel(logging.CRITICAL)
    try:
        with pypdf.PdfReader(BytesIO(raw.data)) as reader:
            if reader.is_encrypted and not reader.decrypt(""):
                raise PermanentJobError("the PDF needs a password")
            pages = [page.extract_text() for page in reader.pages]
            title = reader.metadata.title if reader.metadata else None
    except (PermanentJobError, MemoryError, TimeoutError):
        raise
    except Exception as error:
        # Damage appears as any error of the parser; trying again does not help.
        raise PermanentJobError(f"the PDF cannot be read: {type(error).__name__}") from error
    text = "\n\n".join(page.strip() for page in pages if page.strip())
    return DocumentText(text=text, title=(title or "").strip() or None)
