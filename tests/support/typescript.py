"""JSON schemas as types of TypeScript."""

from collections.abc import Mapping
from typing import Any

Schema = Mapping[str, Any]
_PLAIN = {
    "string": "string",
    "integer": "number",
    "number": "number",
    "boolean": "boolean",
    "null": "null",
}


def kind_of(schema: Schema) -> str:
    """Return a schema's type; a reference is the name of another one."""
    match schema:
        case {"$ref": name}:
            return str(name).rpartition("/")[2]
        case {"anyOf": several}:
            return " | ".join(dict.fromkeys(kind_of(one) for one in several))
        case {"const": value}:
            return f'"{value}"'
        case {"enum": values}:
            return " | ".join(f'"{value}"' for value in values)
        case {"type": "array", "items": items}:
            inner = kind_of(items)
            return f"({inner})[]" if "|" in inner else f"{inner}[]"
        case {"type": "object", "additionalProperties": {} as values} if values:
            return f"Record<string, {kind_of(values)}>"
        case {"type": "object"}:
            return "Record<string, unknown>"
        case {"type": str() as plain} if plain in _PLAIN:
            return _PLAIN[plain]
        case _:
            return "unknown"
