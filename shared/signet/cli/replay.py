"""`signet eval replay`: show what past sessions would receive with the current or other settings."""

import statistics
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

from signet.cli import config, output
from signet.cli.command import Output, opt
from signet.cli.options import AgentOption
from signet.cli.output import ProgressLine
from signet.client import Signet
from signet.errors import Invalid, NotFound

if TYPE_CHECKING:
    from signet.client.answers import Replay, Replayed

_LABEL = 26
_CELL = 22
#: 95 % of a normal distribution is within this many standard deviations.
_DEVIATIONS = 1.96


def replay(
    signet: Signet,
    sessions: Annotated[int, opt("Maximum number of sessions, newest first.", min=1, max=500)] = 50,
    against: Annotated[
        list[str] | None, opt("Compare with this setting. Repeatable.", metavar="KEY=VALUE")
    ] = None,
    agent: AgentOption = None,
    as_json: bool = False,
) -> Output:
    """Repeat the prompts of past sessions, and show how much of the useful context they would find and receive.

    Each session is answered from the memories of its time. --against does the same with other settings, without
    changing yours. Only memories that a session received or missed are known to have helped, so settings that find
    other ones get no credit for them.

    Examples: signet eval replay · signet eval replay --against=search.alpha=0.5 --sessions=200
    """
    settings = _settings(against or ())
    keys = signet.past_sessions(limit=sessions, agent_id=agent)["sessions"]
    found: list[Replay] = []
    with ProgressLine("Replaying", quiet=as_json, unit="sessions") as progress:
        for done, key in enumerate(keys):
            progress.count(done, len(keys))
            try:
                found.append(signet.replay(key, settings=settings or None, agent_id=agent))
            except NotFound:  # forgotten since
                continue
    kept = [one for one in found if one["now"]["prompts"]]
    now = [one["now"] for one in kept]
    other = [one["other"] for one in kept if one["other"] is not None]
    figures = {"now": _figures(now), "other": _figures(other) if settings else None}
    gain = _gain(now, other)
    yield {"sessions": len(kept), "settings": settings, **figures, "difference": gain}
    if not kept:
        output.say("No stored session yet in which a memory helped")
        return
    prompts = sum(one["prompts"] for one in now)
    output.say(
        f"{output.count(len(kept), 'session')} with {output.count(prompts, 'prompt')} replayed"
    )
    yield from _table(figures, against or ())
    if gain is not None:
        mean, low, high = gain["mean"], gain["low"], gain["high"]
        output.say()
        bounds = "" if low is None or high is None else f" ({low:+.3f} to {high:+.3f})"
        is_significant = low is not None and high is not None and (low > 0 or high < 0)
        verdict = "" if is_significant else "; this may be chance"
        output.say(f"Ranking with the other settings: {mean:+.3f}{bounds} nDCG@10{verdict}")


def _settings(against: Sequence[str]) -> dict[str, Any]:
    """Return values by dotted key; raises Invalid unless each is `KEY=VALUE`."""
    settings: dict[str, Any] = {}
    for one in against:
        key, is_set, value = one.partition("=")
        if not is_set or not key:
            raise Invalid(f"--against {one}: write it as KEY=VALUE, such as search.alpha=0.5")
        settings[key] = config.parsed(value)
    return settings


def _figures(found: Sequence["Replayed"]) -> dict[str, float]:
    """Return the shares (0..1) of useful memories, the mean nDCG@10, and the tokens per prompt."""
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
    """Return how much better the other settings rank per session, with its confidence bounds."""
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
        ("injected with the prompts", "carried", "{:.0%}"),
        ("ranking, nDCG@10", "ndcg", "{:.3f}"),
        ("tokens per prompt", "tokensPerPrompt", "{:.0f}"),
    ):
        cells = [form.format(one[key]) for one in (now, other) if one is not None]
        yield f"{name:<{_LABEL}}" + "".join(f"{cell:<{_CELL}}" for cell in cells).rstrip()
