"""Plain text, Markdown, and JSON."""

import json

from signet.domain.documents.readers.charset import decode, is_binary
from signet.domain.documents.readers.models import Raw, Reading
from signet.errors import PermanentJobError
from signet.text.surrogates import encodable


def read_plain(raw: Raw) -> Reading:
    """Return the text as it stands; raises PermanentJobError for what is no text."""
    if is_binary(raw.data) and "charset" not in raw.content_type.lower():
        raise PermanentJobError("not a text: the content is binary")
    return Reading(text=decode(raw.data, raw.content_type))


def read_json(raw: Raw) -> Reading:
    """Return JSON with its letters written out, so that words can be found; what is no JSON stays as it stands."""
    plain = read_plain(raw)
    try:
        written = json.dumps(json.loads(plain.text), ensure_ascii=False)
    except (ValueError, RecursionError):
        return plain
    # Half a surrogate pair can be written in JSON, but is no letter.
    return Reading(text=encodable(written))
