"""Reading JSON bodies so that whatever was read can also be stored and sent again.

JSON can say things that UTF-8, SQLite and JSON's own readers cannot take back: half of a surrogate pair (it becomes
U+FFFD here), and the numbers NaN and infinity, which Python reads though no standard has them (refused here).
"""

import json
import math
import re
from collections.abc import Callable, Coroutine
from typing import Any

from fastapi import Request, Response
from fastapi.routing import APIRoute

_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


class JsonRoute(APIRoute):
    """A route whose body is read by `parse`."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Return the handler of the route."""
        handle = super().get_route_handler()

        async def handle_json(request: Request) -> Response:
            return await handle(_JsonRequest(request.scope, request.receive))

        return handle_json


class _JsonRequest(Request):
    async def json(self) -> object:
        return parse(await self.body())


def parse(raw: bytes) -> object:
    """Return what a body says; raises JSONDecodeError for everything that is no JSON in UTF-8."""
    try:
        text = raw.decode("utf-8-sig")
        found = _DECODER.decode(text)
        if _SURROGATE.search(text):
            found = _DECODER.decode(_whole(json.dumps(found, ensure_ascii=False)))
    except json.JSONDecodeError:
        raise
    except (ValueError, RecursionError) as error:
        raise json.JSONDecodeError(str(error), "", 0) from error
    return found


def _whole(text: str) -> str:
    """Return a text in which each half of a surrogate pair is U+FFFD."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError("a number is out of range")
    return number


_DECODER = json.JSONDecoder(parse_float=_finite, parse_constant=_finite)
