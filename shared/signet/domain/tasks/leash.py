"""Runs a program that must not outlive whoever started it: `leash.py PROGRAM ARGUMENT…`.

It is the leader of a process group. When its standard input ends, because the one who holds the other side wants it to
or is dead, the group is told to stop, and is killed after a grace. A file of its own, run by path, so that it loads
nothing of ours.
"""

import os
import signal
import subprocess
import sys
import threading

GRACE_SECONDS = 5.0
#: What shells answer when there is no such program.
NOT_STARTED = 127


def main(command: list[str]) -> int:
    """Run the program to its end and return its exit status, 128 and the number of a signal that ended it."""
    # A handler, because what is ignored would be ignored by the program too.
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda *_: None)
    try:
        child = subprocess.Popen(command, stdin=subprocess.DEVNULL)
    except OSError as error:
        sys.stderr.write(f"{command[0]}: {error.strerror}\n")
        return NOT_STARTED
    ending = threading.Event()
    watch = threading.Thread(target=_end_with_input, args=(child, ending), daemon=True)
    watch.start()
    code = child.wait()
    if ending.is_set():
        watch.join()
    return code if code >= 0 else 128 - code


def _end_with_input(child: "subprocess.Popen[bytes]", ending: threading.Event) -> None:
    while os.read(0, 1):
        pass
    ending.set()
    os.killpg(0, signal.SIGTERM)
    try:
        child.wait(GRACE_SECONDS)
    except subprocess.TimeoutExpired:
        pass
    finally:
        os.killpg(0, signal.SIGKILL)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
