"""Cursor: hooks in `~/.cursor/hooks.json`, the MCP server in `~/.cursor/mcp.json`, skills as links.

Its rules for all projects are in its database, so that nothing tells an agent of Signet but what a session begins
with and the server itself. With Claude Code connected too, Cursor runs the hooks of both; see cli/hook_forms.py.
"""

from collections.abc import Mapping
from pathlib import Path

from signet.domain.harnesses import jsonedit, servers
from signet.domain.harnesses.hooks import Hooked
from signet.domain.harnesses.jsontext import Json
from signet.domain.harnesses.models import Before, Patch, Site, Wishes
from signet.domain.harnesses.shells import Shell

_VERSION = ("version",)


class Cursor(Hooked, servers.Served):
    """The connector of Cursor."""

    id = "cursor"
    name = "Cursor"
    #: `stop` ends a turn.
    events = (
        ("sessionStart", "session-start", 15),
        ("beforeSubmitPrompt", "user-prompt-submit", 5),
        ("stop", "session-end", 10),
        ("sessionEnd", "session-end", 60),
    )
    windows_shell = Shell.POWERSHELL
    arguments = "-H cursor"

    def config_path(self, site: Site) -> Path:
        """Return its hooks."""
        return site.home / ".cursor" / "hooks.json"

    def server_path(self, site: Site) -> Path:
        """Return its servers."""
        return site.home / ".cursor" / "mcp.json"

    def listed(self, command: Mapping[str, Json]) -> Json:
        """Return a command as Cursor writes it down."""
        return {key: one for key, one in command.items() if key != "type"}

    def patches(self, site: Site, wishes: Wishes) -> list[Patch]:
        """Return hooks and servers."""
        version = Patch(
            path=self.entry_path(site),
            put=lambda text: (
                text if jsonedit.has(text, _VERSION) else jsonedit.put(text, _VERSION, 1)
            ),
            take=_without_version,
            before=lambda text: {} if jsonedit.has(text, _VERSION) else {_VERSION[0]: None},
        )
        return [servers.together([self.hooks(site), version]), self.server(site)]

    def skills(self, site: Site) -> Path | None:
        """Return its folder of skills."""
        return site.skills_in(site.home / ".cursor" / "skills")


def _without_version(text: str, before: Before) -> str:
    """Return a file of hooks without the version that it got from us, if nothing else is left in it."""
    ours = _VERSION[0] in before and jsonedit.get(text, ()) == {"version": 1}
    return jsonedit.drop(text, _VERSION) if ours else text
