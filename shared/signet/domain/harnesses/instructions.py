"""The block about Signet in a harness's instruction file.

The file belongs to the user. For a connected harness it ends with one block between two markers; removing the block
leaves every other byte unchanged. The block explains Signet and how to use it. It does not describe the agent and its
user, because session starts do (`hooks.sessionStart.includeIdentity`), and a copy here would become outdated.

The TypeScript product generated the whole file; connecting replaces such a file by the block.
"""

import re
from pathlib import Path

from signet.domain.harnesses import programs
from signet.domain.harnesses.models import FilePatch, HarnessConnector, Site

START, END = "<!-- SIGNET:START -->", "<!-- SIGNET:END -->"

_BODY = rf"{START}(?:(?!{START}).)*?{END}"
_BLOCK = re.compile(_BODY, re.S)
#: The block with the line ends that belong to it.
_WITH_ENDS = re.compile(rf"\n?{_BODY}\n?", re.S)
_GENERATED = re.compile(r"# AUTO-GENERATED from .*AGENTS\.md by Signet")
#: The mark of a generated file is within its first lines.
_HEADER_LINES = 12
#: What the harness does automatically, and what an agent must do if it does not.
_RECALLED = """What matters is recalled for you when a
session starts and with each prompt, and sessions are read when they end."""
_ASKED_FOR = """Search it with `memory_search`
when a task begins and before you ask for what may be known; store what will matter later with `memory_store`."""


def patches(site: Site, connector: HarnessConnector) -> list[FilePatch]:
    """Return the change to the instruction file of a connected harness; empty if it has no such file."""
    path = connector.instructions(site)
    if path is None:
        return []
    return [
        FilePatch(
            path=path,
            put=lambda text: put(text, block(site, connector)),
            take=lambda text, _: without(text),
        )
    ]


def block(site: Site, connector: HarnessConnector) -> str:
    """Return the block for a harness, with its markers; it never contains a secret."""
    root, signet = site.workspace.root, programs.quoted(programs.slashed(site.signet))
    how = _RECALLED if connector.recalls else _ASKED_FOR
    return f"""{START}
## Signet

Signet is your memory across sessions, tools and models, on this machine. {how}

- Save something now: `{signet} remember "TEXT"`. Look something up: `{signet} recall "WORDS"`.
- Secrets: `{signet} secret list` shows their names, never their values. To run a command with one:
  `{signet} secret exec -s NAME COMMAND`.
- Who you are: `AGENTS.md`, `SOUL.md`, `IDENTITY.md`, `USER.md` in `{root}`; how the memory works:
  `SIGNET-ARCHITECTURE.md` there. Dashboard: {site.url}
{END}"""


def put(text: str, block: str) -> str:
    """Replace the block, or append it. Pure."""
    if (first := _BLOCK.search(text)) is not None:
        return text[: first.start()] + block + without(text[first.end() :])
    return f"{text}\n{block}\n" if text else f"{block}\n"


def without(text: str) -> str:
    """Remove every complete block, with the line ends that `put` has added. Pure."""
    while (found := _WITH_ENDS.search(text)) is not None:
        before, after = text[: found.start()], text[found.end() :]
        runs_on = before and after and not before.endswith("\n") and not found[0].startswith(START)
        text = f"{before}\n{after}" if runs_on else before + after
    return text


def left(site: Site, connector: HarnessConnector) -> Path | None:
    """Return the file of a harness if it holds our block or was generated."""
    found = connector.instructions(site)
    try:
        text = found.read_text("utf-8") if found is not None else ""
    except (OSError, ValueError):
        return None
    return found if is_generated(text) or _BLOCK.search(text) else None


def is_generated(text: str) -> bool:
    """Return whether the TypeScript product wrote all of this file. Pure."""
    return any(_GENERATED.match(line) for line in text.splitlines()[:_HEADER_LINES])
