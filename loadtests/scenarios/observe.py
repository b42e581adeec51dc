"""What observing costs a save: the API as it is, and the same API with its eyes closed (blind_api.py).

Both run at once over workspaces of their own and are asked in short turns, first one, then the other, so that what
else the machine does meets both alike. Each caller has a name, so that all that can be counted is counted.
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
            # Who is first changes, so that a slow start of a turn is nobody's.
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
