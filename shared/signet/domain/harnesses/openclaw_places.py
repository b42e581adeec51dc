"""Where OpenClaw, under any of its names, keeps its settings."""

import os
from collections.abc import Iterator
from pathlib import Path

from signet.domain.harnesses.models import Site

NAMES = ("openclaw", "clawdbot", "moltbot", "moldbot")
_ENDINGS = ("json", "json5")
_FILES = ("OPENCLAW_CONFIG_PATH", "CLAWDBOT_CONFIG_PATH")
_FOLDERS = ("OPENCLAW_STATE_DIR", "CLAWDBOT_STATE_DIR", "OPENCLAW_STATE_HOME")


def configs(site: Site) -> list[Path]:
    """Return every settings file that exists, each once, however many names lead to it."""
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
