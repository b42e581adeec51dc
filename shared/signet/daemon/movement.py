"""Whether a daemon that is not ready yet is getting there: on a busy machine a good start may take minutes.

What counts: what is missing changes, a program that is missing uses the processor, and new lines in the logs. A
program that has crashed three times is not getting anywhere, whatever it does in between.
"""

import time
from dataclasses import dataclass, field
from pathlib import Path

from signet.daemon.processes import DaemonProcess, processes
from signet.daemon.ready import Answer
from signet.paths import Workspace
from signet.process import kernel

#: Seconds between two looks.
LOOK_SECONDS = 1.0
CRASHES = 3


@dataclass(slots=True)
class Movement:
    """Watches one start; `still_seconds` says for how long nothing has moved."""

    workspace: Workspace
    _seen: object = None
    _moved_at: float = field(default_factory=time.monotonic)
    _looked_at: float = field(default_factory=time.monotonic)

    def still_seconds(self, answer: Answer) -> float:
        """Return for how long nothing has moved, with what the API says now."""
        now = time.monotonic()
        if now - self._looked_at >= LOOK_SECONDS:
            self._looked_at = now
            late = _late(processes(self.workspace), answer)
            is_crashing = any(one.restarts >= CRASHES for one in late)
            used = [_processor_seconds(one.pid) for one in late]
            seen = (answer.what_is_missing, used, _log_bytes(self.workspace.log_dir))
            if seen != self._seen and not is_crashing:
                self._seen, self._moved_at = seen, now
        return now - self._moved_at


def _late(found: list[DaemonProcess], answer: Answer) -> list[DaemonProcess]:
    if not answer.status:
        return [one for one in found if one.name == "api"]
    return [one for one in found if f"{one.name} is not running" in answer.what_is_missing]


def _processor_seconds(pid: int | None) -> float:
    found = kernel.activity(pid) if pid else None
    return found.processor_seconds if found else 0.0


def _log_bytes(folder: Path) -> int:
    sizes = 0
    for file in folder.glob("*.log"):
        try:
            sizes += file.stat().st_size
        except FileNotFoundError:
            continue  # renamed meanwhile
    return sizes
