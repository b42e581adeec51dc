"""Run a program that must not outlive its starter: `supervised_child.py FD PROGRAM ARGUMENT…`.

It leads a process group. When the file descriptor reaches its end, because the holder of the other side closed it or
died, the group gets SIGTERM, and SIGKILL after a grace period. With 0 the program has no input, otherwise ours. This
file is run by path and imports only the standard library.
"""

import os
import select
import signal
import subprocess
import sys
import threading

GRACE_SECONDS = 5.0
#: The kernel closes a dead holder's descriptors one by one: the program may exit at the first.
DYING_SECONDS = 0.2
#: The exit status of shells for a missing program.
NOT_STARTED = 127


def main(life: int, command: list[str]) -> int:
    """Run the program and return its exit status, or 128 plus the number of the signal that ended it."""
    # Handlers, because the program would inherit an ignored signal.
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
        # It may have exited because the holder died; then its children are killed, too.
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
