"""One failing job in twenty: what is left of the throughput of the healthy ones.

Clean and poisoned drains take turns, in changing order; both have the same number of healthy no-op jobs, so many that
a drain takes about a second: shorter ones vary more. The jobs are sent once and each turn drains a copy of that file,
because to send them takes several times as long. A poisoned job fails at once, each time it is tried, and is retried
like any other.

The ratio of one turn has a standard deviation of 0.07 to 0.09. So there are many, and what is left is their geometric
mean (half as quick weighs as much as twice as quick), with its standard error beside it. A mean nearer to the target
than two such errors says neither yes nor no: take more `--rounds`.
"""

import math
import os
import shutil
import statistics
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from loadtests import measure
from loadtests.peers import Contender, contenders
from loadtests.report import Options, Report

from signet.db.driver import connect
from signet.paths import Workspace

ROUNDS = 25
JOBS = 10_000
ONE_IN = 20
#: Tells the worker of contenders/ours.py which jobs to fail: every n-th.
POISON = "SIGNET_LOADTEST_POISON"


def run(options: Options) -> Report:
    """Measure and report."""
    report = Report(("what", "healthy jobs", "per second (median)", "worst", "best"))
    healthy = options.count or JOBS
    rates: dict[int, list[float]] = {0: [], ONE_IN: []}
    with contenders(options.folder, "") as (playing, _):
        sent = {one_in: _send(playing[0], healthy, one_in) for one_in in rates}
        for turn in range(options.rounds or ROUNDS):
            for one_in in sorted(rates, reverse=turn % 2 == 1):
                place = Path(shutil.copytree(sent[one_in], options.folder / "turn"))
                rates[one_in].append(_rate(playing[0], place, healthy, one_in))
                shutil.rmtree(place)
    for name, found in zip(("clean", "poisoned"), rates.values(), strict=True):
        report.rows.append([name, healthy, measure.median(found), min(found), max(found)])
    ratios = [measure.ratio(*pair) for pair in zip(rates[ONE_IN], rates[0], strict=True)]
    left = statistics.geometric_mean(ratios)
    report.figures |= {
        "clean": measure.median(rates[0]),
        "healthy_ratio": left,
        "healthy_ratio_error": left * _error([math.log(ratio) for ratio in ratios]),
        "healthy_ratio_worst": min(ratios),
        "healthy_ratio_best": max(ratios),
    }
    return report


def _error(values: Sequence[float]) -> float:
    """Return the standard error of the mean; NaN of a single value."""
    return statistics.stdev(values) / math.sqrt(len(values)) if len(values) > 1 else math.nan


def _send(contender: Contender, healthy: int, one_in: int) -> Path:
    """Send the jobs of a turn, of which every `one_in`-th is to fail (0: none); return a place that may be copied."""
    place = contender.fresh()
    jobs = healthy * one_in // (one_in - 1) if one_in else healthy
    contender.start("send", place, jobs).result()
    with closing(connect(Workspace(Path(place)).database)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")  # a copy of the file alone has it all
    return Path(place)


def _rate(contender: Contender, place: Path, healthy: int, one_in: int) -> float:
    """Return healthy jobs per second of a drain in which every `one_in`-th job fails; 0: none does."""
    os.environ[POISON] = str(one_in)
    worker = contender.start("work", str(place), healthy - 1).result()
    began: list[float] = sorted(instant for _, instant in worker["began"])
    return (len(began) - 1) / (began[-1] - began[0])
