"""`signet eval`: show whether memory helps."""

import statistics
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from signet.cli import config, output
from signet.cli.command import Output, PathOption, command, opt
from signet.cli.entry import ID_CHARS
from signet.cli.options import AgentOption
from signet.cli.output import Ink, ProgressLine
from signet.client import Signet
from signet.client.answers import Evaluation, Interval, Told
from signet.errors import Invalid, NotFound
from signet.paths import find_workspace

if TYPE_CHECKING:
    from signet.client.answers import Replay, Replayed

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
    """Give 5 % of sessions no memories, to compare the others with them.

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


_REPLAY_LABEL = 26
_CELL = 22
#: 95 % of a normal distribution is within this many standard deviations.
_DEVIATIONS = 1.96


@command(app)
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
    settings = _replay_settings(against or ())
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


def _replay_settings(against: Sequence[str]) -> dict[str, Any]:
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
    yield f"{'':<{_REPLAY_LABEL}}{'now':<{_CELL}}{', '.join(against)}".rstrip()
    for name, key, form in (
        ("found by recall", "found", "{:.0%}"),
        ("injected with the prompts", "carried", "{:.0%}"),
        ("ranking, nDCG@10", "ndcg", "{:.3f}"),
        ("tokens per prompt", "tokensPerPrompt", "{:.0f}"),
    ):
        cells = [form.format(one[key]) for one in (now, other) if one is not None]
        yield f"{name:<{_REPLAY_LABEL}}" + "".join(f"{cell:<{_CELL}}" for cell in cells).rstrip()
