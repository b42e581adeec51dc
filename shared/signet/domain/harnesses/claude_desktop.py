"""Claude Desktop: the MCP server in its settings; it has neither hooks nor a file of instructions."""

from pathlib import Path

from signet.domain.harnesses.models import Site
from signet.domain.harnesses.servers import Served


class ClaudeDesktop(Served):
    """The connector of Claude Desktop."""

    id = "claude-desktop"
    name = "Claude Desktop"

    def config_path(self, site: Site) -> Path:
        """Return its settings."""
        return site.app_data / "Claude" / "claude_desktop_config.json"
