"""Harnesses inside editors: Cursor, GitHub Copilot, Windsurf and Zed.

Cursor keeps its rules for all projects in its database, so agents there learn of Signet only from the start of a
session and from the server. Copilot works in VS Code and as a command. VS Code and Cursor also run the hooks of Claude
Code's settings; with both connected ours run once (see cli/hook_forms.py). Windsurf ignores the output of a hook, and
Zed has no hooks, so agents there must search for memories.
"""

import json
import sys
from collections.abc import Mapping
from pathlib import Path

from signet.domain.harnesses import entries, instructions, jsonedit
from signet.domain.harnesses.entries import HookedAndServed, ServedHarness
from signet.domain.harnesses.jsonedit import Json
from signet.domain.harnesses.models import Before, ConnectOptions, FilePatch, Problem, Site
from signet.domain.harnesses.programs import Shell

_VERSION = ("version",)
#: Event, our hook, and Copilot's limit in seconds. `Stop` ends a turn, and alone names the transcript. A killed hook
#: loses the turn, and its start can take more than 10 s on a busy machine.
COPILOT_EVENTS = (
    ("SessionStart", "session-start", 15),
    ("UserPromptSubmit", "user-prompt-submit", 5),
    ("PreCompact", "pre-compaction", 10),
    ("Stop", "session-end", 60),
)


class Cursor(HookedAndServed):
    id = "cursor"
    name = "Cursor"
    config = ".cursor/hooks.json"
    servers = ".cursor/mcp.json"
    skills_folder = ".cursor/skills"
    reads_agents_skills = True
    #: `stop` ends a turn.
    events = (
        ("sessionStart", "session-start", 15),
        ("beforeSubmitPrompt", "user-prompt-submit", 5),
        ("stop", "session-end", 10),
        ("sessionEnd", "session-end", 60),
    )
    windows_shell = Shell.POWERSHELL
    arguments = "-H cursor"

    def listed(self, command: Mapping[str, Json]) -> Json:
        return {key: one for key, one in command.items() if key != "type"}

    def patches(self, site: Site, wishes: ConnectOptions) -> list[FilePatch]:
        version = FilePatch(
            path=self.entry_path(site),
            put=lambda text: (
                text if jsonedit.has(text, _VERSION) else jsonedit.put(text, _VERSION, 1)
            ),
            take=_without_version,
            before=lambda text: {} if jsonedit.has(text, _VERSION) else {_VERSION[0]: None},
        )
        return [entries.together([self.hooks(site), version]), self.server(site)]


class Copilot(ServedHarness):
    id = "copilot"
    name = "GitHub Copilot"
    skills_folder = ".copilot/skills"
    reads_agents_skills = True
    key = "servers"
    extras = (("type", "stdio"),)

    def config_path(self, site: Site) -> Path:
        """Return the servers of VS Code."""
        return site.app_data / "Code" / "User" / "mcp.json"

    def patches(self, site: Site, wishes: ConnectOptions) -> list[FilePatch]:
        """Return hooks, instructions and servers."""
        hooks = {
            event: [entries.handler(site.signet, name, f"-H {self.id}", seconds, Shell.POWERSHELL)]
            for event, name, seconds in COPILOT_EVENTS
        }
        written = json.dumps({"version": 1, "hooks": hooks}, indent=2, ensure_ascii=False)
        text = f"---\napplyTo: '**'\n---\n{instructions.block(site, self)}\n"
        folder = site.home / ".copilot"
        return [
            FilePatch(path=self._hooks(site), content=f"{written}\n"),
            FilePatch(path=folder / "instructions" / "signet.instructions.md", content=text),
            self.server(site),
            self.server(site, folder / "mcp-config.json", "mcpServers"),
        ]

    def faults(self, site: Site) -> list[Problem]:
        path = self._hooks(site)
        found = [] if path.is_file() else [Problem(path=path, text="the hooks are missing")]
        return found + super().faults(site)

    def _hooks(self, site: Site) -> Path:
        return site.home / ".copilot" / "hooks" / "signet.json"


class Windsurf(HookedAndServed):
    id = "windsurf"
    name = "Windsurf"
    config = ".codeium/windsurf/hooks.json"
    servers = ".codeium/windsurf/mcp_config.json"
    skills_folder = ".codeium/windsurf/skills"
    reads_agents_skills = True
    instructions_file = ".codeium/windsurf/memories/global_rules.md"
    recalls = False
    #: It has no time limit.
    events = (("post_cascade_response_with_transcript", "session-end", 0),)
    windows_shell = Shell.POWERSHELL
    arguments = '-H windsurf --project "$(pwd)"'

    def listed(self, command: Mapping[str, Json]) -> Json:
        return {"command": command["command"], "show_output": False}


class Zed(ServedHarness):
    id = "zed"
    name = "Zed"
    recalls = False
    key = "context_servers"
    #: Versions of 2025 do not read an entry without it.
    extras = (("source", "custom"),)

    def config_path(self, site: Site) -> Path:
        return self._folder(site) / "settings.json"

    def instructions(self, site: Site) -> Path | None:
        return self._folder(site) / "AGENTS.md"

    def _folder(self, site: Site) -> Path:
        return site.app_data / "Zed" if sys.platform == "win32" else site.config_home / "zed"


def _without_version(text: str, before: Before) -> str:
    ours = _VERSION[0] in before and jsonedit.get(text, ()) == {"version": 1}
    return jsonedit.drop(text, _VERSION) if ours else text
