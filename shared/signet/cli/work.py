"""Format the daemon's background work for people: amount per kind, rate, and reasons for waiting."""

import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from signet import clock
from signet.cli import output
from signet.cli.output import Ink

if TYPE_CHECKING:
    from signet.client import Signet
    from signet.client.answers import Backfill, PipelineStatus

#: Jobs per second below which the rate counts as zero.
SLOWEST = 0.05
_ERROR_CHARS = 100
_CELL = 10
#: Column width of `13 min 27 s`.
_TIME_CELL = 14


class Left(NamedTuple):
    """Unfinished jobs: `open` ones can run, `stopped` ones wait for an unreachable provider."""

    open: int
    stopped: int


def remaining(pipeline: "PipelineStatus") -> Left:
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


def why(pipeline: "PipelineStatus") -> list[str]:
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


def table(pipeline: "PipelineStatus", ink: Ink) -> Iterator[str]:
    """Yield a header and a line for each kind with work."""
    rows = [
        (kind, one)
        for kind, one in _kinds(pipeline).items()
        if one["pending"] or one["leased"] or one["dead"]
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


def last_error(pipeline: "PipelineStatus") -> str | None:
    """Return the error of the last dead job."""
    found: Mapping[str, Any] | None = pipeline["queues"]["memory"]["lastError"]
    if not found:
        return None
    said = output.short(output.plain(str(found["error"])), _ERROR_CHARS)
    return f"{found['kind']} died {_time(found['at'])}: {said}"


def _kinds(pipeline: "PipelineStatus") -> Mapping[str, dict[str, Any]]:
    found: Mapping[str, dict[str, Any]] = pipeline["queues"]["memory"]["byType"]
    return found


def _unserved(pipeline: "PipelineStatus") -> int:
    return sum(one["jobs"] for one in pipeline["queues"]["memory"]["unserved"])


def _breakers(pipeline: "PipelineStatus") -> Sequence[Mapping[str, Any]]:
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


#: Seconds between updates on a terminal.
LOOK_SECONDS = 0.5
#: Seconds between plain lines where nothing can be redrawn.
PLAIN_SECONDS = 3.0
#: Seconds without progress after which the jobs count as stuck.
PATIENCE_SECONDS = 60.0


class Meter:
    """Progress since the first poll, and whether anything is left to wait for."""

    def __init__(self, signet: "Signet", *, follow: bool) -> None:
        self._signet = signet
        self._follow = follow
        self._began = self._moved = time.monotonic()
        self.pipeline: PipelineStatus = signet.pipeline_status()
        self._first = self._completed

    @property
    def _completed(self) -> int:
        return int(self.pipeline["queues"]["memory"]["completed"])

    @property
    def done(self) -> int:
        """Return how many jobs completed since the start."""
        return max(0, self._completed - self._first)

    @property
    def seconds(self) -> float:
        """Return the seconds since the start."""
        return time.monotonic() - self._began

    def refresh(self) -> None:
        before, self.pipeline = self.pipeline, self._signet.pipeline_status()
        if before["queues"] != self.pipeline["queues"]:
            self._moved = time.monotonic()

    @property
    def is_over(self) -> bool:
        """Return whether no job can run now."""
        if self._follow:
            return False
        is_stuck = time.monotonic() - self._moved > PATIENCE_SECONDS
        return self.pipeline["paused"] or not remaining(self.pipeline).open or is_stuck


class Board:
    """Lines on stderr that are redrawn, and removed at the end."""

    def __init__(self) -> None:
        self._lines = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._lines:
            self.draw([])

    def draw(self, lines: list[str]) -> None:
        back = f"\x1b[{self._lines}A" if self._lines else ""
        try:
            sys.stderr.write(f"\r{back}\x1b[J" + "".join(f"{line}\n" for line in lines))
            sys.stderr.flush()
        finally:  # Ctrl-C during a write to the terminal
            self._lines = len(lines)


def watch(signet: "Signet", *, follow: bool, as_json: bool) -> None:
    """Draw the progress until all is done, then print the rest; as JSON print each change as a line."""
    meter = Meter(signet, follow=follow)
    ink = output.ink(sys.stderr)
    said: object = None
    with Board() as board:
        while not meter.is_over:
            if as_json and said != (said := _counts(meter)):
                output.show(said)
                sys.stdout.flush()
            elif not as_json and not output.is_quiet():
                if output.is_live(sys.stderr):
                    board.draw(_lines(meter, ink))
                elif said != (said := meter.seconds // PLAIN_SECONDS):
                    output.tell(_plain(meter))
            time.sleep(LOOK_SECONDS)
            meter.refresh()
    if as_json:
        output.show(_counts(meter))
        return
    output.say(f"{output.count(meter.done, 'job')} done in {meter.seconds:.1f} s")
    left = remaining(meter.pipeline)
    if left.open:
        output.advise(f"{left.open} still open. See: signet jobs list --status pending")
    if left.stopped:
        output.say(f"{left.stopped} wait")
    for reason in why(meter.pipeline):
        output.advise(reason[0].upper() + reason[1:])


def _counts(meter: Meter) -> dict[str, object]:
    left, totals = remaining(meter.pipeline), meter.pipeline["queues"]["memory"]
    return {
        "completed": meter.done,
        "open": left.open,
        "waiting": left.stopped,
        "dead": totals["dead"],
        "paused": meter.pipeline["paused"],
        "why": why(meter.pipeline),
    }


def _lines(meter: Meter, ink: output.Ink) -> list[str]:
    left = remaining(meter.pipeline)
    total = meter.done + left.open + left.stopped
    counted = f"{output.bar(meter.done, total, ink)}  {meter.done} of {total} jobs"
    lines = [
        f"Working  {counted}  {ink.dim(f'{meter.seconds:.0f} s')}",
        "",
        *table(meter.pipeline, ink),
    ]
    lines += [ink.warn(f"! {reason}") for reason in why(meter.pipeline)]
    if (error := last_error(meter.pipeline)) is not None:
        lines.append(ink.dim(error))
    # A line that wraps to two would be redrawn only half.
    return [f"  {line}" if line else line for line in lines]


def _plain(meter: Meter) -> str:
    left = remaining(meter.pipeline)
    text = f"Working: {meter.done} done, {left.open + left.stopped} to go"
    reasons = "; ".join(why(meter.pipeline))
    return f"{text} ({reasons})" if reasons else text


def backfill_line(found: "Backfill") -> str:
    if found["state"] == "none":
        return "No earlier sessions were read. List them with: signet backfill --dry-run"
    done = found["sessions"] - found["waiting"]
    text = f"{done} of {output.count(found['sessions'], 'session')} read"
    if found["known"]:
        text += f", {found['known']} of them without new content"
    if found["failed"]:
        text += f", {found['failed']} could not be read"
    if found["state"] == "running":
        text += f"; about {clock.span(found['seconds'])} left"
    elif found["state"] == "finishing":
        text += f"; {max(found['indexing'], found['summarizing'])} still being processed"
    return text
