"""A wall clock that a test moves, for real processes: a small library that adds an offset to CLOCK_REALTIME.

Monotonic clocks are left alone, as on a machine whose clock is set. Needs Linux and a C compiler.
"""

import shutil
import struct
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

_SOURCE = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static volatile long long *shift;

__attribute__((constructor)) static void start(void) {
  int file = open(getenv("SHIFTED_CLOCK"), O_RDONLY | O_CLOEXEC);
  shift = mmap(NULL, sizeof *shift, PROT_READ, MAP_SHARED, file, 0);
  close(file);
}

int clock_gettime(clockid_t clock, struct timespec *now) {
  static int (*real)(clockid_t, struct timespec *);
  if (!real) real = dlsym(RTLD_NEXT, "clock_gettime");
  int failed = real(clock, now);
  if (!failed && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) now->tv_sec += *shift;
  return failed;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
  struct timespec found;
  clock_gettime(CLOCK_REALTIME, &found);
  now->tv_sec = found.tv_sec;
  now->tv_usec = found.tv_nsec / 1000;
  return 0;
}

time_t time(time_t *out) {
  struct timespec found;
  clock_gettime(CLOCK_REALTIME, &found);
  if (out) *out = found.tv_sec;
  return found.tv_sec;
}
"""


class ShiftedClock:
    """The wall clock of processes that are started with `environ`."""

    def __init__(self, folder: Path) -> None:
        """Compile the library in an existing folder; raises RuntimeError where that is not possible."""
        compiler = shutil.which("cc")
        if sys.platform != "linux" or compiler is None:
            raise RuntimeError("a clock that can be moved needs Linux and a C compiler")
        source, self._library = folder / "shift.c", folder / "shift.so"
        source.write_text(_SOURCE, "ascii")
        self._offset = folder / "shift"
        self.set(0)
        command = [compiler, "-shared", "-fPIC", "-o", str(self._library), str(source), "-ldl"]
        subprocess.run(command, check=True)

    @property
    def environ(self) -> Mapping[str, str]:
        """Return the variables with which a process sees this clock."""
        return {"LD_PRELOAD": str(self._library), "SHIFTED_CLOCK": str(self._offset)}

    def set(self, seconds: int) -> None:
        """Move the clock to this far from the true time, in seconds."""
        with self._offset.open("r+b" if self._offset.exists() else "w+b") as file:
            file.write(struct.pack("=q", seconds))
