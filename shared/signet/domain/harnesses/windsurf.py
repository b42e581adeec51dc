"""Windsurf: a hook that hands over each turn, the MCP server, and how to use it in its global rules.

What a hook prints is shown and not read, so that an agent is told to ask.
"""

from collections.abc import Mapping
from pathlib import Path

from signet.domain.harnesses import servers
from signet.domain.harnesses.hooks import Hooked
from signet.domain.harnesses.jsontext import Json
from signet.domain.harnesses.models import Patch, Site, Wishes
from signet.domain.harnesses.shells import Shell


def folder(site: Site) -> Path:
    """Return where Windsurf keeps its settings."""
    return site.home / ".codeium" / "windsurf"


class Windsurf(Hooked, servers.Served):
    """The connector of Windsurf."""

    id = "windsurf"
    name = "Windsurf"
    #: It waits as long as it takes.
    events = (("post_cascade_response_with_transcript", "session-end", 0),)
    windows_shell = Shell.POWERSHELL
    arguments = '-H windsurf --project "$(pwd)"'

    def config_path(self, site: Site) -> Path:
        """Return its hooks."""
        return folder(site) / "hooks.json"

    def server_path(self, site: Site) -> Path:
        """Return its servers."""
        return folder(site) / "mcp_config.json"

    def listed(self, command: Mapping[str, Json]) -> Json:
        """Return a command as Windsurf writes it down."""
        return {"command": command["command"], "show_output": False}

    def patches(self, site: Site, wishes: Wishes) -> list[Patch]:
        """Return hooks and servers."""
        return [self.hooks(site), self.server(site)]

    def skills(self, site: Site) -> Path | None:
        """Return its folder of skills."""
        return site.skills_in(folder(site) / "skills")
