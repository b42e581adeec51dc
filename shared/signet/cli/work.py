"""Format the daemon's background work for people: amount per kind, rate, and reasons for waiting."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from signet import clock
from signet.cli import output
from signet.cli.output import Ink
from signet.client.answers import PipelineStatus

#: Jobs per second below which the rate counts as zero.
SLOWEST = 0.05
_ERROR_CHARS = 100
_CELL = 10
#: Column width of `13 min 27 s`.
_TIME_CELL = 14


@dataclass(frozen=True, slots=True, kw_only=True)
class Left:
    """Unfinished jobs: `open` ones can run, `stopped` ones wait for an unreachable provider."""

    open: int
    stopped: int


def left(pipeline: PipelineStatus) -> Left:
    """Return the jobs to wait for, and the stopped ones. Pure."""
    stopped_queues = {queue for one in _breakers(pipeline) for queue in one["queues"]}
    stopped = still = 0
    for one in _kinds(pipeline).values():
        waits = one["waiting"] + one["delayed"]
        if one["queue"] in stopped_queues:
            stopped += waits
        else:
            still += waits
        still += one["running"]
    return Left(open=still - _unserved(pipeline), stopped=stopped)


def why(pipeline: PipelineStatus) -> list[str]:
    """Return why jobs wait, other than for their turn. Pure."""
    found = []
    for pause in pipeline["pauses"]:
        is_all = pause["queue"] == "all"
        name, resume = ("all queues", "") if is_all else (pause["queue"], f" {pause['queue']}")
        by = f" by {output.plain(pause['by'])}" if pause["by"] else ""
        since = _time(str(pause["since"]))
        found.append(f"{name}: paused since {since}{by} · resume with: signet jobs resume{resume}")
    if pipeline["mode"] == "disabled":
        found.append("the pipeline is disabled in agent.yaml")
    for budget in pipeline["providers"]["budgets"]:
        if budget["usedUp"]:
            found.append(
                f"{budget['provider']} used its hourly budget: {budget['calls']} of {budget['maxCallsPerHour']} calls,"
                f" {budget['tokens']} of {budget['maxTokensPerHour']} tokens"
            )
    for one in _breakers(pipeline):
        said = output.short(output.plain(one["error"] or "its model is unreachable"), _ERROR_CHARS)
        again = f", next attempt {_time(one['retryAt'])}" if one["retryAt"] else ""
        jobs = output.count(one["waiting"], "job")
        held = f"paused since {_time(one['since'])}, {jobs} wait{'s' * (one['waiting'] == 1)}"
        found.append(f"{', '.join(one['queues'])}: {said} · {held}{again}")
    if unserved := _unserved(pipeline):
        kinds = ", ".join(sorted({one["kind"] for one in pipeline["queues"]["memory"]["unserved"]}))
        jobs = output.count(unserved, "job")
        found.append(
            f"{jobs} of unknown kinds ({output.plain(kinds)}), kept for a version that can run them"
        )
    if not pipeline["workers"]["extraction"]["running"]:
        found.append("the worker is not running")
    return found


def table(pipeline: PipelineStatus, ink: Ink) -> Iterator[str]:
    """Yield a header and a line for each kind with work."""
    rows = [
        (kind, one)
        for kind, one in _kinds(pipeline).items()
        if one["pending"] or one["leased"] or one["dead"] or one["perSecond"] >= SLOWEST
    ]
    if not rows:
        return
    wide = max(len(kind) for kind, _ in rows)
    names = ("waiting", "later", "running", "dead", "rate", "time left")
    yield ink.dim(f"{'':<{wide}}" + "".join(_cells(names)))
    for kind, one in rows:
        speed = f"{one['perSecond']:.1f}/s" if one["perSecond"] >= SLOWEST else "–"
        cells = [
            str(one["waiting"]),
            str(one["delayed"]),
            str(one["running"]),
            str(one["dead"]),
            speed,
            _eta(one),
        ]
        texts = _cells(cells)
        if one["dead"]:
            texts[3] = ink.bad(texts[3])
        yield ink.name(f"{kind:<{wide}}") + "".join(texts)


def last_error(pipeline: PipelineStatus) -> str | None:
    """Return the error of the last dead job."""
    found: Mapping[str, Any] | None = pipeline["queues"]["memory"]["lastError"]
    if not found:
        return None
    said = output.short(output.plain(str(found["error"])), _ERROR_CHARS)
    return f"{found['kind']} died {_time(found['at'])}: {said}"


def _kinds(pipeline: PipelineStatus) -> Mapping[str, dict[str, Any]]:
    found: Mapping[str, dict[str, Any]] = pipeline["queues"]["memory"]["byType"]
    return found


def _unserved(pipeline: PipelineStatus) -> int:
    return sum(one["jobs"] for one in pipeline["queues"]["memory"]["unserved"])


def _breakers(pipeline: PipelineStatus) -> Sequence[Mapping[str, Any]]:
    return pipeline["providers"]["breakers"]


def _cells(texts: Sequence[str]) -> list[str]:
    *numbers, time = texts
    return [*(f"{text:>{_CELL}}" for text in numbers), f"{time:>{_TIME_CELL}}"]


def _eta(one: Mapping[str, Any]) -> str:
    if one["etaSec"] is None:
        return "–"
    return clock.span(one["etaSec"]) if one["waiting"] + one["running"] else ""


def _time(instant: str) -> str:
    """Return a local time, with its date unless it is today."""
    then, today = clock.parse(instant).astimezone(), clock.now().astimezone().date()
    return then.strftime("%H:%M:%S" if then.date() == today else "%Y-%m-%d %H:%M")
