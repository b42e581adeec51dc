"""Zed: the MCP server in its settings, and how to use it in its instructions. It has no hooks."""

import sys
from pathlib import Path

from signet.domain.harnesses.models import Site
from signet.domain.harnesses.servers import Served


def folder(site: Site) -> Path:
    """Return where Zed keeps its settings and instructions: not in the usual place of programs on macOS."""
    return (site.app_data / "Zed") if sys.platform == "win32" else site.config_home / "zed"


class Zed(Served):
    """The connector of Zed."""

    id = "zed"
    name = "Zed"
    key = "context_servers"
    #: Versions of 2025 do not read an entry without it.
    extras = (("source", "custom"),)

    def config_path(self, site: Site) -> Path:
        """Return its settings."""
        return folder(site) / "settings.json"
