"""Encode answers with thousands of rows in a separate thread.

Encoding 5,000 vectors in one call would hold the interpreter lock for 0.3 s. Row by row, other threads get their
turns.
"""

import json
from collections.abc import Iterable, Mapping

from starlette.responses import Response


def answer(
    fields: Mapping[str, object], name: str, rows: Iterable[Mapping[str, object]]
) -> Response:
    """Return a JSON object with these fields (at least one) and the rows under `name`."""
    head = _text(fields)[:-1]
    body = ",".join(map(_text, rows))
    return Response(f'{head},"{name}":[{body}]}}'.encode(), media_type="application/json")


def _text(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
