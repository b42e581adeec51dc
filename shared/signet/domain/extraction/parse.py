"""Reading what a model answered, strictly and without ever raising (PIP-4, PIP-9).

A model wraps its JSON in thoughts, fences and chatter, leaves commas behind and stops in the middle. All of
that is cleaned away here; what then does not have the promised shape is dropped with a warning.
"""

import json
import re
from collections.abc import Collection, Iterator
from itertools import islice

from signet.domain.extraction.models import (
    ENTITY_TYPES,
    FACT_TYPES,
    MAX_FACT_CHARS,
    MAX_FACTS,
    MAX_TRIPLES,
    MIN_FACT_CHARS,
    Action,
    Decision,
    Extraction,
    Fact,
    Triple,
)
from signet.domain.memory import normalize

#: The warning of an answer without any JSON object; the caller may ask once more.
NO_JSON = "no JSON object in the answer"
#: The warning of an answer that stops before its end; its whole items are kept.
CUT = "the answer is cut: only its whole items are kept"

DEFAULT_CONFIDENCE = 0.5

#: How many openings of an object are tried in one answer; a sane one needs a handful.
_MAX_OPENINGS = 200

_THOUGHT = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL | re.IGNORECASE)
_FENCED = re.compile(r"```[\w-]*[ \t]*\n?(.*?)```", re.DOTALL)
_STRING_OR_BRACE = re.compile(r'"(?:[^"\\]|\\.)*"|[{}]', re.DOTALL)
_STRING_OR_LAST_COMMA = re.compile(r'("(?:[^"\\]|\\.)*")|,(?=\s*[}\]])', re.DOTALL)

Json = dict[str, object]


def extraction(raw: str) -> Extraction:
    """Return the facts and triples of an answer; what is not usable becomes a warning."""
    answer, warnings = _answer(raw)
    facts = [_fact(item, warnings) for item in _capped(answer, "facts", MAX_FACTS, warnings)]
    triples = [
        _triple(item, warnings) for item in _capped(answer, "entities", MAX_TRIPLES, warnings)
    ]
    return Extraction(
        facts=tuple(fact for fact in facts if fact),
        triples=tuple(triple for triple in triples if triple),
        warnings=tuple(warnings),
    )


def decision(raw: str, candidate_ids: Collection[str]) -> Decision | str:
    """Return the decision of an answer, or in words why it cannot be used."""
    answer = next((found for found in _objects(raw) if "action" in found), None)
    if answer is None:
        return NO_JSON
    name = _text(answer, "action").lower()
    if name not in set(Action):
        return f"unknown action {name[:40]!r}"
    action = Action(name)
    target = _text(answer, "targetId") if action in (Action.UPDATE, Action.DELETE) else None
    if target is not None and target not in candidate_ids:
        return f"{action} without the id of a candidate"
    reason = _text(answer, "reason")
    if not reason:
        return f"{action} without a reason"
    return Decision(action=action, target_id=target, confidence=_confidence(answer), reason=reason)


def _answer(raw: str) -> tuple[Json, list[str]]:
    found = list(_objects(raw))
    if not found:
        return {}, [NO_JSON]
    for key in ("facts", "entities"):
        for candidate in found:
            if key in candidate:
                return candidate, []
    facts = [item for item in found if "content" in item]
    triples = [item for item in found if "relationship" in item]
    return {"facts": facts, "entities": triples}, [CUT if facts or triples else NO_JSON]


def _objects(raw: str) -> Iterator[Json]:
    """Yield the objects of an answer, each once, the most likely place first."""
    answer = _THOUGHT.sub("", raw).strip()
    fenced = _FENCED.search(answer)
    text = fenced.group(1).strip() if fenced else answer
    places = [text, *_balanced(text), *_balanced(answer)]
    if not _THOUGHT.match(raw.lstrip()):  # a thought tag may stand inside a fact
        places += _balanced(raw)
    for place in dict.fromkeys(places):
        value = _load(place)
        if isinstance(value, str):
            value = _load(value)
        if isinstance(value, dict):
            yield value


def _balanced(text: str) -> Iterator[str]:
    """Yield each outermost `{…}`; an opening that is never closed is stepped over."""
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
            return json.loads(form)
        except (ValueError, RecursionError):
            continue
    return None


def _capped(answer: Json, key: str, cap: int, warnings: list[str]) -> list[object]:
    items = answer.get(key)
    if not isinstance(items, list):
        return []
    if len(items) > cap:
        warnings.append(f"{len(items)} {key}: only the first {cap} are kept")
    return list(islice(items, cap))


def _fact(item: object, warnings: list[str]) -> Fact | None:
    content = normalize.storage(_text(item, "content"))
    if len(content) < MIN_FACT_CHARS:
        warnings.append("a fact without content, or too short, is dropped")
        return None
    if len(content) > MAX_FACT_CHARS:
        warnings.append(f"a fact of {len(content)} characters is cut")
        content = content[:MAX_FACT_CHARS].rstrip()
    kind = _text(item, "type").lower()
    if kind not in FACT_TYPES:
        warnings.append(f"unknown type {kind[:40]!r} becomes fact")
        kind = "fact"
    return Fact(content=content, type=kind, confidence=_confidence(item))


def _triple(item: object, warnings: list[str]) -> Triple | None:
    source, relationship, target = (
        normalize.storage(_text(item, key)) for key in ("source", "relationship", "target")
    )
    if not (source and relationship and target):
        warnings.append("an entity without source, relationship or target is dropped")
        return None
    return Triple(
        source=source,
        source_type=_entity_type(item, "source_type"),
        relationship=relationship,
        target=target,
        target_type=_entity_type(item, "target_type"),
        confidence=_confidence(item),
    )


def _text(item: object, key: str) -> str:
    value = item.get(key) if isinstance(item, dict) else None
    return value.strip() if isinstance(value, str) else ""


def _entity_type(item: object, key: str) -> str:
    kind = _text(item, key).lower()
    return kind if kind in ENTITY_TYPES else "unknown"


def _confidence(item: object) -> float:
    value = item.get("confidence") if isinstance(item, dict) else None
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value:
        return DEFAULT_CONFIDENCE
    return float(min(max(value, 0), 1))
