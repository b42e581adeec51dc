"""`signet embed …` and `signet migrate-vectors`: which memories lack a vector, and giving them one."""

import shutil
from typing import Annotated

import typer

from signet.cli import output
from signet.cli.command import Output, PathOption, command
from signet.cli.options import DryRunOption
from signet.client import Signet
from signet.client.call import ask
from signet.errors import Conflict
from signet.paths import find_workspace
from signet.wire import repair as wire

app = typer.Typer(help="Count and create missing vectors.", no_args_is_help=True)

#: What versions of the TypeScript program kept vectors in, beside the database.
OLD_STORE = "vectors.zvec"
_LABEL = 12


@command(app)
def audit(signet: Signet) -> Output:
    """Count memories with, without, and with an outdated vector.

    Examples: signet embed audit · signet embed audit --json
    """
    gaps = signet.send(ask(wire.EMBEDDING_GAPS))
    total, lacking, stale = gaps["total"], gaps["unembedded"], gaps["stale"]
    found = {
        "total": total,
        "embedded": total - lacking,
        "missing": lacking - stale,
        "stale": stale,
        "coverage": gaps["coverage"],
    }
    yield found
    for name, value in found.items():
        output.say(f"{name:<{_LABEL}}{value}")
    if lacking:
        output.hint("To create them: signet embed backfill")


@command(app)
def backfill(
    dry_run: DryRunOption = False,
    batch_size: Annotated[int, typer.Option(min=1, max=500, help="Memories per run.")] = 50,
    path: PathOption = None,
) -> Output:
    """Create missing vectors now, oldest memories first.

    The daemon does the same in the background, a few at a time.

    Examples: signet embed backfill --dry-run · signet embed backfill --batch-size 500
    """
    yield from _repair("re-embed", path, {"batchSize": batch_size, "dryRun": dry_run})


@command()
def migrate_vectors(
    dry_run: DryRunOption = False,
    keep_blobs: Annotated[
        bool, typer.Option("--keep-blobs", help="Has no effect: vectors are never moved.")
    ] = False,
    remove_zvec: Annotated[
        bool, typer.Option("--remove-zvec", help=f"Delete memory/{OLD_STORE} of earlier versions.")
    ] = False,
    rollback: Annotated[
        bool, typer.Option("--rollback", help="Always refused: there is nothing to roll back.")
    ] = False,
    path: PathOption = None,
) -> Output:
    """Synchronise the vector index with the stored vectors.

    Vectors of an earlier Signet are read where they are; none are moved.

    Examples: signet migrate-vectors --dry-run · signet migrate-vectors --remove-zvec
    """
    if rollback:
        raise Conflict(
            "There is nothing to roll back: vectors are not moved by an upgrade",
            "nothing_to_roll_back",
        )
    yield from _repair("resync-vec", path, {"dryRun": dry_run})
    old = find_workspace(path).memory_dir / OLD_STORE
    if not remove_zvec:
        return
    if not old.exists():
        output.say(f"There is no {old}")
    elif dry_run:
        output.say(f"Would delete {old}")
    else:
        shutil.rmtree(old) if old.is_dir() else old.unlink()
        output.say(f"Deleted {old}")


def _repair(name: str, path: str | None, body: dict[str, object]) -> Output:
    from signet.cli import repair
    from signet.domain.repair.catalog import ACTIONS

    action = next(one for one in ACTIONS if one.path == name)
    found = repair.perform(path, action, body)
    yield found
    repair.show(found)
