"""`signet sessions show`: what was said in a session, and what the agent was given at each message."""

import sys
from collections.abc import Iterator
from typing import Annotated

import typer

from signet.cli import identify, output
from signet.cli.command import Output
from signet.cli.context import told
from signet.cli.entry import ID_CHARS
from signet.cli.options import AgentOption, SessionArgument
from signet.cli.output import Ink
from signet.client import NotFound, Signet
from signet.client.answers import SessionReplay
from signet.wire.capture import Reading

#: Sessions among which the beginning of a key is looked for.
MOST = 200


def show(
    signet: Signet,
    key: SessionArgument,
    given: Annotated[
        bool,
        typer.Option("--given", help="Also show what the agent was given at each message."),
    ] = False,
    agent: AgentOption = None,
) -> Output:
    """Show what was said in a session.

    Examples: signet sessions show 3f2a91c0 · signet sessions show 3f2a91c0 --given
    """
    session = whole(signet, key, agent=agent)
    ink = output.ink(sys.stdout)
    if given:
        replay = signet.session_replay(session, agent_id=agent)
        yield replay
        yield from _head(
            replay["sessionKey"], replay["startedAt"], replay["harness"], replay["project"], ink
        )
        yield from _replayed(replay, ink)
        return
    try:
        found = signet.transcript(session, agent_id=agent)
    except NotFound as error:
        raise NotFound(
            f"Nothing of session {session} is kept: it is still running, was forgotten, or is not there",
            hint="What is said in a session is kept when it ends. See: signet sessions",
        ) from error
    yield found
    yield from _head(
        found["sessionKey"], found["createdAt"], found["harness"], found["project"], ink
    )
    yield from output.paragraphs(found["content"], 0)
    for gap in _gaps(found.get("reading")):
        output.hint(gap)
    output.hint(f"With what it was given: signet sessions show {key} --given")


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


def _head(
    key: str, began: str, harness: str | None, project: str | None, ink: Ink
) -> Iterator[str]:
    facts = (output.local(began), harness, project)
    yield ink.bold(f"Session {output.plain(key)}")
    yield ink.dim(" · ".join(output.plain(one) for one in facts if one))


def _replayed(replay: SessionReplay, ink: Ink) -> Iterator[str]:
    """Yield each message behind what the agent was given with it; where no message is kept, that alone."""
    waiting = list(replay["injections"])
    for number, turn in enumerate(replay["turns"]):
        yield ""
        yield f"{ink.bold(output.plain(turn['role']).capitalize())}  {_when(turn['at'], ink)}"
        yield from output.paragraphs(turn["text"], 0)
        while waiting and (waiting[0]["turn"] or 0) <= number:
            yield from told(waiting.pop(0), ink)
    for one in waiting:
        yield from told(one, ink)
    for how, title in (("saved", "Saved in it"), ("distilled", "Distilled from it")):
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
    """Return the key that `typed` is or begins among the latest sessions, else as it is; recall's id of one counts."""
    key = typed.strip().removeprefix("session:")
    listed = signet.all_sessions(limit=MOST, agent_id=agent)["sessions"]
    keys = [one["key"] for one in listed if one["key"].startswith(key)]
    return identify.one(keys, key, noun="session", see="sessions", id=str) if keys else key
