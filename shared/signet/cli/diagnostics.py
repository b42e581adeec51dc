"""`signet diagnostics`: show each domain's score, its problems, and the command that fixes each."""

import sys
from collections.abc import Iterator, Mapping
from typing import Annotated, Any

from signet.cli import output
from signet.cli.command import Output, StatusAnswer, arg, command
from signet.cli.output import Ink
from signet.client import Signet
from signet.client.call import ask
from signet.wire import diagnostics as wire

_LABEL = 12
#: Fields of a domain that are not figures.
_ELSEWHERE = frozenset({"score", "status", "reasons", "help"})


@command()
def diagnostics(
    signet: Signet,
    domain: Annotated[str | None, arg("Show only this domain, with all figures.", "DOMAIN")] = None,
) -> Output:
    """Show health scores of the stored data; exit 1 unless all is healthy.

    Examples: signet diagnostics · signet diagnostics queue --json
    """
    if domain is not None:
        found = signet.send(ask(wire.DIAGNOSIS, domain))
        yield found
        yield from _domain(domain, found, output.ink(sys.stdout))
        return
    report = signet.send(ask(wire.DIAGNOSTICS))
    yield StatusAnswer(report, status=0 if report["composite"]["status"] == "healthy" else 1)
    yield from _report(report, output.ink(sys.stdout))


def _report(found: Mapping[str, Any], ink: Ink) -> Iterator[str]:
    whole = found["composite"]
    dot = ink.good("●") if whole["status"] == "healthy" else ink.bad("●")
    yield f"{dot} {ink.bold('Store ' + whole['status'])} · score {whole['score']:.2f}"
    commands = {(one["domain"], one["reason"]): one["command"] for one in whole["help"]}
    for name, one in found.items():
        if not isinstance(one, Mapping) or name == "composite" or one["status"] == "disabled":
            continue
        yield f"  {_mark(one, ink)} {name:<{_LABEL}}{one['score']:.2f}"
        for reason in one["reasons"]:
            yield f"      {output.plain(reason)}"
            if command := commands.get((name, reason)):
                yield ink.dim(f"      try: {command}")


def _domain(name: str, found: Mapping[str, Any], ink: Ink) -> Iterator[str]:
    yield f"{_mark(found, ink)} {ink.bold(name)} {found['status']} · score {found['score']:.2f}"
    for key, value in found.items():
        if key not in _ELSEWHERE and value not in (None, {}, []):
            yield f"  {key:<22}{output.short(str(value), 90)}"
    for reason in found["reasons"]:
        yield f"  {ink.warn('!')} {output.plain(reason)}"


def _mark(found: Mapping[str, Any], ink: Ink) -> str:
    if not found["reasons"]:
        return ink.good("✓")
    return ink.bad("✗") if found["status"] == "unhealthy" else ink.warn("!")
