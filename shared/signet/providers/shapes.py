"""JSON schemas for answers in the form of model servers: plain types, every field required."""

from collections.abc import Collection

from signet.providers.ports import Shape

TEXT: Shape = {"type": "string"}
NUMBER: Shape = {"type": "number"}
INTEGER: Shape = {"type": "integer"}
BOOLEAN: Shape = {"type": "boolean"}
#: A choice of words: weak models write the number of an example, whatever they read (`answers.confidence`).
CONFIDENCE: Shape = {"type": "string", "enum": ["high", "low", "medium"]}


def one_of(words: Collection[str]) -> Shape:
    """Return the schema of one of these words."""
    return {"type": "string", "enum": sorted(words)}


def list_of(item: Shape) -> Shape:
    """Return the schema of a list."""
    return {"type": "array", "items": item}


def an_object(**fields: Shape) -> Shape:
    """Return the schema of an object with these fields."""
    return {"type": "object", "properties": fields, "required": list(fields)}
