"""One failing job in twenty: the remaining throughput of healthy ones.

Clean and poisoned drains alternate; both have the same number of healthy no-op jobs, enough for about a second,
because shorter drains vary more. The jobs are sent once and each turn drains a copy of that file, because sending
takes several times as long. A poisoned job fails at once at each attempt, and is retried like any other.

One turn's ratio has a standard deviation of 0.07 to 0.09. So there are many turns, and the result is their geometric
mean (half as fast weighs as much as twice as fast) with its standard error. A mean within two errors of the target is
inconclusive: use more `--rounds`.
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
#: The variable that tells contenders/ours.py which jobs fail: every n-th.
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
    """Return the standard error of the mean; NaN for a single value."""
    return statistics.stdev(values) / math.sqrt(len(values)) if len(values) > 1 else math.nan


def _send(contender: Contender, healthy: int, one_in: int) -> Path:
    """Send the jobs of a turn, every `one_in`-th of them failing (0: none); return a place that can be copied."""
    place = contender.fresh()
    jobs = healthy * one_in // (one_in - 1) if one_in else healthy
    contender.start("send", place, jobs).result()
    with closing(connect(Workspace(Path(place)).database)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")  # the file alone is complete
    return Path(place)


def _rate(contender: Contender, place: Path, healthy: int, one_in: int) -> float:
    """Return healthy jobs per second of a drain with every `one_in`-th job failing (0: none)."""
    os.environ[POISON] = str(one_in)
    worker = contender.start("work", str(place), healthy - 1).result()
    began: list[float] = sorted(instant for _, instant in worker["began"])
    return (len(began) - 1) / (began[-1] - began[0])
