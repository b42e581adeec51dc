"""GitHub Copilot, in VS Code and as a command: hooks and instructions in `~/.copilot`, and the MCP server in both.

VS Code also runs the hooks of Claude Code's settings; with both connected ours run once (see cli/hook_forms.py).
"""

import json
from pathlib import Path

from signet.domain.harnesses import hooks, instructions, servers
from signet.domain.harnesses.models import Patch, Problem, Site, Wishes
from signet.domain.harnesses.shells import Shell

#: Event, our hook, and how many seconds Copilot waits for it. `Stop` ends a turn, and alone names the transcript.
EVENTS = (
    ("SessionStart", "session-start", 15),
    ("UserPromptSubmit", "user-prompt-submit", 5),
    ("Stop", "session-end", 10),
)


class Copilot(servers.Served):
    """The connector of GitHub Copilot."""

    id = "copilot"
    name = "GitHub Copilot"
    key = "servers"
    extras = (("type", "stdio"),)

    def config_path(self, site: Site) -> Path:
        """Return the servers of VS Code."""
        return site.app_data / "Code" / "User" / "mcp.json"

    def patches(self, site: Site, wishes: Wishes) -> list[Patch]:
        """Return hooks, instructions and servers."""
        wanted = {
            event: [hooks.handler(site.signet, name, f"-H {self.id}", seconds, Shell.POWERSHELL)]
            for event, name, seconds in EVENTS
        }
        written = json.dumps({"version": 1, "hooks": wanted}, indent=2, ensure_ascii=False)
        told = f"---\napplyTo: '**'\n---\n{instructions.block(site, self.id)}\n"
        return [
            Patch(path=_hooks(site), content=f"{written}\n"),
            Patch(path=_folder(site) / "instructions" / "signet.instructions.md", content=told),
            self.server(site),
            self.server(site, _folder(site) / "mcp-config.json", "mcpServers"),
        ]

    def skills(self, site: Site) -> Path | None:
        """Return its folder of skills."""
        return site.skills_in(_folder(site) / "skills")

    def faults(self, site: Site) -> list[Problem]:
        """Return hooks that are missing, and what is wrong with its server."""
        path = _hooks(site)
        found = [] if path.is_file() else [Problem(path=path, text="the hooks are missing")]
        return found + super().faults(site)


def _folder(site: Site) -> Path:
    return site.home / ".copilot"


def _hooks(site: Site) -> Path:
    return _folder(site) / "hooks" / "signet.json"
