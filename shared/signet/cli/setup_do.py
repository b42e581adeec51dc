"""The steps of a setup after everything is chosen: files, daemon, harnesses, model, an earlier program's memories."""

import os
import sys
from dataclasses import dataclass

from signet import clock
from signet.care.setup import connect, probe
from signet.care.setup.connect import Connected
from signet.care.setup.prepare import Plan, Prepared, prepare
from signet.care.setup.probe import Earlier
from signet.cli import models, output, transfer
from signet.cli.daemon import default_port
from signet.config import load
from signet.config.sections import EmbeddingProvider
from signet.daemon import control, ready, record
from signet.daemon.control import Started
from signet.daemon.errors import PortTaken
from signet.db import migrate
from signet.domain.transfer.records import Fate
from signet.errors import SignetError
from signet.paths import Workspace
from signet.providers.native import install


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What a setup does beside the files; `imports` takes an earlier program's memories in from another workspace."""

    port: int | None
    with_git: bool
    with_daemon: bool
    with_model: bool
    opens_dashboard: bool
    legacy: bool | None
    conversations: bool | None
    claims_workspace: bool
    imports: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """What came of a setup; `model` says how it is with the native model, None when another provider is set.

    `imported` and `upgraded` say in words what came of an earlier program's memories and of the database.
    """

    plan: Plan
    prepared: Prepared
    started: Started | None
    connected: tuple[Connected, ...]
    model: str | None
    is_model_there: bool
    earlier: Earlier | None
    imported: str | None
    upgraded: str
    wanted: Wanted


def check(plan: Plan, wanted: Wanted) -> Earlier | None:
    """Return the TypeScript Signet of this machine, if any; raises EarlierRuns and PortTaken."""
    port = wanted.port or default_port()
    found = probe.earlier(plan.workspace, port)
    probe.check_alone(plan.workspace, found)
    if not wanted.with_daemon or record.running(plan.workspace) is not None:
        return found
    if found is not None and found.url is not None and found.url.endswith(f":{port}"):
        raise PortTaken(
            f"Port {port} is used by the TypeScript Signet {found.version} of {found.workspace}. "
            "Stop it, or choose another port with --port",
            port=port,
        )
    ready.check_free(port)
    return found


def do(plan: Plan, wanted: Wanted, earlier: Earlier | None, *, quiet: bool) -> Done:
    """Do everything; raises what the daemon's start raises, when the files are there already."""
    os.umask(0o077)  # what is made here is its owner's alone, as in the daemon
    workspace = plan.workspace
    prepared = prepare(plan, with_git=wanted.with_git, now=clock.now())
    running = record.running(workspace)
    port = running.port if running else wanted.port or default_port()
    settings = load(workspace).settings
    connected = connect.connect(
        workspace,
        settings.harnesses,
        plan.chosen.harnesses or (),
        port=port,
        legacy=wanted.legacy,
        conversations=wanted.conversations,
        claims_workspace=wanted.claims_workspace,
    )
    model, is_there = None, False
    if settings.embedding.provider is EmbeddingProvider.NATIVE:
        model, is_there = _model(wanted=wanted.with_model, quiet=quiet)
    started, upgraded = None, ""
    if wanted.with_daemon:
        started = _start(workspace, port, quiet=quiet)
        upgraded = started.daemon.notice
    else:
        migrated = migrate.upgrade(workspace.database, now=clock.now())
        if migrated.copy is not None:
            upgraded = f"Database upgraded; a copy of the previous one is in {migrated.copy}"
    imported = None
    if wanted.imports and earlier is not None and started is not None:
        tally = transfer.take_database(earlier.database, path=str(workspace.root))
        refused = tally.of(Fate.REFUSED)
        imported = f"{tally.of(Fate.NEW)} rows of {earlier.workspace}, {refused} refused"
    return Done(
        plan=plan,
        prepared=prepared,
        started=started,
        connected=connected,
        model=model,
        is_model_there=is_there,
        earlier=earlier,
        imported=imported,
        upgraded=upgraded,
        wanted=wanted,
    )


def _start(workspace: Workspace, port: int, *, quiet: bool) -> Started:
    with output.Passing(quiet=quiet) as passing:

        def tell(reason: str) -> None:
            passing.show(f"Not ready yet: {reason}")

        return control.start(workspace, port, tell=tell)


def _model(*, wanted: bool, quiet: bool) -> tuple[str, bool]:
    """Return how it is with the native model, and whether it is there; a failed download stops nothing."""
    if install.status().state is install.State.READY:
        return "installed", True
    if not wanted:
        return "not installed (--no-model)", False
    is_silent = quiet or not sys.stderr.isatty()
    try:
        done = install.install(_silent if is_silent else models.show_progress)
    except (SignetError, OSError) as error:
        return f"not installed: {error}", False
    finally:
        if not is_silent:
            models.show_end()
    return f"installed, {done.size_bytes // 1_000_000} MB", True


def _silent(_phase: install.Phase, _done: int, _total: int) -> None:
    """Draw nothing of an install."""
