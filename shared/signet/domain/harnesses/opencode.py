"""OpenCode: a plugin that runs inside it, its entry and the MCP server in its settings, skills as links.

All tools come from the server; OpenCode names them `signet_memory_search` and so on. Tools of a plugin would need a
package that OpenCode fetches first. Its settings are not validated: its commands that read settings also write its
database.
"""

import json
from collections.abc import Mapping
from pathlib import Path

from signet import resources
from signet.domain.harnesses import jsonedit, programs
from signet.domain.harnesses.jsonedit import Json
from signet.domain.harnesses.models import (
    Before,
    ConnectOptions,
    FilePatch,
    HarnessConnector,
    Problem,
    Site,
    gone_if_ours,
)

#: The identity files that a connection needs (HN-45).
NEEDED = ("AGENTS.md", "SOUL.md", "IDENTITY.md", "USER.md")
_NAMES = ("opencode.json", "opencode.jsonc", "config.json")
_ENTRY = "./plugins/signet.mjs"
_SERVER = ("mcp", "signet")
#: Entries of an earlier product.
_OLD = ("./memory.mjs", "./plugins/memory.mjs")


class OpenCode(HarnessConnector):
    id = "opencode"
    name = "OpenCode"

    def config_path(self, site: Site) -> Path:
        """Return the first of its possible settings files that exists."""
        folder = self._folder(site)
        return next(
            (folder / one for one in _NAMES if (folder / one).is_file()), folder / _NAMES[0]
        )

    def refusal(self, site: Site) -> str | None:
        """Return the missing identity files; a workspace with a remote daemon has them there."""
        if site.workspace.connection_file.exists():
            return None
        missing = [one for one in NEEDED if not (site.workspace.root / one).is_file()]
        return f"{site.workspace.root} has no {', '.join(missing)}" if missing else None

    def patches(self, site: Site, wishes: ConnectOptions) -> list[FilePatch]:
        folder = self._folder(site)
        plugin = folder / "plugins" / "signet.mjs"
        old = [folder / name.removeprefix("./") for name in _OLD]
        return [
            FilePatch(path=plugin, content=plugin_text("opencode/signet.mjs", site)),
            FilePatch(
                path=self.config_path(site),
                put=lambda text: _put(text, site),
                take=_take,
                renew=lambda text: _put(text, site, adds=False),
                empty=jsonedit.EMPTY,
            ),
            *(FilePatch(path=one, put=gone_if_ours, is_final=True) for one in old if one.is_file()),
        ]

    def skills(self, site: Site) -> Path | None:
        return self._folder(site) / "skills"

    def instructions(self, site: Site) -> Path | None:
        return self._folder(site) / "AGENTS.md"

    def uses(self, text: str) -> bool:
        return _ENTRY in _plugins(text)

    def faults(self, site: Site) -> list[Problem]:
        path, plugin = self.config_path(site), self._folder(site) / "plugins" / "signet.mjs"
        found = [] if plugin.is_file() else [Problem(path=plugin, text="the plugin is missing")]
        text = path.read_text("utf-8")
        if not jsonedit.has(text, _SERVER):
            found.append(Problem(path=path, text="the MCP server is missing"))
        command = jsonedit.get(text, (*_SERVER, "command"))
        program = command[0] if isinstance(command, list) and command else None
        return found + programs.server_problems(path, program)

    def _folder(self, site: Site) -> Path:
        return site.config_home / "opencode"


def plugin_text(name: str, site: Site) -> str:
    """Return a file of `templates/plugins` with the path of this workspace."""
    text = (resources.template("plugins") / name).read_text("utf-8")
    return text.replace(json.dumps("@workspace"), json.dumps(str(site.workspace.root)))


def _plugins(text: str) -> list[object]:
    found = jsonedit.get(text, ("plugin",))
    return list(found) if isinstance(found, list) else []


def _put(text: str, site: Site, *, adds: bool = True) -> str:
    text = jsonedit.drop_items(text, ("plugin",), lambda one: one in _OLD)
    if adds and _ENTRY not in _plugins(text):
        text = jsonedit.append(text, ("plugin",), _ENTRY)
    if not adds and not jsonedit.has(text, _SERVER):
        return text
    server: Mapping[str, Json] = {
        "type": "local",
        "command": [site.signet_mcp],
        "environment": {"SIGNET_HARNESS": OpenCode.id},
        "enabled": True,
    }
    return jsonedit.ensure(text, _SERVER, server, ("type", "command"))


def _take(text: str, before: Before) -> str:
    left = jsonedit.drop_items(text, ("plugin",), lambda one: one == _ENTRY)
    return jsonedit.without(left if left == text else jsonedit.prune(left, ("plugin",)), _SERVER)
