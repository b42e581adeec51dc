"""Print the steps of a quickstart with their times, and the facts at the end."""

import shlex
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from signet.cli import output
from signet.cli.quickstart.learn import Answered, LearnedFact, SampleQuestion

_LABEL = 12
#: Facts to print on a terminal; the others are counted.
FACTS_SHOWN = 12
#: Maximum length of a printed answer.
ANSWER_CHARS = 160
_NAME_CHARS = 11
_TIME_CHARS = 7
#: Minimum width of a step's text before its time.
_TEXT_CHARS = 50


class Steps:
    """Time the steps and print each result; a quiet one only times them."""

    def __init__(self, *, quiet: bool) -> None:
        self.quiet = quiet
        self.seconds: dict[str, float] = {}
        self._ink = output.ink(sys.stdout)
        self._since = time.monotonic()

    def done(self, name: str, text: str) -> None:
        self._line(self._ink.good("✓"), name, text)

    def lacking(self, name: str, text: str) -> None:
        """Print that a step was incomplete, and continue."""
        self._line(self._ink.warn("!"), name, text)

    def _line(self, mark: str, name: str, text: str) -> None:
        now = time.monotonic()
        took, self._since = now - self._since, now
        self.seconds[name.lower()] = round(took, 3)
        if self.quiet:
            return
        room = max(_TEXT_CHARS, output.width() - _NAME_CHARS - _TIME_CHARS - 6)
        first, *more = output.wrapped(output.runnable(text), room)
        seconds = self._ink.dim(f"{took:.1f} s".rjust(_TIME_CHARS))
        output.say(f"  {mark} {self._ink.bold(f'{name:<{_NAME_CHARS}}')}{first:<{room}}{seconds}")
        for line in more:
            output.say(" " * (_NAME_CHARS + 4) + line)
        sys.stdout.flush()


def learned(facts: Sequence[LearnedFact], memories: int) -> None:
    ink = output.ink(sys.stdout)
    _title(
        "Extracted facts",
        f"{output.count(len(facts), 'fact')} from {output.count(memories, 'memory')}",
    )
    shown = facts if not output.is_live(sys.stdout) else _surest(facts)
    for fact in shown:
        first, *more = output.wrapped(fact.content, output.width() - _LABEL - 10)
        output.say(
            f"  {ink.dim(f'{fact.confidence:.2f}')}  {ink.name(f'{fact.type:<{_LABEL}}')}{first}"
        )
        for line in more:
            output.say(" " * (_LABEL + 8) + line)
    if len(shown) < len(facts):
        output.say(ink.dim(f"  and {len(facts) - len(shown)} more"))


def answers(found: Sequence[Answered], *, is_sample: bool) -> None:
    ink = output.ink(sys.stdout)
    made = "generated from the most mentioned names, then the types of facts"
    _title("Questions and answers", "sample questions" if is_sample else made)
    for number, one in enumerate(found):
        if number:
            output.say()
        output.say(f"  {ink.bold(one.question)}")
        if not one.results:
            output.say("    nothing found")
        for hit in one.results:
            score = ink.good(f"{hit['score'] * 100:3.0f}%")
            source = f"({hit['type']})"
            text = output.short(hit["content"], ANSWER_CHARS)
            lines = output.wrapped(f"{text} {source}", output.width() - 11)
            for at, line in enumerate(lines):
                output.say(f"    {score}  {line}" if at == 0 else " " * 10 + line)


def where(places: Mapping[str, str]) -> None:
    _title("Kept")
    for name, place in places.items():
        output.say(f"  {name:<{_LABEL}}{place}")


def next_steps(kept: Sequence[Path], asked: Sequence[SampleQuestion]) -> None:
    """Print the next commands; with kept folders, also how to use and remove them."""
    ink = output.ink(sys.stdout)
    _title("Next", "" if kept else "nothing is kept; keep it with --keep")
    commands = {"signet setup": "set up your own memory and connect your agents"}
    if kept:
        every = [shlex.quote(str(one)) for one in kept]
        at = f"-p {every[0]}"
        question = asked[0].text if asked else "QUESTION"
        commands[f"signet recall {shlex.quote(question)} {at}"] = "ask more"
        commands[f"signet daemon stop {at} && rm -rf {' '.join(every)}"] = "remove everything"
    for command, text in commands.items():
        output.say(f"  {ink.name(output.runnable(command))}  {ink.dim(text)}")


def _surest(facts: Sequence[LearnedFact]) -> list[LearnedFact]:
    best = sorted(facts, key=lambda fact: -fact.confidence)[:FACTS_SHOWN]
    return [fact for fact in facts if fact in best]


def _title(text: str, more: str = "") -> None:
    ink = output.ink(sys.stdout)
    output.say(f"\n{ink.bold(text)}{ink.dim(f' · {more}') if more else ''}\n")
