"""The person's editor, for commands that open a file in it."""

import os
import shlex
import subprocess
from pathlib import Path

from signet.errors import Invalid


def edit(file: Path) -> None:
    """Return when the person has closed the file; raises Invalid when the editor fails."""
    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR") or "vi"
    try:
        status = subprocess.run([*shlex.split(editor), str(file)], check=False).returncode
    except OSError as error:
        raise Invalid(f"{editor} could not be started: {error.strerror}") from error
    if status:
        raise Invalid(f"{editor} ended with status {status}; nothing was changed")
