"""Make everything run: workspace, embedding model, daemon."""

import socket

from signet import clock, config
from signet.care.setup import settings
from signet.care.setup.choices import Choices
from signet.cli import models
from signet.cli.daemon import started
from signet.cli.models import Model
from signet.cli.quickstart.steps import Steps
from signet.config.extraction import TextProvider
from signet.config.sections import EmbeddingProvider
from signet.daemon.record import Running
from signet.paths import Workspace


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
    found = models.ensure(embedding.model, wanted=wanted, quiet=steps.quiet)
    say = steps.done if found.is_usable else steps.lacking
    say("Model", found.text)
    return found


def daemon(at: Workspace, steps: Steps) -> Running:
    """Start the daemon of the workspace on a port that is free, beside whatever else runs."""
    found = started(at, _free_port(), quiet=steps.quiet).daemon
    steps.done("Daemon", f"started at {found.url}")
    return found


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
