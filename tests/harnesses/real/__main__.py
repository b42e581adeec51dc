"""Run the tests of the real harness programs, with the pinned and with the newest versions.

    PYTHONPATH=tests python -m harnesses.real [FOLDER] [pytest options]

Run it before each release. The programs are installed from npm into FOLDER, which is kept between runs: 2 GB for each
of the two sets of versions.
"""

import os
import subprocess
import sys
from pathlib import Path

from harnesses.real import npm

HERE = Path(__file__).parent
#: How long a test may take: ten runs of a program, on a machine that does much else.
TEST_SECONDS = 3_600


def main() -> int:
    """Run both and return the exit status."""
    folder, *options = sys.argv[1:] or [str(Path.home() / ".cache/signet-test-harnesses")]
    failed = 0
    for name, newest in (("pinned", ""), ("newest", "1")):
        print(f"{name} versions", flush=True)
        environment = {**os.environ, "SIGNET_TEST_HARNESSES": folder, npm.NEWEST: newest}
        limit = f"--timeout={TEST_SECONDS}"
        command = [sys.executable, "-m", "pytest", "-q", "-rs", limit, str(HERE), *options]
        failed |= subprocess.run(command, env=environment, cwd=HERE.parents[2]).returncode
    return failed


if __name__ == "__main__":
    raise SystemExit(main())
