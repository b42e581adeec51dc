"""Run another program and return its error message on failure."""

import subprocess
from collections.abc import Callable, Sequence

#: Run a command; return None, or why it failed.
Run = Callable[[Sequence[str]], str | None]
SECONDS = 30.0


def run(command: Sequence[str]) -> str | None:
    """Run a command to its end; return None, or why it failed in one line."""
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=SECONDS,
        )
    except FileNotFoundError:
        return f"{command[0]} is not installed"
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    if done.returncode == 0:
        return None
    said = (done.stderr.strip() or done.stdout.strip()).splitlines()
    return said[-1] if said else f"exit status {done.returncode}"
