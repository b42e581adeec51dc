"""The temporary workspace of a quickstart, deleted at the end, with its settings, embedding model and daemon."""

import os
import shutil
import signal
import site
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import NoReturn

from signet import clock, config
from signet.care.setup import settings
from signet.care.setup.choices import Choices
from signet.cli import models, output
from signet.cli.daemon import started
from signet.cli.models import ListedModel
from signet.cli.quickstart.report import Steps
from signet.config.extraction import TextProvider
from signet.config.sections import EmbeddingProvider
from signet.daemon import control, ready
from signet.daemon.record import Running
from signet.paths import Workspace, cache_home

_ENDINGS = (signal.SIGTERM, signal.SIGHUP)


@contextmanager
def workspace(*, keep: bool) -> Iterator[Workspace]:
    """Provide an empty workspace; unless kept, stop its daemon and delete it at the end.

    An unfinished one is always deleted, also after Ctrl-C or a closed terminal.
    """
    if keep:
        cache_home().mkdir(parents=True, exist_ok=True)
        made = Workspace(Path(tempfile.mkdtemp(prefix="quickstart-", dir=cache_home())))
    else:
        made = Workspace(Path(tempfile.mkdtemp(prefix="signet-quickstart-")))
    earlier = {number: signal.getsignal(number) for number in (signal.SIGINT, *_ENDINGS)}
    for number in _ENDINGS:
        signal.signal(number, _end)
    is_kept = False
    try:
        yield made
        is_kept = keep
    except KeyboardInterrupt:
        output.tell("\nStopped; nothing was kept")
        raise SystemExit(130) from None
    finally:
        if not is_kept:
            _remove(made)
        for number, handler in earlier.items():
            signal.signal(number, handler)


@contextmanager
def alone(at: Workspace) -> Iterator[None]:
    """Hide the user's home and Signet settings from programs started meanwhile.

    The daemon would otherwise read their notes and settings into the sample.
    """
    before = dict(os.environ)
    models = before.get("SIGNET_MODEL_DIR") or str(cache_home() / "models")
    for name in [*os.environ]:
        if name.startswith(("SIGNET_", "XDG_")) and name not in (output.QUIET, "XDG_RUNTIME_DIR"):
            del os.environ[name]
    base = site.getuserbase()  # keep a package installed in the home importable
    os.environ.update(HOME=str(at.root), SIGNET_MODEL_DIR=models, PYTHONUSERBASE=base)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def folders(made: Workspace) -> list[Path]:
    """Return the folders to delete: the workspace, and its sockets if they are elsewhere."""
    far = made.runtime_dir
    return [made.root] if far.is_relative_to(made.root) else [made.root, far]


def fill(at: Workspace, steps: Steps, *, keep: bool) -> None:
    """Write agent.yaml with the built-in rules, so that no text model is needed."""
    at.make()
    settings.write(at, Choices(extraction_provider=TextProvider.RULES), now=clock.now())
    until = "and kept" if keep else "for this run only"
    steps.done("Workspace", f"made {until}: {at.root}")


def model(at: Workspace, steps: Steps, *, wanted: bool) -> ListedModel:
    """Install the embedding model, unless agent.yaml names another or it is not wanted."""
    embedding = config.load(at).settings.embedding
    if embedding.provider is not EmbeddingProvider.NATIVE:
        steps.done("Model", f"{embedding.provider}, as set in agent.yaml")
        return ListedModel(state="elsewhere", name=embedding.model)
    found = models.ensure(embedding.model, wanted=wanted, quiet=steps.quiet)
    say = steps.done if found.is_usable else steps.lacking
    say("Model", found.text)
    return found


def daemon(at: Workspace, steps: Steps) -> Running:
    """Start the workspace's daemon on a free port."""
    found = started(at, ready.free_port(), quiet=steps.quiet).daemon
    steps.done("Daemon", f"started at {found.url}")
    return found


def _remove(made: Workspace) -> None:
    for number in (signal.SIGINT, *_ENDINGS):
        signal.signal(number, signal.SIG_IGN)
    control.stop(made)
    for folder in folders(made):
        shutil.rmtree(folder, ignore_errors=True)


def _end(number: int, _frame: FrameType | None) -> NoReturn:
    sys.exit(128 + number)
