"""A scenario's results, their display, and their targets."""

import math
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

THRESHOLDS = Path(__file__).with_name("thresholds.toml")


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """Command line options of a scenario."""

    seconds: float
    seed: int
    clients: int
    rounds: int | None
    count: int | None
    counts: tuple[int, ...] = ()
    folder: Path
    peers_python: str
    #: The folder of the evaluation data.
    data: Path
    #: The embedding model, if a scenario offers a choice; None for its default.
    model: str | None = None


@dataclass(slots=True)
class Report:
    """A table for people and named figures for programs."""

    columns: Sequence[str]
    rows: list[Sequence[object]] = field(default_factory=list)
    figures: dict[str, float] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def table(self) -> str:
        """Return the rows as aligned text, then the figures and notes."""
        cells = [list(self.columns), *([_show(cell) for cell in row] for row in self.rows)]
        widths = [max(len(row[i]) for row in cells) for i in range(len(self.columns))]
        lines = [
            "  ".join(_pad(cell, w, i) for i, (cell, w) in enumerate(zip(row, widths, strict=True)))
            for row in cells
        ]
        lines.insert(1, "  ".join("-" * width for width in widths))
        width = max((len(name) for name in self.figures), default=0)
        lines += [
            "",
            *(f"{name.ljust(width)}  {_show(value)}" for name, value in self.figures.items()),
        ]
        return "\n".join([*lines, *(f"note: {note}" for note in self.notes)])


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """A target with its figure; a machine-dependent one is printed but never fails."""

    name: str
    value: float
    wanted: str
    is_met: bool
    fails_run: bool


def judge(scenario: str, figures: Mapping[str, float]) -> list[Verdict]:
    """Compare a scenario's figures with thresholds.toml; missing figures are skipped."""
    verdicts = []
    for name, limit in tomllib.loads(THRESHOLDS.read_text()).get(scenario, {}).items():
        value = figures.get(name, math.nan)
        if math.isnan(value):
            continue
        is_met = limit.get("at_least", -math.inf) <= value <= limit.get("at_most", math.inf)
        bounds = [f"≥ {limit['at_least']}"] if "at_least" in limit else []
        bounds += [f"≤ {limit['at_most']}"] if "at_most" in limit else []
        verdicts.append(
            Verdict(
                name=name,
                value=value,
                wanted=" and ".join(bounds),
                is_met=is_met,
                fails_run=not limit.get("machine", False),
            )
        )
    return verdicts


def _show(value: object) -> str:
    if not isinstance(value, float):
        return str(value)
    if math.isnan(value):
        return "-"
    return (
        f"{value:,.0f}"
        if abs(value) >= 1000
        else f"{value:.3g}"
        if abs(value) < 100
        else f"{value:.0f}"
    )


def _pad(cell: str, width: int, column: int) -> str:
    return cell.ljust(width) if column == 0 else cell.rjust(width)
