"""The file agent.yaml: find it, read it, change one value and keep the rest as it was written.

YAML 1.2; a key that stands twice is an error. Writing replaces the file in one step and keeps comments, order of
keys, quotes, line ends and mode. The parser is imported only when there is something to
parse.
"""

import fcntl
import os
import re
import tempfile
from collections.abc import Iterator, Mapping, MutableMapping
from contextlib import contextmanager
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from signet.errors import Invalid
from signet.paths import Workspace

if TYPE_CHECKING:
    from ruamel.yaml import YAML
    from ruamel.yaml.comments import CommentedMap

NAMES = ("agent.yaml", "AGENT.yaml", "config.yaml")
#: Where a section may also stand, best first; the first name is the canonical one.
PLACES = {
    "pipelineV2": ("memory.pipelineV2", "pipelineV2"),
    "embedding": ("embedding", "memory.embeddings", "embeddings"),
}
#: Flat twins of the keys that win over the nested ones.
FLAT_EXTRACTION = {
    "extractionProvider": "provider",
    "extractionModel": "model",
    "extractionStrength": "strength",
}

Value = str | int | float | bool | None | list["Value"] | dict[str, "Value"]


class ManifestError(Invalid):
    """The configuration file cannot be read."""

    code = "config_unreadable"

    def __init__(self, message: str, /, *, line: int | None = None) -> None:
        super().__init__(message, line=line)
        self.line = line


def find(workspace: Workspace) -> Path | None:
    """Return the configuration file: the first of the names that exists."""
    paths = (workspace.root / name for name in NAMES)
    return next((path for path in paths if os.path.lexists(path)), None)


def parse(source: bytes, name: str = NAMES[0]) -> dict[object, object]:
    """Return the mapping that the file holds, an empty one for an empty file; raises ManifestError with the line."""
    from ruamel.yaml import YAML
    from ruamel.yaml.constructor import SafeConstructor

    class Plain(SafeConstructor):
        """Leaves timestamps as they are written."""

    Plain.add_constructor("tag:yaml.org,2002:timestamp", SafeConstructor.construct_yaml_str)
    yaml = YAML(typ="safe", pure=True)
    yaml.Constructor = Plain
    found = _load(yaml, source, name)
    if found is None:
        return {}
    if not isinstance(found, dict):
        raise ManifestError(f"{name} line 1: the file must hold keys and values", line=1)
    return found


def set_value(path: Path, dotted_key: str, value: Value) -> None:
    """Set one value, such as `search.alpha`, in the file, which is made if there is none.

    The value goes where the file keeps that section already. Writers of one folder wait for each other; readers
    see the old file or the new one. Raises ManifestError when the file does not parse or a parent is no section.
    """
    target = path.resolve()
    with _alone(target.parent):
        source = target.read_bytes() if target.exists() else b""
        before = parse(source, path.name)
        yaml, document = _editable(source, path.name)
        *parents, last = _placed(document, dotted_key)
        section: MutableMapping[str, Any] = document
        for key in parents:
            if section.get(key) is None:
                section[key] = {}
            if not isinstance(section[key], MutableMapping):
                raise ManifestError(f"{path.name}: {key} is not a section", line=None)
            if key == "extraction":
                _unflatten(section)
            section = section[key]
        section[last] = value
        text = StringIO()
        yaml.dump(document, text)
        changed = text.getvalue().encode()
        if not before:  # a file of comments alone, which belong to no value
            changed = source + (b"" if source.endswith(b"\n") or not source else b"\n") + changed
        replace_file(target, changed.replace(b"\n", b"\r\n") if b"\r\n" in source else changed)


def replace_file(path: Path, content: bytes) -> None:
    """Put the content in place of the file in one step, durable on return; the mode stays, a new file is private."""
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            if path.exists():
                os.fchmod(file.fileno(), path.stat().st_mode & 0o7777)
            os.fsync(file.fileno())
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Keep other writers of the folder waiting; the lock ends with the process."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def _load(yaml: "YAML", source: bytes, name: str) -> object:
    from ruamel.yaml.error import MarkedYAMLError, YAMLError

    try:
        return yaml.load(source.decode("utf-8-sig"))
    except MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else None
        what = error.problem or error.context or "not valid YAML"
        if what.startswith("found duplicate key"):
            # The parser's own text repeats the values, which may be secret.
            what = "a key stands twice"
        raise ManifestError(f"{name} line {line}: {what.splitlines()[0]}", line=line) from error
    except UnicodeDecodeError as error:
        line = source.count(b"\n", 0, error.start) + 1
        raise ManifestError(f"{name} line {line}: the text is not UTF-8", line=line) from error
    except RecursionError as error:
        raise ManifestError(f"{name}: nested too deeply") from error
    except (YAMLError, ValueError, KeyError) as error:
        # ReaderError has no mark; bad scalars behind an explicit tag or with too many digits come out bare.
        position = getattr(error, "position", None)
        if not isinstance(position, int):
            raise ManifestError(f"{name}: a value cannot be read") from error
        line = source.decode("utf-8-sig").count("\n", 0, position) + 1
        raise ManifestError(f"{name} line {line}: a character is not allowed", line=line) from error


def _editable(source: bytes, name: str) -> tuple["YAML", "CommentedMap"]:
    """Return the document with its comments, and the writer that keeps its look."""
    from ruamel.yaml import YAML
    from ruamel.yaml.comments import CommentedMap

    text = source.decode("utf-8-sig")
    yaml = YAML(typ="rt", pure=True)
    yaml.preserve_quotes = True
    yaml.width = 1_000_000
    yaml.explicit_start = bool(re.search(r"^---", text, re.M))
    deeper, before_dash = _indents(text)
    yaml.indent(mapping=deeper, sequence=before_dash + 2, offset=before_dash)
    document = _load(yaml, source, name)
    return yaml, document if isinstance(document, CommentedMap) else CommentedMap()


def _indents(text: str) -> tuple[int, int]:
    """Return by how much the file indents a section, and a dash under its key."""
    sections = re.search(r"^\S[^\n]*:[ \t]*\n( +)[^\s#-]", text, re.M)
    dashes = re.search(r"^( *)[^\s#-][^\n]*:[ \t]*\n( *)- ", text, re.M)
    return (
        len(sections[1]) if sections else 2,
        max(len(dashes[2]) - len(dashes[1]), 0) if dashes else 2,
    )


def _placed(document: Mapping[str, object], dotted_key: str) -> list[str]:
    """Return the key as a path, at the place where the file keeps that section already."""
    first, *rest = dotted_key.split(".")
    places = [place.split(".") for place in PLACES.get(first, (first,))]
    kept = next((place for place in places if _at(document, place) is not None), None)
    return [*(kept or places[0]), *rest]


def lifted(raw: Mapping[object, object]) -> tuple[Mapping[object, object], Mapping[str, str]]:
    """Return the file with every section at its canonical key, and where those that moved stood."""
    moved: dict[str, str] = {}
    found = dict(raw)
    memory = raw.get("memory")
    inside = dict(memory) if isinstance(memory, Mapping) else None
    for section, places in PLACES.items():
        taken = [(place, _at(raw, place.split("."))) for place in places]
        for key in (place.rpartition(".") for place in places):
            if key[0] and inside is not None:
                inside.pop(key[2], None)
            elif not key[0]:
                found.pop(key[2], None)
        place, value = next((each for each in taken if each[1] is not None), (section, None))
        found[section] = value
        moved |= {section: place} if place != section else {}
    if inside is not None:
        found["memory"] = inside
    return found, moved


def _at(raw: Mapping[Any, object], place: list[str]) -> object:
    value: object = raw
    for key in place:
        value = value.get(key) if isinstance(value, Mapping) else None
    return value


def _unflatten(pipeline: MutableMapping[str, object]) -> None:
    """Move what older dashboards wrote flat into `extraction`, where it would win over the value being set."""
    extraction = pipeline["extraction"]
    if "extractionProvider" in pipeline and isinstance(extraction, MutableMapping):
        extraction.pop("model", None)
    for flat, name in FLAT_EXTRACTION.items():
        if flat in pipeline and isinstance(extraction, MutableMapping):
            extraction[name] = pipeline.pop(flat)
