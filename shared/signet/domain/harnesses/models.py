"""What connecting a harness means: the files it changes, and what is said afterwards."""

import os
import sys
import tempfile
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from signet.domain.harnesses.jsontext import ConfigUnreadable
from signet.paths import Workspace

#: Values that stood in a file before we changed them, by the dotted path; None: nothing stood there.
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
    #: Below these nothing lasts.
    temporary: tuple[Path, ...] = (Path("/tmp"), Path("/var/tmp"), Path(tempfile.gettempdir()))

    @property
    def config_home(self) -> Path:
        return Path(self.environ.get("XDG_CONFIG_HOME") or self.home / ".config")

    @property
    def app_data(self) -> Path:
        """Return where programs with windows keep their settings on this system."""
        if sys.platform == "darwin":
            return self.home / "Library" / "Application Support"
        if sys.platform == "win32":
            return Path(self.environ.get("APPDATA") or self.home / "AppData" / "Roaming")
        return self.config_home

    def skills_in(self, folder: Path) -> Path | None:
        """Return a harness's folder of skills; None when it finds those of the workspace in `~/.agents` by itself."""
        return None if self.workspace.root == self.home / ".agents" else folder

    @property
    def url(self) -> str:
        # No name: another user may listen on ::1, which "localhost" can stand for.
        return f"http://127.0.0.1:{self.port}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Wishes:
    """What a person has asked for beside the connection itself; None keeps what is there.

    `legacy` chooses OpenClaw's legacy path, `conversations` lets its plugin read what is said or not, and
    `claim_workspace` sets its workspace even when it has another.
    """

    legacy: bool | None = None
    conversations: bool | None = None
    claim_workspace: bool = False


def as_it_is(text: str) -> str:
    """Return the text."""
    return text


def gone_if_ours(text: str) -> str | None:
    """Return None, so that the file goes, for a whole file of an earlier product, which names it; any other stays."""
    return None if "signet" in text.lower() else text


@dataclass(frozen=True, slots=True, kw_only=True)
class Patch:
    """How one file changes: `put` brings our entries in (None: the file goes), `take` takes them out again.

    Both are functions of the text and raise ConfigUnreadable for one that does not parse. `empty` stands for a file
    that is not there. `renew` brings up to date what is left of our entries and adds none; without it `put` does that,
    for a file in which all that is ours is one entry. `before` returns the values that `put` may replace, so that
    `take` can bring them back. A file that is wholly ours has `content`, and goes as a whole. What is final is not
    brought back.
    """

    path: Path
    put: Callable[[str], str | None] = as_it_is
    take: Callable[[str, Before], str] = lambda text, before: text
    renew: Callable[[str], str] | None = None
    before: Callable[[str], Before] = lambda text: {}
    empty: str = ""
    content: str | None = None
    is_final: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """Why a connection does not work: the file, and what is wrong in it."""

    path: Path
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Installed:
    """What an installation did (`success`), and the unified diff of the files it changed."""

    success: bool
    message: str
    files_written: tuple[str, ...] = ()
    configs_patched: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    diff: str = ""

    @property
    def has_changed(self) -> bool:
        return bool(self.files_written or self.configs_patched)


@dataclass(frozen=True, slots=True, kw_only=True)
class Removed:
    """What taking a harness out did; `refused` are files that were left because they do not parse."""

    files_removed: tuple[str, ...] = ()
    configs_patched: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()
    diff: str = ""


class Connector(ABC):
    """One harness: which files it reads and what we put there. Everything is looked up anew at each call."""

    id: str
    name: str

    @abstractmethod
    def config_path(self, site: Site) -> Path:
        """Return the file in which one sees whether it is connected."""

    @abstractmethod
    def patches(self, site: Site, wishes: Wishes) -> list[Patch]:
        """Return the files to change, and what changes in each."""

    def entry_path(self, site: Site) -> Path:
        """Return the file with the entry that makes the connection."""
        return self.config_path(site)

    def uses(self, text: str) -> bool:
        """Return whether a text of that file has the entry; raises ConfigUnreadable."""
        return False

    def faults(self, site: Site) -> list[Problem]:
        """Return what keeps a connection that is there from working."""
        return []

    def refusal(self, site: Site) -> str | None:
        """Return why it cannot be connected at all, if so."""
        return None

    def skills(self, site: Site) -> Path | None:
        """Return the folder in which it looks for skills; None when it finds those of the workspace by itself."""
        return None

    def validation(self, site: Site) -> Sequence[str] | None:
        """Return the harness's own command that fails when it does not accept its settings, and changes nothing."""
        return None

    def is_installed(self, site: Site) -> bool:
        """Return whether our entries are there; False for a file that is missing or does not parse."""
        try:
            return self.uses(self.entry_path(site).read_text("utf-8"))
        except (OSError, ValueError, ConfigUnreadable):
            return False

    def problems(self, site: Site) -> list[Problem]:
        """Return what keeps the connection from working, nothing when it is not there."""
        return self.faults(site) if self.is_installed(site) else []

    def notices(self, site: Site) -> list[str]:
        """Return what a person has yet to do, and the harness's own memories that are on."""
        return []

    def warnings(self, site: Site, wishes: Wishes) -> list[str]:
        """Return what a person has to know after connecting."""
        return []
