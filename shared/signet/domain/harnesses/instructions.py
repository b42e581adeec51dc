"""The block about Signet in the file of instructions that a harness reads.

The file is the person's. For a harness that was connected, one block between two markers stands at its end; taking it
out leaves every other byte as it was. The block says what Signet is and how to use it. It does not say who the agent
and its user are: that comes at the start of a session (`hooks.sessionStart.includeIdentity`), and a copy here would
say it a second time, and still say it when it is no longer true.

Earlier versions wrote the whole file instead and put what a person had written into `NAME.pre-signet.bak`. Where that
is still so, what the person had written comes back.
"""

import re
from pathlib import Path

from signet.domain.harnesses import shells, windsurf, zed
from signet.domain.harnesses.models import Patch, Site

START, END = "<!-- SIGNET:START -->", "<!-- SIGNET:END -->"

_BODY = rf"{START}(?:(?!{START}).)*?{END}"
_BLOCK = re.compile(_BODY, re.S)
#: The block with the line ends that belong to it.
_WITH_ENDS = re.compile(rf"\n?{_BODY}\n?", re.S)
_GENERATED = re.compile(r"# AUTO-GENERATED from .*AGENTS\.md by Signet")
#: A generated file says so within its first lines.
_HEADER_LINES = 12
_COPY = ".pre-signet.bak"
#: What a harness does by itself, and what an agent has to do where its harness does not.
_RECALLED = """What matters is recalled for you when a
session starts and with each prompt, and sessions are read when they end."""
_ASKED_FOR = """Search it with `memory_search`
when a task begins and before you ask for what may be known; store what will matter later with `memory_store`."""
_SILENT = (windsurf.Windsurf.id, zed.Zed.id)


def path(site: Site, harness: str) -> Path | None:
    """Return the file of instructions that a harness reads, None when it has none of its own."""
    return {
        "claude-code": site.home / ".claude" / "CLAUDE.md",
        "opencode": site.config_home / "opencode" / "AGENTS.md",
        "gemini-cli": site.home / ".gemini" / "GEMINI.md",
        "windsurf": windsurf.folder(site) / "memories" / "global_rules.md",
        "zed": zed.folder(site) / "AGENTS.md",
    }.get(harness)


def patches(site: Site, harness: str) -> list[Patch]:
    """Return how the file of a harness changes when it is connected, nothing when it has none."""
    found = path(site, harness)
    if found is None:
        return []
    return [
        Patch(
            path=found,
            put=lambda text: put(text, block(site, harness)),
            take=lambda text, _: without(text),
        )
    ]


def block(site: Site, harness: str) -> str:
    """Return what the agents of a harness are told about Signet, between its markers; no secret is ever in it."""
    root, signet = site.workspace.root, shells.quoted(shells.slashed(site.signet))
    how = _ASKED_FOR if harness in _SILENT else _RECALLED
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
    """Bring the block in: in place of one that is there, else at the end. Pure."""
    if (first := _BLOCK.search(text)) is not None:
        return text[: first.start()] + block + without(text[first.end() :])
    return f"{text}\n{block}\n" if text else f"{block}\n"


def without(text: str) -> str:
    """Return a text without every complete block and the line ends that `put` adds to one. Pure."""
    while (found := _WITH_ENDS.search(text)) is not None:
        before, after = text[: found.start()], text[found.end() :]
        runs_on = before and after and not before.endswith("\n") and not found[0].startswith(START)
        text = f"{before}\n{after}" if runs_on else before + after
    return text


def left(site: Site, harness: str) -> Path | None:
    """Return the file of a harness if it holds our block or was written whole by an earlier version."""
    found = path(site, harness)
    try:
        text = found.read_text("utf-8") if found is not None else ""
    except (OSError, ValueError):
        return None
    return found if is_generated(text) or _BLOCK.search(text) else None


def is_generated(text: str) -> bool:
    """Return whether an earlier version wrote this whole file. Pure."""
    return any(_GENERATED.match(line) for line in text.splitlines()[:_HEADER_LINES])


def copy_of(path: Path) -> Path | None:
    """Return the copy of what a person had written before an earlier version wrote the file; the newest of several."""
    names = [f"{path.name}{_COPY}{number or ''}" for number in reversed(range(100))]
    return next((one for name in names if (one := path.with_name(name)).is_file()), None)
