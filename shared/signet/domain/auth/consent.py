"""Checks of the caller before files are written that decide who is trusted, what runs, or what agents read."""

from signet.config import decisive
from signet.config.decisive import Raw
from signet.domain.auth import caller
from signet.wire import access


def check_settings(before: Raw, after: Raw) -> None:
    """Raise Forbidden for a change of decisive settings that the caller may not make, UnsafeSettings for bad ones."""
    if changed := decisive.changes(before, after):
        does = f"change {', '.join(changed)}"
        caller.current().check(access.programs(does, "signet config set KEY VALUE"))


def check_file(name: str) -> None:
    """Raise Forbidden for a file of the workspace that the caller may not write: agents read it as instructions."""
    caller.current().check(
        access.programs(f"replace {name}, which agents read", f"an editor, on {name}")
    )
