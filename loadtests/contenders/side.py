"""Common part of all contenders: send numbered no-op jobs, or run them and record when each began.

    python side program: PROGRAM send PLACE COUNT PAUSE_SECONDS | PROGRAM work PLACE COUNT

Standard library only, because peers run in a separate Python. Prints one JSON object: for `send` the instants before
and after each send and the processor time; for `work` the instants at which jobs began. Instants are of the monotonic
clock, which all processes of a machine share. `work` first prints the line `ready`, then waits for jobs.
"""

import argparse
import json
import os
import sys
import threading
import time
from collections.abc import Callable

#: Threads of the one worker process.
THREADS = 8
PATIENCE_SECONDS = 60.0


class Arrivals:
    """Records when each job begins."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._began: list[tuple[int, float]] = []
        self._all = threading.Event()
        self._cpu = (0.0, 0.0)

    def begin(self, number: int) -> None:
        """Record the start of a job; thread-safe."""
        if not self._began:
            self._cpu = (time.process_time(), 0.0)
        self._began.append((number, time.monotonic()))
        if len(self._began) >= self._count and not self._all.is_set():
            self._cpu = (self._cpu[0], time.process_time())
            self._all.set()

    @property
    def cpu_seconds(self) -> float:
        """Return the processor time from the first job to the last, without loading the library."""
        return self._cpu[1] - self._cpu[0]

    def wait(self) -> list[tuple[int, float]]:
        """Wait until every job has begun, or a time limit; return the starts."""
        self._all.wait(PATIENCE_SECONDS)
        return self._began


#: Sends the job of this number; returns when it is durable.
Send = Callable[[int], None]


def main(sender: Callable[[str], Send], work: Callable[[str, Callable[[int], None]], None]) -> None:
    """Run one side; `work` starts the threads and returns."""
    parser = argparse.ArgumentParser()
    parser.add_argument("side", choices=("send", "work"))
    parser.add_argument("place")
    parser.add_argument("count", type=int)
    parser.add_argument("pause", type=float, nargs="?", default=0.0)
    asked = parser.parse_args()
    if asked.side == "send":
        found = _send(sender(asked.place), asked.count, asked.pause)
    else:
        found = _work(work, asked.place, asked.count)
    sys.stdout.write(json.dumps(found) + "\n")
    sys.stdout.flush()
    os._exit(0)  # some libraries' threads take seconds to end


def _send(send: Send, count: int, pause: float) -> dict[str, object]:
    send(-1)  # connect before the clock starts
    time.sleep(pause)
    sent = []
    cpu = time.process_time()
    for number in range(count):
        before = time.monotonic()
        send(number)
        sent.append((number, before, time.monotonic()))
        if pause:
            time.sleep(pause)
    return {"sent": sent, "cpu_seconds": time.process_time() - cpu}


def _work(
    work: Callable[[str, Callable[[int], None]], None], place: str, count: int
) -> dict[str, object]:
    arrivals = Arrivals(count + 1)  # and the connecting one
    work(place, arrivals.begin)
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    began = arrivals.wait()
    return {"began": began, "cpu_seconds": arrivals.cpu_seconds}
