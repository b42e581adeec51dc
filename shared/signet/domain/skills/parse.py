"""Reading a SKILL.md: YAML between a first line `---` and the next one, then the body. Pure; never raises.

Every scalar is taken as the text that stands there, so `version: 1.10` is `1.10`. A file that cannot be read so is
still a skill, by the name of its folder (SK-1).
"""

import hashlib
import re
from collections.abc import Mapping
from pathlib import Path

from signet.domain.skills.models import ROLE, Skill

#: Front matter beyond this is none, and lists are read so far.
MAX_FRONT_CHARS = 65_536
MAX_ITEMS = 100

_FRONT = re.compile(r"---[ \t]*\r?\n(.*?)^---[ \t]*(?:\r?\n|\Z)", re.DOTALL | re.MULTILINE)
_NOTHING = frozenset({"", "~", "null", "Null", "NULL"})
_YES = frozenset({"true", "yes", "on", "1"})


def skill(name: str, path: Path, raw: bytes) -> Skill:
    """Return the skill that a file describes; `problem` says why it has no front matter."""
    fingerprint = hashlib.sha256(raw).hexdigest()
    content = raw.decode("utf-8", "replace").removeprefix("\ufeff")
    front = _FRONT.match(content)
    fields = _fields(front[1]) if front else "no front matter"
    if isinstance(fields, str):
        return Skill(
            name=name,
            path=path,
            title=name,
            content=content,
            body=content[front.end() :] if front else content,
            fingerprint=fingerprint,
            problem=fields,
        )
    needs = fields.get("dependencies")
    needed: Mapping[str, object] = needs if isinstance(needs, Mapping) else {}
    return Skill(
        name=name,
        path=path,
        title=_text(fields, "name") or _text(fields, "title") or name,
        content=content,
        body=content[front.end() :] if front else "",
        fingerprint=fingerprint,
        description=_text(fields, "description") or "",
        version=_text(fields, "version"),
        author=_text(fields, "author"),
        maintainer=_text(fields, "maintainer"),
        license=_text(fields, "license"),
        homepage=_text(fields, "homepage"),
        triggers=_texts(fields, "triggers"),
        tags=_texts(fields, "tags"),
        permissions=_texts(fields, "permissions"),
        role=_text(fields, "role") or ROLE,
        user_invocable=_flag(fields, "user_invocable", default=True),
        arg_hint=_text(fields, "arg_hint"),
        builtin=_flag(fields, "builtin"),
        verified=_flag(fields, "verified"),
        bins=_texts(needed, "bins"),
        skills=_texts(needed, "skills"),
        category=_text(fields, "category"),
        installs=_count(fields, "installs"),
        stars=_count(fields, "stars"),
    )


def _fields(front: str) -> Mapping[str, object] | str:
    """Return the keys of front matter, or in words why there are none."""
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError

    if len(front) > MAX_FRONT_CHARS:
        return f"front matter of more than {MAX_FRONT_CHARS} characters"
    try:
        found = YAML(typ="base", pure=True).load(front)
    except (YAMLError, ValueError, LookupError, TypeError, RecursionError) as error:
        return f"front matter is not valid YAML ({type(error).__name__})"
    return found if isinstance(found, dict) else "front matter has no keys"


def _text(fields: Mapping[str, object], key: str) -> str | None:
    value = fields.get(key)
    text = " ".join(value.split()) if isinstance(value, str) else ""
    return None if text in _NOTHING else text


def _texts(fields: Mapping[str, object], key: str) -> tuple[str, ...]:
    """Return a list, or a text with commas, as its items; each once."""
    value = fields.get(key)
    items = value if isinstance(value, list) else (_text(fields, key) or "").split(",")
    found = (" ".join(item.split()) for item in items[:MAX_ITEMS] if isinstance(item, str))
    return tuple(dict.fromkeys(item for item in found if item not in _NOTHING))


def _flag(fields: Mapping[str, object], key: str, *, default: bool = False) -> bool:
    text = _text(fields, key)
    return default if text is None else text.lower() in _YES


def _count(fields: Mapping[str, object], key: str) -> int:
    text = _text(fields, key) or ""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 12 else 0
