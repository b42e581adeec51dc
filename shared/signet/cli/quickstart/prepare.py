"""Make everything run: workspace, embedding model, daemon."""

import socket
from dataclasses import dataclass

from signet import clock, config
from signet.care.setup import settings
from signet.care.setup.choices import Choices
from signet.cli import models, output
from signet.cli.quickstart.steps import Steps
from signet.config.extraction import TextProvider
from signet.config.sections import EmbeddingProvider
from signet.daemon import control
from signet.daemon.record import Running
from signet.errors import SignetError
from signet.paths import Workspace
from signet.providers.native import install

ADD_MODEL = "Recall uses keywords until you install it with: signet models install"


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """What came of the embedding model; `reason` says why it is not there."""

    state: str
    name: str
    reason: str | None = None

    @property
    def is_usable(self) -> bool:
        """Return whether texts can get vectors in the daemon itself."""
        return self.state in ("ready", "installed")


def workspace(at: Workspace, steps: Steps, *, keep: bool) -> None:
    """Fill a new workspace with its agent.yaml: built-in rules, so that no model of texts has to be there."""
    at.make()
    settings.write(at, Choices(extraction_provider=TextProvider.RULES), now=clock.now())
    until = "and kept" if keep else "for this run only"
    steps.done("Workspace", f"made {until}: {at.root}")


def model(at: Workspace, steps: Steps, *, wanted: bool) -> Model:
    """Install the embedding model, unless agent.yaml names another or it is not wanted."""
    embedding = config.load(at).settings.embedding
    if embedding.provider is not EmbeddingProvider.NATIVE:
        steps.done("Model", f"{embedding.provider}, as set in agent.yaml")
        return Model(state="elsewhere", name=embedding.model)
    if install.status().state is install.State.READY:
        steps.done("Model", f"{embedding.model} is installed")
        return Model(state="ready", name=embedding.model)
    if not wanted:
        steps.lacking("Model", f"not installed (--no-model). {ADD_MODEL}")
        return Model(state="skipped", name=embedding.model)
    try:
        done = install.install(_silent if steps.quiet else models.show_progress)
    except (SignetError, OSError) as error:
        steps.lacking("Model", f"not installed: {error}. {ADD_MODEL}")
        return Model(state="failed", name=embedding.model, reason=str(error))
    finally:
        models.show_end()
    steps.done("Model", f"{done.model} installed, {done.size_bytes // 1_000_000} MB")
    return Model(state="installed", name=done.model)


def daemon(at: Workspace, steps: Steps) -> Running:
    """Start the daemon of the workspace on a port that is free, beside whatever else runs."""
    with output.Passing(quiet=steps.quiet) as passing:

        def tell(reason: str) -> None:
            passing.show(f"Not ready yet: {reason}")

        started = control.start(at, _free_port(), tell=tell)
    steps.done("Daemon", f"started at {started.daemon.url}")
    return started.daemon


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _silent(phase: install.Phase, done: int, total: int) -> None:
    """Draw nothing of an install."""
