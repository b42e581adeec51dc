"""`signet memory edit`: change a memory, field by field or in an editor."""

import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Annotated

import typer

from signet.cli import identify, options, output
from signet.cli.command import Output, arg, command, opt
from signet.cli.options import AgentOption, IdArgument, ReasonOption, TagsOption, TypeOption
from signet.client import Signet
from signet.errors import Invalid

#: Options that change something.
_FIELDS = "a text, --content, --type, --tags, --importance, --pin, --unpin, --who or --project"


@command(forgets=True)
def edit(
    signet: Signet,
    memory_id: IdArgument,
    text: Annotated[
        str | None, arg("New text; - reads standard input.", show_default=False)
    ] = None,
    content: Annotated[str | None, opt("The same as TEXT.", "-c")] = None,
    type: TypeOption = None,
    tags: TagsOption = None,
    importance: Annotated[str | None, opt("From 0 to 1.", "-i")] = None,
    pin: Annotated[bool | None, opt("Pinned memories never fade.", "--pin/--unpin")] = None,
    who: Annotated[str | None, opt("Author of the memory.", "-w")] = None,
    project: Annotated[
        str | None,
        opt(
            'A folder of the only project it is for; "" for every project.',
            metavar="FOLDER",
            parser=options.folder,
        ),
    ] = None,
    reason: ReasonOption = "edited on the command line",
    agent: AgentOption = None,
) -> Output:
    """Change a memory. Without options, its text opens in your editor. --tags "" clears tags.

    Examples: signet edit ID "Deploys go out on Tuesdays." · signet edit ID --pin · signet edit ID --project .
    """
    if text is not None and content is not None:
        raise typer.BadParameter("give the new text once: as TEXT or with --content")
    content = text if content is None else content
    level = options.importance(importance)
    full_id = identify.whole(signet, memory_id, agent=agent)
    version = None
    if all(value is None for value in (content, type, tags, level, pin, who, project)):
        content, version = _edited(signet, full_id, agent)
        if content is None:
            output.say("Nothing changed")
            return
    done = signet.modify(
        full_id,
        content=sys.stdin.read() if content == "-" else content,
        type=type,
        tags=tags,
        importance=level,
        pinned=pin,
        who=who,
        project=project,
        reason=reason,
        if_version=version,
        agent_id=agent,
    )
    yield done
    if done["status"] == "no_changes":
        output.say("Nothing changed")
    else:
        output.say(f"Changed: {full_id} (version {done['newVersion']})")


def _edited(signet: Signet, memory_id: str, agent: str | None) -> tuple[str | None, int]:
    """Return the edited text (None if unchanged) and the version that was edited."""
    if not (output.can_ask() and sys.stdout.isatty()):
        raise Invalid(f"Nothing to change: give {_FIELDS}")
    memory = signet.get(memory_id, agent_id=agent)
    with tempfile.TemporaryDirectory(prefix="signet-") as folder:
        file = Path(folder) / "memory.txt"
        file.write_text(memory["content"] + "\n", "utf-8")
        edit_file(file)
        text = file.read_text("utf-8").strip()
    return (text if text != memory["content"] else None), memory["version"]


def edit_file(file: Path) -> None:
    """Open an editor and wait until it closes; raises Invalid if it fails."""
    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR") or "vi"
    try:
        status = subprocess.run([*shlex.split(editor), str(file)], check=False).returncode
    except OSError as error:
        raise Invalid(f"{editor} could not be started: {error.strerror}") from error
    if status:
        raise Invalid(f"{editor} ended with status {status}; nothing was changed")
