"""`signet embed …` and `signet migrate-vectors`: which memories lack a vector, and giving them one."""

import shutil
from typing import Annotated

import typer

from signet.cli import output
from signet.cli.connect import client
from signet.cli.daemon import JsonOption, PathOption
from signet.client.call import read
from signet.errors import Conflict
from signet.paths import find_workspace

app = typer.Typer(help="Count missing vectors, and make them.", no_args_is_help=True)

#: What versions of the TypeScript program kept vectors in, beside the database.
OLD_STORE = "vectors.zvec"
_LABEL = 12
DryRunOption = Annotated[bool, typer.Option("--dry-run", help="Only say what would be done.")]


class NothingToRollBack(Conflict):
    """Vectors stay in the rows they came in; there is nothing to roll back."""

    code = "nothing_to_roll_back"


@app.command()
def audit(path: PathOption = None, as_json: JsonOption = False) -> None:
    """Count memories with, without, and with a stale vector.

    Examples: signet embed audit · signet embed audit --json
    """
    gaps = client(path).send(read("/api/repair/embedding-gaps"))
    total, lacking, stale = (int(gaps[name]) for name in ("total", "unembedded", "stale"))
    found = {
        "total": total,
        "embedded": total - lacking,
        "missing": lacking - stale,
        "stale": stale,
        "coverage": gaps["coverage"],
    }
    if as_json:
        output.show(found)
        return
    for name, value in found.items():
        output.say(f"{name:<{_LABEL}}{value}")
    if lacking:
        output.hint("To make them: signet embed backfill")


@app.command()
def backfill(
    dry_run: DryRunOption = False,
    batch_size: Annotated[
        int, typer.Option("--batch-size", min=1, max=500, help="So many memories.")
    ] = 50,
    path: PathOption = None,
    as_json: JsonOption = False,
) -> None:
    """Make missing vectors now, oldest memories first; the daemon does the same by itself, a few at a time.

    Examples: signet embed backfill --dry-run · signet embed backfill --batch-size 500
    """
    _repair("re-embed", path, {"batchSize": batch_size, "dryRun": dry_run}, as_json=as_json)


def migrate_vectors(
    dry_run: DryRunOption = False,
    keep_blobs: Annotated[
        bool, typer.Option("--keep-blobs", help="Always so: vectors stay in their rows.")
    ] = False,
    remove_zvec: Annotated[
        bool, typer.Option("--remove-zvec", help=f"Delete memory/{OLD_STORE} of earlier versions.")
    ] = False,
    rollback: Annotated[
        bool, typer.Option("--rollback", help="Refused: nothing is moved that could come back.")
    ] = False,
    path: PathOption = None,
    as_json: JsonOption = False,
) -> None:
    """Bring the vector index in line with the stored vectors.

    Vectors of an earlier Signet came with its database; nothing has to be moved.

    Examples: signet migrate-vectors --dry-run · signet migrate-vectors --remove-zvec
    """
    if rollback:
        raise NothingToRollBack
    _repair("resync-vec", path, {"dryRun": dry_run}, as_json=as_json)
    old = find_workspace(path).memory_dir / OLD_STORE
    if not remove_zvec or as_json:
        return
    if not old.exists():
        output.say(f"There is no {old}")
    elif dry_run:
        output.say(f"Would delete {old}")
    else:
        shutil.rmtree(old) if old.is_dir() else old.unlink()
        output.say(f"Deleted {old}")


def _repair(name: str, path: str | None, body: dict[str, object], *, as_json: bool) -> None:
    from signet.cli import repair
    from signet.domain.repair.catalog import ACTIONS

    action = next(one for one in ACTIONS if one.path == name)
    repair.show(repair.perform(path, action, body), as_json=as_json)
