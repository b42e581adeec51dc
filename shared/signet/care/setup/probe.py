"""Find models, agents' programs and an earlier Signet on this machine. Changes nothing."""

import contextlib
import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from signet import files
from signet.care import contents
from signet.config.env import read_environment
from signet.config.extraction import LOCAL_TEXT_MODEL
from signet.daemon import ready, record
from signet.db import migrate
from signet.errors import Conflict, ProviderDown, ProviderFailed
from signet.paths import Workspace
from signet.providers.ollama import installed

PORT_SECONDS = 1.0
_VERSION = re.compile(r"[0-9A-Za-z.+-]{1,40}")
#: Parts of names that identify Ollama's embedding models.
_EMBEDDERS = ("embed", "minilm", "bge-", "gte-")
#: Folders and programs that show an installed harness.
_TRACES = {
    "claude-code": ((".claude",), "claude"),
    "opencode": ((".config/opencode",), "opencode"),
    "openclaw": ((".openclaw", ".clawdbot", ".moltbot", ".moldbot"), "openclaw"),
    "codex": ((".codex",), "codex"),
    "gemini-cli": ((".gemini",), "gemini"),
    "cursor": ((".cursor",), "cursor"),
    "copilot": ((".copilot", ".config/Code", "Library/Application Support/Code"), "code"),
    "windsurf": ((".codeium/windsurf",), "windsurf"),
    "zed": ((".config/zed",), "zed"),
    "claude-desktop": (
        (".config/Claude", "Library/Application Support/Claude"),
        "claude-desktop",
    ),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Earlier:
    """A TypeScript Signet: workspace, number of memories, and the daemon's address if it runs."""

    workspace: Path
    memories: int | None = None
    url: str | None = None
    version: str = ""

    @property
    def database(self) -> Path:
        """Return its database, for `signet import`."""
        return Workspace(self.workspace).database


def text_model() -> str | None:
    """Return the model of this machine's Ollama for extraction: the usual one if present, else the first."""
    url = read_environment(os.environ)[0].ollama_url
    try:
        names = sorted(installed(url), key=lambda name: (name != LOCAL_TEXT_MODEL, name))
    except (ProviderDown, ProviderFailed):
        return None
    return next((one for one in names if not any(word in one.lower() for word in _EMBEDDERS)), None)


def harnesses() -> tuple[str, ...]:
    """Return the harnesses installed for this user."""
    home = Path.home()
    return tuple(
        name
        for name, (folders, program) in _TRACES.items()
        if any((home / one).is_dir() for one in folders) or shutil.which(program)
    )


def earlier(workspace: Workspace, port: int) -> Earlier | None:
    """Return this machine's TypeScript Signet: a daemon on the port, else a database here or in `~/.agents`."""
    running = _on_port(port)
    if running is not None:
        return running
    usual = Workspace(Path.home() / ".agents")
    for place in dict.fromkeys((workspace, usual)):
        if is_earlier(place.database):
            url = _recorded(place)
            return Earlier(
                workspace=place.root, memories=contents.memories(place.database), url=url
            )
    return None


def check_alone(workspace: Workspace, found: Earlier | None) -> None:
    """Raise Conflict if that Signet runs on this workspace."""
    if found is not None and found.url is not None and _is_same(found.workspace, workspace.root):
        raise Conflict(
            f"The TypeScript Signet {found.version} runs on {workspace.root} ({found.url}). "
            "Two programs must not write one database: stop it first with its own `signet daemon stop`",
            "earlier_signet_runs",
        )


def is_earlier(database: Path) -> bool:
    """Return whether a file is a TypeScript Signet database that has not been adopted yet."""
    try:
        if not database.exists() or migrate.current(database) is not None:
            return False
        return contents.memories(database) is not None
    except migrate.MigrationFailed:
        return False


def _on_port(port: int) -> Earlier | None:
    """Return the daemon on a port if it is a TypeScript Signet."""
    answer = ready.ask(port, "/health", timeout_seconds=PORT_SECONDS)
    folder = ready.claimed_folder(answer)
    if folder is None or record.running(Workspace(folder)) is not None:
        return None
    place = Workspace(folder)
    version = answer.body.get("version")
    return Earlier(
        workspace=place.root,
        memories=contents.memories(place.database),
        url=f"http://{record.LOOPBACK}:{port}",
        version=version if isinstance(version, str) and _VERSION.fullmatch(version) else "",
    )


def _recorded(workspace: Workspace) -> str | None:
    """Return the process ID of a running TypeScript daemon from the pid file as text, else None."""
    with contextlib.suppress(ValueError):
        pid = int(files.read_small(workspace.pid_file) or b"")
        if not record.is_supervisor(pid, workspace) and _looks_like_signet(pid):
            return f"PID {pid}"
    return None


def _looks_like_signet(pid: int) -> bool:
    """Return whether a process runs the TypeScript daemon, by its command line."""
    shown = subprocess.run(
        ["ps", "-ww", "-o", "command=", "-p", str(pid)], capture_output=True, text=True
    )
    words = shown.stdout.lower()
    return "signet" in words and any(one in words for one in ("bun", "node", "daemon.js"))


def _is_same(one: Path, other: Path) -> bool:
    with contextlib.suppress(OSError):
        return one.samefile(other)
    return False
