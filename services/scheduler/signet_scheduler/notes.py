"""Read the notes of harnesses: `memory/*.md`, and Claude Code's memory of each project.

A file is read after half a second without changes, and not before the API answers (HN-24), so that a first import
delays no start. A file that shrinks or disappears deletes nothing (HN-25).
"""

from pathlib import Path

from signet import clock
from signet.db import Database, ReadTx, processes
from signet.domain.harnesses import notes
from signet.domain.memory.models import Rules
from signet.observe import logs
from signet.paths import Workspace
from signet.process.program import Program
from signet.process.settings_reload import LiveSettings
from signet_scheduler import watch
from signet_scheduler.watch import Debounce, Identity, Loop, seen

log = logs.get("watcher")

#: Seconds without changes (HN-21).
QUIET_SECONDS = 0.5
#: Seconds between checks; one of 5,000 notes takes 19 ms.
LOOK_SECONDS = 1.0


class NoteWatch(Loop):
    """Watches note files in a separate thread."""

    def __init__(
        self, db: Database, live: LiveSettings, workspace: Workspace, *, home: Path | None = None
    ) -> None:
        super().__init__("notes", every_seconds=LOOK_SECONDS)
        self._db = db
        self._live = live
        self._workspace = workspace
        self._home = home or Path.home()
        self._debounce = Debounce(QUIET_SECONDS)
        self._known: dict[str, Identity] = {}
        self._serves = False

    def poll(self, at: float) -> None:
        """Check the files and read new ones; `at` is in monotonic seconds."""
        found = seen(self._workspace, watch.notes, watch.claude_notes, home=self._home)
        rules = Rules.from_settings(self._live.settings)
        if not self._debounce.is_due(found, at) or rules.frozen or not self._is_served():
            return
        for path, identity in found.items():
            if self._stop.is_set():
                return
            if self._known.get(path) != identity:
                self._read(Path(path), rules)
                self._known[path] = identity
        self._debounce.handled(found)

    def _read(self, path: Path, rules: Rules) -> None:
        note = notes.load(path)
        if note is None or not self._db.read(notes.is_new, note):
            return
        count = notes.ingest(self._db, note, rules=rules, now=clock.now())
        log.info("notes.read", path=str(path), memories=count)

    def _is_served(self) -> bool:
        self._serves = self._serves or self._db.read(_is_served)
        return self._serves


def _is_served(tx: ReadTx) -> bool:
    return any(row.kind == Program.API for row in processes.every(tx))
