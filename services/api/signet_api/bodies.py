"""Reading JSON bodies so that whatever was read can also be stored and sent again.

JSON can say things that UTF-8, SQLite and JSON's own readers cannot take back: half of a surrogate pair (it becomes
U+FFFD here), and the numbers NaN and infinity, which Python reads though no standard has them (refused here).
"""

import json
import re

from signet.text.json_text import STRICT
from signet.text.surrogates import encodable

_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


def parse(raw: bytes) -> object:
    """Return what a body says; raises JSONDecodeError for everything that is no JSON in UTF-8."""
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
