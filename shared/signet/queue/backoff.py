"""How long a failed job waits before it is tried again."""

import random

#: Docs (jobs.md JOB-10): min(1000 * 2^n, 30000) ms plus 0..500 ms of jitter, here per job.
BASE_MS = 1_000
CAP_MS = 30_000
JITTER_MS = 500


def delay_ms(attempts: int, jitter: float) -> int:
    """Return the wait in milliseconds after the given attempt (1 = the first); `jitter` is in [0, 1)."""
    doublings = min(max(attempts - 1, 0), 20)
    return int(min(BASE_MS * 2**doublings, CAP_MS) + jitter * JITTER_MS)


def after_failure(attempts: int) -> int:
    """Return `delay_ms` with random jitter, so that jobs that failed together do not return together."""
    return delay_ms(attempts, random.random())


def after_crash(crashes: int) -> int:
    """Return the wait of a job whose process died: none the first time, then like a failure.

    The first death may have been anybody's fault and its job runs again at once; a job that was running at
    two deaths is suspect, and without a wait it would take down every worker within milliseconds.
    """
    return 0 if crashes <= 1 else after_failure(crashes - 1)
