"""Settings that follow agent.yaml: every process sees a change within two seconds (CF-16).

The file's inode, size and time are checked once a second, which takes microseconds and works on every file system; only
a changed file is read. The vault is checked in the same way, because settings may name secrets.
"""

import threading
from collections.abc import Callable

from signet import config
from signet.config import Loaded, Settings
from signet.config.manifest import NAMES
from signet.observe import logs
from signet.paths import Workspace

log = logs.get("daemon")

LOOK_SECONDS = 1.0

#: Identifies a file's state: name, inode, size, modification time.
Identity = tuple[tuple[str, int, int, int], ...]


class LiveSettings:
    """The settings in force now; for any thread."""

    def __init__(
        self,
        workspace: Workspace,
        loaded: Loaded,
        lookup: Callable[[str], str | None] | None = None,
    ) -> None:
        """`lookup` returns the secret of a name, in processes that call providers."""
        self._workspace = workspace
        self._lookup = lookup
        self._started_with = loaded.settings
        self._followers: list[Callable[[], None]] = []
        self._stop = threading.Event()
        self._polling = threading.Lock()
        self._thread = threading.Thread(target=self._watch, name="settings", daemon=True)
        self._seen = self._identity()
        if config.fingerprint(workspace) != loaded.fingerprint:
            self._seen = ()  # changed since it was read: the first check rereads it
        self.loaded = loaded
        self._keyed = self._with_secrets()

    @property
    def settings(self) -> Settings:
        return self.loaded.settings

    @property
    def keyed(self) -> Settings:
        """Return the settings with secrets resolved, for callers of providers only."""
        return self._keyed

    @property
    def restart_required(self) -> list[str]:
        """Return the keys whose new values take effect only after a restart."""
        return config.restart_required(self._started_with, self.settings)

    def then(self, follower: Callable[[], None]) -> None:
        """Call `follower` after each change, from the watching thread."""
        self._followers.append(follower)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stop.set()
        self._thread.join()

    def poll(self) -> None:
        """Reread the file if it has changed; from any thread. No follower still acts on older settings afterwards."""
        with self._polling:
            seen = self._identity()
            if seen != self._seen:
                self._reread(seen)

    def _reread(self, seen: Identity) -> None:
        self.loaded = config.load(self._workspace, last_good=self.settings)
        self._seen = seen
        self._keyed = self._with_secrets()
        for warning in self.loaded.warnings:
            log.warning("config.odd", detail=warning)
        if self.loaded.error is not None:
            log.error("config.unreadable", detail=self.loaded.error)
        else:
            log.info("config.reloaded")
        for follower in self._followers:
            follower()

    def _watch(self) -> None:
        while not self._stop.wait(LOOK_SECONDS):
            try:
                self.poll()
            except Exception:  # a failing follower must not end the thread
                log.exception("config.not_followed")

    def _with_secrets(self) -> Settings:
        if self._lookup is None:
            return self.settings
        keyed, warnings = config.with_secrets(self.settings, self._lookup)
        for warning in warnings:
            log.warning("config.no_secret", detail=warning)
        return keyed

    def _identity(self) -> Identity:
        found = []
        for path in (*(self._workspace.root / name for name in NAMES), self._workspace.vault):
            try:
                stat = path.stat()
            except OSError:
                continue
            found.append((path.name, stat.st_ino, stat.st_size, stat.st_mtime_ns))
        return tuple(found)
