"""`signet daemon logs`: show the log files of the daemon's processes, without the daemon."""

import contextlib
import os
import re
import threading
from itertools import chain
from typing import Annotated

import typer

from signet import clock
from signet.cli import output
from signet.cli.command import JsonOption, PathOption, declared, opt
from signet.cli.options import SinceOption
from signet.observe import logfile, logread
from signet.paths import find_workspace


@declared
def logs(
    path: PathOption = None,
    lines: Annotated[int, opt("Number of lines.", "-n", min=0)] = 50,
    follow: Annotated[bool, opt("Keep printing new lines until Ctrl-C.", "-f")] = False,
    level: Annotated[str, opt("Lowest level shown: debug, info, warn, error.", "-l")] = "debug",
    category: Annotated[
        str | None, opt("Only lines of this category, such as pipeline.", "-c")
    ] = None,
    since: SinceOption = None,
    grep: Annotated[str | None, "Only lines that match this regular expression."] = None,
    as_json: JsonOption = False,
) -> None:
    """Show the log of the daemon's processes, oldest line first.

    Examples: signet daemon logs -n 100 -l warn · signet daemon logs -f -c pipeline · signet daemon logs --since 1h
    """
    if level not in logread.RANK:
        raise typer.BadParameter(f"{level}; one of {', '.join(logread.RANK)}", param_hint="--level")
    from signet.daemon import record

    workspace = find_workspace(path)
    if record.running(workspace) is None:
        output.hint("Daemon is not running; these are its last log lines")
    place = logfile.place(workspace.log_dir, os.environ)
    wanted = logread.LogFilter(level=level, category=category, since=since, text=_pattern(grep))
    # Opened before reading the older lines, so that none is lost.
    coming = logread.follow(place, wanted, threading.Event()) if follow else iter(())
    older = logread.newest(place, lines, wanted)
    if as_json and not follow:
        output.show({"logs": older, "count": len(older)})
        return
    with contextlib.suppress(KeyboardInterrupt):
        for entry in chain(older, coming):
            output.show(entry) if as_json else output.say(output.plain(_line(entry)))


def _pattern(grep: str | None) -> re.Pattern[str] | None:
    try:
        return re.compile(grep, re.IGNORECASE) if grep else None
    except re.error as error:
        raise typer.BadParameter(f"{grep!r}: {error}", param_hint="--grep") from None


def _line(entry: logread.Entry) -> str:
    when = clock.parse(str(entry["timestamp"])).astimezone().strftime("%Y-%m-%d %H:%M:%S%z")
    words = [when, f"{entry.get('level')!s:<5}", entry.get("category"), entry.get("message")]
    data, error = entry.get("data"), entry.get("error")
    if isinstance(data, dict):
        words += [f"{name}={value}" for name, value in data.items()]
    if "duration" in entry:
        words.append(f"took {entry['duration']} ms")
    if isinstance(error, dict):
        words.append(f"· {error.get('name')}: {error.get('message')}")
    return " ".join(str(word) for word in words)
