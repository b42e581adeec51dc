"""`signet eval replay`: what past sessions would be given with the settings of now, or with others."""

import statistics
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from signet.cli import config, output
from signet.cli.command import Output
from signet.cli.options import AgentOption
from signet.cli.output import Progress
from signet.client import Signet
from signet.errors import Invalid, NotFound

if TYPE_CHECKING:
    from signet.client.answers import Replay, Replayed

_LABEL = 26
_CELL = 22
#: Of the normal distribution 95 % lie within so many deviations.
_DEVIATIONS = 1.96


def replay(
    signet: Signet,
    sessions: Annotated[
        int,
        typer.Option(min=1, max=500, help="Replay at most so many, newest first."),
    ] = 50,
    against: Annotated[
        list[str] | None,
        typer.Option(metavar="KEY=VALUE", help="Compare with this setting. Repeatable."),
    ] = None,
    agent: AgentOption = None,
    as_json: bool = False,
) -> Output:
    """Ask the prompts of past sessions again, and show how much of what helped in them would be found and told.

    Every session is answered from what was known at its time. With --against the same is done with other settings,
    which are not changed. Only memories that a session was given, or missed, are known to have helped it: settings
    that bring others are not rewarded for them.

    Examples: signet eval replay · signet eval replay --against=search.alpha=0.5 --sessions=200
    """
    settings = _settings(against or ())
    keys = signet.past_sessions(limit=sessions, agent_id=agent)["sessions"]
    found: list[Replay] = []
    with Progress("Replaying", quiet=as_json, unit="sessions") as progress:
        for done, key in enumerate(keys):
            progress.count(done, len(keys))
            try:
                found.append(signet.replay(key, settings=settings or None, agent_id=agent))
            except NotFound:  # forgotten meanwhile
                continue
    kept = [one for one in found if one["now"]["prompts"]]
    now = [one["now"] for one in kept]
    other = [one["other"] for one in kept if one["other"] is not None]
    figures = {"now": _figures(now), "other": _figures(other) if settings else None}
    gain = _gain(now, other)
    yield {"sessions": len(kept), "settings": settings, **figures, "difference": gain}
    if not kept:
        output.say("There is no past session yet in which a memory helped and whose text is kept")
        return
    prompts = sum(one["prompts"] for one in now)
    output.say(
        f"{output.count(len(kept), 'session')} with {output.count(prompts, 'prompt')} asked again"
    )
    yield from _table(figures, against or ())
    if gain is not None:
        mean, low, high = gain["mean"], gain["low"], gain["high"]
        output.say()
        bounds = "" if low is None or high is None else f" ({low:+.3f} to {high:+.3f})"
        is_told = low is not None and high is not None and (low > 0 or high < 0)
        verdict = "" if is_told else "; this may be chance"
        output.say(f"With the other settings the order is {mean:+.3f}{bounds} nDCG@10{verdict}")


def _settings(against: Sequence[str]) -> dict[str, Any]:
    """Return values by dotted key; raises Invalid for what is no `KEY=VALUE`."""
    settings: dict[str, Any] = {}
    for one in against:
        key, is_set, value = one.partition("=")
        if not is_set or not key:
            raise Invalid(f"--against {one}: write it as KEY=VALUE, such as search.alpha=0.5")
        settings[key] = config.parsed(value)
    return settings


def _figures(found: Sequence["Replayed"]) -> dict[str, float]:
    """Return shares (0..1) of what helped, the mean nDCG@10, and the tokens that a prompt was told."""
    helped = sum(one["helped"] for one in found)
    prompts = sum(one["prompts"] for one in found)
    return {
        "helped": helped,
        "found": sum(one["found"] for one in found) / max(helped, 1),
        "carried": sum(one["carried"] for one in found) / max(helped, 1),
        "ndcg": statistics.fmean(one["ndcg"] for one in found) if found else 0.0,
        "tokensPerPrompt": sum(one["tokens"] for one in found) / max(prompts, 1),
    }


def _gain(now: Sequence["Replayed"], other: Sequence["Replayed"]) -> dict[str, float | None] | None:
    """Return by how much the other settings order better, session by session, with its bounds."""
    if not other:
        return None
    gains = [two["ndcg"] - one["ndcg"] for one, two in zip(now, other, strict=True)]
    mean = statistics.fmean(gains)
    if len(gains) < 2:
        return {"mean": mean, "low": None, "high": None}
    off = _DEVIATIONS * statistics.stdev(gains) / len(gains) ** 0.5
    return {"mean": mean, "low": mean - off, "high": mean + off}


def _table(
    figures: Mapping[str, Mapping[str, float] | None], against: Sequence[str]
) -> Iterator[str]:
    now, other = figures["now"], figures["other"]
    assert now is not None
    yield f"{'':<{_LABEL}}{'now':<{_CELL}}{', '.join(against)}".rstrip()
    for name, key, form in (
        ("found by recall", "found", "{:.0%}"),
        ("told with the prompts", "carried", "{:.0%}"),
        ("order of recall, nDCG@10", "ndcg", "{:.3f}"),
        ("tokens told a prompt", "tokensPerPrompt", "{:.0f}"),
    ):
        cells = [form.format(one[key]) for one in (now, other) if one is not None]
        yield f"{name:<{_LABEL}}" + "".join(f"{cell:<{_CELL}}" for cell in cells).rstrip()
