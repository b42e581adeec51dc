"""Parse a model's answer strictly, without ever raising (PIP-4, PIP-9).

Drops items of another shape with a warning.
"""

import re
from collections.abc import Collection
from itertools import islice

from signet.domain.extraction.models import (
    FACT_TYPES,
    MAX_FACT_CHARS,
    MAX_FACTS,
    MAX_TRIPLES,
    MIN_FACT_CHARS,
    Action,
    Decision,
    Extraction,
    Fact,
)
from signet.domain.graph.models import ENTITY_TYPES, UNKNOWN, Triple
from signet.domain.memory import wording
from signet.providers import answers

#: The warning of an answer without any JSON object; the caller may ask once more.
NO_JSON = "no JSON object in the answer"
#: The warning of a truncated answer; its complete items are used.
CUT = "the answer is cut: only its whole items are kept"
#: What small models write in front of a statement.
_LEAD_IN = re.compile(
    r"(?:the |a )?(?:facts?|text|memory|statement|note|message)s?\s+(?:is|are|says?|states?|mentions?)\s+that\s+",
    re.IGNORECASE,
)
#: Least confidence of a contradiction (PIP-22).
SURE = 0.7


def extraction(raw: str) -> Extraction:
    """Return the facts and triples of an answer; an unusable item becomes a warning."""
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
    """Return the decision of an answer, or the reason why it cannot be used."""
    answer = next((found for found in answers.objects(raw) if "action" in found), None)
    if answer is None:
        return NO_JSON
    name = answers.text(answer, "action").lower()
    if name not in set(Action):
        return f"unknown action {name[:40]!r}"
    action = Action(name)
    target = answers.text(answer, "targetId") if action in (Action.UPDATE, Action.DELETE) else None
    if target is not None and target not in candidate_ids:
        return f"{action} without the id of a candidate"
    reason = answers.text(answer, "reason")
    if not reason:
        return f"{action} without a reason"
    return Decision(
        action=action, target_id=target, confidence=answers.confidence(answer), reason=reason
    )


def contradicts(raw: str) -> bool:
    """Return whether an answer states a contradiction with enough confidence."""
    answer = next((found for found in answers.objects(raw) if "contradicts" in found), {})
    return answer.get("contradicts") is True and answers.confidence(answer) >= SURE


def _answer(raw: str) -> tuple[answers.Json, list[str]]:
    found = list(answers.objects(raw))
    if not found:
        return {}, [NO_JSON]
    for key in ("facts", "entities"):
        for candidate in found:
            if key in candidate:
                return candidate, []
    facts = [item for item in found if "content" in item]
    triples = [item for item in found if "relationship" in item]
    return {"facts": facts, "entities": triples}, [CUT if facts or triples else NO_JSON]


def _capped(answer: answers.Json, key: str, cap: int, warnings: list[str]) -> list[object]:
    items = answer.get(key)
    if isinstance(items, dict) and items:
        items = [items]
    if not isinstance(items, list):
        return []
    if len(items) > cap:
        warnings.append(f"{len(items)} {key}: only the first {cap} are kept")
    return list(islice(items, cap))


def _fact(item: object, warnings: list[str]) -> Fact | None:
    item = {"content": item, "type": "fact"} if isinstance(item, str) else item
    content = wording.storage(answers.text(item, "content"))
    if lead_in := _LEAD_IN.match(content):
        content = content[lead_in.end() : lead_in.end() + 1].upper() + content[lead_in.end() + 1 :]
    if len(content) < MIN_FACT_CHARS:
        warnings.append("a fact without content, or too short, is dropped")
        return None
    if len(content) > MAX_FACT_CHARS:
        warnings.append(f"a fact of {len(content)} characters is cut")
        content = content[:MAX_FACT_CHARS].rstrip()
    kind = answers.text(item, "type").lower()
    if kind not in FACT_TYPES:
        warnings.append(f"unknown type {kind[:40]!r} becomes fact")
        kind = "fact"
    return Fact(content=content, type=kind, confidence=answers.confidence(item))


def _triple(item: object, warnings: list[str]) -> Triple | None:
    source, relationship, target = (
        wording.one_line(answers.text(item, key)) for key in ("source", "relationship", "target")
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
        confidence=answers.confidence(item),
    )


def _entity_type(item: object, key: str) -> str:
    kind = answers.text(item, key).lower()
    return kind if kind in ENTITY_TYPES else UNKNOWN
