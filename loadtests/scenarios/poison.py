"""One failing job in twenty: what is left of the throughput of the healthy ones.

Clean and poisoned runs take turns; both have the same number of healthy no-op jobs, so many that a drain takes about a
second: shorter ones vary by a fifth from run to run. A poisoned job fails at once, each time it is tried, and is
retried like any other. What is left is the median of what it is in each turn.
"""

import os

from loadtests import measure
from loadtests.peers import Contender, contenders
from loadtests.report import Options, Report

ROUNDS = 7
JOBS = 10_000
ONE_IN = 20
#: Tells the worker of contenders/ours.py which jobs to fail: every n-th.
POISON = "SIGNET_LOADTEST_POISON"


def run(options: Options) -> Report:
    """Measure and report."""
    report = Report(("what", "healthy jobs", "per second (median)", "worst", "best"))
    healthy = options.count or JOBS
    rates: dict[str, list[float]] = {"clean": [], "poisoned": []}
    with contenders(options.folder, "") as (playing, _):
        for _ in range(options.rounds or ROUNDS):
            rates["clean"].append(_rate(playing[0], healthy, 0))
            rates["poisoned"].append(_rate(playing[0], healthy, ONE_IN))
    for name, found in rates.items():
        report.rows.append([name, healthy, measure.median(found), min(found), max(found)])
    ratios = [measure.ratio(*pair) for pair in zip(rates["poisoned"], rates["clean"], strict=True)]
    report.figures |= {
        "clean": measure.median(rates["clean"]),
        "healthy_ratio": measure.median(ratios),
        "healthy_ratio_worst": min(ratios),
        "healthy_ratio_best": max(ratios),
    }
    return report


def _rate(contender: Contender, healthy: int, one_in: int) -> float:
    """Return healthy jobs per second of a drain in which every `one_in`-th job fails; 0: none does."""
    place = contender.fresh()
    jobs = healthy * one_in // (one_in - 1) if one_in else healthy
    contender.start("send", place, jobs).result()
    os.environ[POISON] = str(one_in)
    worker = contender.start("work", place, healthy - 1).result()
    began: list[float] = sorted(instant for _, instant in worker["began"])
    return (len(began) - 1) / (began[-1] - began[0])
