"""Orders and results of repairs, and an order's options and filters from a JSON body (RP-16). Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from signet import clock
from signet.config import Settings
from signet.config.pipeline import Repair
from signet.domain.memory.models import Actor
from signet.domain.repair.catalog import Option, RepairAction, RowFilter
from signet.errors import Invalid, Kind, SignetError
from signet.text.spelling import unknown_field

Value = int | float | bool | str


class RefusalReason(StrEnum):
    """Why a repair was not performed."""

    FROZEN = "frozen"
    DISABLED = "disabled"
    COOLDOWN = "cooldown"
    BUDGET = "budget"
    BUSY = "busy"
    #: A required model does not answer.
    UNAVAILABLE = "unavailable"
    ERROR = "error"


class RepairRefused(SignetError, kind=Kind.LIMITED, code="repair_refused"):
    """This repair may not run now, or failed. Nothing beyond the reported changes was done."""

    def __init__(self, reason: RefusalReason, message: str, *, wait_ms: int | None = None) -> None:
        super().__init__(message)
        self.reason = reason
        self.wait_ms = wait_ms


@dataclass(frozen=True, slots=True, kw_only=True)
class RowChoice:
    """Row filters; None matches every row. `since` and `until` (ISO text) bound the age, `error` is part of an error,
    in which `*` matches any text.
    """

    ids: tuple[str, ...] | None = None
    kinds: tuple[str, ...] | None = None
    since: str | None = None
    until: str | None = None
    error: str | None = None


EVERY = RowChoice()


@dataclass(frozen=True, slots=True, kw_only=True)
class RepairOrder:
    """A requested repair at the time `now`."""

    action: RepairAction
    settings: Settings
    actor: Actor
    now: datetime
    monotonic_ms: int
    options: Mapping[str, Value] = field(default_factory=dict)
    chosen: RowChoice = EVERY
    reason: str = "manual repair"
    is_dry: bool = False

    def number(self, name: str) -> int:
        return int(self.options[name])

    def is_on(self, name: str) -> bool:
        return bool(self.options[name])

    @property
    def is_automatic(self) -> bool:
        """Return whether maintenance requests it; no caller can claim to be the daemon (RP-4)."""
        return self.actor.type == "daemon"

    @property
    def writes(self) -> bool:
        switch = self.action.switch
        return not self.is_dry and (switch is None or self.is_on(switch))


@dataclass(frozen=True, slots=True)
class RepairDone:
    """The changes of a repair, made or previewed; `extra` adds fields to the answer."""

    affected: int
    message: str
    details: Mapping[str, object] = field(default_factory=dict)
    extra: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class RepairResult(RepairDone):
    """The result of a repair, or the reason why it did nothing."""

    action: str
    success: bool = True
    reason: RefusalReason | None = None
    wait_ms: int | None = None
    #: The job that continues it until it is finished.
    job_id: str | None = None

    @classmethod
    def from_done(cls, order: RepairOrder, done: RepairDone) -> "RepairResult":
        return cls(done.affected, done.message, done.details, done.extra, action=order.action.name)

    @classmethod
    def refused(
        cls, order: RepairOrder, error: RepairRefused, *, affected: int = 0
    ) -> "RepairResult":
        name, reason, wait_ms = order.action.name, error.reason, error.wait_ms
        return cls(
            affected, error.message, action=name, success=False, reason=reason, wait_ms=wait_ms
        )

    def body(self) -> dict[str, object]:
        why = self.reason
        refusal = {"reason": why, "error": self.message, "code": f"repair_{why}"} if why else {}
        return {
            "action": self.action,
            "success": self.success,
            "affected": self.affected,
            "message": self.message,
            **({"details": dict(self.details)} if self.details else {}),
            **self.extra,
            **refusal,
        }


MAX_IDS = 500
MAX_WORDS = 50
#: Stored length of an error (queue/transitions.py).
MAX_CHARS = 2_000
#: Fields that every action has, and alternative names of clients.
_FIELDS = ("dryRun", "ids", "kind", "since", "until", "error", "reason")
_ALIASES = {"jobTypes": "kind", "job_types": "kind", "kinds": "kind", "dry_run": "dryRun"}


def read_options(
    action: RepairAction, sent: Mapping[str, object], settings: Repair
) -> dict[str, Value]:
    """Return the action's options with defaults; raises Invalid, also for a misspelled field."""
    names = [*_FIELDS, *_ALIASES, *(option.name for option in action.options)]
    if error := unknown_field(sent, names):
        raise Invalid(error)
    found = {}
    for option in action.options:
        usual = getattr(settings, option.setting) if option.setting else option.default
        value = sent.get(option.name)
        found[option.name] = _option_value(option, usual if value is None else value)
    return found


def read_is_dry(action: RepairAction, sent: Mapping[str, object]) -> bool:
    """Return whether to preview only; raises Invalid."""
    value = _field(sent, "dryRun")
    if value is None:
        return action.looks_first
    if not isinstance(value, bool):
        raise Invalid("dryRun must be true or false")
    return value


def read_filters(action: RepairAction, sent: Mapping[str, object]) -> RowChoice:
    """Return the row filters; raises Invalid, also for one that this action does not support."""
    found = RowChoice(
        ids=_list_field(sent, "ids", MAX_IDS),
        kinds=_list_field(sent, "kind", MAX_WORDS),
        since=_instant_field(sent, "since"),
        until=_instant_field(sent, "until"),
        error=_text_field(sent, "error"),
    )
    said = {
        RowFilter.IDS: found.ids,
        RowFilter.KIND: found.kinds,
        RowFilter.AGE: found.since or found.until,
        RowFilter.ERROR: found.error,
    }
    for name, value in said.items():
        if value and name not in action.filters:
            raise Invalid(f"{action.path} cannot be limited by {name}")
    return found


def _option_value(option: Option, value: object) -> Value:
    if option.choices:
        if value not in option.choices:
            raise Invalid(f"{option.name} must be one of {', '.join(option.choices)}")
        return str(value)
    if option.type is str:
        if not isinstance(value, str) or not value.strip():
            raise Invalid(f"{option.name} is required")
        return value.strip()
    if option.type is bool:
        if not isinstance(value, bool):
            raise Invalid(f"{option.name} must be true or false")
        return value
    is_number = isinstance(value, (int, option.type)) and not isinstance(value, bool)
    if not is_number or not option.low <= option.type(value) <= option.high:
        what = "an integer" if option.type is int else "a number"
        low, high = int(option.low), int(option.high)
        raise Invalid(f"{option.name} must be {what} between {low} and {high}")
    return float(str(value)) if option.type is float else int(str(value))


def _field(sent: Mapping[str, object], name: str) -> object:
    names = [name, *(other for other, meant in _ALIASES.items() if meant == name)]
    return next((sent[one] for one in names if sent.get(one) is not None), None)


def _list_field(sent: Mapping[str, object], name: str, most: int) -> tuple[str, ...] | None:
    value = _field(sent, name)
    if value is None:
        return None
    listed = [value] if isinstance(value, str) else value
    found = listed if isinstance(listed, list) else []
    if not 1 <= len(found) <= most or not all(isinstance(one, str) and one for one in found):
        raise Invalid(f"{name} must be a list of 1 to {most} strings")
    return tuple(dict.fromkeys(found))


def _text_field(sent: Mapping[str, object], name: str) -> str | None:
    value = _field(sent, name)
    if value is None:
        return None
    # SQLite ends a pattern at NUL, which would match more than requested, and rejects very long ones.
    if not isinstance(value, str) or not value.strip() or "\0" in value or len(value) > MAX_CHARS:
        raise Invalid(f"{name} must be text of at most {MAX_CHARS} characters")
    return value.strip()


def _instant_field(sent: Mapping[str, object], name: str) -> str | None:
    text = _text_field(sent, name)
    try:
        return text and clock.to_text(clock.given(text))
    except ValueError as error:
        raise Invalid(f"{name} must be an ISO timestamp") from error
