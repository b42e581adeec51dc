"""OpenClaw: our plugin in its memory slot, or the older hook; never both, and never with its own memory on.

Every settings file, under each of the program's names, is patched in the same way. Disconnecting restores the earlier
values. Settings move between versions, and an unknown one stops the program. The program prints their schema; if it is
not on PATH, the version that last wrote the settings decides.
"""

import json
import os
import re
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from shutil import which

from signet.domain.harnesses import jsonedit
from signet.domain.harnesses.jsonedit import ConfigUnreadable, Json
from signet.domain.harnesses.models import (
    Before,
    ConnectOptions,
    FilePatch,
    HarnessConnector,
    Problem,
    Site,
)
from signet.domain.harnesses.opencode import plugin_text

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


PLUGIN = "signet-memory-openclaw"
LEGACY = "signet-memory"
#: The default of the slot.
CORE = "memory-core"

SLOT = ("plugins", "slots", "memory")
ENTRY = ("plugins", "entries", PLUGIN)
HOOK = ("hooks", "internal", "entries", LEGACY, "enabled")
#: Whether its hooks may read conversations; without it newer versions do not call the hooks that we need.
CONSENT = (*ENTRY, "hooks", "allowConversationAccess")
#: The command that allows it.
TO_ALLOW = "signet harness install openclaw --allow-conversations"
#: The question that a person answers.
CONSENT_QUESTION = (
    "OpenClaw passes conversations only to plugins that you allow to read them.",
    "Signet's plugin reads each prompt, adds relevant memories to it, and keeps",
    "the conversation in your workspace on this machine. Otherwise only its",
    "tools work.",
)
CORE_ENABLED = ("plugins", "entries", CORE, "enabled")
_DREAMING = ("plugins", "entries", CORE, "config", "dreaming", "enabled")
WORKSPACE = ("agents", "defaults", "workspace")
_ALLOW = ("plugins", "allow")
#: The values without us (HN-54).
_DEFAULTS: Mapping[tuple[str, ...], Json] = {
    SLOT: CORE,
    OLD_SEARCH: True,
    NEW_SEARCH: True,
    HOOK: False,
    CORE_ENABLED: True,
}
_KEPT = (SLOT, ENTRY, HOOK, OLD_SEARCH, NEW_SEARCH, CORE_ENABLED, WORKSPACE)
_PLUGIN_FILES = ("index.js", "openclaw.plugin.json", "package.json")
_HOOK_FILES = ("HOOK.md", "handler.js", "package.json")


class OpenClaw(HarnessConnector):
    id = "openclaw"
    name = "OpenClaw"

    def config_path(self, site: Site) -> Path:
        """Return the first settings file that exists."""
        return next(iter(configs(site)), site.home / ".openclaw" / "openclaw.json")

    def refusal(self, site: Site) -> str | None:
        if configs(site):
            return None
        return "no OpenClaw settings found; set OpenClaw up first, or set OPENCLAW_CONFIG_PATH"

    def patches(self, site: Site, wishes: ConnectOptions) -> list[FilePatch]:
        """Return the changes of every settings file, and the files of the plugin or of the hook."""
        paths = configs(site)
        legacy = _is_legacy(paths, wishes)
        texts = _texts(paths)
        found = [_patch(path, site, wishes, texts.get(path, "{}"), legacy=legacy) for path in paths]
        if legacy:
            folder = site.workspace.root / "hooks" / "agent-memory"
            return found + _files(folder, "openclaw-legacy", _HOOK_FILES, site)
        for path in paths:
            folder = path.parent / "extensions" / PLUGIN
            found += _files(folder, "openclaw", _PLUGIN_FILES, site)
        return found

    def validation(self, site: Site) -> Sequence[str] | None:
        """Return its check of the settings, for versions that can print their schema."""
        return None if schema(site) is None else ("openclaw", "config", "validate")

    def is_installed(self, site: Site) -> bool:
        """Return whether any of its settings files has our entries."""
        return any(_uses(text) for text in _texts(configs(site)).values())

    def problems(self, site: Site) -> list[Problem]:
        """Return settings in which two memory systems are active, or in which ours has lost its slot."""
        texts = _texts(configs(site))
        return [
            Problem(path=path, text=why) for path, text in texts.items() for why in _faults(text)
        ]

    def notices(self, site: Site) -> list[str]:
        return [
            f"its own memory is on, too: {'.'.join(_DREAMING)} in {path}"
            for path, text in _texts(configs(site)).items()
            if _is_on(text, _DREAMING)
        ]

    def asks_consent(self, site: Site, wishes: ConnectOptions) -> bool:
        """Return whether the person has yet to decide if our plugin may read conversations."""
        texts = _texts(configs(site))
        if wishes.conversations is not None or _is_legacy([*texts], wishes):
            return False
        return any(
            not jsonedit.has(text, CONSENT) and understood(site, text).asks_consent
            for text in texts.values()
        )

    def warnings(self, site: Site, wishes: ConnectOptions) -> list[str]:
        root = site.workspace.root
        found = []
        if self.asks_consent(site, wishes):
            found.append(
                f"OpenClaw passes no conversations to Signet until you allow it: {TO_ALLOW}"
            )
        for path, text in _texts(configs(site)).items():
            value = jsonedit.get(text, WORKSPACE)
            if value != str(root):
                found.append(f"{path}: its workspace is {value or 'not set'}, not {root}")
        if _is_temporary(site):
            found.append(f"{root} is a temporary folder and cannot be OpenClaw's workspace")
        elif not root.is_relative_to(site.home):
            found.append(f"{root} is outside the home folder")
        if not root.is_dir():
            found.append(f"{root} does not exist")
        return found


def _patch(path: Path, site: Site, wishes: ConnectOptions, now: str, *, legacy: bool) -> FilePatch:
    """Return the change of settings with the text `now`; a consent that they already give or refuse holds."""
    knows = understood(site, now)  # may ask the program, for seconds
    consent = jsonedit.get(_texts([path]).get(path, "{}"), CONSENT)
    if wishes.conversations is None and isinstance(consent, bool):
        wishes = replace(wishes, conversations=consent)
    return FilePatch(
        path=path,
        put=lambda text: _put(text, site, wishes, knows, legacy=legacy),
        take=lambda text, before: _take(text, before, site),
        before=_before,
        empty=jsonedit.EMPTY,
    )


def _files(folder: Path, templates: str, names: tuple[str, ...], site: Site) -> list[FilePatch]:
    return [
        FilePatch(path=folder / name, content=plugin_text(f"{templates}/{name}", site))
        for name in names
    ]


def _is_legacy(paths: list[Path], wishes: ConnectOptions) -> bool:
    """Return whether to use the hook: the requested way, else the one in use; the plugin if both are."""
    if wishes.legacy is not None:
        return wishes.legacy
    texts = _texts(paths).values()
    plugin = any(_is_on(text, (*ENTRY, "enabled")) for text in texts)
    return not plugin and any(_is_on(text, HOOK) for text in texts)


def _put(text: str, site: Site, wishes: ConnectOptions, knows: Understood, *, legacy: bool) -> str:
    text = _migrated(text)
    if legacy:
        if jsonedit.get(text, SLOT) == PLUGIN:
            text = jsonedit.without(text, SLOT)
        if jsonedit.has(text, ENTRY):
            text = jsonedit.put(text, (*ENTRY, "enabled"), False)
    else:
        text = jsonedit.put(text, SLOT, PLUGIN)
        if not jsonedit.has(text, ENTRY):
            text = jsonedit.put(text, ENTRY, {"enabled": True})
        text = jsonedit.put(text, (*ENTRY, "enabled"), True)
        text = jsonedit.without(text, (*ENTRY, "config", "daemonUrl"))
        if wishes.conversations is not None and knows.asks_consent:
            text = jsonedit.put(text, CONSENT, wishes.conversations)
        allowed = jsonedit.get(text, _ALLOW)
        if isinstance(allowed, list) and PLUGIN not in allowed:
            text = jsonedit.append(text, _ALLOW, PLUGIN)
    text = jsonedit.put(text, HOOK, legacy)
    if knows.search is None:  # an unknown version still has its memory plugin
        text = jsonedit.put(text, CORE_ENABLED, False)
    else:
        if knows.search == NEW_SEARCH:
            text = _without_old_search(text)
        text = jsonedit.put(text, knows.search, False)
    if not _is_temporary(site) and (wishes.claim_workspace or not jsonedit.get(text, WORKSPACE)):
        text = jsonedit.put(text, WORKSPACE, str(site.workspace.root))
    return text


def _migrated(text: str) -> str:
    """Remove what older versions of OpenClaw and of us wrote (HN-52)."""
    for path in (("plugins",), ("plugins", "entries")):
        found = jsonedit.get(text, path)
        if isinstance(found, list):
            entries = dict(_entry(one) for one in found)
            text = jsonedit.put(
                text, path, {"entries": entries} if path[-1:] == ("plugins",) else entries
            )
    text = jsonedit.drop(text, (*ENTRY[:-1], LEGACY))
    return jsonedit.drop(text, ("signet",))


def _without_old_search(text: str) -> str:
    is_ours = jsonedit.get(text, OLD_SEARCH[:-1]) == {"enabled": False}
    return jsonedit.without(text, OLD_SEARCH[:-1]) if is_ours else text


def _entry(one: Json) -> tuple[str, Json]:
    if isinstance(one, str):
        return one, {"enabled": True}
    if not isinstance(one, Mapping):
        raise ConfigUnreadable("plugins contains an entry that is not a plugin")
    name = one.get("id") or one.get("name")
    if not isinstance(name, str):
        raise ConfigUnreadable("plugins contains a plugin without a name")
    return name, {key: value for key, value in one.items() if key not in ("id", "name")}


def _before(text: str) -> Before:
    return {
        ".".join(path): json.dumps(jsonedit.get(text, path)) if jsonedit.has(text, path) else None
        for path in _KEPT
    }


def _take(text: str, before: Before, site: Site) -> str:
    """Restore the earlier values, or the defaults without a record (HN-54); keep what a person set since."""
    ours: dict[tuple[str, ...], Json] = {
        SLOT: PLUGIN,
        OLD_SEARCH: False,
        NEW_SEARCH: False,
        CORE_ENABLED: False,
        WORKSPACE: str(site.workspace.root),
        HOOK: jsonedit.get(text, HOOK),
        ENTRY: jsonedit.get(text, ENTRY),
    }
    if not _uses(text) and not before:
        return text
    for path, value in ours.items():
        if not jsonedit.has(text, path) or jsonedit.get(text, path) != value:
            continue
        name = ".".join(path)
        if name in before:
            text = _back(text, path, before[name])
        elif path == ENTRY:
            text = jsonedit.put(text, (*ENTRY, "enabled"), False)
        elif path != WORKSPACE:
            text = jsonedit.put(text, path, _DEFAULTS[path])
    return jsonedit.drop_items(text, _ALLOW, lambda one: one == PLUGIN)


def _back(text: str, path: tuple[str, ...], earlier: str | None) -> str:
    if earlier is not None:
        value: Json = json.loads(earlier)
        return jsonedit.put(text, path, value)
    return jsonedit.without(text, path)


def _faults(text: str) -> list[str]:
    plugin, legacy = _is_on(text, (*ENTRY, "enabled")), _is_on(text, HOOK)
    found = []
    if plugin and legacy:
        found.append("plugin and legacy hook are both active")
    if plugin and jsonedit.get(text, SLOT) != PLUGIN:
        found.append(f"the memory slot is used by {jsonedit.get(text, SLOT) or CORE}")
    if plugin and needs_consent(text):
        found.append(f"OpenClaw passes no conversations until you allow it: {TO_ALLOW}")
    if (plugin or legacy) and any(_is_on(text, one) for one in (OLD_SEARCH, NEW_SEARCH)):
        found.append("OpenClaw's own memory search is active too")
    return found


def needs_consent(text: str) -> bool:
    """Return whether the version of these settings asks for consent, and has no answer."""
    return not jsonedit.has(text, CONSENT) and is_asking_version(text)


def _uses(text: str) -> bool:
    return _is_on(text, (*ENTRY, "enabled")) or _is_on(text, HOOK)


def _is_on(text: str, path: tuple[str, ...]) -> bool:
    return jsonedit.get(text, path) is True


def _texts(paths: list[Path]) -> dict[Path, str]:
    found = {}
    for path in paths:
        try:
            text = path.read_text("utf-8")
            jsonedit.get(text, ())
        except (OSError, ValueError, ConfigUnreadable):
            continue
        found[path] = text
    return found


def _is_temporary(site: Site) -> bool:
    root = site.workspace.root.resolve()
    return any(root.is_relative_to(one.resolve()) for one in site.temporary)
