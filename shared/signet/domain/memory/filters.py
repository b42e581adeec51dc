"""Conditions on `memories m` for filters, shared by all searches."""

import re
from datetime import datetime, timedelta

from signet import clock
from signet.db import fts
from signet.db.dialect import LIST, as_list
from signet.db.visibility import Where
from signet.errors import Invalid
from signet.ids import SPACE_PREFIX

#: The tags of `memories m` as rows `t`. They are a JSON array; rows of older files may contain a comma-separated list.
#: They are compared whole and in lower case: in SQL, which only knows ASCII, or by a Python function of the connection.
TAGS = """json_each(CASE WHEN json_valid(m.tags) THEN m.tags
  ELSE '["' || replace(replace(replace(m.tags, '\\', ''), '"', ''), ',', '","') || '"]' END) t"""
_TAG = f"EXISTS (SELECT 1 FROM {TAGS} WHERE {{lower}}(trim(t.value)) = ?)"
_HELD = f"""
(instr(lower(m.content), lower(?)) > 0
 OR (m.tags IS NOT NULL AND EXISTS (SELECT 1 FROM {TAGS} WHERE instr(lower(t.value), lower(?)) > 0)))"""


#: The stored JSON contains a tag of these characters unescaped, so that most rows need no parsing.
_PLAIN = re.compile(r"[\w .:+-]+", re.ASCII)
#: Rows that may be merged if equal: of one owner, scope, project and visibility, not protected by a person, and not
#: superseded.
EQUAL = "content_hash, agent_id, visibility, COALESCE(scope, ''), COALESCE(project, '')"


#: What `memories m` must be, by the name of each filter.
CONDITIONS = {
    "type": "m.type = ?",
    "who": "m.who = ?",
    "project": "m.project = ?",
    "source_type": "m.source_type = ?",
    "source_id": "m.source_id = ?",
    "space": f"m.visibility = '{SPACE_PREFIX}' || ?",
    "origin": "m.origin = ?",
    "not_origin": "coalesce(m.origin, '') <> ?",
    "pinned": "coalesce(m.pinned, 0) = ?",
    "importance_min": "m.importance >= ?",
    "importance_max": "m.importance <= ?",
    "since": "coalesce(m.event_at, m.created_at) >= ?",
    "until": "coalesce(m.event_at, m.created_at) <= ?",
    "event_since": "m.event_at >= ?",
    "event_until": "m.event_at <= ?",
    "before": "(m.created_at, m.seq) < (SELECT a.created_at, a.seq FROM memories a WHERE a.id = ?)",
}


def passing(asked: object, *, without: str = "") -> Where:
    """Return the conditions of the filters that `asked` has under these names, and of its `tags`.

    None and empty ones ask nothing; several values are alternatives. Times are in stored form.
    """
    where = Where("1")
    for name, condition in CONDITIONS.items():
        value = getattr(asked, name, None)
        if value in (None, ()) or name == without:
            continue
        if isinstance(value, tuple):
            where &= Where(condition.replace("= ?", f"IN {LIST}"), (as_list(value),))
        else:
            where &= Where(condition, (fts.encodable(value) if isinstance(value, str) else value,))
    for tag in getattr(asked, "tags", ()) if without != "tags" else ():
        where &= has_tag(tag)
    return where


def has_tag(tag: str) -> Where:
    wanted = fts.encodable(tag).strip().lower()
    where = Where("m.tags IS NOT NULL")
    if _PLAIN.fullmatch(wanted):
        where &= Where("instr(lower(m.tags), ?) > 0", (wanted,))
    lower = "lower" if wanted.isascii() else "lower_unicode"
    return where & Where(_TAG.format(lower=lower), (wanted,))


def holds(text: str) -> Where:
    """Return the condition that the content or a tag contains this text, which must not be empty."""
    return Where(_HELD, (text, text))


def standing(as_of: datetime | None, alias: str = "m") -> Where:
    """Return the condition that a row of `memories` exists now, or existed at an instant."""
    if as_of is None:
        # The plus prevents SQLite from using the index of deletion, in which nearly every row is a hit.
        return Where(f"+{alias}.is_deleted = 0")
    at = clock.to_text(as_of)
    there = f"{alias}.created_at <= ? AND ({alias}.is_deleted = 0 OR {alias}.deleted_at > ?)"
    return Where(there, (at, at))


def instant(name: str, text: str | None, *, last: bool = False) -> str | None:
    """Return a time in its stored form; a local day alone means its first instant, with `last` its last one.

    A space is read as the plus of a zone: unencoded addresses lose it. Raises Invalid with the parameter's name.
    """
    if text is None:
        return None
    try:
        found = clock.given(text.strip().replace(" ", "+") if "T" in text else text)
    except (ValueError, OSError) as error:
        raise Invalid(f"{name} must be an ISO timestamp") from error
    if last and len(text.strip()) <= len("2026-01-31"):
        found = clock.midnight(found, days=1) - timedelta(milliseconds=1)
    return clock.to_text(found)
