"""Cost of observing a save: the API against the same API without observability (blind_api.py).

Both run at once over separate workspaces and get requests in short alternating turns, so that other load affects both
equally. Each caller has a name, so that every counter is used.
"""

from loadtests import measure
from loadtests.client import Load
from loadtests.report import Options, Report
from loadtests.scenarios.remember import COLUMNS, REMEMBER, Runs
from loadtests.stack import API, BLIND_API, Stack

ROUNDS = 8


def run(options: Options) -> Report:
    """Measure and report."""
    report = Report(COLUMNS)
    rounds = options.rounds or ROUNDS
    seeing, blind = Runs(), Runs()
    with Stack(options.folder / "seeing") as one, Stack(options.folder / "blind") as other:
        one.start(API)
        other.start(BLIND_API)
        pair = [(one, seeing), (other, blind)]
        for stack, _ in pair:
            _turn(stack, Runs(), options, seconds=1.0, name="warm")
        for turn in range(rounds):
            # Alternate the order, so that a slow start of a turn affects both.
            for stack, runs in pair if turn % 2 else reversed(pair):
                _turn(stack, runs, options, seconds=options.seconds / rounds / 2, name=f"t{turn}")
    report.rows += [seeing.row("remember, observed"), blind.row("remember, not observed")]
    shares = [
        measure.ratio(ours.per_second, theirs.per_second)
        for ours, theirs in zip(seeing.tallies, blind.tallies, strict=True)
    ]
    report.figures |= {
        "per_second": seeing.per_second,
        "blind_per_second": blind.per_second,
        "rate_share": measure.median(shares),
        "cpu_us": seeing.cpu,
        "cpu_share": measure.ratio(blind.cpu, seeing.cpu),
    }
    return report


def _turn(stack: Stack, runs: Runs, options: Options, *, seconds: float, name: str) -> None:
    assert stack.api is not None
    load = Load(
        port=stack.port,
        path=REMEMBER,
        kind="remember",
        seconds=seconds,
        clients=options.clients,
        seed=options.seed,
        name=name,
        actor="load",
    )
    runs.turn(load, stack.api)
