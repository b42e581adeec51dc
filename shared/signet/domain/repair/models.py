"""Orders and results of repairs. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from signet.config import Settings
from signet.domain.memory.models import Actor
from signet.domain.repair.catalog import Action
from signet.errors import Kind, SignetError

Value = int | float | bool | str


class Reason(StrEnum):
    """Why a repair was not performed."""

    FROZEN = "frozen"
    DISABLED = "disabled"
    COOLDOWN = "cooldown"
    BUDGET = "budget"
    BUSY = "busy"
    #: A required model does not answer.
    UNAVAILABLE = "unavailable"
    ERROR = "error"


class Refused(SignetError):
    """This repair may not run now, or failed. Nothing beyond the reported changes was done."""

    kind = Kind.LIMITED
    code = "repair_refused"

    def __init__(self, reason: Reason, message: str, *, wait_ms: int | None = None) -> None:
        super().__init__(message)
        self.reason = reason
        self.wait_ms = wait_ms


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """Row filters; None matches every row. `since` and `until` (ISO text) bound the age, `error` is part of an error,
    in which `*` matches any text.
    """

    ids: tuple[str, ...] | None = None
    kinds: tuple[str, ...] | None = None
    since: str | None = None
    until: str | None = None
    error: str | None = None


EVERY = Chosen()


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """A requested repair at the time `now`."""

    action: Action
    settings: Settings
    actor: Actor
    now: datetime
    monotonic_ms: int
    options: Mapping[str, Value] = field(default_factory=dict)
    chosen: Chosen = EVERY
    reason: str = "manual repair"
    is_dry: bool = False

    def number(self, name: str) -> int:
        """Return an integer option."""
        return int(self.options[name])

    def is_on(self, name: str) -> bool:
        """Return a boolean option."""
        return bool(self.options[name])

    @property
    def is_automatic(self) -> bool:
        """Return whether maintenance requests it; no caller can claim to be the daemon (RP-4)."""
        return self.actor.type == "daemon"

    @property
    def writes(self) -> bool:
        """Return whether rows may be changed."""
        switch = self.action.switch
        return not self.is_dry and (switch is None or self.is_on(switch))


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """The changes of a repair, made or previewed; `extra` adds fields to the answer."""

    affected: int
    message: str
    details: Mapping[str, object] = field(default_factory=dict)
    extra: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """The answer to an order."""

    action: str
    success: bool
    affected: int = 0
    message: str
    details: Mapping[str, object] = field(default_factory=dict)
    extra: Mapping[str, object] = field(default_factory=dict)
    reason: Reason | None = None
    wait_ms: int | None = None
    #: The job that continues it until it is finished.
    job_id: str | None = None

    @classmethod
    def of(cls, order: Order, done: Done) -> "Result":
        """Return the answer for completed changes."""
        return cls(
            action=order.action.name,
            success=True,
            affected=done.affected,
            message=done.message,
            details=done.details,
            extra=done.extra,
        )

    @classmethod
    def refused(cls, order: Order, error: Refused, *, affected: int = 0) -> "Result":
        """Return the answer for a refusal."""
        return cls(
            action=order.action.name,
            success=False,
            affected=affected,
            message=error.message,
            reason=error.reason,
            wait_ms=error.wait_ms,
        )

    @classmethod
    def failed(cls, order: Order, message: str) -> "Result":
        """Return the answer for an error."""
        name = order.action.name
        return cls(action=name, success=False, message=message, reason=Reason.ERROR)

    def body(self) -> dict[str, object]:
        """Return the answer's JSON."""
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
