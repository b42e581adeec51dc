"""Parse model output: JSON objects and their fields. Nothing here raises.

Models wrap JSON in thoughts, fences and chatter, leave trailing commas and stop in the middle. This module cleans
that up; the caller drops objects of the wrong shape.
"""

import json
import re
from collections.abc import Iterator

from signet.text.controls import encodable

DEFAULT_CONFIDENCE = 0.5
_CONFIDENCES = {"high": 0.9, "medium": 0.75, "low": 0.4}

#: Opening braces to try in one answer; a normal one has a handful.
_MAX_OPENINGS = 200

_THOUGHT = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL | re.IGNORECASE)
_FENCED = re.compile(r"```[\w-]*+[ \t]*+\n?(.*?)```", re.DOTALL)
_ALL_FENCED = re.compile(r"```(?:markdown|md)?[ \t]*\n(.*)\n```", re.DOTALL | re.IGNORECASE)
_STRING_OR_BRACE = re.compile(r'"(?:[^"\\]|\\.)*"|[{}]', re.DOTALL)
_STRING_OR_LAST_COMMA = re.compile(r'("(?:[^"\\]|\\.)*")|,(?=\s*[}\]])', re.DOTALL)

#: A number as text, short enough not to overflow a float.
_NUMBER = re.compile(r"([+-]?\d{1,12}(?:\.\d{1,12})?)\s*(%?)", re.ASCII)

Json = dict[str, object]


def objects(raw: str) -> Iterator[Json]:
    """Yield the objects in an answer, each once, the most likely place first."""
    answer = without_thoughts(raw)
    fenced = _FENCED.search(answer)
    inner = fenced.group(1).strip() if fenced else answer
    places = [inner, *_balanced(inner), *_balanced(answer)]
    if not _THOUGHT.match(raw.lstrip()):  # a thought tag may be part of a fact
        places += _balanced(raw)
    for place in dict.fromkeys(places):
        value = _load(place)
        if isinstance(value, str):
            value = _load(value)
        if isinstance(value, dict):
            yield value
            # Some models wrap the answer in another object: {"result": {…}}.
            yield from (inside for inside in value.values() if isinstance(inside, dict))


def without_thoughts(raw: str) -> str:
    """Return an answer without thoughts; an unclosed thought extends to the end."""
    return _THOUGHT.sub("", raw).strip()


def markdown(raw: str) -> str:
    """Return the text of an answer, without thoughts and without a fence around all of it."""
    answer = without_thoughts(raw)
    fenced = _ALL_FENCED.fullmatch(answer)
    return fenced[1].strip() if fenced else answer


def text(item: object, key: str) -> str:
    """Return a field as trimmed text; empty for other types."""
    value = item.get(key) if isinstance(item, dict) else None
    return value.strip() if isinstance(value, str) else ""


def number(item: object, key: str) -> float | None:
    """Return a field as a number, also from text or a percentage; None for other values."""
    value = item.get(key) if isinstance(item, dict) else None
    if isinstance(value, str):
        found = _NUMBER.fullmatch(value.strip())
        value = float(found[1]) / (100 if found[2] else 1) if found else None
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value:
        return None
    return float(min(max(value, -1e9), 1e9))


def confidence(item: object) -> float:
    """Return the model's confidence, 0..1; a half if missing."""
    value = _CONFIDENCES.get(text(item, "confidence").lower(), number(item, "confidence"))
    return DEFAULT_CONFIDENCE if value is None else min(max(value, 0.0), 1.0)


def _balanced(text: str) -> Iterator[str]:
    """Yield each outermost `{…}`; skip unclosed braces."""
    start = text.find("{")
    for _ in range(_MAX_OPENINGS):
        if start < 0:
            return
        end = _closing(text, start)
        if end:
            yield text[start:end]
        start = text.find("{", end or start + 1)


def _closing(text: str, start: int) -> int:
    depth = 0
    for token in _STRING_OR_BRACE.finditer(text, start):
        depth += {"{": 1, "}": -1}.get(token.group(), 0)
        if depth == 0:
            return token.end()
    return 0


def _load(text: str) -> object:
    for form in (text, _STRING_OR_LAST_COMMA.sub(r"\1", text)):
        try:
            return _encodable(json.loads(form))
        except (ValueError, RecursionError):
            continue
    return None


def _encodable(value: object) -> object:
    """Return a value without lone surrogates, which JSON can escape but no store can hold."""
    written = json.dumps(value, ensure_ascii=False)
    if written.isascii():
        return value
    found: object = json.loads(encodable(written))
    return found
