"""Check for a new version on request or if enabled (TK-34), and change those settings in agent.yaml."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from signet import __version__, clock, config
from signet.config import manifest
from signet.config.manifest import Value
from signet.config.sections import UpdateChannel, Updates
from signet.domain.updates import index, state
from signet.domain.updates.state import Known
from signet.errors import Invalid
from signet.net.http import HttpError
from signet.paths import Workspace

KEPT = timedelta(hours=1)
NOT_ALLOWED = (
    "Not checked yet. To check: signet update check. To check automatically: signet update enable"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """The known versions, and whether they come from an earlier check."""

    known: Known
    is_cached: bool


def is_allowed(settings: Updates) -> bool:
    """Return whether automatic checks are allowed."""
    return settings.auto_check or settings.auto_install


def check(workspace: Workspace, settings: Updates, *, force: bool, now: datetime) -> Checked:
    """Return the known versions; queries the index with `force`, or if allowed and an hour has passed.

    An unreachable index leaves the previous result, with `check_error`.
    """
    known = state.read(workspace)
    checked_at = clock.parsed(known.checked_at)
    is_fresh = checked_at is not None and timedelta(0) <= now - checked_at < KEPT
    if not force and (is_fresh or not is_allowed(settings)):
        if checked_at is None:
            known = replace(known, check_error=NOT_ALLOWED)
        return Checked(known=known, is_cached=checked_at is not None)
    known = replace(known, checked_at=clock.to_text(now), check_error=None)
    try:
        found = index.latest(index.index_url(), prereleases=settings.channel is UpdateChannel.NEXT)
    except HttpError as error:
        known = replace(known, check_error=error.message)
    else:
        known = replace(
            known,
            latest_version=found.version or __version__,
            release_url=found.url,
            published_at=found.published_at,
        )
    state.write(workspace, known)
    return Checked(known=known, is_cached=False)


LEAST_SECONDS, MOST_SECONDS = 300, 604_800
_TRUTH = {"true": True, "false": False}


def change(workspace: Workspace, wished: Mapping[str, object]) -> Updates:
    """Write the requested settings and return the result; raises Invalid, with nothing written."""
    checked = {key: _checked(key, value) for key, value in wished.items()}
    manifest.set_values(workspace, {f"updates.{key}": value for key, value in checked.items()})
    return config.load(workspace).settings.updates


def _checked(key: str, value: object) -> Value:
    if key == "check_interval":
        return _seconds(value)
    said = _TRUTH.get(value.strip().lower()) if isinstance(value, str) else value
    if not isinstance(said, bool):
        name = {"auto_install": "autoInstall", "auto_check": "autoCheck"}[key]
        raise Invalid(f"{name} must be true or false", success=False)
    return said


def _seconds(value: object) -> int:
    if isinstance(value, str) and value.strip().isascii() and value.strip().isdigit():
        value = int(value.strip()[:12])
    is_whole = isinstance(value, int) and not isinstance(value, bool)
    if not is_whole or not LEAST_SECONDS <= int(str(value)) <= MOST_SECONDS:
        raise Invalid(
            f"checkInterval must be between {LEAST_SECONDS} and {MOST_SECONDS} seconds",
            success=False,
        )
    return int(str(value))
