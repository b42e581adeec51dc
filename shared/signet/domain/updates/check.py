"""Is there a new version: asked when a person asks, or when they have allowed it; never else (TK-34)."""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from signet import __version__, clock
from signet.config.sections import Channel, Updates
from signet.domain.updates import index, state
from signet.domain.updates.state import Known
from signet.net.http import HttpError
from signet.paths import Workspace

KEPT = timedelta(hours=1)
NOT_ALLOWED = (
    "Not checked yet. To check: signet update check. To check automatically: signet update enable"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """What is known now, and whether that is from an earlier check."""

    known: Known
    is_cached: bool


def is_allowed(settings: Updates) -> bool:
    """Return whether the index may be asked without a person asking."""
    return settings.auto_check or settings.auto_install


def check(workspace: Workspace, settings: Updates, *, force: bool, now: datetime) -> Checked:
    """Return what is known; asks the index when `force` says so, or when that is allowed and an hour has gone.

    An index that cannot be asked leaves what was known, with `check_error`.
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
        found = index.latest(index.index_url(), prereleases=settings.channel is Channel.NEXT)
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
