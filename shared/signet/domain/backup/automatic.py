"""The backups that nobody asks for: one a day, and one before many memories are forgotten together."""

from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path

from signet import clock
from signet.db import ReadTx
from signet.domain.backup import create, kept, sql
from signet.domain.backup.create import Tell
from signet.domain.backup.models import Reason
from signet.errors import NotNow
from signet.paths import Workspace

#: A daily copy younger than this is that of today: a job that runs twice makes one.
TODAY = timedelta(hours=12)
#: A copy before a bulk forget serves those that follow so soon, as when thousands go in batches of 200.
SERIES = timedelta(hours=1)


def is_worth_it(tx: ReadTx) -> bool:
    """Return whether there is anything that a copy of the day would save."""
    return tx.value(sql.HAS_MEMORIES) is not None


def erases(tx: ReadTx, since: datetime) -> bool:
    """Return whether something is being erased or forgotten, or was since an instant."""
    return tx.value(sql.ERASES, (clock.to_text(since),)) is not None


def daily(
    workspace: Workspace, *, keep: int, now: datetime, tell: Tell, erases: Callable[[], bool]
) -> Path:
    """Return the copy of the day, made now if there is none, and keep so many.

    There is none while `erases` says that something is being erased: it could still hold it, and who erased it was
    not told of this copy. Raises NotNow then, and like `create`.
    """
    made = _newest(workspace, Reason.DAILY)
    if made is not None and timedelta() <= now - made.made_at < TODAY:
        return made.path
    if erases():
        raise NotNow("Something is being erased")
    copy = create.create(workspace, reason=Reason.DAILY, keep=keep, now=now, tell=tell).path
    if erases():
        copy.unlink(missing_ok=True)
        raise NotNow("Something was erased while the copy was made")
    return copy


def before_forget(workspace: Workspace, *, last_change: datetime, now: datetime) -> Path:
    """Return a copy that holds what is to be forgotten, last changed at that instant. Raises like `create`."""
    made = _newest(workspace, Reason.BEFORE_FORGET)
    if made is not None and last_change < made.made_at <= now < made.made_at + SERIES:
        return made.path
    return create.create(workspace, reason=Reason.BEFORE_FORGET, now=now).path


def _newest(workspace: Workspace, reason: Reason) -> kept.Kept | None:
    return next((one for one in kept.kept(workspace) if one.reason is reason), None)
