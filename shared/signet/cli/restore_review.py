"""List what a backup would change besides memories: settings, instructions, programs, connected folders, secrets.

The maker of the backup decided these, so `signet restore` shows every difference from the workspace and asks.
"""

import contextlib
import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields
from itertools import islice
from pathlib import Path

from signet import engine
from signet.cli import output
from signet.config import manifest
from signet.config.manifest import ManifestError
from signet.db import ReadTx
from signet.db.driver import connect, sqlite
from signet.domain.backup import archive
from signet.domain.backup.models import DATABASE
from signet.domain.backup.restore import Staged
from signet.domain.connectors import registry
from signet.domain.memory import forgotten
from signet.domain.secrets.vault import Vault
from signet.domain.tasks import scheduled
from signet.domain.tasks.models import Task
from signet.errors import SignetError
from signet.paths import Workspace
from signet.text.masking import mask

#: Lines per kind, and characters per line.
SHOWN, CHARS = 20, 160
#: Values and levels of a settings file to compare.
MAX_VALUES, MAX_DEPTH = 2_000, 12
#: Folders whose entries are listed one by one.
_LISTED = ("skills", "agents")
_UNSET = "not set"
#: When setup wrote the file.
_DECIDES_NOTHING = {"agent.created"}
#: Regenerated from the memories.
SYNTHESIS = "MEMORY.md "


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """Differences between a backup and the workspace, as lines for people."""

    settings: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    tasks: tuple[str, ...] = ()
    connectors: tuple[str, ...] = ()
    secrets: tuple[str, ...] = ()
    #: Memories that sessions receive unasked; they need no second consent.
    context: tuple[str, ...] = ()

    @property
    def needs_consent(self) -> bool:
        """Return whether anything besides memories would change."""
        return any(getattr(self, one.name) for one in fields(self) if one.name != "context")

    def lines(self) -> Iterator[str]:
        for one in fields(self):
            found = getattr(self, one.name)
            for line in found[:SHOWN]:
                yield f"  {one.name:<11}{output.short(output.plain(line), CHARS)}"
            if len(found) > SHOWN:
                yield f"  {one.name:<11}and {len(found) - SHOWN} more"


def changes(workspace: Workspace, staged: Staged) -> Changes:
    """Return the changes that the unpacked backup would make."""
    there, files = Workspace(staged.folder), [*_files(workspace.root, staged.folder)]
    return Changes(
        settings=tuple(_settings(workspace, there)),
        files=tuple(line for line in files if not line.startswith(SYNTHESIS)),
        tasks=tuple(_new(workspace, staged, _tasks)),
        connectors=tuple(_new(workspace, staged, _connectors)),
        secrets=tuple(_secrets(workspace, staged)),
        context=(
            *_new(workspace, staged, forgotten.pinned_rules),
            *(line for line in files if line.startswith(SYNTHESIS)),
        ),
    )


def _settings(here: Workspace, there: Workspace) -> Iterator[str]:
    now, then = _values(here), _values(there)
    for key in sorted((now.keys() | then.keys()) - _DECIDES_NOTHING):
        if now.get(key) != then.get(key):
            before, after = now.get(key, _UNSET), then.get(key, _UNSET)
            yield mask(f"{key}: {after} (now {before})").text


def _values(workspace: Workspace) -> dict[str, str]:
    path = manifest.find(workspace)
    if path is None:
        return {}
    try:
        found = _flat(manifest.parse(path.read_bytes(), path.name), "")
        return dict(islice(found, MAX_VALUES))
    except (ManifestError, OSError) as error:
        return {path.name: f"unreadable: {error}"}


def _flat(value: object, key: str, depth: int = 0) -> Iterator[tuple[str, str]]:
    """Yield leaf values by dotted key. A file may contain loops and repeated parts."""
    if depth < MAX_DEPTH and isinstance(value, Mapping) and value:
        for name, inner in value.items():
            yield from _flat(inner, f"{key}.{name}" if key else str(name), depth + 1)
    elif depth < MAX_DEPTH and isinstance(value, list) and any(map(_is_section, value)):
        for number, inner in enumerate(value):
            yield from _flat(inner, f"{key}[{number}]", depth + 1)
    else:
        yield key, "…" if depth >= MAX_DEPTH else json.dumps(value, ensure_ascii=False, default=str)


def _is_section(value: object) -> bool:
    return isinstance(value, Mapping | list)


def _files(here: Path, there: Path) -> Iterator[str]:
    """Yield new and changed files: one line for each entry of `skills` and `agents`, and for each other folder."""
    found: Counter[tuple[str, str]] = Counter()
    for path in sorted(there.rglob("*")):
        inner = path.relative_to(there)
        top = inner.parts[0]
        is_other = top in (*archive.MEMORIES, archive.DAEMON, archive.SECRETS)
        if (
            not path.is_file()
            or is_other
            or (inner.name in manifest.NAMES and len(inner.parts) == 1)
        ):
            continue
        kind = _difference(here / inner, path)
        if kind:
            shown = "/".join(inner.parts[: 2 if top in _LISTED else 1])
            found[shown, kind if len(inner.parts) == 1 else "files"] += 1
    for (name, kind), number in found.items():
        yield f"{name} ({kind if kind != 'files' else output.count(number, 'new or changed file')})"


def _difference(here: Path, there: Path) -> str | None:
    try:
        is_same = here.is_file() and here.read_bytes() == there.read_bytes()
    except OSError:
        is_same = False
    return None if is_same else "changed" if here.exists() else "new"


def _tasks(tx: ReadTx) -> list[str]:
    return [_task(task) for task, _ in scheduled.every(tx) if task.enabled]


def _task(task: Task) -> str:
    rights = ", without permission checks" if task.skip_permissions else ""
    place = f" in {task.working_directory}" if task.working_directory else ""
    skill = f" with the skill {task.skill_name}" if task.skill_name else ""
    what = f"{task.harness}{rights}{place}{skill}: {task.prompt}"
    return f"{task.name}, {task.cron_expression}, {what}"


def _connectors(tx: ReadTx) -> list[str]:
    found = registry.newest(tx)
    return [registry.root_of(one) or f"{one['provider']}: {one['config_json']}" for one in found]


def _new(workspace: Workspace, staged: Staged, read: Callable[[ReadTx], list[str]]) -> list[str]:
    """Return lines about a backup's database that the current one lacks."""
    known: set[str] = set()
    if engine.exists(workspace.database):
        with contextlib.suppress(sqlite.Error):  # damaged, or from an earlier version
            known = set(_read(workspace.database, read))
    return [line for line in _read(staged.folder / DATABASE, read) if line not in known]


def _read(database: Path, read: Callable[[ReadTx], list[str]]) -> list[str]:
    with contextlib.closing(connect(database, read_only=True)) as connection:
        return read(ReadTx(connection))


def _secrets(workspace: Workspace, staged: Staged) -> Iterator[str]:
    known = {}
    with contextlib.suppress(SignetError, OSError):
        known = Vault(workspace.vault).everything()
    for name, secret in staged.secrets.items():
        if name not in known or known[name].value != secret.value:
            yield f"{name} ({'changed' if name in known else 'new'})"
