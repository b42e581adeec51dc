"""All repairs, from `catalog.toml`: names, options and rate limits. Pure data.

Read by the routes, the command line and the tests; imports neither the database nor anything else that is slow.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from signet import resources
from signet.config.pipeline import Repair


class RowFilter(StrEnum):
    IDS = "ids"
    KIND = "kind"
    AGE = "age"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class Limits:
    """The pause between two runs, and the maximum runs per hour."""

    cooldown_ms: int
    per_hour: int


@dataclass(frozen=True, slots=True)
class Option:
    """One field of a body. Numbers have bounds; a default of None comes from the settings, or means required."""

    name: str
    help: str
    default: int | float | bool | str | None = None
    low: float = 0
    high: float = 0
    type: type = int
    choices: tuple[str, ...] = ()
    is_required: bool = False
    #: The setting of `pipelineV2.repair` with the default.
    setting: str | None = None


@dataclass(frozen=True, slots=True)
class RepairAction:
    """One repair. `limits` is fixed, or the name of the settings' pair of cooldown and budget."""

    name: str
    path: str
    help: str
    limits: Limits | str
    hourly: int | None = None
    options: tuple[Option, ...] = ()
    filters: tuple[RowFilter, ...] = ()
    #: It previews by default.
    looks_first: bool = False
    #: The option that enables changes (`check-fts` checks, and repairs with its option).
    switch: str | None = None
    #: Concurrent callers share one run's result.
    is_shared: bool = False
    #: Only the worker has its requirements: a model, or unlimited time.
    needs_worker: bool = False
    #: The noun of its IDs.
    noun: str = "row"
    #: The kind of its job.
    kind: str = "repair"

    def limits_of(self, settings: Repair) -> Limits:
        if isinstance(self.limits, Limits):
            return self.limits
        found = {
            "requeue": Limits(settings.requeue_cooldown_ms, settings.requeue_hourly_budget),
            "reembed": Limits(settings.reembed_cooldown_ms, settings.reembed_hourly_budget),
            "dedup": Limits(settings.dedup_cooldown_ms, settings.dedup_hourly_budget),
        }[self.limits]
        return Limits(found.cooldown_ms, self.hourly or found.per_hour)


def _action(name: str, row: dict[str, Any]) -> RepairAction:
    """Return the action of a row of the table."""
    limits = row.pop("limits")
    return RepairAction(
        name=name,
        limits=limits if isinstance(limits, str) else Limits(*limits),
        options=tuple(_option(name, one) for name, one in row.pop("options", {}).items()),
        filters=tuple(map(RowFilter, row.pop("filters", ()))),
        **row,
    )


def _option(name: str, row: dict[str, Any]) -> Option:
    kind = {"int": int, "float": float, "bool": bool, "str": str}[row.pop("type", "int")]
    return Option(name, type=kind, choices=tuple(row.pop("choices", ())), **row)


ACTIONS = tuple(_action(name, row) for name, row in resources.table(__file__).items())
BY_NAME: Mapping[str, RepairAction] = {action.name: action for action in ACTIONS}
BY_PATH: Mapping[str, RepairAction] = {action.path: action for action in ACTIONS}
