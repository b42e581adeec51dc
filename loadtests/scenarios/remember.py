"""Time durable saves by many concurrent clients.

Compared in the same run, in turns, with a no-op route of the same application, and with bare SQLite transactions that
write the same rows singly and in groups of 32. Once with the API alone, once with worker and scheduler.
"""

from loadtests import floor, measure
from loadtests.client import Load, Tally
from loadtests.report import Options, Report
from loadtests.stack import NOOP_API, SCHEDULER, WORKER, Stack

ROUNDS = 3
FLOOR_MEMORIES = 3_000
#: Either is enough: requests per second, or the share of the no-op's rate.
ENOUGH_PER_SECOND = 1_500
ENOUGH_RATIO = 0.6
REMEMBER, NOOP = "/api/memory/remember", "/noop"
COLUMNS = ("what", "per second", "p50 ms", "p99 ms", "API µs each", "client µs each", "failed")


class Runs:
    """The turns of one variant."""

    def __init__(self) -> None:
        self.tallies: list[Tally] = []
        self.cpu_us: list[float] = []

    def turn(self, load: Load, api: int) -> None:
        """Run one turn and record the API's processor time per answer."""
        before = measure.cpu_seconds(api)
        tally = load.run()
        self.tallies.append(tally)
        self.cpu_us.append((measure.cpu_seconds(api) - before) * 1e6 / len(tally.latencies_ms))

    @property
    def per_second(self) -> float:
        return measure.median(tally.per_second for tally in self.tallies)

    @property
    def cpu(self) -> float:
        return measure.median(self.cpu_us)

    def row(self, label: str) -> list[object]:
        """Return the medians of the turns."""
        tallies = self.tallies
        answers = sum(len(tally.latencies_ms) for tally in tallies)
        return [
            label,
            self.per_second,
            measure.median(tally.at(50) for tally in tallies),
            measure.median(tally.at(99) for tally in tallies),
            self.cpu,
            sum(tally.cpu_seconds for tally in tallies) * 1e6 / answers,
            answers - sum(tally.statuses.get("200", 0) for tally in tallies),
        ]


def run(options: Options) -> Report:
    """Measure and report."""
    report = Report(COLUMNS)
    rounds = options.rounds or ROUNDS
    seconds = options.seconds / rounds
    with Stack(options.folder / "ws") as stack:
        stack.start(NOOP_API)
        noop, alone = Runs(), Runs()
        _turns(stack, options, seconds=1.0, rounds=1, name="warm", noop=Runs(), remember=Runs())
        _turns(
            stack, options, seconds=seconds, rounds=rounds, name="alone", noop=noop, remember=alone
        )
        stack.start(WORKER, SCHEDULER)
        busy_noop, busy = Runs(), Runs()
        _turns(
            stack,
            options,
            seconds=seconds,
            rounds=rounds,
            name="busy",
            noop=busy_noop,
            remember=busy,
        )
        database = stack.workspace.database
    memories = floor.rows_of_memories(database, options.count or FLOOR_MEMORIES)
    single = floor.replay(memories, options.folder / "single.db", group=1)
    grouped = floor.replay(memories, options.folder / "grouped.db", group=32)
    report.rows += [
        noop.row("no-op body, same app"),
        alone.row("remember, API alone"),
        busy_noop.row("no-op body, worker running"),
        busy.row("remember, worker running"),
        ["SQLite, the same rows, 1 in a commit", single, *["-"] * 5],
        ["SQLite, the same rows, 32 in a commit", grouped, *["-"] * 5],
    ]
    report.figures |= {
        "per_second": alone.per_second,
        "noop_ratio": measure.ratio(alone.per_second, noop.per_second),
        "rate_or_ratio": max(
            alone.per_second / ENOUGH_PER_SECOND,
            measure.ratio(alone.per_second, noop.per_second) / ENOUGH_RATIO,
        ),
        "cpu_us": alone.cpu,
        "cpu_noop_ratio": measure.ratio(alone.cpu, noop.cpu),
        "sqlite_ratio": measure.ratio(alone.per_second, grouped),
        "busy_per_second": busy.per_second,
        "busy_noop_ratio": measure.ratio(busy.per_second, busy_noop.per_second),
        "busy_share": measure.ratio(busy.per_second, alone.per_second),
        "rows_each": sum(map(len, memories)) / len(memories),
    }
    return report


def _turns(
    stack: Stack,
    options: Options,
    *,
    seconds: float,
    rounds: int,
    name: str,
    noop: Runs,
    remember: Runs,
) -> None:
    assert stack.api is not None
    for turn in range(rounds):
        for path, runs in ((NOOP, noop), (REMEMBER, remember)):
            load = Load(
                port=stack.port,
                path=path,
                kind="remember",
                seconds=seconds,
                clients=options.clients,
                seed=options.seed,
                name=f"{name}{turn}",
            )
            runs.turn(load, stack.api)
