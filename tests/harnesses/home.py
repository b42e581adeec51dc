"""A person's home as it is found: settings with comments, other hooks, other servers, in several looks."""

import os
from dataclasses import dataclass
from pathlib import Path

from signet.domain.harnesses import registry
from signet.domain.harnesses.models import Site
from signet.paths import Workspace

CLAUDE_SETTINGS = """\
{
    // Tabs cost nothing here, but four blanks it is.
    "model": "opus",
    "permissions": {"allow": ["Bash(git status)"], "deny": []},
    "hooks": {
        "SessionStart": [
            {"matcher": "startup", "hooks": [{"type": "command", "command": "fortune -s"}]} // every morning
        ],
        "PostToolUse": [
            {
                "matcher": "Edit|Write",
                "hooks": [
                    { "type": "command", "command": "make format", "timeout": 30 },
                ],
            },
        ],
    },
    /* The rest is
       as it came. */
    "statusLine": { "type": "command", "command": "~/bin/line" }
}
"""
CLAUDE_STATE = (
    '{"numStartups":41,"mcpServers":{"github":{"command":"gh-mcp","args":[]}},"tips":{"a":1}}'
)
CODEX_CONFIG = """\
# My own settings.
model = "gpt-5"   # the large one

[mcp_servers.github]
command = "gh-mcp"
args = [
  "--read-only",  # never write
]

[projects."/work/boat"]
trust_level = "trusted"
"""
CODEX_HOOKS = (
    '{\n\t"hooks": {\n\t\t"Stop": [\n\t\t\t{"hooks": [{"type": "command", "command": '
    '"say done"}]}\n\t\t]\n\t}\n}'
)
OPENCODE = """\
{
  "$schema": "https://opencode.ai/config.json",
  // Colours.
  "theme": "system",
  "plugin": ["opencode-wakatime"],
  "mcp": {
    "github": { "type": "local", "command": ["gh-mcp"] }, // read only
  },
}
"""
OPENCLAW = """\
// Where the crab lives.
{
  gateway: { port: 18789, mode: 'local' },
  agents: {
    defaults: {
      model: 'opus', // dear
      memorySearch: { enabled: true, provider: "local" },
    },
  },
  plugins: {
    slots: { memory: 'memory-lancedb' },
    entries: { 'memory-lancedb': { enabled: true }, telegram: { enabled: true } },
  },
  hooks: { internal: { enabled: true, entries: { "session-memory": { enabled: true } } } },
}
"""
GEMINI = """\
{
  "security": { "auth": { "selectedType": "gemini-api-key" } },
  "hooks": {
    "SessionStart": [{ "hooks": [{ "type": "command", "command": "fortune -s" }] }] // every morning
  },
  "mcpServers": { "github": { "command": "gh-mcp" } }
}
"""
CURSOR_HOOKS = """\
{
\t"version": 1,
\t"hooks": {
\t\t"stop": [{ "command": "say done" }]
\t}
}
"""
ZED = """\
// Zed settings
{
  "theme": "One Dark", // at night
  "context_servers": {
    "github": { "source": "custom", "command": "gh-mcp", "args": [], },
  },
}
"""
VS_CODE = '{\r\n\t"servers": {\r\n\t\t"github": {"type": "http", "url": "https://example.org"} // mine\r\n\t}\r\n}'
CLAUDE_MD = "# How I work\n\nNever push on a Friday.\n"
IDENTITY = ("AGENTS.md", "SOUL.md", "IDENTITY.md", "USER.md")


@dataclass(frozen=True, slots=True)
class Home:
    """A home with every harness in it, and the site in which it is connected."""

    path: Path
    site: Site

    def write(self, name: str, content: str | bytes) -> Path:
        """Write a file below the home."""
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def read(self, name: str) -> str:
        """Return what a file below the home says, byte for byte."""
        return (self.path / name).read_bytes().decode()

    def seen(self) -> dict[str, bytes | str]:
        """Return everything below the home, apart from the workspace and from copies beside files."""
        return {name: found for name, found in self.whole().items() if ".bak" not in name}

    def whole(self) -> dict[str, bytes | str]:
        """Return everything below the home, apart from the workspace."""
        found: dict[str, bytes | str] = {}
        for folder, folders, names in os.walk(self.path):
            at = Path(folder)
            for name in (*folders, *names):
                path = at / name
                told = str(path.relative_to(self.path))
                if told.startswith(".agents"):
                    continue
                is_file = path.is_file() and not path.is_symlink()
                found[told] = (
                    path.read_bytes()
                    if is_file
                    else f"link to {path.readlink()}"
                    if path.is_symlink()
                    else "folder"
                )
        return found


def a_home(folder: Path) -> Home:
    """Make a home that has every harness, and a workspace with an identity and two skills."""
    path = folder / "home"
    workspace = Workspace(path / ".agents")
    site = Site(workspace=workspace, home=path, environ={"PATH": ""}, temporary=())
    home = Home(path, registry.with_programs(site))
    for name in IDENTITY:
        home.write(f".agents/{name}", f"{name} says hello.\n")
    for name in ("sail", "tie"):
        home.write(f".agents/skills/{name}/SKILL.md", f"---\nname: {name}\n---\n")
    home.write(".claude/settings.json", CLAUDE_SETTINGS)
    home.write(".claude.json", CLAUDE_STATE)
    home.write(".claude/skills/tie/SKILL.md", "My own knots.\n")
    home.write(".codex/config.toml", CODEX_CONFIG)
    home.write(".codex/hooks.json", CODEX_HOOKS)
    home.write(".config/opencode/opencode.jsonc", OPENCODE)
    home.write(".openclaw/openclaw.json", OPENCLAW)
    home.write(".gemini/settings.json", GEMINI)
    home.write(".cursor/hooks.json", CURSOR_HOOKS)
    home.write(".cursor/mcp.json", '{"mcpServers":{}}')
    home.write(".codeium/windsurf/mcp_config.json", "")
    home.write(".config/zed/settings.json", ZED)
    home.write(".config/Code/User/mcp.json", VS_CODE)
    home.write(
        ".config/Claude/claude_desktop_config.json", '{"mcpServers": {"gh": {"command": "gh"}}}\n'
    )
    return home
