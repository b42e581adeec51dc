"""`signet sessions show`: show a session's messages with the context injected at each."""

import re
import sys
from collections.abc import Iterator
from typing import Annotated

from signet.cli import identify, output
from signet.cli.command import Output
from signet.cli.context import summary_lines
from signet.cli.entry import ID_CHARS
from signet.cli.options import AgentOption, SessionArgument
from signet.cli.output import Ink
from signet.client import NotFound, Signet
from signet.client.answers import SessionReplay, Transcript
from signet.wire.capture import Reading

#: Sessions searched for a key prefix.
MOST = 200
#: The time of a message as a transcript has it, in UTC.
_TIME = re.compile(r"^(User |Assistant )\((\d{4}-\d\d-\d\dT[\d:.]+Z)\)(?=:)", re.MULTILINE)


def show(
    signet: Signet,
    key: SessionArgument,
    given: Annotated[bool, "Also show the context injected at each message."] = False,
    agent: AgentOption = None,
) -> Output:
    """Show a session's messages.

    Examples: signet sessions show 3f2a91c0 · signet sessions show 3f2a91c0 --given
    """
    session = whole(signet, key, agent=agent)
    ink = output.ink(sys.stdout)
    if given:
        replay = signet.session_replay(session, agent_id=agent)
        yield replay
        yield from _head(replay, replay["startedAt"], ink)
        yield from _replayed(replay, ink)
        return
    try:
        found = signet.transcript(session, agent_id=agent)
    except NotFound as error:
        raise NotFound(
            f"Session {session} has no transcript: it still runs, was forgotten, or does not exist",
            hint="A transcript is stored when the session ends. List: signet sessions",
        ) from error
    yield found
    yield from _head(found, found["createdAt"], ink)
    yield ""
    yield from output.paragraphs(_TIME.sub(_local, found["content"]), 0)
    for gap in _gaps(found.get("reading")):
        output.hint(gap)
    output.hint(f"With its injected context: signet sessions show {key} --given")


def _local(found: re.Match[str]) -> str:
    return f"{found[1]}({output.local(found[2])})"


def _gaps(reading: Reading | None) -> Iterator[str]:
    """Yield what of a session's log is not in its transcript."""
    if not reading:
        return
    if count := reading["leftOut"]:
        yield f"{output.count(count, 'older message')} of its log not read: it is too long"
    if count := reading["shortened"]:
        yield f"{output.count(count, 'message')} shortened: longer than 1 MB"
    for kind, count in reading["unknownRecords"].items():
        yield f"{output.count(count, 'record')} of an unknown type not read: {kind}"


def _head(one: SessionReplay | Transcript, began: str, ink: Ink) -> Iterator[str]:
    facts = (output.local(began), one["harness"], one["project"], one["sessionKey"])
    yield ink.bold(output.plain(one["title"] or f"Session {one['sessionKey']}"))
    yield ink.dim(" · ".join(output.plain(fact) for fact in facts if fact))
    if one["outcome"]:
        yield f"→ {output.plain(one['outcome'])}"
    for name, listed in (("decided", one["decisions"]), ("changed", one["files"])):
        for text in listed:
            first, *rest = output.paragraphs(text, 9)
            yield f"{ink.dim(f'{name}  ')}{first}"
            yield from (f"{' ' * 9}{line}" for line in rest)


def _replayed(replay: SessionReplay, ink: Ink) -> Iterator[str]:
    """Yield each message after its injected context; without a stored message only the context."""
    waiting = list(replay["injections"])
    for number, turn in enumerate(replay["turns"]):
        yield ""
        yield f"{ink.bold(output.plain(turn['role']).capitalize())}  {_when(turn['at'], ink)}"
        yield from output.paragraphs(turn["text"], 0)
        while waiting and (waiting[0]["turn"] or 0) <= number:
            yield from summary_lines(waiting.pop(0), ink)
    for one in waiting:
        yield from summary_lines(one, ink)
    for how, title in (("saved", "Saved memories"), ("distilled", "Derived facts")):
        if found := [memory for memory in replay["memories"] if memory["how"] == how]:
            yield f"\n{ink.bold(title)}"
            for memory in found:
                text = output.short(memory["content"], output.width() - 22)
                yield f"  {memory['id'][:ID_CHARS]}  {text}"
    if replay["summary"]:
        yield f"\n{ink.bold('Summary')}"
        yield from output.paragraphs(replay["summary"], 0)


def _when(at: str | None, ink: Ink) -> str:
    return ink.dim(output.local(at)) if at else ""


def whole(signet: Signet, typed: str, *, agent: str | None) -> str:
    """Resolve a key prefix, or recall's ID of a session, among the latest sessions; else return the input."""
    key = typed.strip().removeprefix("session:")
    listed = signet.all_sessions(limit=MOST, agent_id=agent)["sessions"]
    keys = [one["key"] for one in listed if one["key"].startswith(key)]
    return identify.one(keys, key, noun="session", see="sessions", id=str) if keys else key
