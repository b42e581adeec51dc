"""From bytes to text, one module for each form: the only places that know what a form looks like.

A reader takes unchecked bytes from a file or the network and returns a `DocumentText`. What cannot be
read at all is a PermanentJobError: the same bytes will not be readable later.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import PurePath

from signet.domain.documents.readers import files, html
from signet.domain.documents.readers.files import DocumentText, Raw
from signet.errors import PermanentJobError

HTML = "text/html"
MARKDOWN = "text/markdown"
PDF = "application/pdf"
JSON = "application/json"
#: Forms in which a line with `#` is a heading.
WITH_HEADINGS = frozenset({HTML, MARKDOWN, "application/xhtml+xml"})

_FORMS = WITH_HEADINGS | {"text/xml", "application/xml"}

_BY_SUFFIX: Mapping[str, str] = {
    ".md": MARKDOWN,
    ".markdown": MARKDOWN,
    ".mdx": MARKDOWN,
    ".html": HTML,
    ".htm": HTML,
    ".xhtml": HTML,
    ".xml": "text/xml",
    ".json": JSON,
    ".pdf": PDF,
}
_READERS: Mapping[str, Callable[[Raw], DocumentText]] = {
    HTML: html.read,
    "application/xhtml+xml": html.read,
    "text/xml": html.read,
    "application/xml": html.read,
    PDF: files.read_pdf,
    JSON: files.read_json,
}


def read(raw: Raw) -> DocumentText:
    """Return the text of received bytes; raises PermanentJobError without readable text."""
    kind = kind_of(raw)
    if not accepts(kind):
        raise PermanentJobError(f"unsupported content type: {kind}")
    return replace(_reader_of(kind)(raw), content_type=kind)


def accepts(media_type: str) -> bool:
    """Return whether a reader supports a media type; "" is an unnamed one."""
    return (
        media_type == ""
        or media_type.startswith("text/")
        or media_type in _READERS
        or media_type.endswith(("+json", "+xml"))
    )


def form_of(content_type: str) -> str | None:
    """Return the media type of a text that must be parsed (HTML, XML) or has headings; None for any other."""
    said = _media_type(content_type)
    return said if said in _FORMS else None


def _reader_of(kind: str) -> Callable[[Raw], DocumentText]:
    if kind.endswith("+json"):
        return files.read_json
    return _READERS.get(kind) or (html.read if kind.endswith("+xml") else files.read_plain)


def kind_of(raw: Raw) -> str:
    """Return the media type: the given one, else by the name's ending, else by the first bytes."""
    said = _media_type(raw.content_type)
    if files.is_pdf(raw.data):
        return PDF
    if said and said != "application/octet-stream":
        return said
    named = _BY_SUFFIX.get(PurePath(raw.name).suffix.lower())
    return named or (HTML if html.is_html(raw.data) else "text/plain")


def _media_type(content_type: str) -> str:
    return content_type.partition(";")[0].strip().lower()
