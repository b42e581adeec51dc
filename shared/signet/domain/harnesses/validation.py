"""Asking a harness itself whether it accepts its settings, after ours were written into them.

Only a program that was there and refused undoes an installation. One that is absent or does not answer gives a warning.
"""

import shutil
import subprocess
from collections.abc import Sequence

from signet.domain.harnesses.models import Site
from signet.errors import Conflict
from signet.process import group

#: How long a harness may take. The slowest needs 4 s on an idle machine.
SECONDS = 30.0
_SHOWN_CHARS = 500


class Refused(Conflict):
    """A harness does not accept its settings."""


def check(command: Sequence[str], site: Site) -> str | None:
    """Run a harness's own check of its settings; return a warning when it could not be run.

    Raises Refused with what it says when it exits with an error.
    """
    program = shutil.which(command[0], path=site.environ.get("PATH"))
    shown = " ".join(command)
    if program is None:
        return f"the program {command[0]} was not found on PATH, so its settings were not checked"
    # A hook that the check fires has nothing to do.
    environment = {**site.environ, "HOME": str(site.home), "SIGNET_NO_HOOKS": "1"}
    try:
        status, said = group.run(
            [program, *command[1:]], folder=site.home, environ=environment, seconds=SECONDS
        )
    except subprocess.TimeoutExpired:
        return f"`{shown}` did not end within {SECONDS:g} s, so the settings were not checked"
    except OSError as error:
        return f"`{shown}` could not be run ({error.strerror}), so the settings were not checked"
    if status:
        why = " ".join(said.split())[-_SHOWN_CHARS:]
        raise Refused(
            f"{command[0]} rejects its settings with Signet's entries, so they were restored;"
            f" `{shown}` says: {why or f'exit status {status}'}"
        )
    return None
