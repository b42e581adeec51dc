"""The settings of a connector to a folder: as a client sends them, as an older file has them, as they are used."""

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import PurePath

from signet.db import columns
from signet.domain.connectors.models import Folder
from signet.domain.folders.private import Places
from signet.domain.folders.reading import real_folder
from signet.errors import Invalid
from signet.wire.connectors import StoredConnector

#: What to do instead of reading a private folder.
REMEDY = "Choose a folder with nothing but the files to remember, such as ~/notes"


class PrivateFolder(Invalid):
    """This folder is private and cannot become documents."""

    code = "private_folder"


_DEFAULT = Folder(root_path="/")
#: More patterns, or longer ones, are no description of a folder.
MAX_PATTERNS, MAX_PATTERN_CHARS = 100, 1_000
#: More of `**` and of `{` in one pattern could make matching it slow.
MAX_WIDE = 8


def folder_of(settings: Mapping[str, object]) -> Folder:
    """Return the folder that settings of a client describe, without reading the disk; raises Invalid."""
    root = settings.get("rootPath") or settings.get("path")
    if not isinstance(root, str) or not PurePath(root.strip()).is_absolute() or "\0" in root:
        raise Invalid("settings.rootPath must be an absolute path")
    size = settings.get("maxFileSize", _DEFAULT.max_file_size)
    if isinstance(size, bool) or not isinstance(size, int) or size < 1:
        raise Invalid("settings.maxFileSize must be a number of bytes")
    patterns = settings.get("patterns", settings.get("glob"))
    ignored = settings.get("ignorePatterns")
    return Folder(
        root_path=root.strip(),
        patterns=_texts("patterns", patterns) or _DEFAULT.patterns,
        ignore_patterns=_DEFAULT.ignore_patterns
        if ignored is None
        else _texts("ignorePatterns", ignored),
        max_file_size=size,
    )


def checked(folder: Folder, places: Places) -> Folder:
    """Return the folder with its real path. Raises Invalid if it is private or cannot be listed now (CON-1, CON-11)."""
    try:
        root = real_folder(folder.root_path)
        os.scandir(root).close()
    except OSError as error:
        raise Invalid(f"settings.rootPath cannot be read: {error.strerror}") from error
    if reason := places.folder_reason(root):
        raise PrivateFolder(f"{folder.root_path} is private: {reason}. {REMEDY}")
    return replace(folder, root_path=root)


def stored(connector: StoredConnector) -> Folder:
    """Return the folder of a stored connector; raises Invalid when an older file has none."""
    settings = columns.json_object(connector["config_json"])
    inner = settings.get("settings")
    return folder_of(inner if isinstance(inner, dict) else settings)


def _texts(name: str, value: object) -> tuple[str, ...]:
    """Return a list of patterns; a single one may stand alone."""
    found = [value] if isinstance(value, str) else [] if value is None else value
    if not isinstance(found, list) or not all(isinstance(text, str) for text in found):
        raise Invalid(f"settings.{name} must be a list of texts")
    patterns = tuple(text.strip() for text in found if text.strip())
    if len(patterns) > MAX_PATTERNS or any(len(text) > MAX_PATTERN_CHARS for text in patterns):
        raise Invalid(f"settings.{name} is too long")
    if any(max(text.count("**"), text.count("{")) > MAX_WIDE for text in patterns):
        raise Invalid(f"a pattern of settings.{name} has ** or {{ more than {MAX_WIDE} times")
    return patterns
