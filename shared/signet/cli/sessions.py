"""`signet sessions` and `signet bypass`: list, show and forget sessions, and turn the hooks of one off."""

import re
import sys
from collections.abc import Iterator
from typing import Annotated

import typer

from signet import clock
from signet.cli import identify, output
from signet.cli.command import Output, arg, command, opt
from signet.cli.context import summary_lines
from signet.cli.entry import ID_CHARS
from signet.cli.forget import forget_session
from signet.cli.options import (
    AgentOption,
    CursorOption,
    OnlyProjectOption,
    SessionArgument,
    SinceOption,
    UntilOption,
)
from signet.cli.output import Ink
from signet.client import NotFound, Signet
from signet.client.answers import ListedSession, SessionReplay, SessionTranscript, Use
from signet.client.call import ask, only
from signet.wire import sessions as wire
from signet.wire.capture import LogCounts

#: Least characters of a session key to show; more where two keys have the same beginning.
KEY_CHARS = 8

app = typer.Typer(help="List sessions, show or forget one.", invoke_without_command=True)
command(app, "forget")(forget_session)


def sessions(
    signet: Signet,
    limit: Annotated[int, opt("Maximum number of results.", "-l", min=1, max=200)] = 20,
    cursor: CursorOption = None,
    project: OnlyProjectOption = None,
    harness: Annotated[str | None, "Only sessions of this harness."] = None,
    use: Annotated[
        Use | None, "Only sessions that received nothing, or used nothing they received."
    ] = None,
    since: SinceOption = None,
    until: UntilOption = None,
    agent: AgentOption = None,
) -> Output:
    """List sessions, latest first: title, outcome, duration, decisions, files, and what was injected and used.

    Examples: signet sessions list --since yesterday · signet sessions list --project ~/larder --json
    """
    chosen = {"project": project, "harness": harness, "since": since, "until": until}
    page = signet.all_sessions(limit=limit, cursor=cursor, use=use, agent_id=agent, **chosen)
    yield page
    ink, found = output.ink(sys.stdout), page["sessions"]
    if not found:
        output.say("No sessions")
    keys = identify.beginnings([one["key"] for one in found])
    for one in found:
        yield from _lines(one, keys[one["key"]], ink)
    if found:
        output.hint("Messages of one: signet sessions show SESSION")
        output.hint("Injected context and reasons: signet why SESSION")
    flags = output.flags({**chosen, "use": use, "agent": agent})
    output.further(len(found), page["next"], f"signet sessions list -l {limit}{flags}")


command(app, alone=True, pages=True)(sessions)
command(app, "list", pages=True)(sessions)


def _lines(one: ListedSession, key: str, ink: Ink) -> Iterator[str]:
    state = ink.good("running") if one["endedAt"] is None else ""
    state = ink.warn("bypassed") if one["bypassed"] else state
    indent = " " * (KEY_CHARS + 2)
    name = output.plain(key)
    title = ink.bold(output.plain(one["title"])) if one["title"] else ink.dim("(no title)")
    head = [
        ink.name(name) + " " * (KEY_CHARS - output.cells(name)),
        ink.dim(output.local(one["lastAt"])),
    ]
    yield "  ".join([*head, " ".join(filter(None, (state, title)))])
    if one["outcome"]:
        for line in output.wrapped(
            f"→ {output.plain(one['outcome'])}", output.width() - len(indent)
        ):
            yield f"{indent}{line}"
    given = f"{one['given']} injected, {one['used']} used" if one["given"] else "nothing injected"
    facts = (
        one["harness"],
        output.path(one["project"]) if one["project"] else None,
        clock.span(one["seconds"] // 60 * 60).removesuffix(" 0 s") if one["seconds"] > 59 else None,
        output.count(one["prompts"], "prompt") if one["prompts"] else None,
        given,
        f"{one['tokens']} tokens" if one["tokens"] else None,
        output.count(len(one["decisions"]), "decision") if one["decisions"] else None,
        output.count(len(one["files"]), "file") if one["files"] else None,
    )
    known = " · ".join(output.plain(fact) for fact in facts if fact)
    for line in output.wrapped(known, output.width() - len(indent)):
        yield ink.dim(f"{indent}{line}")


#: The time of a message as a transcript has it, in UTC.
_TIME = re.compile(r"^(User |Assistant )\((\d{4}-\d\d-\d\dT[\d:.]+Z)\)(?=:)", re.MULTILINE)


@command(app, pages=True)
def show(
    signet: Signet,
    key: SessionArgument,
    given: Annotated[bool, "Also show the context injected at each message."] = False,
    agent: AgentOption = None,
) -> Output:
    """Show a session's messages.

    Examples: signet sessions show 3f2a91c0 · signet sessions show 3f2a91c0 --given
    """
    session = identify.session(signet, key, agent=agent)
    ink = output.ink(sys.stdout)
    if given:
        replay = signet.session_replay(session, agent_id=agent)
        yield replay
        yield from _session_head(replay, replay["startedAt"], ink)
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
    yield from _session_head(found, found["createdAt"], ink)
    yield ""
    yield from output.paragraphs(
        _TIME.sub(lambda at: f"{at[1]}({output.local(at[2])})", found["content"]), 0
    )
    for gap in _gaps(found.get("reading")):
        output.hint(gap)
    output.hint(f"With its injected context: signet sessions show {key} --given")


def _gaps(reading: LogCounts | None) -> Iterator[str]:
    """Yield what of a session's log is not in its transcript."""
    if not reading:
        return
    if count := reading["leftOut"]:
        yield f"{output.count(count, 'older message')} of its log not read: it is too long"
    if count := reading["shortened"]:
        yield f"{output.count(count, 'message')} shortened: longer than 1 MB"
    for kind, count in reading["unknownRecords"].items():
        yield f"{output.count(count, 'record')} of an unknown type not read: {kind}"


def _session_head(one: SessionReplay | SessionTranscript, began: str, ink: Ink) -> Iterator[str]:
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
        said = output.local(turn["at"]) if turn["at"] else ""
        yield f"{ink.bold(output.plain(turn['role']).capitalize())}  {ink.dim(said)}"
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


@command()
def bypass(
    signet: Signet,
    key: Annotated[str | None, arg("Session key, or its first characters.", "SESSION")] = None,
    off: Annotated[bool, "Turn the hooks on again."] = False,
    as_list: Annotated[bool, opt("List the active sessions.", "--list", "-l")] = False,
) -> Output:
    """Turn the hooks of a session off; without a session, list the active ones.

    Examples: signet bypass · signet bypass abc123 · signet bypass abc123 --off
    """
    listed = signet.send(only(wire.RunningSessions, ask(wire.SESSIONS)))
    if key is None or as_list:
        yield listed
        _show_running(listed)
        return
    keys = [str(one["key"]) for one in listed["sessions"]]
    whole = identify.one(keys, key, noun="session", see="bypass", id=str)
    answer = signet.send(ask(wire.BYPASS_SESSION, whole, body={"enabled": not off}))
    yield answer
    state = "off" if answer["bypassed"] else "on again"
    output.say(f"Hooks of session {output.plain(whole)} are {state}")


def _show_running(listed: wire.RunningSessions) -> None:
    if not listed["sessions"]:
        output.say("No sessions")
        return
    ink = output.ink(sys.stdout)
    for one in listed["sessions"]:
        state = ink.warn("bypassed") if one["bypassed"] else ink.good("active")
        since = output.local(at) if (at := one["claimedAt"]) else ""
        facts = " · ".join(filter(None, (one.get("harness"), one["runtimePath"], since)))
        output.say(f"{output.plain(one['key'])}  {state}  {ink.dim(facts)}")
    output.hint("Turn off the hooks of one: signet bypass SESSION")
