"""What a reader takes and what it returns."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Raw:
    """Bytes as they came, with what was said of them: a Content-Type ("" when nobody did) and a name."""

    data: bytes
    content_type: str = ""
    name: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """The text in a document, what the document calls itself, and its media type once that is known."""

    text: str
    title: str | None = None
    content_type: str = ""
