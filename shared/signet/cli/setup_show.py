"""Print the result of a setup: created files, connections, and the three most important lines."""

import shlex
import sys
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

from signet.care.setup import connect
from signet.care.setup.choices import SetupState
from signet.cli import backfill, output, past
from signet.cli.output import Ink
from signet.cli.setup_do import SetupDone
from signet.config import load
from signet.config.extraction import TextProvider
from signet.config.sections import EmbeddingProvider
from signet.domain.harnesses.registry import HARNESSES
from signet.paths import find_workspace

_LABEL = 12
TRY = 'signet remember "I prefer tabs over spaces"'


def show(done: SetupDone) -> None:
    """Print the result for people."""
    ink = output.ink(sys.stdout)
    for line in (*_steps(done, ink), "", *_closing(done, ink)):
        output.advise(line)


def as_dict(done: SetupDone) -> dict[str, object]:
    """Return the result for programs."""
    prepared, started = done.prepared, done.started
    return {
        "workspace": str(done.plan.workspace.root),
        "state": prepared.state,
        "created": list(prepared.made),
        "changed": list(prepared.changed),
        "skills": list(prepared.skills),
        "git": {"commits": list(prepared.commits), "problem": prepared.git_problem},
        "harnesses": [asdict(one) for one in done.connected],
        "embeddingModel": done.model and done.model.said,
        "extractionModel": done.trial and asdict(done.trial),
        "daemon": {
            "running": started is not None,
            "started": started is not None and started.is_new,
            "url": started.daemon.url if started else None,
        },
        "database": done.upgraded or None,
        "earlier": str(done.earlier.workspace) if done.earlier else None,
        "history": done.history,
    }


def _steps(done: SetupDone, ink: Ink) -> Iterator[str]:
    prepared = done.prepared
    well, lacking = ink.good("✓"), ink.warn("!")
    yield from _row(well, "Workspace", f"{_found(done)} {done.plan.workspace.root}")
    if prepared.made:
        yield from _row(well, "Created", ", ".join(prepared.made))
    if prepared.changed:
        yield from _row(well, "Settings", f"changed {', '.join(prepared.changed)}")
    if prepared.skills:
        yield from _row(well, "Skills", ", ".join(prepared.skills))
    if prepared.commits:
        yield from _row(well, "Git", f"committed {', '.join(prepared.commits)}")
    if prepared.git_problem:
        yield from _row(lacking, "Git", f"no git repository: {prepared.git_problem}")
    if done.upgraded:
        yield from _row(well, "Database", done.upgraded)
    for one in done.connected:
        sign = well if one.is_connected else lacking
        yield from _row(sign, "Harness", one.message + _changed(one.changed))
        for warning in one.warnings:
            yield from _row(lacking, "", warning)
    yield from _models(done, well, lacking)
    if done.imported is not None:
        yield from _row(well, "Import", done.imported)
    elif _is_elsewhere(done) and done.earlier is not None:
        held = output.count(done.earlier.memories or 0, "memory")
        yield from _row(
            lacking,
            "Earlier",
            f"the TypeScript Signet in {done.earlier.workspace} has {held}; "
            f"import them with: signet import {done.earlier.database}",
        )
    if (history := done.history) is not None and history["newSessions"]:
        if done.plan.chosen.reads_history:
            text = f"{backfill.summary(history)}; reading has started. Progress: signet backfill status"
        else:
            text = f"{backfill.summary(history)}; read them with: signet backfill"
        yield from _row(well, "History", text)
    if not prepared.is_news and not any(one.changed for one in done.connected):
        yield from _row(well, "Files", "already complete; nothing was changed")


def _is_elsewhere(done: SetupDone) -> bool:
    """Return whether to mention a TypeScript Signet elsewhere: only at the first setup."""
    is_first = done.prepared.state is not SetupState.REPAIR
    return (
        is_first and done.earlier is not None and done.earlier.workspace != done.plan.workspace.root
    )


def _found(done: SetupDone) -> str:
    words = {
        SetupState.FRESH: "created",
        SetupState.MIGRATION: "taken over",
        SetupState.REPAIR: "found",
    }
    return words[done.prepared.state]


def _changed(paths: tuple[str, ...]) -> str:
    """Return a harness's changed files; skills are only counted."""
    skills = [one for one in paths if Path(one).parent.name == "skills"]
    said = [output.path(one) for one in paths if one not in skills]
    if skills:
        said.append(output.count(len(skills), "skill"))
    return f": {', '.join(said)}" if said else ""


def _models(done: SetupDone, well: str, lacking: str) -> Iterator[str]:
    settings = load(done.plan.workspace).settings
    vectors, texts = settings.embedding, settings.pipeline.extraction
    if done.model is not None:
        yield from _row(well if done.model.is_usable else lacking, "Vectors", done.model.text)
    elif vectors.provider is EmbeddingProvider.NONE:
        yield from _row(well, "Vectors", "none; recall uses keywords only")
    else:
        yield from _row(well, "Vectors", f"{vectors.model} of {vectors.provider}")
    match texts.provider:
        case TextProvider.NONE:
            said = "none; memories are stored without facts"
        case TextProvider.RULES:
            said = "built-in rules"
        case TextProvider.AUTO:
            said = f"{texts.model} in Ollama while it runs, else built-in rules"
        case _:
            said = f"{texts.model} of {texts.provider}"
    trial = done.trial
    if trial is None:
        yield from _row(well, "Facts", said)
    elif trial.fault:
        fix = f"; correct it with: {trial.fix}" if trial.fix else "; try again with: signet doctor"
        yield from _row(lacking, "Facts", f"{trial.fault}{fix}")
    else:
        yield from _row(well, "Facts", f"{said}; a short answer took {trial.seconds:.1f} s")


def _closing(done: SetupDone, ink: Ink) -> Iterator[str]:
    at = _at(done)
    if done.started is None:
        port = f" --port {done.plan.chosen.port}" if done.plan.chosen.port else ""
        yield f"Daemon not started: {ink.bold(f'signet daemon start{port}{at}')}"
    else:
        yield f"Daemon running at {ink.bold(done.started.daemon.url)}"
    names = [one.name for one in done.connected if one.is_connected]
    if names:
        yield f"Connected: {', '.join(names)}. In a new session there: {ink.bold('/onboarding')}"
    elif done.connected:
        yield f"No harness is connected. List the reasons: {ink.bold(f'signet harness list{at}')}"
    elif found := connect.unconnected(done.plan.workspace, done.plan.settings.harnesses):
        said = ", ".join(HARNESSES[one].name for one in found)
        command = f"signet setup --harness {','.join(found)}{at}"
        yield f"Found but not connected: {said}. Connect with: {ink.bold(command)}"
    else:
        yield f"No harness found on this machine. After installing one: {ink.bold(f'signet setup{at}')}"
    yield f"Try: {ink.bold(f'{TRY}{at}')}"
    if done.remembered is not None:
        yield from past.lines(done.remembered, at, ink)


def _at(done: SetupDone) -> str:
    """Return the option that selects this workspace, empty for the default."""
    root = done.plan.workspace.root
    return "" if find_workspace().root == root else f" -p {shlex.quote(str(root))}"


def _row(sign: str, name: str, text: str) -> Iterator[str]:
    first, *more = output.wrapped(text, output.width() - _LABEL - 6)
    yield f"  {sign} {name:<{_LABEL}}{first}"
    for line in more:
        yield " " * (_LABEL + 4) + line
