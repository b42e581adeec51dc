"""Programs that stand in for the command lines of harnesses."""

import os
from pathlib import Path

import pytest

#: Says what it was given, then waits for a file `gate` in its folder if there is one called `wait`.
SCRIPT = """#!/bin/sh
echo run >> started
echo $$ > pid
echo "args: $*"
echo "hooks: $SIGNET_NO_HOOKS inside: $CLAUDECODE in: $(pwd)"
echo "a warning" >&2
while [ -e wait ] && [ ! -e gate ]; do sleep 0.05; done
echo "last words"
exit $(cat code 2>/dev/null || echo 0)
"""


def install(folder: Path, patch: pytest.MonkeyPatch, *names: str, script: str = SCRIPT) -> Path:
    """Put programs of these names first on PATH, and return the folder they are in."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        path = folder / name
        path.write_text(script, "utf-8")
        path.chmod(0o755)
    patch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    return folder
