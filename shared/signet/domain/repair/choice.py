"""Row filters as SQL: one condition with named parameters, for any table's columns."""

import json

from signet.db.dialect import list_of
from signet.domain.repair.models import Chosen


def condition(*, id: str, kind: str | None = None, at: str, error: str | None = None) -> str:
    """Return the filter condition on these columns (all from this program, never from a caller)."""
    parts = [
        f"(:ids IS NULL OR {id} IN {list_of(':ids')})",
        f"{at} >= COALESCE(:since, '') AND {at} < COALESCE(:until, '~')",
    ]
    if kind is not None:
        parts.append(f"(:kinds IS NULL OR {kind} IN {list_of(':kinds')})")
    if error is not None:
        parts.append(f"(:error IS NULL OR lower(COALESCE({error}, '')) GLOB :error)")
    return " AND ".join(parts)


def parameters(chosen: Chosen) -> dict[str, object]:
    """Return the condition's parameters."""
    return {
        "ids": None if chosen.ids is None else json.dumps(chosen.ids),
        "kinds": None if chosen.kinds is None else json.dumps(chosen.kinds),
        "since": chosen.since,
        "until": chosen.until,
        "error": None if chosen.error is None else pattern(chosen.error),
    }


def pattern(text: str) -> str:
    """Return part of an error as a GLOB pattern: `*` matches any text, everything else itself."""
    quoted = "".join(f"[{sign}]" if sign in "[?" else sign for sign in text.lower())
    return f"*{quoted}*"
