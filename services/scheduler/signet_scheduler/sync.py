"""Keep agents' files in sync with the workspace: two seconds after the last change, and at the start.

At the start, connected harnesses are updated; nothing is created in the home of a person who connected none. A
deleted file that explains the memory is restored.
"""

from pathlib import Path

from signet.domain.harnesses import registry
from signet.domain.harnesses.models import Site
from signet.domain.harnesses.registry import Synced
from signet.observe import logs
from signet.paths import Workspace
from signet.process.settings_reload import LiveSettings
from signet_scheduler import watch
from signet_scheduler.watch import Debounce, Loop, seen

log = logs.get("sync")

#: Seconds without changes (HN-2).
QUIET_SECONDS = 2.0
KINDS = (watch.configs, watch.identities, watch.architecture, watch.agents)


class HarnessSync(Loop):
    """Watches the identity files in a separate thread, so that syncs never overlap."""

    def __init__(
        self, live: LiveSettings, workspace: Workspace, *, home: Path | None = None
    ) -> None:
        super().__init__("sync")
        self._live = live
        self._workspace = workspace
        self._home = home or Path.home()
        self._debounce = Debounce(QUIET_SECONDS)
        self._is_mended = False

    def poll(self, at: float) -> None:
        """Check the files and sync if due; `at` is in monotonic seconds."""
        found = seen(self._workspace, *KINDS, home=self._home)
        if not self._debounce.is_due(found, at):
            return
        site = self._site()
        if not self._is_mended:
            _tell(registry.mend_connected(site))
            self._is_mended = True
        done = registry.sync_workspace(site, self._live.settings)
        _tell(done)
        # The sync's own writes are no change: of the files it reads, it writes only the architecture file.
        after = seen(self._workspace, watch.architecture, home=self._home)
        if after or done.failures:  # otherwise it was deleted after the write
            self._debounce.handled({**found, **after})

    def _site(self) -> Site:
        port = self._live.loaded.address.port
        return registry.with_programs(Site(workspace=self._workspace, home=self._home, port=port))


def _tell(done: Synced) -> None:
    for path in done.changed:
        log.info("sync.wrote", path=path)
    for warning in done.warnings:
        log.warning("sync.warning", detail=warning)
    for failure in done.failures:
        log.warning("sync.failed", detail=failure)
