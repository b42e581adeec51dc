"""Why a result is where it is, in words (`signet recall --explain`)."""

from collections.abc import Iterator, Mapping

from signet.cli import output
from signet.cli.output import Ink
from signet.client.answers import Channel, Recalled, Stage, Why

#: What each channel looks at.
CHANNELS = {
    "keyword": "keywords",
    "hint": "a question it answers (hint)",
    "vector": "meaning",
    "graph": "its entities",
}
#: What each stage looks at, when it raised a score and when it lowered it.
STAGES = {
    "blend": ("words and meaning together", "words and meaning together"),
    "neighbours": ("its neighbours fit too", "its neighbours fit less"),
    "graph": ("it is linked to what you asked about", "others are linked more closely"),
    "rehearsal": ("it was used recently", "it was used long ago"),
    "time": ("it is from the time you asked about", "it is from another time"),
    "hubs": ("its topic is rare", "its topic is common"),
    "questions": ("it is a statement", "it is only a question"),
    "expected": (
        "it contains the kind of answer you asked for",
        "others contain the kind of answer you asked for",
    ),
    "resolution": ("it states an outcome", "it states no outcome"),
    "superseded": ("it is current", "a later memory corrects it"),
}
#: A smaller change of a score is not seen in two decimals.
_VISIBLE = 0.005
_ENDINGS = {1: "st", 2: "nd", 3: "rd"}


def lines(why: Why, ink: Ink) -> Iterator[str]:
    """Yield the story of one result: what found it, then what each stage made of its score."""
    yield f"    found by {_found(why['channels'])}"
    for stage in why["stages"]:
        if abs(stage["after"] - stage["before"]) >= _VISIBLE:
            yield f"    {stage['after']:.2f} {_moved(stage, ink)}"


def time_lines(answer: Recalled, ink: Ink) -> Iterator[str]:
    """Yield the time that the question was understood to be about, if it names one."""
    time = answer.get("time")
    if time is None:
        return
    spans = [_span(one) for one in time["intervals"]]
    anchor = f" ({time['relation']} {time['anchor']})" if "anchor" in time else ""
    yield ink.dim(f"Asked about {' and '.join(spans)}{anchor}")


def _found(channels: Mapping[str, Channel]) -> str:
    by = [
        f"{_channel(name)} ({_ordinal(one['rank'])}, {one['score']:.2f})"
        for name, one in channels.items()
        if "rank" in one
    ]
    beside = [
        f"{_channel(name)} ({one['score']:.2f})"
        for name, one in channels.items()
        if "rank" not in one
    ]
    weighed = f"; weighed: {', '.join(beside)}" if beside else ""
    return (" and ".join(by) or "its neighbours") + weighed


def _channel(name: str) -> str:
    return CHANNELS.get(name, name)


def _moved(stage: Stage, ink: Ink) -> str:
    is_up = stage["after"] >= stage["before"]
    up, down = STAGES.get(stage["stage"], (stage["stage"], stage["stage"]))
    if stage["before"] == 0:
        return f"  {up}"
    return f"{ink.good('▲')} {up}" if is_up else f"{ink.warn('▼')} {down}"


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
