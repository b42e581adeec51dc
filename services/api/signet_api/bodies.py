"""Parse JSON bodies into values that can be stored and sent again.

A lone surrogate, which UTF-8 and SQLite cannot store, becomes U+FFFD. NaN and infinity, which Python accepts against
the standard, are refused.
"""

import json
import re

from signet.text.json_text import STRICT
from signet.text.surrogates import encodable

_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


def parse(raw: bytes) -> object:
    """Parse a body; raises JSONDecodeError if it is not JSON in UTF-8."""
    try:
        text = raw.decode("utf-8-sig")
        found = STRICT.decode(text)
        if _SURROGATE.search(text):
            found = STRICT.decode(encodable(json.dumps(found, ensure_ascii=False)))
    except json.JSONDecodeError:
        raise
    except (ValueError, RecursionError) as error:
        raise json.JSONDecodeError(str(error), "", 0) from error
    return found
