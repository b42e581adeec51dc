"""Gemini CLI: hooks and the MCP server in `~/.gemini/settings.json`, how to use them in its `GEMINI.md`."""

from pathlib import Path

from signet.domain.harnesses import servers
from signet.domain.harnesses.hooks import Hooked
from signet.domain.harnesses.models import Patch, Site, Wishes
from signet.domain.harnesses.shells import Shell


class GeminiCli(Hooked, servers.Served):
    """The connector of Gemini CLI."""

    id = "gemini-cli"
    name = "Gemini CLI"
    #: In milliseconds. `AfterAgent` ends a turn: at its own end the program does not wait for `SessionEnd`. Before it
    #: compresses, it reads nothing of a hook.
    events = (
        ("SessionStart", "session-start", 15_000),
        ("BeforeAgent", "user-prompt-submit", 5_000),
        ("AfterAgent", "session-end", 10_000),
        ("SessionEnd", "session-end", 60_000),
    )
    windows_shell = Shell.POWERSHELL
    arguments = "-H gemini-cli"

    def config_path(self, site: Site) -> Path:
        """Return its settings."""
        return site.home / ".gemini" / "settings.json"

    def patches(self, site: Site, wishes: Wishes) -> list[Patch]:
        """Return its settings."""
        return [servers.together([self.hooks(site), self.server(site)])]

    def skills(self, site: Site) -> Path | None:
        """Return its folder of skills."""
        return site.skills_in(site.home / ".gemini" / "skills")
