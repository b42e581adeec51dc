"""`signet report`: write a file for support without any memory texts."""

from pathlib import Path
from typing import Annotated

from signet import clock
from signet.cli import output
from signet.cli.command import Output, PathOption, command, opt
from signet.paths import find_workspace


@command()
def report(
    file: Annotated[
        str | None,
        opt("File to write; default: signet-report-TIME.zip in this folder.", "--output", "-o"),
    ] = None,
    path: PathOption = None,
) -> Output:
    """Write a zip for a bug report: versions, settings, doctor, log, counts.

    It contains no memory texts and no secrets, and is not sent anywhere. Attach it to your bug report.

    Examples: signet report · signet report -o fault.zip
    """
    from signet.care import report as care

    now = clock.now()
    name = file or f"signet-report-{now.astimezone():%Y-%m-%d-%H%M%S}.zip"
    target = Path(name).expanduser().absolute()
    parts = care.write(find_workspace(path), target, now=now)
    contents = [{"name": p.name, "what": p.what, "bytes": len(p.content)} for p in parts]
    yield {"file": str(target), "bytes": target.stat().st_size, "contents": contents}
    output.say(f"Report written to {target}")
    for part in parts:
        output.say(f"  {part.name:<16}{output.size(len(part.content)):>10}  {part.what}")
    output.hint("It was not sent anywhere. Check it before sharing.")
