"""Watching the folder of skills: a pass at the start, one each interval, and one soon after a file has changed.

The files are looked at four times a second, which needs no library, works on every disk and loses no message; with
a hundred skills a look takes 0.3 ms. A change counts once the file has not changed again for half a second.
"""

from collections.abc import Mapping

from signet import clock
from signet.db import Database
from signet.domain.skills import files
from signet.domain.skills.files import Identity
from signet.domain.skills.models import Rules
from signet.domain.skills.reconcile import Reconciler
from signet.observe import logs
from signet.paths import Workspace
from signet.process.settings_reload import LiveSettings
from signet_scheduler.watch import Loop

log = logs.get("reconciler")

LOOK_SECONDS = 0.25
#: How long files must not have changed.
STABLE_SECONDS = 0.5


class SkillWatch(Loop):
    """Follows the folder of skills in a thread of its own, so that passes never overlap."""

    log = log
    failed = "skills.not_followed"

    def __init__(self, db: Database, live: LiveSettings, workspace: Workspace) -> None:
        super().__init__("skills", every_seconds=LOOK_SECONDS)
        self._live = live
        self._folder = workspace.skills_dir
        self._reconciler = Reconciler(db, self._folder)
        self._last: Mapping[str, Identity] | None = None
        self._moved_at = 0.0
        #: What the graph is equal to, and when that was last made sure.
        self._followed: Mapping[str, Identity] | None = None
        self._passed_at: float | None = None

    def look(self, at: float) -> None:
        """Look at the files and make a pass if one is due; `at` is in monotonic seconds."""
        settings = self._live.settings
        rules = Rules.of(settings)
        if not rules.enabled:
            self._passed_at = None
            return
        found = files.identities(self._folder)
        if found != self._last:
            self._last, self._moved_at = found, at
        interval = settings.pipeline.procedural.reconcile_interval_ms / 1000
        is_due = self._passed_at is None or at - self._passed_at >= interval
        is_moved = found != self._followed and at - self._moved_at >= STABLE_SECONDS
        if is_due or is_moved:
            self._pass(found, rules, at, is_due=is_due)

    def _pass(
        self, found: Mapping[str, Identity], rules: Rules, at: float, *, is_due: bool
    ) -> None:
        now = clock.now()
        counts = self._reconciler.run(found, rules=rules, now=now)
        filled = self._reconciler.fill(rules=rules, now=now) if is_due else 0
        self._followed = found
        if is_due:
            self._passed_at = at
        if counts.installed or counts.updated or counts.removed or filled:
            log.info(
                "skills.reconciled",
                installed=counts.installed,
                updated=counts.updated,
                removed=counts.removed,
                embedding=filled,
            )
