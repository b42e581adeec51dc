"""Explain a result's rank in words (`signet recall --explain`)."""

from collections.abc import Iterator, Mapping

from signet.cli import output
from signet.cli.output import Ink
from signet.client.answers import Channel, Recalled, Stage, Why

#: Smaller score changes are invisible in two decimals.
_VISIBLE = 0.005
_ENDINGS = {1: "st", 2: "nd", 3: "rd"}


def lines(why: Why, ink: Ink) -> Iterator[str]:
    """Yield how one result was found, and how each stage changed its score."""
    yield f"    found by {_found(why['channels'])}"
    for stage in why["stages"]:
        if abs(stage["after"] - stage["before"]) >= _VISIBLE:
            yield f"    {stage['after']:.2f} {_moved(stage, ink)}"
    if helped := why.get("helped"):
        yield f"    helped {helped['times']} of {helped['of']} times"


def time_lines(answer: Recalled, ink: Ink) -> Iterator[str]:
    """Yield the time range that was read from the question."""
    time = answer.get("time")
    if time is None:
        return
    spans = [_span(one) for one in time["intervals"]]
    anchor = f" ({time['relation']} {time['anchor']})" if "anchor" in time else ""
    yield ink.dim(f"Asked about {' and '.join(spans)}{anchor}")


def _found(channels: Mapping[str, Channel]) -> str:
    by = [
        f"{one['says']} ({_ordinal(one['rank'])}, {one['score']:.2f})"
        for one in channels.values()
        if "rank" in one
    ]
    beside = [
        f"{one['says']} ({one['score']:.2f})" for one in channels.values() if "rank" not in one
    ]
    weighed = f"; other votes: {', '.join(beside)}" if beside else ""
    return (" and ".join(by) or "its neighbours") + weighed


def _moved(stage: Stage, ink: Ink) -> str:
    if stage["before"] == 0:
        return f"  {stage['says']}"
    mark = ink.good("▲") if stage["after"] >= stage["before"] else ink.warn("▼")
    return f"{mark} {stage['says']}"


def _span(interval: Mapping[str, str | None]) -> str:
    start, end = interval["from"], interval["to"]
    if start and end:
        first, last = output.day(start), output.last_day(end)
        return first if first == last else f"{first} to {last}"
    return (
        f"the time from {output.day(start)}" if start else f"the time before {output.day(str(end))}"
    )


def _ordinal(rank: int) -> str:
    ending = "th" if 10 <= rank % 100 <= 20 else _ENDINGS.get(rank % 10, "th")
    return f"{rank}{ending}"
