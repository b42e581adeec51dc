"""What a server says of its tools, made short and clean: it is a stranger's text that a model will read. Pure."""

import json
import re
from collections.abc import Mapping

from signet.domain.marketplace.models import Tool

#: Of one description, of one schema as JSON, of a tool's name, and how many tools of one server are known.
MAX_DESCRIPTION_CHARS = 1_000
MAX_SCHEMA_CHARS = 32_768
MAX_NAME_CHARS = 128
MAX_TOOLS = 5_000

#: Annotations of the protocol that we pass on.
_HINTS = ("readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint")
#: Control characters, and those that hide text or turn its direction.
_HIDDEN = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\U000e0000-\U000e007f]"
)


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
    """Return a text without characters that cannot be seen, cut to `most`."""
    clean = _HIDDEN.sub("", value).strip() if isinstance(value, str) else ""
    return clean if len(clean) <= most else clean[: most - 1] + "…"


def _schema(value: object) -> Mapping[str, object]:
    """Return the schema of the arguments; one that is none or too long allows every object."""
    if not isinstance(value, dict) or len(json.dumps(value)) > MAX_SCHEMA_CHARS:
        return {"type": "object"}
    return {**value, "type": "object"}
