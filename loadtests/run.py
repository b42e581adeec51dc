"""Run one load test: `python loadtests/run.py SCENARIO [--seconds N --seed S --clients N --json FILE --check]`.

A table goes to stderr, one JSON line to stdout and to `--json`. With `--check` the exit status is 1 if a ratio of
thresholds.toml is missed. README.md describes the scenarios.
"""

import argparse
import importlib
import json
import math
import os
import shutil
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCES = [
    ROOT,
    *(ROOT / part for part in ("shared", "services/api", "services/worker", "services/scheduler")),
]

SCENARIOS = {
    # name: default seconds
    "remember": 18.0,
    "observe": 24.0,
    "recall": 15.0,
    "recall_scale": 10.0,
    "mixed": 20.0,
    "queue": 10.0,
    "poison": 10.0,
    "llm": 0.0,
    "session_end": 0.0,
    "hooks": 0.0,
    "delivery": 0.0,
    "asked": 0.0,
    "said": 0.0,
    "ownday": 0.0,
    "askedtwice": 0.0,
    "corrections": 0.0,
    "machines": 0.0,
    "languages": 0.0,
    "statements": 0.0,
    "everyday": 0.0,
    "forgetting": 0.0,
    "shipped": 0.0,
    "crash": 0.0,
    "partition": 0.0,
    "engines": 0.0,
    "postgres": 8.0,
    "clock": 0.0,
    "cli": 0.0,
    "idle": 20.0,
    "dashboard": 0.0,
    "backfill": 0.0,
    "questions": 0.0,
    "fuzz": 420.0,
    "small_model": 0.0,
}


def main() -> int:
    """Run a scenario and return the exit status."""
    asked = _arguments()
    sys.path[:0] = [str(source) for source in SOURCES]
    sys.path.append(str(ROOT / "tests"))  # for the programs of a PostgreSQL server
    os.environ["PYTHONPATH"] = os.pathsep.join(map(str, SOURCES))
    from loadtests.report import Options, judge

    scenario = importlib.import_module(f"loadtests.scenarios.{asked.scenario}")
    folder = Path(tempfile.mkdtemp(prefix=f"signet-{asked.scenario}-"))
    try:
        report = scenario.run(
            Options(
                seconds=asked.seconds or SCENARIOS[asked.scenario],
                seed=asked.seed,
                clients=asked.clients,
                rounds=asked.rounds,
                count=asked.count[0] if asked.count else None,
                counts=tuple(asked.count or ()),
                folder=folder,
                peers_python=asked.peers,
                data=asked.data,
                model=asked.model,
            )
        )
    finally:
        if asked.keep:
            print(f"kept: {folder}", file=sys.stderr)
        else:
            shutil.rmtree(folder, ignore_errors=True)
    verdicts = judge(asked.scenario, report.figures)
    print(report.table(), file=sys.stderr)
    for verdict in verdicts:
        state = "met" if verdict.is_met else "MISSED"
        print(
            f"{state}: {verdict.name} {verdict.value:.3g}, wanted {verdict.wanted}", file=sys.stderr
        )
    figures = {name: None if math.isnan(value) else value for name, value in report.figures.items()}
    missed = [verdict.name for verdict in verdicts if not verdict.is_met]
    line = json.dumps({"scenario": asked.scenario, "seed": asked.seed, **figures, "missed": missed})
    print(line)
    if asked.json:
        asked.json.write_text(line + "\n")
    failed = any(verdict.fails_run and not verdict.is_met for verdict in verdicts)
    return 1 if asked.check and failed else 0


def _whole(text: str) -> list[int]:
    return [int(part) for part in text.split(",")]


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("scenario", choices=SCENARIOS)
    parser.add_argument("--seconds", type=float, help="how long to measure")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--clients", type=int, default=32)
    parser.add_argument("--rounds", type=int, help="turns (or, for crash, kills)")
    parser.add_argument(
        "--count",
        type=_whole,
        help="memories or jobs; for recall_scale several, for shipped and asked conversations",
    )
    parser.add_argument("--json", type=Path, help="also write the JSON line here")
    parser.add_argument("--check", action="store_true", help="exit 1 when a ratio is missed")
    parser.add_argument("--keep", action="store_true", help="keep the temporary folder")
    parser.add_argument(
        "--peers",
        default=os.environ.get("SIGNET_PEERS_PYTHON", sys.executable),
        help="the Python that has huey, redis and dramatiq[redis]",
    )
    parser.add_argument(
        "--data",
        type=Path,
        default=ROOT.parent / "shared" / "data",
        help="the evaluation data; for questions one file",
    )
    parser.add_argument(
        "--model",
        help="an installed embedding model, see `signet models list` (everyday)",
    )
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
