"""Values of a connection: the places of an installation, the changes to files and their outcome."""

import os
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from signet.domain.harnesses.jsonedit import ConfigUnreadable
from signet.paths import Workspace

#: Our plugin in the lists of Claude Code and Codex.
PLUGIN = "signet@signet"
#: Values of a file before we changed them, by dotted path; None: there was no value.
Before = Mapping[str, str | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """Where things are: the workspace, the user's home, the daemon's port and the programs that hooks call."""

    workspace: Workspace
    home: Path
    port: int = 3850
    environ: Mapping[str, str] = field(default_factory=lambda: os.environ)
    signet: str = "signet"
    signet_mcp: str = "signet-mcp"
    #: Folders that the system empties.
    temporary: tuple[Path, ...] = (Path("/tmp"), Path("/var/tmp"), Path(tempfile.gettempdir()))

    @property
    def config_home(self) -> Path:
        return Path(self.environ.get("XDG_CONFIG_HOME") or self.home / ".config")

    @property
    def app_data(self) -> Path:
        """Return the folder of desktop programs' settings on this system."""
        if sys.platform == "darwin":
            return self.home / "Library" / "Application Support"
        if sys.platform == "win32":
            return Path(self.environ.get("APPDATA") or self.home / "AppData" / "Roaming")
        return self.config_home

    @property
    def url(self) -> str:
        # No host name: "localhost" may be ::1, where another user can listen.
        return f"http://127.0.0.1:{self.port}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectOptions:
    """Options of a connection; None keeps the present choice.

    `legacy` chooses OpenClaw's legacy hook, `conversations` allows its plugin to read conversations, and
    `claim_workspace` sets its workspace even when it has another.
    """

    legacy: bool | None = None
    conversations: bool | None = None
    claim_workspace: bool = False


def gone_if_ours(text: str) -> str | None:
    """Return None, which deletes the file, for a file that an earlier product wrote; keep any other."""
    return None if "signet" in text.lower() else text


@dataclass(frozen=True, slots=True, kw_only=True)
class FilePatch:
    """How one file changes: `put` adds our entries (None: the file is deleted), `take` removes them.

    Both are functions of the text and raise ConfigUnreadable if it does not parse. `empty` replaces the text of a
    missing file. `renew` updates entries that are still there and adds none; without it, `put` is used, which suits
    a file with one entry of ours. `before` returns the values that `put` may replace, for `take` to restore. A file
    that is entirely ours has `content` and is deleted as a whole. A final change is not undone.
    """

    path: Path
    put: Callable[[str], str | None] = str
    take: Callable[[str, Before], str] = lambda text, before: text
    renew: Callable[[str], str] | None = None
    before: Callable[[str], Before] = lambda text: {}
    empty: str = ""
    content: str | None = None
    is_final: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """Why a connection does not work, and the file with the fault."""

    path: Path
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class HarnessInstalled:
    """The outcome of an installation, the copies made before it, and the unified diff of the files it changed."""

    success: bool
    message: str
    files_written: tuple[str, ...] = ()
    configs_patched: tuple[str, ...] = ()
    copies: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    diff: str = ""

    @property
    def has_changed(self) -> bool:
        return bool(self.files_written or self.configs_patched)


@dataclass(frozen=True, slots=True, kw_only=True)
class Removed:
    """The outcome of a removal; `refused` are files that were left because they do not parse."""

    files_removed: tuple[str, ...] = ()
    configs_patched: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()
    diff: str = ""


class HarnessConnector:
    """One harness: the files it reads and our entries in them. Paths are relative to the user's home folder."""

    id: str
    name: str
    #: The file that shows whether it is connected.
    config: str
    skills_folder: str = ""
    #: Whether it reads the skills of a workspace in `~/.agents` without links.
    reads_agents_skills = False
    instructions_file: str = ""
    #: Whether hooks or a plugin recall memories without a call by the agent.
    recalls = True
    #: The command that removes our plugin from its own list of plugins.
    plugin_removal = ""

    def config_path(self, site: Site) -> Path:
        return site.home / self.config

    def entry_path(self, site: Site) -> Path:
        """Return the file with the entry that makes the connection."""
        return self.config_path(site)

    def skills(self, site: Site) -> Path | None:
        """Return the folder in which it looks for skills; None if it reads those of the workspace."""
        is_read = self.reads_agents_skills and site.workspace.root == site.home / ".agents"
        return site.home / self.skills_folder if self.skills_folder and not is_read else None

    def instructions(self, site: Site) -> Path | None:
        """Return the person's file of instructions that it reads, None when it has none."""
        return site.home / self.instructions_file if self.instructions_file else None

    def patches(self, site: Site, wishes: ConnectOptions) -> list[FilePatch]:
        return []

    def uses(self, text: str) -> bool:
        """Return whether the text of `entry_path` has our entry; raises ConfigUnreadable."""
        return False

    def faults(self, site: Site) -> list[Problem]:
        """Return what keeps an existing connection from working."""
        return []

    def refusal(self, site: Site) -> str | None:
        """Return the reason why it cannot be connected, or None."""
        return None

    def validation(self, site: Site) -> Sequence[str] | None:
        """Return the harness's own read-only command that fails when it rejects its settings."""
        return None

    def is_installed(self, site: Site) -> bool:
        """Return whether our entries are there; False for a file that is missing or does not parse."""
        try:
            return self.uses(self.entry_path(site).read_text("utf-8"))
        except (OSError, ValueError, ConfigUnreadable):
            return False

    def has_plugin(self, site: Site) -> bool:
        """Return whether our plugin is enabled in its own list of plugins."""
        return False

    def problems(self, site: Site) -> list[Problem]:
        """Return what keeps the connection from working; empty when it is not connected."""
        return self.faults(site) if self.is_installed(site) else []

    def notices(self, site: Site) -> list[str]:
        """Return the person's next steps, and the harness's own memories that are on."""
        return []

    def warnings(self, site: Site, wishes: ConnectOptions) -> list[str]:
        """Return what the person should know after connecting."""
        return []
