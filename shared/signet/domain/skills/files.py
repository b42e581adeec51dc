"""The skills of a workspace as folders: list, read, remove.

Nothing outside the folder of skills is ever read or removed: names are checked, and a link that leaves it is refused
(SK-11, SK-12).
"""

import hashlib
import os
import re
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path

from signet.domain.skills import sources
from signet.domain.skills.models import FILE, ROLE, SkillFile
from signet.errors import Invalid, NotFound, SignetError
from signet.files import opened

#: A longer SKILL.md is no instruction that a model could read.
MAX_BYTES = 1_000_000

_FORBIDDEN = re.compile(r"[/\\\x00-\x1f\x7f]|\.\.")

#: What differs in a changed file: inode, size, modification time.
Identity = tuple[int, int, int]


class InvalidName(Invalid):
    """Invalid skill name."""

    code = "invalid_skill_name"


def checked(name: str) -> str:
    """Return the name; raises InvalidName for one that is not the plain name of a folder."""
    if not is_name(name):
        raise InvalidName()
    return name


def is_name(name: str) -> bool:
    """Return whether this is the plain name of a folder, short enough for every disk, and text."""
    if not name.strip() or name.startswith(".") or _FORBIDDEN.search(name):
        return False
    try:
        return len(name.encode()) <= 200
    except UnicodeEncodeError:  # bytes of a file name that are no text
        return False


def identities(folder: Path) -> dict[str, Identity]:
    """Return the skills that are there and a fingerprint of their files; none without the folder."""
    found = {}
    root = str(
        folder
    )  # this is done four times a second: paths as objects would be most of the work
    for name in _names(folder):
        try:
            seen = os.stat(f"{root}/{name}/{FILE}")  # noqa: PTH116
        except OSError:
            continue
        found[name] = (seen.st_ino, seen.st_size, seen.st_mtime_ns)
    return found


def every(folder: Path) -> list[SkillFile]:
    """Return all skills that can be read, by the names they are listed under."""
    found = []
    for name in _names(folder):
        try:
            found.append(load(folder, name))
        except (SignetError, OSError):
            continue
    return sorted(found, key=lambda skill: (skill.title.casefold(), skill.name))


def find(folder: Path, name: str) -> SkillFile:
    """Return the skill of this folder name, else the only one that is called so. Raises InvalidName, NotFound."""
    try:
        return load(folder, name)
    except NotFound:
        called = [skill for skill in every(folder) if skill.title == name]
        if len(called) != 1:
            raise
        return called[0]


def load(folder: Path, name: str) -> SkillFile:
    """Return the skill in the folder of this name. Raises InvalidName, NotFound, Invalid."""
    path = folder / checked(name) / FILE
    return skill(name, path, _bytes(_inside(folder, path, name), name))


def remove(folder: Path, name: str) -> str:
    """Remove a skill and return the name of its folder. Raises InvalidName, NotFound."""
    found = find(folder, name).name
    sources.discard(folder, folder / found)
    return found


def _names(folder: Path) -> Iterator[str]:
    try:
        with os.scandir(folder) as entries:
            found = [entry.name for entry in entries]
    except (FileNotFoundError, NotADirectoryError):
        return
    yield from sorted(name for name in found if is_name(name))


def _inside(folder: Path, path: Path, name: str) -> Path:
    """Return where a path really leads; InvalidName when that is outside the folder."""
    try:
        real = path.resolve()
    except (OSError, RuntimeError) as error:  # a ring of links
        raise InvalidName() from error
    if not real.is_relative_to(folder.resolve()):
        raise InvalidName()
    if not real.is_file():
        raise NotFound(f"Skill '{name}' not found")
    return real


def _bytes(path: Path, name: str) -> bytes:
    """Return the content of a regular file. (Reading a pipe would never end.)"""
    try:
        file = opened(path, os.O_NOFOLLOW | os.O_NONBLOCK)
    except (FileNotFoundError, NotADirectoryError) as error:
        raise NotFound(f"Skill '{name}' not found") from error
    except OSError as error:
        raise Invalid(f"Skill '{name}' cannot be read: {error.strerror}") from error
    with file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise Invalid(f"Skill '{name}' is not a file")
        raw = file.read(MAX_BYTES + 1)
    if len(raw) > MAX_BYTES:
        raise Invalid(f"Skill '{name}' is longer than {MAX_BYTES} bytes")
    return raw


#: Maximum length of front matter, and items read of a list.
MAX_FRONT_CHARS = 65_536
MAX_ITEMS = 100

_FRONT = re.compile(r"---[ \t]*\r?\n(.*?)^---[ \t]*(?:\r?\n|\Z)", re.DOTALL | re.MULTILINE)
_NOTHING = frozenset({"", "~", "null", "Null", "NULL"})
_YES = frozenset({"true", "yes", "on", "1"})


def skill(name: str, path: Path, raw: bytes) -> SkillFile:
    """Return the skill that a file describes; `problem` says why it has no front matter."""
    fingerprint = hashlib.sha256(raw).hexdigest()
    content = raw.decode("utf-8", "replace").removeprefix("\ufeff")
    front = _FRONT.match(content)
    fields = _fields(front[1]) if front else "no front matter"
    if isinstance(fields, str):
        return SkillFile(
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
    return SkillFile(
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
    """Return the keys of front matter, or the reason for having none."""
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
