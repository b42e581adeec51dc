"""The steps of a setup after all choices: files, daemon, harnesses, model, an earlier program's memories."""

import os
from dataclasses import dataclass

from signet import clock
from signet.care.setup import connect, probe
from signet.care.setup.connect import Connected
from signet.care.setup.prepare import Prepared, SetupPlan, prepare
from signet.care.setup.probe import Earlier
from signet.care.text_model import trial_of
from signet.cli import models, past, transfer
from signet.cli.connect import client
from signet.cli.daemon import default_port, started
from signet.cli.models import ListedModel
from signet.cli.past import PastMemory
from signet.config import load
from signet.config.sections import EmbeddingProvider
from signet.daemon import ready, record
from signet.daemon.control import StartedDaemon
from signet.daemon.errors import PortTaken
from signet.db import migrate
from signet.domain.transfer.records import Fate
from signet.providers.trial import Trial
from signet.wire.backfill import BackfillSurvey


@dataclass(slots=True, kw_only=True)
class SetupDone:
    """The result of a setup; `model` only with the native provider.

    `imported` and `upgraded` describe an earlier program's memories and the database upgrade.
    """

    plan: SetupPlan
    prepared: Prepared
    connected: tuple[Connected, ...]
    earlier: Earlier | None
    model: ListedModel | None = None
    #: The outcome of one request to the text model's server, None without a server.
    trial: Trial | None = None
    started: StartedDaemon | None = None
    imported: str | None = None
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
    if chosen.imports and earlier is not None and done.started is not None:
        tally = transfer.take_database(earlier.database, path=str(workspace.root))
        rows, refused = tally.of(Fate.NEW), tally.of(Fate.REFUSED)
        done.imported = f"{rows} rows of {earlier.workspace}, {refused} refused"
    if done.started is not None:
        signet = client(str(workspace.root))
        done.history = past.begin(signet, reads=chosen.reads_history)
        if chosen.reads_history and done.history and done.history["newSessions"]:
            done.remembered = past.recalled(signet, quiet=quiet)
    return done
