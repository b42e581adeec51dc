"""Lone surrogates, which JSON can contain but UTF-8 and SQLite cannot."""


def encodable(text: str) -> str:
    """Return a text with surrogate pairs joined and lone halves replaced."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text
