"""What every test shares: how its parameters are named, Ctrl-C for its programs, no timing by Hypothesis."""

from __future__ import annotations

import signal

from hypothesis import HealthCheck, settings

#: A slow machine is no fault of what is tested, and what chance finds is no fault of whoever changes something else:
#: the examples are the same in each run. Others are tried with `--hypothesis-profile=default`.
settings.register_profile(
    "signet", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("signet")

#: A shell gives what it runs in the background no Ctrl-C, and programs inherit that: some tests end theirs with it.
signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """Name bytes by their argument and not by what is in them.

    The workers of pytest-xdist each collect the tests and must find the same names: bytes that hold a time (gzip's
    header does) or chance would differ between them.
    """
    return argname if isinstance(val, bytes | bytearray) else None
