"""The workspace's identity files, and the product texts that it shows."""

import re
import stat
from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from functools import cache
from importlib import metadata
from pathlib import Path

from signet import resources
from signet.config import manifest
from signet.config.manifest import NAMES, ManifestError
from signet.domain.auth import caller
from signet.errors import Invalid, TooLarge
from signet.files import locked, replace_file
from signet.paths import Workspace
from signet.wire.config import AgentIdentity, ConfigFile

SUFFIXES = (".md", ".yaml")
MAX_BYTES = 1_048_576
#: The identity files, listed before the others.
IDENTITY = ("AGENTS.md", "SOUL.md", "IDENTITY.md", "USER.md", "MEMORY.md")
FIRST = ("agent.yaml", *IDENTITY[:-1])


def every(workspace: Workspace) -> list[ConfigFile]:
    """Return the files, agent.yaml and the identity first, then by name; raises OSError for the folder itself.

    Unreadable and oversized files are omitted.
    """
    found: list[ConfigFile] = []
    for path in workspace.root.iterdir():
        if path.suffix in SUFFIXES and (content := read(workspace, path.name)) is not None:
            text = content.decode("utf-8", "replace")
            digest = manifest.hash_of(content)
            found.append({"name": path.name, "content": text, "size": len(content), "hash": digest})
    return sorted(found, key=lambda file: (_rank(file["name"]), file["name"]))


def read(workspace: Workspace, name: str) -> bytes | None:
    """Return the content of a regular workspace file; None if it is unreadable."""
    try:
        path = _inside(workspace, name)
        seen = path.stat()
        if not stat.S_ISREG(seen.st_mode) or seen.st_size > MAX_BYTES:
            return None
        return path.read_bytes()
    except (OSError, Invalid):
        return None


def write(workspace: Workspace, name: str, content: str, *, if_hash: str | None = None) -> None:
    """Replace a file atomically, with its line endings.

    With `if_hash` it must have this hash, or not exist if empty; else raises Conflict. Raises Invalid for a bad name,
    ManifestError (with the line) for settings that do not parse, TooLarge, and Forbidden for a file or settings
    change that the caller may not write.
    """
    if not name or any(sign in name for sign in ("/", "\\", "..", "\0")):
        raise Invalid("Invalid file name")
    if not name.endswith(SUFFIXES) or name in SUFFIXES:
        raise Invalid("Invalid file type")
    raw = content.encode("utf-8", "replace")
    if len(raw) > MAX_BYTES:
        raise TooLarge(f"{name} would be longer than {MAX_BYTES} bytes")
    wanted = manifest.parse(raw, name) if name in manifest.NAMES else None
    try:
        path = _inside(workspace, name)
        if path.exists() and not path.is_file():
            raise Invalid(f"{name} is not a file")
        with locked(path.parent):
            if if_hash is not None:
                now = path.read_bytes() if path.exists() else b""
                manifest.check_hash(now, if_hash, name)
            _check_consent(workspace, name, wanted)
            replace_file(path, raw)
    except OSError as error:
        raise Invalid(f"{name} cannot be written: {error.strerror}") from error


def _check_consent(workspace: Workspace, name: str, wanted: Mapping[object, object] | None) -> None:
    """Raise Forbidden unless the caller may write the file; `wanted` are its new settings."""
    now = manifest.find(workspace)
    now = manifest.find(workspace)
    if wanted is None or (now is not None and NAMES.index(now.name) < NAMES.index(name)):
        caller.check_file(name)  # another file has the settings
        return
    try:
        before = manifest.parse(now.read_bytes(), now.name) if now is not None else {}
    except ManifestError:
        caller.check_file(name)  # the effect of a broken file cannot be compared
        return
    caller.check_settings(before, wanted)


def _inside(workspace: Workspace, name: str) -> Path:
    """Return the path of a name; raises Invalid if it is outside the workspace."""
    try:
        path = (workspace.root / name).resolve()
    except (OSError, RuntimeError) as error:  # a loop of links
        raise Invalid("Invalid file name") from error
    if not path.is_relative_to(workspace.root.resolve()):
        raise Invalid("Invalid file name")
    return path


def _rank(name: str) -> int:
    return FIRST.index(name) if name in FIRST else len(FIRST)


#: An optional bullet, a key that may be bold, a colon, the rest of the line.
_LINE = re.compile(
    r"^[ \t]*(?:[-*][ \t]+)?\**(name|creature|role|vibe)\**[ \t]*:\**[ \t]*(.*)$", re.M | re.I
)
UNKNOWN = "Unknown"


def parse(text: str) -> AgentIdentity:
    """Return the identity in a file; the first line of each key counts, and a role replaces a missing creature."""
    found: dict[str, str] = {}
    for key, value in _LINE.findall(text):
        found.setdefault(key.lower(), value.strip())
    return {
        "name": found.get("name") or UNKNOWN,
        "creature": found.get("creature") or found.get("role", ""),
        "vibe": found.get("vibe", ""),
    }


def user(workspace: Workspace) -> str:
    """Return the capitalised words of the person's name in USER.md; empty without one."""
    name = parse((read(workspace, "USER.md") or b"").decode("utf-8", "replace"))["name"]
    return " ".join(one for one in name.split() if one[0].isupper() and name != UNKNOWN)


_NOON, _EVENING = 12, 17


def greeting(now: datetime) -> str:
    """Return the greeting for the hour of `now`, in the reader's time zone."""
    if now.hour < _NOON:
        return "good morning"
    return "good afternoon" if now.hour < _EVENING else "good evening"


PACKAGE = "signetai"


class ProductText(StrEnum):
    CHANGELOG = "CHANGELOG.md"
    ROADMAP = "ROADMAP.md"
    README = "README.md"


@cache
def content(name: ProductText) -> str:
    """Return a text of this version as Markdown, or a sentence if it is missing."""
    return _content(name) or f"{name} did not come with this version of Signet.\n"


@cache
def html(name: ProductText) -> str:
    return html_of(content(name))


def html_of(markdown: str) -> str:
    """Return Markdown as HTML; tags in it are escaped, so that nothing runs in a page."""
    from markdown_it import MarkdownIt

    return str(MarkdownIt("commonmark", {"html": False}).enable("table").render(markdown))


def _content(name: ProductText) -> str | None:
    try:
        return resources.product_text(name).read_text("utf-8")
    except OSError:
        return _described() if name is ProductText.README else None


def _described() -> str | None:
    """Return the installed package's description, its README."""
    try:
        described = metadata.metadata(PACKAGE).json.get("description")
    except metadata.PackageNotFoundError:
        return None
    return str(described) if described else None
