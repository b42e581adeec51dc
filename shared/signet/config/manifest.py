"""Find, read and edit agent.yaml, preserving everything else in the file.

YAML 1.2; duplicate keys are errors. Edits replace the file atomically and keep comments, key order, quotes, line
ends and mode. The parser is imported only when needed.
"""

import hashlib
import os
import re
from collections.abc import Callable, Mapping, MutableMapping
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from signet.config.older_shapes import placed, unflatten
from signet.errors import Conflict, Invalid
from signet.files import locked, replace_file
from signet.paths import Workspace

if TYPE_CHECKING:
    from ruamel.yaml import YAML
    from ruamel.yaml.nodes import Node

#: Permitted before the first key: comments, directives and the line that ends them.
HEAD = re.compile(r"(?:[ \t]*(?:[#%][^\n]*)?\n)*---[ \t]*(?:#[^\n]*)?\n")
NAMES = ("agent.yaml", "AGENT.yaml", "config.yaml")
#: A longer file takes seconds to parse, and merged aliases (`<<`) can double the values with each line.
MOST_BYTES, MOST_MERGED = 256_000, 32
_ALIAS = re.compile(rb"\*\w")
#: Compares the parsed file before and after a change; raises to forbid it.
Guard = Callable[[Mapping[object, object], Mapping[object, object]], None]
Value = str | int | float | bool | None | list["Value"] | dict[str, "Value"]


class ManifestError(Invalid, code="config_unreadable"):
    """The configuration file cannot be read."""

    def __init__(self, message: str, /, *, line: int | None = None) -> None:
        super().__init__(message, line=line)
        self.line = line


def hash_of(content: bytes) -> str:
    """Return the SHA-256 of a file's content in hex, empty for an empty file."""
    return hashlib.sha256(content).hexdigest() if content else ""


def check_hash(content: bytes, expected: str | None, name: str) -> None:
    """Raise Conflict with the current hash if another one is expected."""
    if expected is not None and expected != (found := hash_of(content)):
        raise Conflict(f"{name} was changed since it was read", "changed_meanwhile", hash=found)


def find(workspace: Workspace) -> Path | None:
    """Return the first existing configuration file."""
    paths = (workspace.root / name for name in NAMES)
    return next((path for path in paths if os.path.lexists(path)), None)


def place(workspace: Workspace) -> Path:
    """Return the configuration file, or the place for a new one."""
    return find(workspace) or workspace.root / NAMES[0]


def parse(source: bytes, name: str = NAMES[0]) -> dict[object, object]:
    """Return the file's mapping, empty for an empty file; raises ManifestError with the line."""
    found = _load(_parser("safe"), source, name)
    if found is None:
        return {}
    if not isinstance(found, dict):
        raise ManifestError(f"{name} line 1: the file must contain keys and values", line=1)
    return found


def set_value(path: Path, dotted_key: str, value: Value) -> None:
    """Set one value, such as `search.alpha`, creating the file if missing.

    The value goes where the file already has that section. Writers are serialized; readers see the old or the new
    file. Raises ManifestError if the file does not parse or a parent is not a section.
    """
    rewrite(
        path,
        lambda document: put(document, dotted_key, value, path.name),
        lambda source: with_value(source, path.name, dotted_key, value),
    )


def set_values(
    workspace: Workspace,
    values: Mapping[str, Value],
    *,
    if_hash: str | None = None,
    guard: Guard | None = None,
) -> Path:
    """Set values by dotted keys, all or none, and return the file; creates the workspace's folder.

    Raises Conflict if the file's hash differs, and errors of `guard`.
    """
    workspace.root.mkdir(parents=True, exist_ok=True)
    path = place(workspace)

    def change(document: MutableMapping[Any, Any]) -> None:
        for key, value in values.items():
            put(document, key, value, path.name)

    def write(source: bytes) -> bytes:
        check_hash(source, if_hash, path.name)
        for key, value in values.items():
            source = with_value(source, path.name, key, value)
        return source

    rewrite(path, change, write, guard)
    return path


def rewrite(
    path: Path,
    change: Callable[[MutableMapping[Any, Any]], None],
    write: Callable[[bytes], bytes],
    guard: Guard | None = None,
) -> None:
    """Replace the file with the result of `write` if its values match those of `change`.

    `change`, `guard` and `write` are called in this order under a lock. Raises ManifestError otherwise.
    """
    target = path.resolve()
    with locked(target.parent):
        source = target.read_bytes() if target.exists() else b""
        wanted = parse(source, path.name)
        change(wanted)
        if guard is not None:
            guard(parse(source, path.name), wanted)
        changed = write(source)
        if repr(parse(changed, path.name)) != repr(
            wanted
        ):  # repr: equal for NaN and for loops of anchors
            raise ManifestError(f"{path.name}: cannot be changed safely; please edit it by hand")
        replace_file(target, changed)


def put(document: MutableMapping[Any, Any], dotted_key: str, value: Value, name: str) -> None:
    """Set one value where the document has that section; raises ManifestError if a parent is not a section."""
    *parents, last = placed(document, dotted_key)
    section = document
    for key in parents:
        if section.get(key) is None:
            section[key] = {}
        if not isinstance(section[key], MutableMapping):
            raise ManifestError(f"{name}: {key} is not a section")
        if key == "extraction":
            unflatten(section)
        section = section[key]
    section[_spelled(section, last)] = value


def _spelled(section: MutableMapping[Any, Any], key: str) -> str:
    """Return the key as the section spells it; apiKey and api_key are one setting."""
    plain = key.replace("_", "").casefold()
    known = [str(one) for one in section if str(one).replace("_", "").casefold() == plain]
    return key if key in known or not known else known[0]


def with_value(source: bytes, name: str, dotted_key: str, value: Value) -> bytes:
    """Return the file with one value changed and everything else preserved."""
    from ruamel.yaml.comments import CommentedMap

    text = source.decode("utf-8-sig").replace("\r\n", "\n")
    start = HEAD.match(text)
    head, body = (start[0], text[start.end() :]) if start else ("", text)
    yaml = _editor(body)
    document = _load(yaml, body.encode(), name)
    if not isinstance(document, CommentedMap):
        # Nothing but comments, which belong to no value and would be lost.
        head += "".join(f"{line}\n" for line in body.splitlines() if re.match(r"\s*(#|$)", line))
        document = CommentedMap()
    put(document, dotted_key, value, name)
    written = StringIO()
    yaml.dump(document, written)
    changed = (head + written.getvalue()).encode()
    return changed.replace(b"\n", b"\r\n") if b"\r\n" in source else changed


def node_at(text: str, dotted_key: str) -> "Node | None":
    """Return the position of a value in a valid YAML text, as a node with its lines; None if it is missing."""
    from ruamel.yaml.nodes import MappingNode

    found: Node | None = _parser("safe").compose(text)
    for key in dotted_key.split("."):
        pairs = found.value if isinstance(found, MappingNode) else []
        found = next((value for name, value in pairs if name.value == key), None)
    return found


def _load(yaml: "YAML", source: bytes, name: str) -> object:
    from ruamel.yaml.error import MarkedYAMLError, YAMLError
    from ruamel.yaml.reader import ReaderError

    if len(source) > MOST_BYTES:
        raise _unreadable(name, None, f"longer than {MOST_BYTES // 1000} kB")
    if b"<<" in source and len(_ALIAS.findall(source)) > MOST_MERGED:
        raise _unreadable(name, None, f"merges with more than {MOST_MERGED} aliases")
    try:
        return yaml.load(source.decode("utf-8-sig"))
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        what = (error.problem or error.context or "not valid YAML").splitlines()[0]
        # The parser repeats the values of a duplicate key; they may be secret.
        twice = re.match(r'found duplicate key "[^"]*"', what)
        raise _unreadable(name, mark and mark.line + 1, twice[0] if twice else what) from error
    except UnicodeDecodeError as error:
        line = source.count(b"\n", 0, error.start) + 1
        raise _unreadable(name, line, "the text is not UTF-8") from error
    except RecursionError as error:
        raise _unreadable(name, None, "nested too deeply") from error
    except ReaderError as error:
        line = source.decode("utf-8-sig").count("\n", 0, error.position) + 1
        raise _unreadable(name, line, "a character that YAML does not allow") from error
    except (YAMLError, ValueError, LookupError, TypeError) as error:
        # The parser does not wrap conversion errors: a number with too many digits, an invalid tag.
        raise _unreadable(name, None, "a value cannot be read") from error


def _unreadable(name: str, line: int | None, what: str) -> ManifestError:
    place = f"{name} line {line}" if line else name
    return ManifestError(f"{place}: {what}", line=line)


def _editor(text: str) -> "YAML":
    """Return a parser that preserves comments and formatting."""
    yaml = _parser("rt")
    yaml.preserve_quotes = True
    yaml.width = 1_000_000
    deeper, before_dash = _indents(text)
    yaml.indent(mapping=deeper, sequence=before_dash + 2, offset=before_dash)
    return yaml


def _parser(kind: Literal["safe", "rt"]) -> "YAML":
    """Return a YAML 1.2 core parser: dates are text, anchors may repeat."""
    from ruamel.yaml import YAML
    from ruamel.yaml.resolver import VersionedResolver

    class Core(VersionedResolver):
        def resolve(self, kind: object, value: object, implicit: object) -> object:
            tag = super().resolve(kind, value, implicit)
            return self.DEFAULT_SCALAR_TAG if str(tag) == "tag:yaml.org,2002:timestamp" else tag

    yaml = YAML(typ=kind, pure=True)
    yaml.Resolver = Core
    yaml.composer.warn_double_anchors = False
    return yaml


def _indents(text: str) -> tuple[int, int]:
    """Return the file's indentation of sections and of dashes."""
    sections = re.search(r"^\S[^\n]*:[ \t]*\n( +)[^\s#-]", text, re.M)
    dashes = re.search(r"^( *)[^\s#-][^\n]*:[ \t]*\n( *)- ", text, re.M)
    return (
        len(sections[1]) if sections else 2,
        max(len(dashes[2]) - len(dashes[1]), 0) if dashes else 2,
    )
