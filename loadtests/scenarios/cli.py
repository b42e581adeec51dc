"""Time commands against a Python that does nothing, in turns: `signet`, `--help`, `recall`, `status`, `doctor`.

Modules are compiled, as those of an installed package are. The workspace has 1,000 memories and a running daemon,
started as by `signet daemon start`; the last row is `doctor` after its end, which then checks everything alone.
`ratio` compares medians of waiting times, `cpu_ratio` those of the command's processor time, which a busy machine
disturbs less, but which leaves out what the daemon does for the command.
"""

import os
import subprocess
import sys
import time
from collections import defaultdict

from loadtests import fill, measure
from loadtests.corpus import Corpus
from loadtests.report import Options, Report
from loadtests.stack import Stack, environment

from signet.daemon import control, ready
from signet.process.program import SUPERVISOR_PID

ROUNDS = 25
MEMORIES = 1_000
PYTHON, STOPPED = "empty Python", "doctor, no daemon"
COMMANDS: dict[str, tuple[str, ...]] = {
    "bare": (),
    "help": ("--help",),
    "recall": ("recall", "database backup"),
    "status": ("status",),
    "doctor": ("doctor",),
}


def run(options: Options) -> Report:
    """Measure and report."""
    report = Report(("command", "p50 ms", "× Python", "least ms", "processor ms", "× Python"))
    took: dict[str, list[tuple[float, float]]] = defaultdict(list)
    with Stack(options.folder / "ws", settings=fill.NO_MODEL) as stack:
        corpus = Corpus(options.seed)
        fill.memories(stack.workspace, corpus, options.count or MEMORIES, jobs=False)
        port = ready.free_port()
        env = environment(stack.workspace, port)
        for name in ("PYTHONDONTWRITEBYTECODE", SUPERVISOR_PID):
            env.pop(name, None)
        env["PYTHONPYCACHEPREFIX"] = str(options.folder / "compiled")
        signet = (sys.executable, "-c", "from signet.cli.main import run; run()")
        lines: dict[str, tuple[str, ...]] = {PYTHON: (sys.executable, "-c", "pass")}
        lines |= {name: (*signet, *words) for name, words in COMMANDS.items()}
        control.start(stack.workspace, port, tell=lambda text: None)
        try:
            for words in lines.values():
                _once(words, env)
            for _ in range(options.rounds or ROUNDS):
                for name, words in lines.items():
                    took[name].append(_once(words, env))
        finally:
            control.stop(stack.workspace)
        for _ in range(options.rounds or ROUNDS):
            took[STOPPED].append(_once(lines["doctor"], env))
    python = [measure.median(times) for times in zip(*took[PYTHON], strict=True)]
    for name, found in took.items():
        waited, used = zip(*found, strict=True)
        ratios = [measure.ratio(measure.median(waited), python[0])]
        ratios.append(measure.ratio(measure.median(used), python[1]))
        row = [measure.median(waited), ratios[0], min(waited), measure.median(used), ratios[1]]
        report.rows.append([name, *row])
        if name in COMMANDS:
            report.figures |= {f"{name}_ratio": ratios[0], f"{name}_cpu_ratio": ratios[1]}
    return report


def _once(words: tuple[str, ...], env: dict[str, str]) -> tuple[float, float]:
    """Return the waiting time and the processor time (ms) of a command; `doctor` may find something."""
    began = time.perf_counter()
    started = subprocess.Popen(
        words, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    _, status, used = os.wait4(started.pid, 0)
    took = time.perf_counter() - began
    started.returncode = os.waitstatus_to_exitcode(status)
    assert started.stderr is not None
    said = started.stderr.read().decode()
    started.stderr.close()
    assert started.returncode == 0 or "doctor" in words, said
    return took * 1_000, (used.ru_utime + used.ru_stime) * 1_000
