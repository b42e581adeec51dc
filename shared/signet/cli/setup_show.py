"""Print the result of a setup: created files, connections, and the three most important lines."""

import os
import shlex
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from signet import clock
from signet.care import service
from signet.care.setup import choices, connect, probe
from signet.care.setup.choices import SetupState
from signet.care.setup.connect import Connected
from signet.care.setup.prepare import Prepared, SetupPlan, prepare
from signet.care.setup.probe import Earlier
from signet.care.text_model import trial_of
from signet.cli import backfill, models, output, past
from signet.cli.command import client
from signet.cli.daemon import default_port, started
from signet.cli.models import ListedModel
from signet.cli.output import Ink
from signet.cli.past import PastMemory
from signet.config import load
from signet.config.sections import EmbeddingProvider
from signet.daemon import ready, record
from signet.daemon.control import StartedDaemon
from signet.daemon.record import PortTaken
from signet.db import migrate
from signet.domain.harnesses.registry import HARNESSES
from signet.errors import Conflict
from signet.paths import find_workspace
from signet.providers.trial import Trial
from signet.wire.backfill import BackfillSurvey

_LABEL = 12
TRY = 'signet remember "I prefer tabs over spaces"'


@dataclass(slots=True, kw_only=True)
class SetupDone:
    """The result of a setup; `model` only with the native provider.

    `upgraded` describes the database upgrade. `login` is why the start at login failed, "" if it was set up.
    """

    plan: SetupPlan
    prepared: Prepared
    connected: tuple[Connected, ...]
    earlier: Earlier | None
    model: ListedModel | None = None
    #: The outcome of one request to the text model's server, None without a server.
    trial: Trial | None = None
    started: StartedDaemon | None = None
    login: str | None = None
    upgraded: str = ""
    #: This machine's earlier sessions, if the daemon could list them, and an example from one.
    history: BackfillSurvey | None = None
    remembered: PastMemory | None = None


def check(plan: SetupPlan) -> Earlier | None:
    """Return this machine's TypeScript Signet, or None. Raises Conflict if it runs here, and PortTaken."""
    port = plan.chosen.port or default_port(plan.workspace)
    found = probe.earlier(plan.workspace, port)
    probe.check_alone(plan.workspace, found)
    if not plan.chosen.with_daemon or record.running(plan.workspace) is not None:
        return found
    if found is not None and found.url is not None and found.url.endswith(f":{port}"):
        raise PortTaken(
            f"Port {port} is used by the TypeScript Signet {found.version} of {found.workspace}. "
            "Stop it, or choose another port with --port",
            port=port,
        )
    ready.check_free(port)
    return found


def do(plan: SetupPlan, earlier: Earlier | None, *, quiet: bool) -> SetupDone:
    """Run all steps. Raises the errors of the daemon's start after the files exist."""
    os.umask(0o077)  # files are private to their owner, as in the daemon
    workspace, chosen = plan.workspace, plan.chosen
    prepared = prepare(plan, now=clock.now())
    running = record.running(workspace)
    port = running.port if running else chosen.port or default_port(workspace)
    if running is None and chosen.port:
        record.keep_port(workspace, port)
    loaded = load(workspace)
    settings = loaded.settings
    connected = connect.connect(workspace, settings.harnesses, chosen, port=port)
    done = SetupDone(plan=plan, prepared=prepared, connected=connected, earlier=earlier)
    if settings.embedding.provider is EmbeddingProvider.NATIVE:
        done.model = models.ensure(settings.embedding.model, wanted=chosen.with_model, quiet=quiet)
    _, done.trial = trial_of(workspace, settings, loaded.environment)
    if chosen.with_daemon:
        done.started = started(workspace, port, quiet=quiet)
        done.upgraded = done.started.daemon.notice
    elif (copy := migrate.upgrade(workspace.database, now=clock.now()).copy) is not None:
        done.upgraded = f"Database upgraded; a copy of the previous one is in {copy}"
    if chosen.at_login:
        done.login = _at_login(plan)
    if done.started is not None:
        signet = client(str(workspace.root))
        done.history = past.begin(signet, reads=chosen.reads_history)
        if chosen.reads_history and done.history and done.history["newSessions"]:
            done.remembered = past.recalled(signet, quiet=quiet)
    return done


def _at_login(plan: SetupPlan) -> str:
    """Install the service for the next login; return why that failed, empty if it did not."""
    planned = service.planned(plan.workspace, port=plan.chosen.port)
    try:
        service.check(planned, service.run)
        return "; ".join(service.install(planned, service.run, now=False)[1])
    except Conflict as error:
        return error.message


def show(done: SetupDone) -> None:
    ink = output.ink(sys.stdout)
    for line in (*_steps(done, ink), "", *_closing(done, ink)):
        output.advise(line)


def as_dict(done: SetupDone) -> dict[str, object]:
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
        for copy in one.copies:
            yield from _row(" ", "", f"previous file kept in {copy}")
        for warning in one.warnings:
            yield from _row(lacking, "", warning)
    yield from _models(done, well, lacking)
    if done.login:
        yield from _row(lacking, "Login", f"{done.login}; try again with: signet daemon install")
    elif done.login is not None:
        yield from _row(
            well, "Login", "Signet starts at every login; to stop that: signet daemon uninstall"
        )
    if _is_elsewhere(done) and done.earlier is not None:
        held = output.count(done.earlier.memories or 0, "memory")
        said = f"the TypeScript Signet in {done.earlier.workspace} has {held}; import them with:"
        yield from _row(lacking, "Earlier", f"{said} signet import {done.earlier.database}")
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
    said = choices.reader(texts.provider, texts.model)
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
        again = f"signet harness install {' '.join(one.id for one in done.connected)}{at}"
        yield f"No program is connected. Correct the reason above, then: {ink.bold(again)}"
    else:
        none = f"No harness found on this machine. After installing one: {ink.bold(f'signet setup{at}')}"
        yield from [*_unconnected(done, at, ink)] or [none]
    yield f"Try: {ink.bold(f'{TRY}{at}')}"
    if done.remembered is not None:
        yield from past.lines(done.remembered, at, ink)


def _unconnected(done: SetupDone, at: str, ink: Ink) -> Iterator[str]:
    for removed, what in ((False, "Found but not connected"), (True, "Disconnected by you")):
        listed = done.plan.settings.harnesses
        if found := connect.unconnected(done.plan.workspace, listed, removed=removed):
            said = ", ".join(HARNESSES[one].name for one in found)
            command = f"signet setup --harness {','.join(found)}{at}"
            yield f"{what}: {said}. Connect with: {ink.bold(command)}"


def _at(done: SetupDone) -> str:
    """Return the option that selects this workspace, empty for the default."""
    root = done.plan.workspace.root
    return "" if find_workspace().root == root else f" -p {shlex.quote(str(root))}"


def _row(sign: str, name: str, text: str) -> Iterator[str]:
    first, *more = output.wrapped(text, output.width() - _LABEL - 6)
    yield f"  {sign} {name:<{_LABEL}}{first}"
    for line in more:
        yield " " * (_LABEL + 4) + line
