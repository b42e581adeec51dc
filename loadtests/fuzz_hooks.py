"""What schemathesis runs after each answer: counts it, and writes down errors of the server and foreign marks.

`SIGNET_FUZZ` is the file to write to. No answer may contain the words `SIGNET_FUZZ_FOREIGN`; `SIGNET_FUZZ_OWN` are
those of rows that the caller may read.
"""

import importlib
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

_FILE = Path(os.environ["SIGNET_FUZZ"])
_FOREIGN = os.environ["SIGNET_FUZZ_FOREIGN"].split()
_OWN = os.environ["SIGNET_FUZZ_OWN"].split()
#: schemathesis is no dependency, so nothing of it is imported by name.
_hook: Callable[[Callable[..., None]], object] = importlib.import_module("schemathesis").hook


def after_call(context: object, case: object, response: Any) -> None:
    """Write one line for each answer: its status, and what is wrong with it."""
    text = response.text.lower()
    wrong = [mark for mark in _FOREIGN if mark in text]
    if response.status_code >= 500:
        wrong.append(f"{response.status_code} {text[:200]}")
    line: dict[str, object] = {
        "status": response.status_code,
        "own": any(mark in text for mark in _OWN),
    }
    if wrong:
        request = response.request
        line |= {
            "wrong": wrong,
            "asked": f"{request.method} {request.url} {request.body!r}"[:2_000],
        }
    with _FILE.open("a", encoding="utf-8") as file:
        file.write(json.dumps(line) + "\n")


_hook(after_call)
