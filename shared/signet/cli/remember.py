"""`signet remember`."""

import sys
from typing import Annotated

from signet import ids
from signet.cli import identify, options, output, spooled, when
from signet.cli.command import Output, arg, command, opt
from signet.cli.options import AgentOption, ProjectOption, TagsOption, TypeOption
from signet.client import Signet
from signet.client.answers import SavedMemory
from signet.client.calls import Calls
from signet.domain.memory import wording
from signet.domain.memory.wording import Parsed
from signet.domain.sessions.spool import Entry
from signet.errors import Invalid
from signet.wire.origin import Origin

CRITICAL = "critical"
#: Note for a save from an agent's shell, or with a key that does not speak for the user (AUTH-26).
AS_AN_AGENT = "Saved as an agent's words. To save your own, use a key of role operator outside an agent's shell"


@command()
def remember(
    signet: Signet,
    content: Annotated[str, arg("Text to save; without it, or with -, standard input.")] = "",
    who: Annotated[str, opt("Author of the memory.", "-w")] = "user",
    tags: TagsOption = None,
    importance: Annotated[
        str | None, opt("Importance from 0 to 1, or critical; default: 0.8.", "-i")
    ] = None,
    critical: Annotated[bool, "Pin the memory; it never fades."] = False,
    type: TypeOption = None,
    event_at: Annotated[
        str | None,
        opt(
            f"When it happened, if not now: {when.HELP}.",
            "--when",
            metavar="TIME",
            parser=when.middle,
        ),
    ] = None,
    supersedes: Annotated[
        list[str] | None, opt("ID of a memory that this one replaces. Repeatable.", metavar="ID")
    ] = None,
    agent: AgentOption = None,
    private: Annotated[bool, "Only its own agent can read it."] = False,
    project: ProjectOption = None,
) -> Output:
    """Save a memory. Facts are extracted from it in the background.

    Examples: signet remember "I prefer tabs" · cat notes.md | signet remember - --tags notes
    """
    # Piped input is all text; a typed argument may begin with a prefix.
    if not content and sys.stdin.isatty():
        raise Invalid('No text to save, such as: signet remember "I prefer tabs over spaces"')
    is_piped = content in ("", "-")
    said = Parsed(content=sys.stdin.read()) if is_piped else wording.parse_prefixes(content)
    is_critical = critical or said.pinned or importance == CRITICAL
    level = 1.0 if is_critical else options.importance(importance)
    call = Calls.remember(
        said.content,
        who=who,
        tags=said.tags if tags is None else tags,
        importance=level,
        pinned=is_critical,
        type=type,
        event_at=event_at,
        supersedes=[identify.whole(signet, one, agent=agent) for one in supersedes or ()] or None,
        agent_id=agent,
        private=private,
        project=project,
        # A spooled save must be stored once.
        idempotency_key=ids.new_ordered_id() if signet.target.is_elsewhere else None,
    )
    saved = spooled.sent_or_kept(call, signet.target, signet.send)
    if isinstance(saved, Entry):
        yield {"kept": True, "daemon": saved.daemon}
        output.say(
            f"Stored locally: {saved.daemon} is unreachable. It is sent when the daemon is back"
        )
        output.hint("Details: signet connect")
        return
    yield saved
    output.say(_summary(saved))


#: Characters of an earlier memory that are shown.
BEGINNING = 80


def _summary(saved: SavedMemory) -> str:
    masked = output.masked(saved.get("masked", ()))
    if saved.get("lifted"):
        masked += (
            "\nYou had forgotten this. It is saved again, and may again be saved automatically."
        )
    if saved.get("origin") == Origin.AGENT:
        masked += f"\n{AS_AN_AGENT}"
    if saved["deduped"]:
        done = "Saved in its new spelling" if "rewritten" in saved else "Already saved"
        return f"{done}: {saved['id']}{masked}"
    pieces = f" and {len(saved['ids']) - 1} more pieces" if len(saved.get("ids", ())) > 1 else ""
    corrected = saved.get("superseded", ())
    instead = f"\nCorrects: {', '.join(corrected)}" if corrected else ""
    for one in saved.get("may_replace", ()):
        id_, begin = ids.short(one["id"]), output.plain(one["content"])[:BEGINNING]
        instead += f"\nSeems to replace {id_}: {begin}"
        instead += f"\nTo link them, repeat it with --supersedes {id_}"
    return f"Saved memory: {saved['id']}{pieces}{instead}{masked}"
