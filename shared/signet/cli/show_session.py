"""`signet sessions show`: what was said in a session."""

import sys

from signet.cli import identify, output
from signet.cli.command import Output
from signet.cli.options import AgentOption, SessionArgument
from signet.client import NotFound, Signet

#: Sessions among which the beginning of a key is looked for.
MOST = 200


def show(
    signet: Signet,
    key: SessionArgument,
    agent: AgentOption = None,
) -> Output:
    """Show what was said in a session.

    Examples: signet sessions show 3f2a91c0 · signet sessions show 3f2a91c0 --json
    """
    session = whole(signet, key, agent=agent)
    try:
        found = signet.transcript(session, agent_id=agent)
    except NotFound as error:
        raise NotFound(
            f"Nothing of session {session} is kept: it is still running, was forgotten, or is not there",
            hint="What is said in a session is kept when it ends. See: signet sessions",
        ) from error
    yield found
    ink = output.ink(sys.stdout)
    facts = (output.local(found["createdAt"]), found["harness"], found["project"])
    yield ink.bold(f"Session {output.plain(found['sessionKey'])}")
    yield ink.dim(" · ".join(output.plain(one) for one in facts if one))
    yield from output.paragraphs(found["content"], 0)


def whole(signet: Signet, typed: str, *, agent: str | None) -> str:
    """Return the key that `typed` is or begins among the latest sessions, else as it is; recall's id of one counts."""
    key = typed.strip().removeprefix("session:")
    listed = signet.all_sessions(limit=MOST, agent_id=agent)["sessions"]
    keys = [one["key"] for one in listed if one["key"].startswith(key)]
    return identify.one(keys, key, noun="session", see="sessions", id=str) if keys else key
