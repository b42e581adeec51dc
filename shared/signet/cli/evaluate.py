"""`signet eval`: show whether memory helps."""

import sys
from collections.abc import Iterator, Sequence
from typing import Annotated

import typer

from signet.cli import output, replay
from signet.cli.command import Output, PathOption, command, opt
from signet.cli.entry import ID_CHARS
from signet.cli.options import AgentOption
from signet.cli.output import Ink
from signet.client import Signet
from signet.client.answers import Evaluation, Interval, Told
from signet.paths import find_workspace

PriceOption = Annotated[float | None, opt("Price of a million input tokens of your model.", min=0)]
_LABEL = 24
#: The share of sessions without memories, and its setting.
SHARE, _HOLDOUT = 0.05, "memory.pipelineV2.predictor.holdoutShare"


app = typer.Typer(
    help="Compare sessions with and without memory.",
    invoke_without_command=True,
)


@command(app, alone=True)
def evaluate(signet: Signet, price: PriceOption = None, agent: AgentOption = None) -> Output:
    """Compare sessions with memory to sessions without.

    To compare, some sessions must go without memories. None do until you run `signet eval on`.

    Examples: signet eval · signet eval --price=3 · signet eval on · signet eval replay
    """
    found = signet.evaluation(agent_id=agent)
    yield found
    for line in _page(found, price, output.ink(sys.stdout)):
        output.say(line)


@command(app, "on")
def switch_on(path: PathOption = None) -> Output:
    """Give 5 % of sessions no memories, to compare the others with; after a week and twenty sessions.

    Examples: signet eval on · signet config set memory.pipelineV2.predictor.holdoutShare 0.1
    """
    yield _set_share(SHARE, path)
    output.say(f"From now on {SHARE:.0%} of sessions get no memories. To stop: signet eval off")


@command(app, "off")
def switch_off(path: PathOption = None) -> Output:
    """Give every session its memories; what was measured stays.

    Examples: signet eval off · signet eval off --json
    """
    yield _set_share(0.0, path)
    output.say("Every session gets its memories")


command(app)(replay.replay)


def _set_share(share: float, path: str | None) -> dict[str, object]:
    from signet.config import manifest

    file = manifest.set_values(find_workspace(path), {_HOLDOUT: share})
    return {"holdout": share, "file": str(file)}


def _page(found: Evaluation, price: float | None, ink: Ink) -> Iterator[str]:
    yield ink.bold("Does memory help?")
    yield from _verdict(found, ink)
    without = found["withoutMemory"]
    for name, key in (
        ("corrections", "corrections"),
        ("questions asked again", "askedAgain"),
        ("prompts", "prompts"),
    ):
        line = f"{_bounds(found['withMemory'][key])} per session"  # type: ignore[literal-required]
        if without["sessions"]:
            line += f" · without memory {_bounds(without[key])}"  # type: ignore[literal-required]
        yield f"{name:<{_LABEL}}{line}"
    yield from _costs(found, price)
    for title, memories in (
        ("Helped most", found["helpful"]),
        ("Injected but never used", found["unused"]),
        ("Misleading", found["misleading"]),
        ("Left out but needed", found["missed"]),
    ):
        yield from _list(title, memories, ink)


def _verdict(found: Evaluation, ink: Ink) -> Iterator[str]:
    sessions, without = found["sessions"], found["withoutMemory"]["sessions"]
    yield f"{'sessions':<{_LABEL}}{sessions - without} with memory, {without} without"
    if not found["isEnough"] and not found["holdout"]:
        yield ink.dim(
            "Nothing is compared: every session gets its memories. To compare: signet eval on"
        )
        return
    if not found["isEnough"]:
        yield ink.dim(
            f"Not enough sessions yet: {sessions} of about {found['neededSessions']},"
            f" {without} of {found['neededWithout']} without memory"
        )
        return
    for what, interval in (
        ("corrections", found["difference"]["corrections"]),
        ("questions asked again", found["difference"]["askedAgain"]),
    ):
        if interval is None:
            continue
        low, high = interval["low"] or 0.0, interval["high"] or 0.0
        if high < 0:
            yield ink.good(f"✓ Fewer {what} with memory: {_bounds(interval)} per session")
        elif low > 0:
            yield ink.bad(f"✗ More {what} with memory: {_bounds(interval)} per session")
        else:
            yield f"No measurable difference in {what}: {_bounds(interval)} per session"


def _costs(found: Evaluation, price: float | None) -> Iterator[str]:
    tokens = found["tokens"]
    cost = "" if price is None else f" · {tokens['given'] / 1e6 * price:.2f} at {price:g} a million"
    yield f"{'tokens injected':<{_LABEL}}{tokens['given']}, of which used {tokens['used']}{cost}"
    line = f"nothing found for {found['unanswered']} of {found['prompts']} prompts"
    yield f"{'unanswered':<{_LABEL}}{line}"


def _list(title: str, memories: Sequence[Told], ink: Ink) -> Iterator[str]:
    if memories:
        yield ""
        yield ink.bold(title)
    for one in memories:
        text = output.plain(one["content"] or "(forgotten)")
        counts = f"given {one['given']}, helped {one['helped']}, hurt {one['hurt']}"
        yield f"  {ink.dim(one['id'][:ID_CHARS])}  {text} {ink.dim(f'({counts})')}"


def _bounds(interval: Interval | None) -> str:
    if interval is None:
        return "–"
    if interval["low"] is None or interval["high"] is None:
        return f"{interval['mean']:.2f}"
    return f"{interval['mean']:.2f} ({interval['low']:.2f} to {interval['high']:.2f})"
