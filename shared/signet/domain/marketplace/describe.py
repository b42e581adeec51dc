"""What a server says of its tools, made short and clean: it is a stranger's text that a model will read. Pure."""

import json
from collections.abc import Callable, Mapping

from signet.domain.marketplace.models import Tool
from signet.text import markup

#: Of one description, of one schema as JSON, of a tool's name, and how many tools of one server are known.
MAX_DESCRIPTION_CHARS = 1_000
MAX_SCHEMA_CHARS = 32_768
MAX_NAME_CHARS = 128
MAX_TOOLS = 5_000

#: Annotations of the protocol that we pass on.
_HINTS = ("readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint")
#: Members of a schema that only say something; any other one decides what a server takes.
_SAYS = frozenset({"title", "description", "$comment"})


def tool(found: object) -> Tool | None:
    """Return a tool as its server describes it, None for what is none."""
    if not isinstance(found, Mapping):
        return None
    name = found.get("name")
    if not isinstance(name, str) or not 0 < len(name) <= MAX_NAME_CHARS or not name.isprintable():
        return None
    hints = found.get("annotations")
    said = hints if isinstance(hints, Mapping) else {}
    return Tool(
        name=name,
        description=text(found.get("description"), MAX_DESCRIPTION_CHARS),
        input_schema=_schema(found.get("inputSchema")),
        hints={hint: said[hint] for hint in _HINTS if isinstance(said.get(hint), bool)},
    )


def text(value: object, most: int) -> str:
    """Return a text without anything that is hidden or reads as structure, cut to `most`."""
    clean = markup.quoted(value).strip() if isinstance(value, str) else ""
    return clean if len(clean) <= most else clean[: most - 1] + "…"


def _schema(value: object) -> Mapping[str, object]:
    """Return the schema of the arguments, its texts cleaned.

    One that is none, is too long, or hides something in what a server takes (a name, a choice) allows every object.
    """
    if not isinstance(value, dict) or len(json.dumps(value)) > MAX_SCHEMA_CHARS:
        return {"type": "object"}
    said = _said(value)
    if _cleaned(said) != said:
        return {"type": "object"}
    return {**said, "type": "object"}


def _said(value: Mapping[str, object]) -> dict[str, object]:
    """Return a schema with the texts cleaned that only describe it, at any depth."""
    return {
        name: markup.quoted(one) if name in _SAYS and isinstance(one, str) else _each(one, _said)
        for name, one in value.items()
    }


def _cleaned(value: Mapping[str, object]) -> dict[str, object]:
    """Return a schema with every text cleaned, names too."""
    return {markup.clean(name): _each(one, _cleaned) for name, one in value.items()}


def _each(value: object, edit: Callable[[Mapping[str, object]], object]) -> object:
    if isinstance(value, Mapping):
        return edit(value)
    if isinstance(value, list):
        return [_each(one, edit) for one in value]
    return markup.clean(value) if edit is _cleaned and isinstance(value, str) else value
