"""Commit changes of people and agents after a quiet period, and sync with a remote (TK-22, TK-24)."""

from signet import clock
from signet.domain.gitsync import guarded, sync
from signet.domain.gitsync.repository import Repository
from signet.domain.secrets.vault import Vault
from signet.domain.skills import files
from signet.errors import SignetError
from signet.observe import logs
from signet.paths import Workspace
from signet.process.settings_reload import LiveSettings
from signet_scheduler import watch
from signet_scheduler.watch import Loop, Seen, seen

log = logs.get("git")

LOOK_SECONDS = 1.0
#: Seconds without changes before a commit.
QUIET_SECONDS = 5.0
#: Maximum pause after failures.
MOST_SECONDS = 3_600.0
#: Seconds a stop waits for git, which finishes on its own.
STOP_SECONDS = 2.0

#: Files that lead to a commit, besides skills.
WATCHED = (watch.configs, watch.identities, watch.agents, watch.notes)


class GitWatch(Loop):
    """Watches the files in a separate thread, because git can be slow."""

    log = log
    failed = "git.not_followed"
    failed_seconds = LOOK_SECONDS
    stop_seconds = STOP_SECONDS

    def __init__(self, live: LiveSettings, workspace: Workspace) -> None:
        super().__init__("git", every_seconds=LOOK_SECONDS)
        self._live = live
        self._workspace = workspace
        self._seen: Seen | None = None
        self._moved_at: float | None = None
        self._sync_at: float | None = None
        self._failures = 0
        self._told: str | None = None

    def poll(self, at: float) -> None:
        """Check the files, and commit or sync when due; `at` is in monotonic seconds."""
        settings = self._live.settings.git
        if not settings.enabled or not Repository(self._workspace).exists:
            self._seen, self._moved_at, self._sync_at = None, None, None
            return
        found = {**seen(self._workspace, *WATCHED), **files.identities(self._workspace.skills_dir)}
        if self._seen is not None and found != self._seen:
            self._moved_at = at
        self._seen = found
        if self._moved_at is not None and at - self._moved_at >= QUIET_SECONDS:
            self._moved_at = None
            if settings.auto_commit:
                self._commit(at)
        if self._sync_at is None:
            self._sync_at = at + settings.sync_interval_seconds
        if settings.auto_sync and at >= self._sync_at:
            self._sync(at)

    def _commit(self, at: float) -> None:
        try:
            title = guarded.commit(Repository(self._workspace), now=clock.now())
        except BlockingIOError:  # a pull or push is running: retry after the next quiet period
            self._moved_at = at
            return
        except (SignetError, OSError) as error:
            self._moved_at = at
            self._say(f"commit: {error}")
            return
        self._told = None
        if title is not None:
            log.info("git.committed", title=title)

    def _sync(self, at: float) -> None:
        settings = self._live.settings.git
        done = sync.sync(
            self._workspace,
            settings,
            Vault(self._workspace.vault).find,
            now=clock.now(),
            is_automatic=True,
        )
        self._failures = 0 if done["success"] else self._failures + 1
        pause = settings.sync_interval_seconds * 2.0 ** min(self._failures, 12)
        self._sync_at = at + min(pause, max(MOST_SECONDS, settings.sync_interval_seconds))
        if not done["success"]:
            self._say(done["message"])
        elif done.get("pulled") or done.get("pushed"):
            self._told = None
            log.info("git.synced", pulled=done["pulled"], pushed=done["pushed"])

    def _say(self, problem: str) -> None:
        """Log a failure unless it repeats the last one."""
        if problem != self._told:
            self._told = problem
            log.warning("git.failed", reason=problem)
