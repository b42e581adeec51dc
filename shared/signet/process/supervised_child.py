"""Runs a program that must not outlive the one that started it: `supervised_child.py FD PROGRAM ARGUMENT…`.

It is the leader of a process group. When the file descriptor ends, because the one who holds the other side wants it
to or is dead, the group gets SIGTERM, and SIGKILL after a grace. With 0 the program has no input, else
it has ours. This file is run by path, so that it imports nothing of ours.
"""

import os
import select
import signal
import subprocess
import sys
import threading

GRACE_SECONDS = 5.0
#: The kernel closes a dead holder's descriptors one after the other: the program may end at the first.
DYING_SECONDS = 0.2
#: What shells answer when there is no such program.
NOT_STARTED = 127


def main(life: int, command: list[str]) -> int:
    """Run the program to its end and return its exit status, 128 and the number of a signal that ended it."""
    # A handler, because what is ignored would be ignored by the program too.
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda *_: None)
    try:
        child = subprocess.Popen(command, stdin=None if life else subprocess.DEVNULL)
    except OSError as error:
        sys.stderr.write(f"{command[0]}: {error.strerror}\n")
        return NOT_STARTED
    watch = threading.Thread(target=_end_with, args=(life, child), daemon=True)
    watch.start()
    code = child.wait()
    holder = select.poll()
    holder.register(life, select.POLLIN)
    if holder.poll(DYING_SECONDS * 1000):
        # It may have ended because its holder is gone: what it has started goes, too.
        watch.join()
    return code if code >= 0 else 128 - code


def _end_with(life: int, child: "subprocess.Popen[bytes]") -> None:
    while os.read(life, 1):
        pass
    os.killpg(0, signal.SIGTERM)
    try:
        child.wait(GRACE_SECONDS)
    except subprocess.TimeoutExpired:
        pass
    finally:
        os.killpg(0, signal.SIGKILL)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), sys.argv[2:]))
