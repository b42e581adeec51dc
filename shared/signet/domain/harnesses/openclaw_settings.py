"""OpenClaw's settings: their paths under each of its names, and what the installed version understands.

Settings move between versions, and an unknown one stops the program. The program prints their schema; if it is not on
PATH, the version that last wrote the settings decides.
"""

import json
import os
import re
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from shutil import which

from signet.domain.harnesses import jsonedit
from signet.domain.harnesses.models import Site

NAMES = ("openclaw", "clawdbot", "moltbot", "moldbot")
_ENDINGS = ("json", "json5")
_FILES = ("OPENCLAW_CONFIG_PATH", "CLAWDBOT_CONFIG_PATH")
_FOLDERS = ("OPENCLAW_STATE_DIR", "CLAWDBOT_STATE_DIR", "OPENCLAW_STATE_HOME")


def configs(site: Site) -> list[Path]:
    """Return every existing settings file once, without links to the same file."""
    found: dict[Path, Path] = {}
    for path in _candidates(site):
        if path.is_file():
            found.setdefault(path.resolve(), path)
    return list(found.values())


def _candidates(site: Site) -> Iterator[Path]:
    for variable in _FILES:
        yield from _paths(site, variable)
    for folder in _folders(site):
        for name in NAMES:
            yield from (folder / f"{name}.{ending}" for ending in _ENDINGS)


def _folders(site: Site) -> Iterator[Path]:
    for variable in _FOLDERS:
        yield from _paths(site, variable)
    state = Path(site.environ.get("XDG_STATE_HOME") or site.home / ".local" / "state")
    for name in NAMES:
        yield site.home / f".{name}"
        yield site.config_home / name
        yield state / name


def _paths(site: Site, variable: str) -> Iterator[Path]:
    for one in site.environ.get(variable, "").split(os.pathsep):
        if one.strip():
            home = str(site.home)
            yield Path(home + one.strip()[1:] if one.strip().startswith("~/") else one.strip())


#: Where its own memory search is switched off: before and after it moved.
OLD_SEARCH = ("agents", "defaults", "memorySearch", "enabled")
NEW_SEARCH = ("memory", "search", "enabled")

#: Time limit of its program, which needs two seconds.
_SECONDS = 30
_VERSION = ("meta", "lastTouchedVersion")
#: The first versions with the new place of memory search, and with the consent that hooks need.
_MOVED, _CONSENT = (2026, 8, 0), (2026, 4, 23)


@dataclass(frozen=True, slots=True, kw_only=True)
class Understood:
    """Where memory search is (None: unknown), and whether hooks need a person's consent."""

    search: tuple[str, ...] | None
    asks_consent: bool


def schema(site: Site) -> object | None:
    """Return the JSON schema that the program prints; None if it is missing or prints none."""
    path = site.environ.get("PATH")
    program = which("openclaw", path=path) if path else None
    if program is None:
        return None
    return _printed(program, Path(program).stat().st_mtime_ns, str(path), str(site.home))


def understood(site: Site, text: str) -> Understood:
    """Return what the OpenClaw that reads these settings understands."""
    known = schema(site)
    if known is not None:
        places = [one for one in (NEW_SEARCH, OLD_SEARCH) if _node(known, one) is not None]
        entry = _mapping(_node(known, ("plugins", "entries"))).get("additionalProperties")
        asks = _node(entry, ("hooks", "allowConversationAccess")) is not None
        return Understood(search=next(iter(places), None), asks_consent=asks)
    version = _version(text)
    if version is None:
        places = [one for one in (NEW_SEARCH, OLD_SEARCH) if jsonedit.has(text, one[:-1])]
        return Understood(search=next(iter(places), None), asks_consent=True)
    return Understood(
        search=NEW_SEARCH if version >= _MOVED else OLD_SEARCH, asks_consent=version >= _CONSENT
    )


def is_asking_version(text: str) -> bool:
    """Return whether the version that last wrote these settings has hooks that need consent."""
    version = _version(text)
    return version is not None and version >= _CONSENT


def _version(text: str) -> tuple[int, ...] | None:
    found = re.match(r"(\d+)\.(\d+)\.(\d+)", str(jsonedit.get(text, _VERSION)))
    return tuple(map(int, found.groups())) if found else None


@lru_cache(maxsize=4)
def _printed(program: str, _changed_ns: int, path: str, home: str) -> object | None:
    """Return the schema that the program prints, or None; it sees none of the person's files."""
    with tempfile.TemporaryDirectory(prefix="signet-openclaw-") as folder:
        nothing = {"OPENCLAW_STATE_DIR": folder, "OPENCLAW_CONFIG_PATH": f"{folder}/none.json"}
        try:
            done = subprocess.run(
                [program, "config", "schema"],
                env={"PATH": path, "HOME": home, **nothing},
                cwd=folder,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=_SECONDS,
            )
            found: object = json.loads(done.stdout)
        except (OSError, subprocess.TimeoutExpired, ValueError):
            return None
    return found if "properties" in _mapping(found) else None


def _node(node: object, path: tuple[str, ...]) -> object | None:
    for key in path:
        node = _mapping(_mapping(node).get("properties")).get(key)
    return node


def _mapping(value: object) -> Mapping[str, object]:
    return value if isinstance(value, dict) else {}
