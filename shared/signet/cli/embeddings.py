"""`signet embeddings …`: check the embedding provider and the stored vectors."""

import sys
from collections.abc import Iterator

import typer

from signet.cli import output
from signet.cli.command import Output, StatusAnswer, command
from signet.cli.output import Ink
from signet.client import Signet
from signet.client.answers import EmbeddingsHealth, EmbeddingsStatus

app = typer.Typer(help="Inspect the vectors of memories.", no_args_is_help=True)

_LABEL = 12


@command(app)
def status(signet: Signet) -> Output:
    """Show whether vectors can be created, and the progress.

    Examples: signet embeddings status · signet embeddings status --json
    """
    found = signet.embeddings_status()
    yield found
    yield from _status(found, output.ink(sys.stdout))


@command(app)
def health(signet: Signet) -> Output:
    """Check the stored vectors; exit 1 when a check fails.

    Examples: signet embeddings health · signet embeddings health --json
    """
    found = signet.embeddings_health()
    is_broken = any(check["status"] == "fail" for check in found["checks"])
    yield StatusAnswer(found, status=1 if is_broken else 0)
    yield from _health(found, output.ink(sys.stdout))


def _status(found: EmbeddingsStatus, ink: Ink) -> Iterator[str]:
    is_there = found["available"]
    dot = ink.good("●") if is_there else ink.dim("○")
    said = (
        "Vectors can be created"
        if is_there
        else "Vectors cannot be created; recall uses keywords only"
    )
    yield f"{dot} {ink.bold(said)}"
    dimensions = found.get("dimensions")
    model = " · ".join(
        filter(None, (found["model"], f"{dimensions} dimensions" if dimensions else None))
    )
    tracker = found["tracker"]
    rows = {
        "provider": found["provider"],
        "model": model,
        "address": found.get("base_url"),
        "reason": found.get("error"),
        "tracker": None
        if tracker is None
        else f"{tracker['queueDepth']} waiting, {tracker['processed']} made, {tracker['failed']} failed",
        "checked": output.local(found["checkedAt"]),
    }
    for name, value in rows.items():
        if value:
            yield f"  {name:<{_LABEL}}{value}"


def _health(found: EmbeddingsHealth, ink: Ink) -> Iterator[str]:
    marks = {"ok": ink.good("✓"), "warn": ink.warn("!"), "fail": ink.bad("✗")}
    yield f"{ink.bold('Vectors ' + found['status'])} · score {found['score']:.2f}"
    for check in found["checks"]:
        yield f"  {marks[check['status']]} {check['name']:<22}{check['message']}"
        if "fix" in check and check["status"] != "ok":
            yield ink.dim(f"    {check['fix']}")
