"""Plugins, extensions and bundles of harnesses, all made from the connectors that `signet harness install` uses.

    python plugins/generate.py

writes every file below; `tests/harnesses/test_published.py` fails when a committed one is another. A plugin calls
`signet` and `signet-mcp` by their names: it is for machines where both are on the PATH.

It also joins the JavaScript plugins in `plugins/src` with the client in `clients/javascript`, each to the one file that
`signet harness install` writes.
"""

import copy
import json
import re
from base64 import b64encode
from collections.abc import Iterator, Mapping
from pathlib import Path
from urllib.parse import quote

from signet import __version__
from signet.domain.harnesses import editors, jsonedit, registry
from signet.domain.harnesses.entries import Hooked, handler
from signet.domain.harnesses.jsonedit import Json
from signet.domain.harnesses.models import Site
from signet.mcp.protocol import INSTRUCTIONS
from signet.paths import Workspace

ROOT = Path(__file__).parents[1]
NAME, PACKAGE, TITLE = "signet", "signetai", "Signet"
#: In the MCP registry, which wants a name of a domain in front.
REGISTERED = "ai.signet/signetai"
ABOUT = "Memory across sessions, tools and models, on your own machine."
LICENSE = "Apache-2.0"
_NOWHERE = Path("/nowhere")
_SITE = Site(workspace=Workspace(_NOWHERE / ".agents"), home=_NOWHERE)
_SKILL = f"""---
name: signet-memory
description: Search and keep decisions, preferences, and facts about people and projects across sessions.
---

{INSTRUCTIONS}
"""


def files() -> dict[str, str]:
    """Return every file by its path in the repository."""
    found = {place: _json(value) for place, value in _manifests()}
    for harness in ("claude-code", "codex", "gemini-cli", "cursor", "copilot"):
        found[f"plugins/{harness}/skills/signet-memory/SKILL.md"] = _SKILL
    found["plugins/README.md"] = _readme()
    for source, place in _BUNDLES.items():
        found[f"shared/signet/templates/plugins/{place}"] = Bundle().of(
            ROOT / "plugins/src" / source
        )
    return found


_BUNDLES = {
    "opencode.mjs": "opencode/signet.mjs",
    "openclaw.js": "openclaw/index.js",
    "openclaw-legacy.js": "openclaw-legacy/handler.js",
}
_CLIENT = ROOT / "clients" / "javascript" / "src" / "index.js"
_IMPORT = re.compile(r'^import \{ ([^}]*) \} from "([^"]*)"\n', re.MULTILINE)
_PASSED_ON = re.compile(r'^export \{[^}]*\} from "([^"]*)"\n', re.MULTILINE)
_DOCUMENTED = re.compile(r"^ */\*\*.*?\*/\n", re.MULTILINE | re.DOTALL)


class Bundle:
    """One module of several: imports of Node first, then the client in its own scope, then the rest in order."""

    def __init__(self) -> None:
        self._nodes: dict[str, set[str]] = {}
        self._seen: set[Path] = set()

    def of(self, entry: Path) -> str:
        """Return the text of an entry, with all that it imports."""
        text = entry.read_text("utf-8")
        start = text.index("import ")
        body = self._joined(text[start:], entry)
        nodes = (
            f'import {{ {", ".join(sorted(names))} }} from "{module}"\n'
            for module, names in sorted(self._nodes.items())
        )
        _check_names(body)
        return f"{text[:start]}{''.join(nodes)}\n{body}"

    def _joined(self, text: str, path: Path) -> str:
        """Return the text of a module behind those that it imports."""
        before = []
        for names, module in _IMPORT.findall(text):
            if module.startswith("node:"):
                self._nodes.setdefault(module, set()).update(names.split(", "))
            elif module == "@signetai/client":
                before.append(self._client(names))
            else:
                before.append(self._module(path.parent / module))
        return "".join(before) + _IMPORT.sub("", text).lstrip("\n")

    def _client(self, names: str) -> str:
        """Return the client in a function that returns the imported names; `A as B` renames one."""
        passed_on = _PASSED_ON.findall(_CLIENT.read_text("utf-8"))
        body = "".join(self._module(_CLIENT.parent / module) for module in passed_on)
        own = ", ".join(one.partition(" as ")[0] for one in names.split(", "))
        return f"const {{ {names.replace(' as ', ': ')} }} = (() => {{\n{body}return {{ {own} }}\n}})()\n\n"

    def _module(self, path: Path) -> str:
        """Return a module without its exports and descriptions; nothing the second time."""
        path = path.resolve()
        if path in self._seen:
            return ""
        self._seen.add(path)
        text = _DOCUMENTED.sub("", path.read_text("utf-8"))
        return re.sub(r"^export ", "", self._joined(text, path), flags=re.MULTILINE) + "\n"


def _check_names(text: str) -> None:
    """Raise ValueError if two modules of a bundle declare one name."""
    names = re.findall(r"^(?:async )?(?:const|function\*?|class) (\w+)", text, re.MULTILINE)
    if twice := {name for name in names if names.count(name) > 1}:
        raise ValueError(f"several modules declare {', '.join(sorted(twice))}")


def _manifests() -> Iterator[tuple[str, Json]]:
    about: Mapping[str, Json] = {
        "name": NAME,
        "version": __version__,
        "description": ABOUT,
        "author": {"name": TITLE},
        "license": LICENSE,
    }
    at: Mapping[str, Json] = {"name": NAME, "description": ABOUT, "version": __version__}
    yield (
        ".claude-plugin/marketplace.json",
        {
            "name": NAME,
            "owner": {"name": TITLE},
            "metadata": {"description": ABOUT, "version": __version__},
            "plugins": [{**at, "source": "./plugins/claude-code"}],
        },
    )
    yield "plugins/claude-code/.claude-plugin/plugin.json", about
    yield "plugins/claude-code/hooks/hooks.json", _hooks("claude-code")
    yield "plugins/claude-code/.mcp.json", _servers("claude-code")
    yield (
        ".agents/plugins/marketplace.json",
        {
            "name": NAME,
            "interface": {"displayName": TITLE},
            "plugins": [
                {
                    "name": NAME,
                    "source": {"source": "local", "path": "./plugins/codex"},
                    "policy": {"installation": "AVAILABLE", "authentication": "ON_INSTALL"},
                    "category": "Productivity",
                }
            ],
        },
    )
    parts = {"skills": "./skills/", "mcpServers": "./.mcp.json", "hooks": "./hooks/hooks.json"}
    yield "plugins/codex/.codex-plugin/plugin.json", {**about, **parts}
    yield "plugins/codex/hooks/hooks.json", _hooks("codex")
    yield "plugins/codex/.mcp.json", _servers("codex")
    yield "plugins/gemini-cli/gemini-extension.json", {**at, **_servers("gemini-cli")}
    yield "plugins/gemini-cli/hooks/hooks.json", _hooks("gemini-cli")
    yield (
        ".cursor-plugin/marketplace.json",
        {
            "name": NAME,
            "owner": {"name": TITLE},
            "plugins": [{"name": NAME, "source": "plugins/cursor", "description": ABOUT}],
        },
    )
    yield "plugins/cursor/.cursor-plugin/plugin.json", {**about, "displayName": TITLE}
    yield "plugins/cursor/hooks/hooks.json", {"version": 1, **_hooks("cursor")}
    yield "plugins/cursor/mcp.json", _servers("cursor")
    schemas = "https://agent-plugins.org/schemas/1.0.0"
    yield "plugins/copilot/plugin.json", {"$schema": f"{schemas}/plugin.schema.json", **about}
    yield (
        "plugins/copilot/mcp.json",
        {
            "$schema": f"{schemas}/mcp.schema.json",
            "mcpServers": {NAME: {"type": "stdio", **_server("copilot")}},
        },
    )
    yield "plugins/copilot/com.github.copilot/hooks/hooks.json", _copilot_hooks()
    yield "plugins/claude-desktop/manifest.json", _bundle(about)
    yield "plugins/server.json", _registered()


def _hooks(harness: str) -> Mapping[str, Json]:
    """Return the hooks of a harness as its connector writes them, marked as those of its plugin."""
    connector = registry.find(harness)
    assert isinstance(connector, Hooked)
    connector = copy.copy(connector)
    connector.arguments += " --plugin"
    found = jsonedit.get(connector.hooks(_SITE).put(jsonedit.EMPTY) or "", ("hooks",))
    return {"hooks": found}


def _copilot_hooks() -> Mapping[str, Json]:
    return {
        "version": 1,
        "hooks": {
            event: [handler(_SITE.signet, name, "-H copilot --plugin", seconds)]
            for event, name, seconds in editors.COPILOT_EVENTS
        },
    }


def _server(harness: str) -> Mapping[str, Json]:
    return {"command": _SITE.signet_mcp, "args": [], "env": {"SIGNET_HARNESS": harness}}


def _servers(harness: str) -> Mapping[str, Json]:
    return {"mcpServers": {NAME: _server(harness)}}


def _bundle(about: Mapping[str, Json]) -> Mapping[str, Json]:
    """Return the manifest of the bundle for Claude Desktop."""
    command = {**_server("claude-desktop"), "command": "uvx", "args": _UVX}
    return {
        "manifest_version": "0.3",
        "display_name": TITLE,
        **about,
        "server": {"type": "binary", "entry_point": "uvx", "mcp_config": command},
        "compatibility": {"platforms": ["darwin", "linux"]},
    }


_UVX = ("--from", f"{PACKAGE}=={__version__}", "signet-mcp")


def _registered() -> Mapping[str, Json]:
    """Return the entry of the MCP registry: clients run `uvx`, its arguments, and then the package by its name.

    `signet-mcp` takes no arguments and does not mind that name.
    """
    flag, package, program = _UVX
    return {
        "$schema": "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
        "name": REGISTERED,
        "title": TITLE,
        "description": ABOUT,
        "version": __version__,
        "packages": [
            {
                "registryType": "pypi",
                "identifier": PACKAGE,
                "version": __version__,
                "runtimeHint": "uvx",
                "runtimeArguments": [
                    {"type": "named", "name": flag, "value": package},
                    {"type": "positional", "value": program},
                ],
                "transport": {"type": "stdio"},
            }
        ],
    }


def _readme() -> str:
    """Return the README of the plugins: their files, and how to install each."""
    config = quote(json.dumps({"name": NAME, "type": "stdio", "command": _SITE.signet_mcp}))
    server = b64encode(json.dumps({"command": _SITE.signet_mcp}).encode()).decode()
    cursor = f"cursor://anysphere.cursor-deeplink/mcp/install?name={NAME}&config={server}"
    return f"""# Plugins

`signet harness install NAME` connects a harness with the absolute paths of the programs, and is what most people want.
These are for marketplaces, and for machines where `signet` and `signet-mcp` are on the PATH. Use one or the other for a
harness; with both, the plugin's hooks do nothing. Every file outside `src` is written by `python plugins/generate.py`.

| harness | install, in a checkout |
| --- | --- |
| Claude Code | `claude plugin marketplace add ./`, then `claude plugin install {NAME}@{NAME}` |
| Codex | `codex plugin marketplace add ./`, then `codex plugin add {NAME}@{NAME}` |
| Gemini CLI | `gemini extensions install plugins/gemini-cli` |
| Cursor | copy `plugins/cursor` to `~/.cursor/plugins/local/{NAME}` |
| GitHub Copilot | `copilot plugin install ./plugins/copilot` |
| Claude Desktop | `npx @anthropic-ai/mcpb pack plugins/claude-desktop`, then open the bundle; it needs `uvx` |
| MCP registry | `server.json` |

The tools alone, by a link: [VS Code](vscode:mcp/install?{config}), [Cursor]({cursor}).
"""


def _json(value: Json) -> str:
    return f"{json.dumps(value, indent=2, ensure_ascii=False)}\n"


if __name__ == "__main__":
    for place, text in files().items():
        path = ROOT / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
