"""`signet doctor`: check the installation, one line per check with its remedy."""

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

from signet import clock
from signet.cli import output
from signet.cli.command import Output, PathOption, StatusAnswer, command
from signet.cli.output import Ink
from signet.errors import SignetError
from signet.paths import Workspace, find_workspace

if TYPE_CHECKING:
    from signet.care.doctor.models import DoctorCheck, Mend

_LABEL = 13


@command()
def doctor(
    fix: Annotated[bool, "Repair what can be repaired without losing data."] = False,
    security: Annotated[bool, "Test the running daemon as a page or stranger would."] = False,
    path: PathOption = None,
    as_json: bool = False,
) -> Output:
    """Check the whole installation; exit 1 if something is broken.

    ✓ is fine, ! deserves attention, ✗ is broken; each line ends with the command that helps. --fix applies safe
    repairs and shows each step: file modes, an interrupted restore, a missing backup and, through the daemon, indexes
    and stale leases. --security tests what the running daemon must refuse: foreign web pages, programs without its
    token and, as root, another user.

    Examples: signet doctor --fix · signet doctor --security
    """
    workspace = find_workspace(path)
    found = _examined(workspace, shown=not as_json and not fix, only_security=security)
    if fix:
        steps = [(one.mend, _mended(one.mend)) for one in found if one.mend is not None]
        if not as_json:
            _show_steps(steps)
        found = _examined(workspace, shown=not as_json, only_security=security)
    is_broken = any(one.status == "fail" for one in found)
    yield StatusAnswer([one.to_dict() for one in found], status=1 if is_broken else 0)


def _examined(workspace: Workspace, *, shown: bool, only_security: bool) -> "list[DoctorCheck]":
    from signet.care.doctor import examine

    ink = output.ink(sys.stdout)
    found = []
    for one in examine.examine(workspace, now=clock.now(), only_security=only_security):
        found.append(one)
        if shown:
            output.advise(_line(one, ink))
    return found


def _line(one: "DoctorCheck", ink: Ink) -> str:
    sign = {"ok": ink.good("✓"), "warn": ink.warn("!"), "fail": ink.bad("✗")}[one.status]
    text = f"{sign} {one.check:<{_LABEL}}{output.plain(one.detail)}"
    return f"{text} · {ink.bold(one.fix)}" if one.fix else text


def _mended(mend: "Mend") -> tuple[bool, str]:
    """Run a repair; return whether it succeeded, and its result."""
    try:
        return True, mend.do()
    except SignetError as error:
        return False, error.message
    except OSError as error:
        return False, f"{error.filename or ''}: {error.strerror}"


def _show_steps(steps: "Sequence[tuple[Mend, tuple[bool, str]]]") -> None:
    ink = output.ink(sys.stdout)
    for mend, (is_done, result) in steps:
        sign = ink.good("✓") if is_done else ink.bad("✗")
        output.say(f"{sign} {mend.what}: {output.plain(result)}")
    if not steps:
        output.say("Nothing to repair automatically")
    output.say()
