"""The export bundle of the earlier TypeScript program: a folder with `manifest.json` and `memories.jsonl`.

Beside the memories it may hold `entities.jsonl`, `relations.jsonl`, `identity/*.md` and `skills/NAME/`. The lines are
rows of its tables, read as rows of an export of ours, so that a row that is here is known by its id. Identity files and
skills are files of the workspace and are copied. Its `agent.yaml` is left alone: settings are not imported.
"""

import json
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from signet.domain.graph import names
from signet.domain.skills import files as skill_files
from signet.domain.skills.models import FILE
from signet.domain.transfer.records import Fate, Found, Record
from signet.domain.transfer.sources import ours
from signet.domain.transfer.sources.source import Format, Source, Wishes, kilobytes, size_of

MANIFEST, MEMORIES = "manifest.json", "memories.jsonl"
#: What each line of a file is, those that are named before those that name them.
_ROWS = {MEMORIES: "memory", "entities.jsonl": "entity", "relations.jsonl": "relation"}
#: From 0 to 1; the earlier program stored whatever it was told.
_SHARES = ("importance", "confidence")


@dataclass(frozen=True, slots=True, kw_only=True)
class Copied:
    """A file or folder that belongs into the workspace: `kind` is identity or skill."""

    kind: str
    source: Path
    place: Path

    def copy(self, root: Path, *, overwrite: bool, dry_run: bool) -> Fate:
        """Put it below a workspace and return what came of it; what is there stays unless it may be overwritten."""
        target = root / self.place
        if target.exists() and not overwrite:
            return Fate.KNOWN
        if dry_run:
            return Fate.NEW
        target.parent.mkdir(parents=True, exist_ok=True)
        if self.source.is_dir():
            shutil.copytree(self.source, target, ignore=_links, dirs_exist_ok=True)
        else:
            shutil.copyfile(self.source, target)
        return Fate.NEW


def is_bundle(folder: Path) -> bool:
    """Return whether a folder is such an export."""
    return (folder / MANIFEST).is_file() and (folder / MEMORIES).is_file()


def read(folder: Path, wishes: Wishes) -> Source:
    """Return the rows of a bundle, and the files of the workspace that it brings."""
    paths = [folder / name for name in _ROWS if (folder / name).is_file()]
    return Source(
        format=Format.BUNDLE,
        records=_records(paths, wishes),
        total=size_of(paths),
        unit="KB",
        files=tuple(_files(folder)),
    )


def _records(paths: list[Path], wishes: Wishes) -> Iterator[Found]:
    read = 0
    for path in paths:
        with path.open("rb") as stream:
            for number, (length, raw) in enumerate(ours.lines(stream), 1):
                read += length
                where, done = f"{path.name} line {number}", kilobytes(read)
                value = ours.parsed(raw)
                if isinstance(value, str):
                    yield Found(where=where, done=done, fault=value)
                elif value is not None:
                    row = _row(_ROWS[path.name], value, wishes)
                    yield Found(where=where, done=done, value=row)


def _row(kind: str, value: Record, wishes: Wishes) -> Record:
    """Return a row of theirs as one of ours: what is null there takes its default here."""
    row = {name: one for name, one in value.items() if one is not None} | {"record": kind}
    for name in _SHARES:
        share = row.get(name)
        if isinstance(share, int | float):
            row[name] = min(max(share, 0), 1)
    if kind == "memory":
        row["tags"] = _tags(row.get("tags"))
        if wishes.project:
            row["project"] = wishes.project
    if kind == "entity":
        named = row.get("name")
        row.setdefault("canonical_name", names.canonical(named) if isinstance(named, str) else "")
    if kind != "relation" and wishes.agent_id:
        row["agent_id"] = wishes.agent_id
    return row


def _tags(tags: object) -> object:
    """Return tags as they are stored; the earlier program kept a list as JSON, or with commas between."""
    if not isinstance(tags, str) or tags.startswith("["):
        return tags
    return json.dumps([tag for one in tags.split(",") if (tag := one.strip())])


def _files(folder: Path) -> Iterator[Copied]:
    for path in sorted((folder / "identity").glob("*.md")):
        if path.is_file() and not path.is_symlink():
            yield Copied(kind="identity", source=path, place=Path(path.name))
    for path in sorted((folder / "skills").glob("*/")):
        is_skill = not path.is_symlink() and (path / FILE).is_file()
        if is_skill and skill_files.is_name(path.name):
            yield Copied(kind="skill", source=path, place=Path("skills", path.name))


def _links(folder: str, found: list[str]) -> list[str]:
    """Leave out links, which may lead anywhere."""
    return [name for name in found if Path(folder, name).is_symlink()]
