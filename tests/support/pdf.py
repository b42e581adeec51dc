"""Small PDF files for tests."""

from io import BytesIO

import pypdf
from pypdf.generic import DecodedStreamObject, DictionaryObject, NameObject


def a_pdf(*pages: str, title: str = "", password: str = "") -> bytes:
    """Return a PDF with one line of text on each page."""
    writer = pypdf.PdfWriter()
    font = DictionaryObject(
        {
            NameObject("/Type"): NameObject("/Font"),
            NameObject("/Subtype"): NameObject("/Type1"),
            NameObject("/BaseFont"): NameObject("/Helvetica"),
        }
    )
    for text in pages:
        page = writer.add_blank_page(300, 200)
        content = DecodedStreamObject()
        content.set_data(f"BT /F1 12 Tf 20 100 Td ({text}) Tj ET".encode())
        page[NameObject("/Contents")] = writer._add_object(content)
        fonts = DictionaryObject({NameObject("/F1"): font})
        page[NameObject("/Resources")] = DictionaryObject({NameObject("/Font"): fonts})
    if title:
        writer.add_metadata({"/Title": title})
    if password:
        writer.encrypt(password)
    found = BytesIO()
    writer.write(found)
    return found.getvalue()
