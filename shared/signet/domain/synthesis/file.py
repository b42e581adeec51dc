"""The file MEMORY.md: its path, its checks, and its atomic replacement.

A writer holds the lock, so that no two processes write at the same time.
"""

import hashlib
import json
import os
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from signet.db.visibility import Here
from signet.errors import Conflict, Invalid, NotFound
from signet.files import LARGE_BYTES, locked, read_markdown, replace_file
from signet.ids import DEFAULT_AGENT
from signet.paths import Workspace
from signet.text.controls import encodable

#: Earlier files kept with each (#451), and the temporary file of the only writer.
BACKUPS, NEW = 20, ".MEMORY.md.new"
_BACKUPS = "MEMORY.backup-*.md"

_AGENT = re.compile(r"[a-z0-9][a-z0-9-]{0,63}")
_HEADER = re.compile(r"\A\s*<!-- generated [^>]*-->[ \t]*\n*")
#: The header of files that mix projects, of earlier versions.
_MIXED = re.compile(r"\A\s*<!-- generated [-0-9]+ [:0-9]+ -->")
#: Headings of a project's part, and of notes without a project; text before them is for all projects.
_PROJECT, _IMPORTED = "# Project ", "# Imported notes"
_PART = re.compile(rf"^(?:{_PROJECT}(.+)|({_IMPORTED}))$", re.MULTILINE)
_LOOKS_LIKE_PART = re.compile(rf"^(?={_PROJECT}|{_IMPORTED})", re.MULTILINE)


def path_of(workspace: Workspace, agent_id: str) -> Path | None:
    """Return the path of an agent's file; None if its name is not valid for a folder (HN-70)."""
    if agent_id == DEFAULT_AGENT:
        return workspace.root / "MEMORY.md"
    if _AGENT.fullmatch(agent_id) is None:
        return None
    return workspace.root / "agents" / agent_id / "MEMORY.md"


def read(path: Path) -> str:
    """Return the file without its first line; empty if it is missing."""
    try:
        return _HEADER.sub("", path.read_text("utf-8", "replace"))
    except FileNotFoundError:
        return ""


def heading(project: str | None) -> str:
    return _IMPORTED if project is None else f"{_PROJECT}{project}" if project else ""


def joined(parts: Mapping[str | None, str]) -> str:
    """Join parts to the text of the file: the general one (""), each project, imported notes (None)."""
    texts = []
    for project, text in parts.items():
        # No statement may pass for the beginning of another part.
        texts.append("\n\n".join(filter(None, (heading(project), _LOOKS_LIKE_PART.sub("#", text)))))
    return "\n\n".join(texts)


def parts(text: str) -> dict[str | None, str]:
    """Split the file into parts by project, the reverse of `joined`."""
    first, *rest = _PART.split(text)
    found: dict[str | None, str] = {"": first.strip()}
    for project, _, said in zip(*[iter(rest)] * 3, strict=True):
        found[project] = said.strip()
    return found


def unmixed(path: Path) -> str:
    """Return the file's text; empty if it is missing, unreadable, or mixes projects."""
    try:
        raw = read_markdown(path, LARGE_BYTES).decode("utf-8", "replace")
    except OSError:
        return ""
    return "" if _MIXED.match(raw) else _HEADER.sub("", raw).replace("\0", "")


def injectable(path: Path, here: Here) -> str:
    """Return the parts of the file for a session in this place, those of the project with its name."""
    found = parts(unmixed(path))
    names: list[str | None] = [
        "",
        here.project,
        *([None] if here.is_personal or not here.project else []),
    ]
    return joined({one: found[one] for one in dict.fromkeys(names) if found.get(one)})


def checked(content: str) -> str:
    """Return a text for the file; raises Invalid for one that cannot be a MEMORY.md (PIP-46)."""
    text = encodable(_HEADER.sub("", content).replace("\0", "")).strip()
    if not text:
        raise Invalid("Refusing to write empty content to MEMORY.md")
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return text
    raise Invalid("Refusing to write JSON to MEMORY.md")


def write(
    workspace: Workspace,
    path: Path,
    text: str,
    *,
    at: datetime,
    run_at: datetime,
    is_run: bool = True,
) -> None:
    """Back up the present file and write the text.

    `run_at` names the backup. Without `is_run` the present file is always backed up. A repeated run keeps the file from
    before its first start and a person's later changes; it knows its own text by the digest.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    name = "-".join(path.relative_to(workspace.root).parts)
    note = workspace.runtime_dir / f"synthesis.{name}.written"
    written = note.read_text("ascii") if is_run and note.exists() else ""
    _keep(path, run_at, written=written)
    content = f"<!-- generated {at:%Y-%m-%d %H:%M}, by project -->\n\n{text}\n".encode()
    replace_file(note, _digest(content).encode(), beside=f".{note.name}.new")
    replace_file(path, content, beside=NEW)


def rewrite(workspace: Workspace, change: Callable[[str], str], backups: bool) -> int:
    """Change the files of all agents, and perhaps their backups; return the number changed. Times of files stay."""
    changed = 0
    names = ["MEMORY.md", *([f"memory/{_BACKUPS}"] if backups else [])]
    with alone(workspace, wait=True):
        for folder in (workspace.root, *(workspace.root / "agents").glob("*/")):
            (folder / NEW).unlink(missing_ok=True)
            (folder / "memory" / NEW).unlink(missing_ok=True)
            for path in (path for name in names for path in folder.glob(name)):
                present, time = path.read_text("utf-8", "replace"), path.stat().st_mtime_ns
                if (text := change(present)) != present:
                    replace_file(path, text.encode(), beside=NEW)
                    os.utime(path, ns=(time, time))
                    changed += 1
    return changed


def previous(path: Path) -> str:
    """Return the newest backup that differs from the present file; raises NotFound without one."""
    present = read(path).strip()
    backups = list((path.parent / "memory").glob(_BACKUPS))
    for backup in sorted(backups, key=lambda one: one.stat().st_mtime_ns, reverse=True):
        if (found := read(backup).strip()) != present:
            return found
    raise NotFound("There is no earlier MEMORY.md")


@contextmanager
def alone(workspace: Workspace, *, wait: bool) -> Iterator[None]:
    """Hold the lock of all these files; raises Conflict if another process holds it and `wait` is not set."""
    try:
        with locked(workspace.runtime_dir / "synthesis.lock", wait=wait):
            yield
    except BlockingIOError as error:
        raise Conflict("Synthesis already in progress") from error


def _keep(path: Path, run_at: datetime, *, written: str) -> None:
    if not path.exists():
        return
    folder = path.parent / "memory"
    folder.mkdir(exist_ok=True)
    present, stem = path.read_bytes(), f"MEMORY.backup-{run_at:%Y-%m-%dT%H-%M-%S}"
    mine = sorted(folder.glob(f"{stem}*.md"))
    is_kept = any(backup.read_bytes() == present for backup in mine)
    if not mine or not (is_kept or _digest(present) == written):
        number = f"-{len(mine) + 1}" if mine else ""
        replace_file(folder / f"{stem}{number}.md", present, beside=NEW)
    for old in sorted(folder.glob(_BACKUPS))[:-BACKUPS]:
        old.unlink(missing_ok=True)


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
