"""Keeping what agents read in step with the workspace: a sync two seconds after the last change, and one at the start.

At the start the harnesses that were connected are brought up to date; nothing is made in the home of a person who
connected none. The file that explains the memory comes back when it is deleted.
"""

from pathlib import Path

from signet.domain.harnesses import registry, sync
from signet.domain.harnesses.models import Site
from signet.domain.harnesses.sync import Synced
from signet.observe import logs
from signet.paths import Workspace
from signet.process.settings_reload import LiveSettings
from signet_scheduler import watch
from signet_scheduler.watch import Debounce, Loop, seen

log = logs.get("sync")

#: How long files must not have changed (HN-2).
QUIET_SECONDS = 2.0
KINDS = (watch.configs, watch.identities, watch.architecture, watch.agents)


class HarnessSync(Loop):
    """Follows the identity files in a thread of its own, so that syncs never overlap."""

    def __init__(
        self, live: LiveSettings, workspace: Workspace, *, home: Path | None = None
    ) -> None:
        super().__init__("sync")
        self._live = live
        self._workspace = workspace
        self._home = home or Path.home()
        self._debounce = Debounce(QUIET_SECONDS)
        self._is_mended = False

    def look(self, at: float) -> None:
        """Look at the files and sync if it is time; `at` is in monotonic seconds."""
        found = seen(self._workspace, *KINDS, home=self._home)
        if not self._debounce.is_due(found, at):
            return
        site = self._site()
        if not self._is_mended:
            _tell(sync.mend(site))
            self._is_mended = True
        done = sync.sync(site, self._live.settings)
        _tell(done)
        # What the sync itself wrote is no change: it makes nothing that it reads, but for the architecture file.
        after = seen(self._workspace, watch.architecture, home=self._home)
        if after or done.failures:  # else somebody has deleted it since it was written
            self._debounce.handled({**found, **after})

    def _site(self) -> Site:
        port = self._live.loaded.address.port
        return registry.with_programs(Site(workspace=self._workspace, home=self._home, port=port))


def _tell(done: Synced) -> None:
    for path in done.changed:
        log.info("sync.wrote", path=path)
    for warning in done.warnings:
        log.warning("sync.odd", detail=warning)
    for failure in done.failures:
        log.warning("sync.failed", detail=failure)
