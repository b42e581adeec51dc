"""Whether a repair may run now: five checks in their order, and a limiter that all processes share (RP-1 to RP-3).

The limiter is a row for each action; what maintenance does has rows of its own, so that it uses up no person's. It is
read and written in the transaction that repairs, so two processes that ask at the same instant see each other, and a
restart forgets nothing. Only completed runs are written down.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from signet import clock
from signet.config import Settings
from signet.db import ReadTx, WriteTx
from signet.domain.repair.catalog import Action, Limits
from signet.domain.repair.models import Order, Reason, Refused
from signet.domain.repair.sql import gate as sql
from signet.errors import Frozen

HOUR = timedelta(hours=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Runs:
    """The runs of one action: the last one, and how many since the hour began."""

    last: datetime | None = None
    window: datetime | None = None
    count: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """When an action ran last, how long it waits until the next run, and how many runs are left this hour."""

    last: datetime | None
    wait_ms: int
    runs_left: int
    limits: Limits


def check(tx: ReadTx, order: Order) -> None:
    """Raise Frozen or Refused for the first check that fails. A look changes nothing, so the limits leave it alone."""
    permit(order)
    if order.writes:
        limits = order.action.limits_of(order.settings.pipeline.repair)
        limit(_runs(tx, _key(order)), limits, now=order.now)


def permit(order: Order) -> None:
    """Raise Frozen or Refused for what the settings rule out. Pure."""
    pipeline = order.settings.pipeline
    if pipeline.mutations_frozen and order.writes:
        raise Frozen("Mutations are frozen (kill switch active)")
    if pipeline.autonomous.frozen:
        raise Refused(Reason.FROZEN, "autonomous.frozen is set")
    if order.actor.type == "agent" and not pipeline.autonomous.enabled:
        message = "autonomous.enabled is false; agents cannot trigger repairs"
        raise Refused(Reason.DISABLED, message)


def limit(runs: Runs, limits: Limits, *, now: datetime) -> None:
    """Raise Refused while the cooldown lasts, or when the hour's runs are used up. Pure."""
    if runs.last is not None:
        cooldown = timedelta(milliseconds=limits.cooldown_ms)
        # A clock that was set back makes nobody wait longer than the cooldown.
        left = _ms(min(cooldown - (now - runs.last), cooldown))
        if left > 0:
            message = f"cooldown active, {clock.span(left / 1000)} left"
            raise Refused(Reason.COOLDOWN, message, wait_ms=left)
    current = _current(runs, now)
    if current.window is not None and current.count >= limits.per_hour:
        message = f"hourly budget exhausted ({limits.per_hour} runs/hr)"
        raise Refused(Reason.BUDGET, message, wait_ms=_ms(HOUR - (now - current.window)))


def standing(tx: ReadTx, action: Action, settings: Settings, *, now: datetime) -> Standing:
    """Return when a person may ask for an action next."""
    limits, runs = action.limits_of(settings.pipeline.repair), _runs(tx, action.name)
    try:
        limit(runs, limits, now=now)
        wait_ms = 0
    except Refused as refused:
        wait_ms = refused.wait_ms or 0
    left = max(0, limits.per_hour - _current(runs, now).count)
    return Standing(last=runs.last, wait_ms=wait_ms, runs_left=left, limits=limits)


def note(tx: WriteTx, order: Order, *, now: datetime) -> None:
    """Write down that an action has run."""
    current = _current(_runs(tx, _key(order)), now)
    window = clock.to_text(current.window or now)
    tx.run(sql.NOTE, (_key(order), clock.to_text(now), window, current.count + 1))


def _key(order: Order) -> str:
    prefix = "maintenance:" if order.is_automatic else ""
    return f"{prefix}{order.action.name}"


def _runs(tx: ReadTx, key: str) -> Runs:
    row = tx.one(sql.READ, (key,))
    if row is None:
        return Runs()
    return Runs(
        last=clock.parsed(row["last_run_at"]),
        window=clock.parsed(row["window_started_at"]),
        count=row["runs_in_window"],
    )


def _current(runs: Runs, now: datetime) -> Runs:
    """Return the runs of the hour that holds now: it begins with its first run (RP-2)."""
    if runs.window is None or not timedelta(0) <= now - runs.window < HOUR:
        return Runs(last=runs.last)
    return runs


def _ms(span: timedelta) -> int:
    return int(span / timedelta(milliseconds=1))


#: So often may a repair be of no use before it is left alone.
PATIENCE = 3


def halted(tx: ReadTx) -> frozenset[str]:
    """Return the actions that are left alone."""
    return frozenset(row["action"] for row in tx.all(sql.HALTED))


def judge(tx: WriteTx, action: str, *, helped: bool) -> None:
    """Count a repair that did not help, forget the count of one that did."""
    if helped:
        tx.run(sql.HELPED, (action,))
    else:
        tx.run(sql.USELESS, {"action": action, "patience": PATIENCE})


def clear(tx: WriteTx) -> None:
    """Forget every count: nothing is left to complain of."""
    tx.run(sql.CLEAR)
