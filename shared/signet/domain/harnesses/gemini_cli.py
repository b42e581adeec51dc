"""Gemini CLI: hooks and the MCP server in `~/.gemini/settings.json`, how to use them in its `GEMINI.md`."""

from signet.domain.harnesses import entries
from signet.domain.harnesses.entries import HookedAndServed
from signet.domain.harnesses.models import ConnectOptions, FilePatch, Site
from signet.domain.harnesses.programs import Shell


class GeminiCli(HookedAndServed):
    id = "gemini-cli"
    name = "Gemini CLI"
    config = ".gemini/settings.json"
    skills_folder = ".gemini/skills"
    reads_agents_skills = True
    instructions_file = ".gemini/GEMINI.md"
    #: In milliseconds. `AfterAgent` ends a turn: the program does not wait for `SessionEnd` when it exits. It ignores
    #: the output of a hook before it compresses.
    events = (
        ("SessionStart", "session-start", 15_000),
        ("BeforeAgent", "user-prompt-submit", 5_000),
        ("AfterAgent", "session-end", 10_000),
        ("SessionEnd", "session-end", 60_000),
    )
    windows_shell = Shell.POWERSHELL
    arguments = "-H gemini-cli"

    def patches(self, site: Site, wishes: ConnectOptions) -> list[FilePatch]:
        return [entries.together([self.hooks(site), self.server(site)])]
