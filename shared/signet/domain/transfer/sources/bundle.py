"""The export bundle of the earlier TypeScript program: a folder with `manifest.json` and `memories.jsonl`.

It may also hold `entities.jsonl`, `relations.jsonl`, `identity/*.md` and `skills/NAME/`. The lines are rows of its
tables, read as rows of an export, so that a row already present is known by its id. Identity files and skills are
copied into the workspace if the user agrees. Its `agent.yaml` is ignored: settings are not imported.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from signet.domain.folders.reading import NotAFile, NotAllowed, below, opened
from signet.domain.graph import names
from signet.domain.identity import files as identity
from signet.domain.skills import files as skill_files
from signet.domain.skills import place
from signet.domain.skills.models import FILE
from signet.domain.transfer.records import Found, Record
from signet.domain.transfer.sources import ours
from signet.domain.transfer.sources.source import Format, Source, Wishes, kilobytes, size_of
from signet.paths import Workspace

MANIFEST, MEMORIES = "manifest.json", "memories.jsonl"
IDENTITY, SKILL = "identity", "skill"
#: The kind of row in each file; rows come before those that name them.
_ROWS = {MEMORIES: "memory", "entities.jsonl": "entity", "relations.jsonl": "relation"}
#: From 0 to 1; the earlier program stored whatever it was told.
_SHARES = ("importance", "confidence")


@dataclass(frozen=True, slots=True, kw_only=True)
class Copied:
    """A file or folder of a bundle that belongs into the workspace: `kind` is identity or skill."""

    kind: str
    bundle: Path
    source: Path
    place: Path

    def copy(self, workspace: Workspace) -> None:
        """Put it into a workspace, in the place of what has its name.

        Raises CannotCopy for a skill with links out or too many files, Invalid and TooLarge for an identity file, and
        OSError.
        """
        if self.kind == SKILL:
            with place.stage(workspace.skills_dir) as staged:
                place.copy(self.source, staged / FILE)
                place.put(staged, staged / FILE, workspace.root / self.place)
            return
        with opened(self.source, below(self.bundle)) as file:
            data = file.read(identity.MAX_BYTES + 1)
        identity.write(workspace, self.place.name, data.decode("utf-8", "replace"))


def is_bundle(folder: Path) -> bool:
    """Return whether a folder is such an export."""
    return (folder / MANIFEST).is_file() and (folder / MEMORIES).is_file()


def read(folder: Path, wishes: Wishes) -> Source:
    """Return the rows of a bundle, and the files of the workspace that it brings."""
    paths = [folder / name for name in _ROWS if (folder / name).is_file()]
    return Source(
        format=Format.BUNDLE,
        records=_records(folder, paths, wishes),
        total=size_of(paths),
        unit="KB",
        files=tuple(_files(folder)),
    )


def _records(folder: Path, paths: list[Path], wishes: Wishes) -> Iterator[Found]:
    read = 0
    for path in paths:
        try:
            with opened(path, below(folder)) as stream:
                for number, (length, raw) in enumerate(ours.lines(stream), 1):
                    read += length
                    where, done = f"{path.name} line {number}", kilobytes(read)
                    value = ours.parsed(raw)
                    if isinstance(value, str):
                        yield Found(where=where, done=done, fault=value)
                    elif value is not None:
                        row = _row(_ROWS[path.name], value, wishes)
                        yield Found(where=where, done=done, value=row)
        except (OSError, NotAllowed, NotAFile) as error:
            yield Found(where=path.name, done=kilobytes(read), fault=str(error))


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
    """Yield the identity files and skills that lie in the bundle; a link may lead anywhere."""
    for path in sorted((folder / "identity").glob("*.md")):
        if path.is_file() and _is_inside(path, folder):
            yield Copied(kind=IDENTITY, bundle=folder, source=path, place=Path(path.name))
    for path in sorted((folder / "skills").glob("*/")):
        is_skill = _is_inside(path, folder) and (path / FILE).is_file()
        if is_skill and skill_files.is_name(path.name):
            yield Copied(kind=SKILL, bundle=folder, source=path, place=Path("skills", path.name))


def _is_inside(path: Path, folder: Path) -> bool:
    return not path.is_symlink() and path.resolve().is_relative_to(folder.resolve())
