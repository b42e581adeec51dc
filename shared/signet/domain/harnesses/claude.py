"""Claude Code and Claude Desktop.

Claude Code has hooks in `~/.claude/settings.json`, the MCP server in `~/.claude.json`, skills as links. Its settings
are not validated: its commands that read settings also write some, and start every MCP server. Claude Desktop has only
the MCP server in its settings.
"""

import json
import sys
from pathlib import Path

from signet.domain.harnesses import jsonedit
from signet.domain.harnesses.entries import HookedAndServed, ServedHarness
from signet.domain.harnesses.models import PLUGIN, ConnectOptions, Problem, Site


class ClaudeCode(HookedAndServed):
    id = "claude-code"
    name = "Claude Code"
    config = ".claude/settings.json"
    servers = ".claude.json"
    skills_folder = ".claude/skills"
    instructions_file = ".claude/CLAUDE.md"
    plugin_removal = f"claude plugin uninstall {PLUGIN}"
    #: HN-40.
    events = (
        ("SessionStart", "session-start", 15),
        ("UserPromptSubmit", "user-prompt-submit", 5),
        ("PreCompact", "pre-compaction", 10),
        ("SessionEnd", "session-end", 60),
    )
    stale = ("PreCompaction",)
    extras = (("type", "stdio"),)
    #: It also passes the folder itself; Git Bash would write it in another form.
    arguments = "-H claude-code" + ("" if sys.platform == "win32" else ' --project "$(pwd)"')

    def has_plugin(self, site: Site) -> bool:
        try:
            text = self.config_path(site).read_text("utf-8")
            return jsonedit.get(text, ("enabledPlugins", PLUGIN)) is True
        except (OSError, ValueError, jsonedit.ConfigUnreadable):
            return False

    def faults(self, site: Site) -> list[Problem]:
        """Return faults of its hooks and its server, and why it ignores its settings."""
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

    def warnings(self, site: Site, wishes: ConnectOptions) -> list[str]:
        """Return why Claude Code would ignore the settings that we wrote."""
        path = self.config_path(site)
        text = path.read_text("utf-8") if path.is_file() else ""
        return [f"{path}: {why}" for why in _ignored(text)]


def _ignored(text: str) -> list[str]:
    """Return why Claude Code silently ignores a settings file, if it does (seen with 2.1.197)."""
    try:
        json.loads(text or "{}")
    except ValueError:
        return ["Claude Code ignores a file with comments or trailing commas; remove them"]
    return []


class ClaudeDesktop(ServedHarness):
    id = "claude-desktop"
    name = "Claude Desktop"

    def config_path(self, site: Site) -> Path:
        return site.app_data / "Claude" / "claude_desktop_config.json"
