"""PDF, with the extra `pdf` (pypdf: pure Python, well kept)."""

import logging
from io import BytesIO

from signet.domain.documents.readers.models import Raw, Reading
from signet.errors import PermanentJobError


def is_pdf(data: bytes) -> bool:
    """Return whether the bytes say that they are PDF."""
    return data.startswith(b"%PDF-")


def read(raw: Raw) -> Reading:
    """Return the text of all pages, a blank line between two.

    Raises PermanentJobError without the extra, and for what is damaged or needs a password.
    """
    try:
        import pypdf
    except ImportError as error:
        raise PermanentJobError(
            "PDF documents need an extra that is not installed: pip install 'signetai[pdf]'"
        ) from error
    # It tells every flaw of a file that it can read all the same.
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
        # Damage shows as whatever the parser stumbles over; none of it goes away by trying again.
        raise PermanentJobError(f"the PDF cannot be read: {type(error).__name__}") from error
    text = "\n\n".join(page.strip() for page in pages if page.strip())
    return Reading(text=text, title=(title or "").strip() or None)
