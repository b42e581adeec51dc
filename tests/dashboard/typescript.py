"""Write the types of the answers that the dashboard reads: `PYTHONPATH=tests python -m dashboard.typescript`.

They follow from the declared operations (`signet.wire`), so that the page's compiler notices a change.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from signet.wire import operations
from signet_api.openapi import readable
from support.typescript import Schema, kind_of

TYPES = Path(__file__).parents[2] / "services/api/dashboard/src/api/types.ts"
#: The operations that the page calls, by ID.
ASKED = (
    "health", "memories", "memory", "history", "similar", "recall", "remember", "modify", "modify_many", "forget_many",
    "recover", "recover_many", "memory_usage",
    "home", "projects", "diagnostics", "status", "harnesses", "sessions", "repairs",
    "session_replay", "jobs", "job", "retry_jobs", "re_embed", "pause", "logs",
    "graph", "config_schema", "change_config", "entity", "aspects", "attributes", "dependencies", "config_files",
    "secrets", "agents", "tokens", "changelog", "links", "access", "judge", "series", "resources", "exchange",
    "confirm", "bypass_session", "evaluation", "predictor_status",
    "projection_columns", "whoami", "tasks", "connectors", "documents",
    "skills", "spaces", "shares",
)  # fmt: skip
_HEAD = (
    "/** Answers of the daemon. Written by `python -m dashboard.typescript`; not to be edited. */\n"
)


def source() -> str:
    """Return the types as TypeScript, in alphabetical order."""
    kinds: set[Any] = {kind for name in ASKED for kind in operations.BY_ID[name].replies}
    _, found = TypeAdapter.json_schemas(
        [(kind, "serialization", TypeAdapter(readable(kind))) for kind in kinds],
        ref_template="{model}",
    )
    named = sorted(found["$defs"].items())
    return _HEAD + "".join(f"\n{''.join(_interface(name, schema))}" for name, schema in named)


def _interface(name: str, schema: Schema) -> Iterator[str]:
    yield f"export interface {name} {{\n"
    required = schema.get("required", ())
    for field, kind in schema.get("properties", {}).items():
        yield f"  {field}{'' if field in required else '?'}: {kind_of(kind)};\n"
    yield "}\n"


if __name__ == "__main__":
    TYPES.write_text(source(), "utf-8")
