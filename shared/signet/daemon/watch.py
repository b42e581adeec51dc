"""Find hanging programs by their heartbeats and their state in the kernel.

The supervisor checks once a second, and only checks count, not the clock, so sleep of the machine and a stopped
supervisor count as nothing. A program that runs, waits for the disk, uses the processor or is being debugged never
hangs, however long it takes. Before its first heartbeat only a stopped program hangs, because it may be waiting for
its turn (process/backoff.py).
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from signet.process import kernel
from signet.process.kernel import Activity
from signet.process.pulse import Beat, Holding

#: Consecutive checks after which a stopped program (SIGSTOP) is replaced, and one that only waits.
STOPPED_LOOKS = 5
STILL_LOOKS = 10
NOTHING = Holding()
#: Processor time between two checks above which a program works; idle threads use a tenth of it.
WORK_SECONDS = 0.03


@dataclass(slots=True)
class _Program:
    beats: bool = False
    still: int = 0
    #: The open transaction at the last check, and the number of checks without progress.
    holding: Holding = NOTHING
    holds_still: int = 0
    processor_seconds: float = 0.0


class Watch:
    """The observed programs of one daemon."""

    def __init__(self) -> None:
        self._known: dict[int, _Program] = {}

    def poll(
        self, running: Mapping[str, int], beats: Mapping[int, Beat]
    ) -> Iterator[tuple[str, int, str]]:
        """Yield name, process ID and reason of each program to replace; call it once a second.

        `running` maps names to process IDs; `beats` are the heartbeats since the last call.
        """
        self._known = {pid: self._known.get(pid) or _Program() for pid in running.values()}
        for name, pid in running.items():
            reason = self._judge(pid, self._known[pid], beats.get(pid))
            if reason is not None:
                yield name, pid, reason

    def _judge(self, pid: int, known: _Program, beat: Beat | None) -> str | None:
        if beat is not None:
            known.beats, known.still = True, 0
            is_same = beat.holding.number != 0 and beat.holding == known.holding
            known.holding = beat.holding
            if not is_same:
                known.holds_still = 0
            elif self._is_still(known, kernel.activity(pid, beat.holding.thread)):
                known.holds_still += 1
            held = known.holds_still
            return (
                f"held the write lock for {held} s and did nothing" if held >= STILL_LOOKS else None
            )
        now = kernel.activity(pid)
        if now is None or now.is_traced:
            known.still = 0
        elif now.is_stopped:
            known.still += 1
            if known.still >= STOPPED_LOOKS:
                return f"was stopped (SIGSTOP) for {known.still} s"
        elif known.beats and self._is_still(known, now):
            known.still += 1
            if known.still >= STILL_LOOKS:
                return f"did nothing for {known.still} s"
        return None

    @staticmethod
    def _is_still(known: _Program, now: Activity | None) -> bool:
        """Return whether a process, or the thread that holds the lock, has been idle since the last check."""
        if now is None:
            return False
        before, known.processor_seconds = known.processor_seconds, now.processor_seconds
        is_idle = 0 <= now.processor_seconds - before < WORK_SECONDS
        return is_idle and not (now.is_working or now.is_traced)
