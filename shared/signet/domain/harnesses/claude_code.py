"""Claude Code: hooks in `~/.claude/settings.json`, the MCP server in `~/.claude.json`, skills as links.

Its settings are not validated: its commands that read settings also write some, and start every MCP server.
"""

import json
import sys
from pathlib import Path

from signet.domain.harnesses import jsonedit
from signet.domain.harnesses.hooks import Hooked
from signet.domain.harnesses.models import Patch, Problem, Site, Wishes
from signet.domain.harnesses.servers import Served


class ClaudeCode(Hooked, Served):
    """The connector of Claude Code."""

    id = "claude-code"
    name = "Claude Code"
    #: HN-40.
    events = (
        ("SessionStart", "session-start", 15),
        ("UserPromptSubmit", "user-prompt-submit", 5),
        ("PreCompact", "pre-compaction", 10),
        ("SessionEnd", "session-end", 60),
    )
    stale = ("PreCompaction",)
    extras = (("type", "stdio"),)
    #: It says the folder itself, too; Git Bash would say it in a way of its own.
    arguments = "-H claude-code" + ("" if sys.platform == "win32" else ' --project "$(pwd)"')

    def config_path(self, site: Site) -> Path:
        """Return its settings."""
        return site.home / ".claude" / "settings.json"

    def server_path(self, site: Site) -> Path:
        """Return its state, which holds its servers."""
        return site.home / ".claude.json"

    def patches(self, site: Site, wishes: Wishes) -> list[Patch]:
        """Return settings and servers."""
        return [self.hooks(site), self.server(site)]

    def skills(self, site: Site) -> Path | None:
        """Return its folder of skills."""
        return site.home / ".claude" / "skills"

    def faults(self, site: Site) -> list[Problem]:
        """Return what is wrong with its hooks, why it ignores its settings, and a server that is gone."""
        path = self.config_path(site)
        found = [Problem(path=path, text=why) for why in _ignored(path.read_text("utf-8"))]
        return super().faults(site) + found

    def notices(self, site: Site) -> list[str]:
        """Return that its auto memory is on and has notes."""
        path = self.config_path(site)
        is_off = jsonedit.get(path.read_text("utf-8"), ("autoMemoryEnabled",)) is False
        notes = (site.home / ".claude" / "projects").glob("*/memory/*.md")
        if is_off or next(notes, None) is None:
            return []
        return [
            f'its own auto memory is on, too; to switch it off: "autoMemoryEnabled": false in {path}'
        ]

    def warnings(self, site: Site, wishes: Wishes) -> list[str]:
        """Return why Claude Code would not read the settings that were written."""
        path = self.config_path(site)
        text = path.read_text("utf-8") if path.is_file() else ""
        return [f"{path}: {why}" for why in _ignored(text)]


def _ignored(text: str) -> list[str]:
    """Return why Claude Code ignores a settings file without a word, if it does (seen with 2.1.197)."""
    try:
        json.loads(text or "{}")
    except ValueError:
        return ["Claude Code ignores a file with comments or trailing commas; remove them"]
    return []
