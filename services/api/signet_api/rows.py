"""Answers with thousands of rows, made on another thread than the event loop's.

Turning a large answer into JSON in one call would hold the interpreter lock for as long as it takes (0.3 s for 5,000
vectors), and everybody would wait. Row by row, the event loop gets its turn in between.
"""

import json
from collections.abc import Iterable, Mapping

from starlette.responses import Response


def answer(
    fields: Mapping[str, object], name: str, rows: Iterable[Mapping[str, object]]
) -> Response:
    """Return a JSON object of these fields (at least one) and, under `name`, the rows."""
    head = _text(fields)[:-1]
    body = ",".join(map(_text, rows))
    return Response(f'{head},"{name}":[{body}]}}'.encode(), media_type="application/json")


def _text(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
