"""`signet bypass`: turn off the hooks of one session."""

import sys
from typing import Annotated

from signet.cli import identify, output
from signet.cli.command import Output, arg, command, opt
from signet.client import Signet
from signet.client.call import ask, only
from signet.wire import sessions as wire


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
        _show(listed)
        return
    keys = [str(one["key"]) for one in listed["sessions"]]
    whole = identify.one(keys, key, noun="session", see="bypass", id=str)
    answer = signet.send(ask(wire.BYPASS_SESSION, whole, body={"enabled": not off}))
    yield answer
    state = "off" if answer["bypassed"] else "on again"
    output.say(f"Hooks of session {output.plain(whole)} are {state}")


def _show(listed: wire.RunningSessions) -> None:
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
