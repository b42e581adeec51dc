"""The skills of a workspace as folders: list, read, remove.

Nothing outside the folder of skills is ever read or removed: names are checked, and a link that leaves it is refused
(SK-11, SK-12).
"""

import hashlib
import os
import re
import stat
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from signet import clock
from signet.config import Settings
from signet.db import ReadTx, WriteTx, fts, vectors
from signet.db.dialect import as_list
from signet.domain.skills import sources, sql
from signet.domain.skills.models import FILE, ROLE, SkillFile, SkillNode
from signet.errors import Invalid, NotFound, SignetError
from signet.files import opened
from signet.ids import DEFAULT_AGENT

#: A longer SKILL.md exceeds what a model can read.
MAX_BYTES = 1_000_000

_FORBIDDEN = re.compile(r"[/\\\x00-\x1f\x7f]|\.\.")

#: What differs in a changed file: inode, size, modification time.
Identity = tuple[int, int, int]


class InvalidName(Invalid, code="invalid_skill_name"):
    """Invalid skill name."""


def checked(name: str) -> str:
    """Return the name; raises InvalidName unless it is a plain folder name."""
    if not is_name(name):
        raise InvalidName()
    return name


def is_name(name: str) -> bool:
    """Return whether this is a plain folder name, short enough for every file system."""
    if not name.strip() or name.startswith(".") or _FORBIDDEN.search(name):
        return False
    try:
        return len(name.encode()) <= 200
    except UnicodeEncodeError:  # a file name that is not valid text
        return False


def identities(folder: Path) -> dict[str, Identity]:
    """Return a fingerprint of each skill's file; empty without the folder."""
    found = {}
    root = str(folder)  # four times a second: paths as objects would be most of the work
    for name in _names(folder):
        try:
            seen = os.stat(f"{root}/{name}/{FILE}")  # noqa: PTH116
        except OSError:
            continue
        found[name] = (seen.st_ino, seen.st_size, seen.st_mtime_ns)
    return found


def every(folder: Path) -> list[SkillFile]:
    found = []
    for name in _names(folder):
        try:
            found.append(load(folder, name))
        except (SignetError, OSError):
            continue
    return sorted(found, key=lambda skill: (skill.title.casefold(), skill.name))


def find(folder: Path, name: str) -> SkillFile:
    """Return the skill in this folder, else the only one with this title. Raises InvalidName, NotFound."""
    try:
        return load(folder, name)
    except NotFound:
        called = [skill for skill in every(folder) if skill.title == name]
        if len(called) != 1:
            raise
        return called[0]


def load(folder: Path, name: str) -> SkillFile:
    """Return the skill in this folder. Raises InvalidName, NotFound, Invalid."""
    path = folder / checked(name) / FILE
    return skill(name, path, _bytes(_inside(folder, path, name), name))


def remove(folder: Path, name: str) -> str:
    """Remove a skill and return its folder's name. Raises InvalidName, NotFound."""
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
    """Return the real path; raises InvalidName if it is outside the folder."""
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
    """Return the content of a regular file; reading a pipe would never end."""
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
    """Return the skill that a file describes; `problem` is why it has no front matter."""
    content = raw.decode("utf-8", "replace").removeprefix("\ufeff")
    front = _FRONT.match(content)
    found = _fields(front[1]) if front else "no front matter"
    fields, problem = ({}, found) if isinstance(found, str) else (found, None)
    needs = fields.get("dependencies")
    needed: Mapping[str, object] = needs if isinstance(needs, Mapping) else {}
    return SkillFile(
        name=name,
        path=path,
        title=_text(fields, "name") or _text(fields, "title") or name,
        content=content,
        body=content[front.end() :] if front else content,
        fingerprint=hashlib.sha256(raw).hexdigest(),
        problem=problem,
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
    """Return the front matter, or the reason for having none."""
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


#: The names of an agent's skills; who is not in it sees all of them.
SkillLimits = Mapping[str, frozenset[str]]


def limits(settings: Settings) -> SkillLimits:
    """Return the allowed skills of agents with a list; an empty list allows none."""
    return {
        agent.name: frozenset(agent.skills)
        for agent in settings.agents.roster
        if agent.skills is not None
    }


def shows(limits: SkillLimits, agent_id: str, name: str, title: str) -> bool:
    """Return whether an agent sees a skill, by its folder's name or its title."""
    wanted = limits.get(agent_id)
    return wanted is None or name in wanted or title in wanted


DAY = timedelta(days=1)


def use(tx: WriteTx, entity_ids: Sequence[str], now: datetime) -> None:
    tx.run(sql.USE, (clock.to_text(now), as_list(entity_ids)))


def importance(node: SkillNode, now: datetime, *, least: float) -> float:
    """Return a skill's importance now: it falls with each day without use, not below `least`."""
    since = clock.parsed(node.last_used_at) or clock.parsed(node.installed_at) or now
    days = max((now - since) / DAY, 0.0)
    faded: float = node.importance * node.decay_rate**days
    return max(least, faded)


#: Cosine from which a skill is near a question. Measured with MiniLM and the product's own skills: 0.8 % of 400
#: questions about memories have a skill this near, 57 % of 30 requests that were written for one of them.
NEAR = 0.33
#: The share of its score that an unused skill may lose.
FADE = 0.2
#: Share of a question's words that a skill must contain to be found by words, and their minimum number.
WORDS_SHARE, MIN_WORDS = 0.5, 2


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillHit:
    """A skill found for a question: its relevance 0..1, and its importance now."""

    node: SkillNode
    score: float
    importance: float


def near(
    tx: ReadTx,
    vector: bytes | None,
    *,
    now: datetime,
    model: str | None,
    limit: int,
    least: float = NEAR,
    min_importance: float = 0.3,
    agent_id: str = DEFAULT_AGENT,
    limits: SkillLimits | None = None,
) -> list[SkillHit]:
    """Return the skills nearest to a question's vector, best first; empty without a vector."""
    if not vector or limit < 1:
        return []
    rows = tx.tuples(
        sql.VECTORS, (as_list(agents_reading(agent_id)), vectors.dimensions(vector), model, model)
    )
    if not rows:
        return []
    scores = vectors.cosines(vector, [row[1] for row in rows])
    found = {row[0]: score for row, score in zip(rows, scores, strict=True) if score >= least}
    ranked = _ranked(tx, found, now, min_importance)
    return _shown(ranked, agent_id, limits or {})[:limit]


def worded(
    tx: ReadTx,
    words: Sequence[str],
    *,
    now: datetime,
    limit: int,
    min_importance: float = 0.3,
    agent_id: str = DEFAULT_AGENT,
    limits: SkillLimits | None = None,
) -> list[SkillHit]:
    """Return the skills with the words of a question (from `fts.words`), best first."""
    wanted = set(words)
    needed = min(len(wanted), MIN_WORDS)
    found = {}
    for agent in agents_reading(agent_id):
        for node in sql.nodes(tx, agent):
            held = len(wanted & _words(node))
            if wanted and held >= needed and held / len(wanted) >= WORDS_SHARE:
                found[node.entity_id] = held / len(wanted)
    ranked = _ranked(tx, found, now, min_importance)
    return _shown(ranked, agent_id, limits or {})[:limit]


def agents_reading(agent_id: str) -> tuple[str, ...]:
    """Return the owners of an agent's skills: itself, and the default agent, which owns the workspace's."""
    return tuple(dict.fromkeys((agent_id, DEFAULT_AGENT)))


def _ranked(
    tx: ReadTx, scores: dict[str, float], now: datetime, min_importance: float
) -> list[SkillHit]:
    nodes = sql.by_ids(tx, list(scores)) if scores else {}
    found = []
    for entity_id, node in nodes.items():
        matters = importance(node, now, least=min(min_importance, node.importance))
        kept = matters / node.importance if node.importance else 1.0
        score = scores[entity_id] * (1.0 - FADE * (1.0 - kept))
        found.append(SkillHit(node=node, score=score, importance=matters))
    return sorted(found, key=lambda one: (-one.score, one.node.name))


def _shown(found: Sequence[SkillHit], agent_id: str, limits: SkillLimits) -> list[SkillHit]:
    return [one for one in found if shows(limits, agent_id, one.node.name, one.node.title)]


def _words(node: SkillNode) -> set[str]:
    name = node.name.replace("-", " ").replace("_", " ")
    return set(fts.words(f"{node.name} {name} {node.text} {' '.join(node.tags)}"))
