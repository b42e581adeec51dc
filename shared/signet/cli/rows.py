"""The commands by group, and what they are called elsewhere. Imported by every command: it loads nothing."""

from typing import NamedTuple

#: Groups of the overview.
FIRST, MEMORY, SOURCES = "First steps", "Memory", "Sources"
AGENTS, DAEMON, MAINTENANCE = "Agents", "Daemon", "Maintenance"


class CommandRow(NamedTuple):
    """A command: name, place in the overview, and location (`module:function`, or `module:app` for a group).

    A command about the local daemon, models and files (`here`) is refused in a workspace connected to a remote daemon.
    """

    name: str
    panel: str
    where: str
    here: bool = False


#: Every command, in overview order.
ROWS = (
    CommandRow("setup", FIRST, "setup:setup", here=True),
    CommandRow("quickstart", FIRST, "quickstart:quickstart"),
    CommandRow("connect", FIRST, "elsewhere:connect"),
    CommandRow("disconnect", FIRST, "elsewhere:disconnect"),
    CommandRow("status", FIRST, "status:status"),
    CommandRow("dashboard", FIRST, "dashboard:dashboard"),
    CommandRow("workspace", FIRST, "workspace:app"),
    CommandRow("paths", FIRST, "status:paths"),
    CommandRow("remember", MEMORY, "remember:remember"),
    CommandRow("recall", MEMORY, "recall:recall"),
    CommandRow("list", MEMORY, "memory:list_memories"),
    CommandRow("edit", MEMORY, "edit:edit"),
    CommandRow("forget", MEMORY, "forget:forget"),
    CommandRow("undo", MEMORY, "undo:undo"),
    CommandRow("redo", MEMORY, "undo:redo"),
    CommandRow("why", MEMORY, "context:why"),
    CommandRow("sessions", MEMORY, "sessions:app"),
    CommandRow("memory", MEMORY, "memory:app"),
    CommandRow("forgotten", MEMORY, "forgotten:app"),
    CommandRow("review", MEMORY, "review:app"),
    CommandRow("share", MEMORY, "spaces:share"),
    CommandRow("spaces", MEMORY, "spaces:app"),
    CommandRow("eval", MEMORY, "evaluate:app"),
    CommandRow("backfill", SOURCES, "backfill:app"),
    CommandRow("import", SOURCES, "transfer:import_"),
    CommandRow("export", SOURCES, "transfer:export"),
    CommandRow("document", SOURCES, "document:app"),
    CommandRow("connector", SOURCES, "connector:app"),
    CommandRow("harness", AGENTS, "harness:app"),
    CommandRow("sync", AGENTS, "sync:sync"),
    CommandRow("bypass", AGENTS, "sessions:bypass"),
    CommandRow("agent", AGENTS, "agent:app"),
    CommandRow("skill", AGENTS, "skill:app"),
    CommandRow("secret", AGENTS, "secret:app"),
    CommandRow("task", AGENTS, "task:app"),
    CommandRow("git", AGENTS, "git:app"),
    CommandRow("hook", AGENTS, "hooks:app"),
    CommandRow("daemon", DAEMON, "daemon:app", here=True),
    CommandRow("config", DAEMON, "config:app", here=True),
    CommandRow("jobs", DAEMON, "jobs:app"),
    CommandRow("models", DAEMON, "models:app", here=True),
    CommandRow("auth", DAEMON, "auth:app"),
    CommandRow("audit", DAEMON, "audit:app"),
    CommandRow("trust", DAEMON, "trust:app"),
    CommandRow("update", DAEMON, "update:app"),
    CommandRow("diagnostics", MAINTENANCE, "doctor:diagnostics"),
    CommandRow("repair", MAINTENANCE, "repair:app"),
    CommandRow("doctor", MAINTENANCE, "doctor:doctor", here=True),
    CommandRow("migrate-schema", MAINTENANCE, "doctor:migrate_schema", here=True),
    CommandRow("storage", MAINTENANCE, "storage:app", here=True),
    CommandRow("backup", MAINTENANCE, "backup:backup", here=True),
    CommandRow("restore", MAINTENANCE, "restore:restore", here=True),
    CommandRow("report", MAINTENANCE, "doctor:report", here=True),
    CommandRow("uninstall", MAINTENANCE, "doctor:uninstall"),
)

#: Words that run a command of another name.
SYNONYMS = {
    word: meant
    for meant, words in {
        "remember": ("add", "save"),
        "recall": ("search", "find", "ask"),
        "list": ("ls", "memories"),
        "undo": ("memory undo",),
        "redo": ("memory redo",),
        "memory show": ("show",),
        "memory history": ("history",),
        "memory recover": ("recover",),
        "forget": ("rm", "delete", "remove"),
        "edit --pin": ("pin",),
        "sessions": ("session",),
        "sessions forget": ("sessions delete",),
        "spaces remove": ("spaces delete",),
        "spaces withdraw": ("unshare", "spaces unshare"),
        "setup": ("init",),
        "update": ("upgrade",),
        "dashboard": ("ui",),
        "config": ("configure", "config list", "config show"),
        "daemon start": ("start",),
        "daemon stop": ("stop",),
        "daemon restart": ("restart",),
        "daemon logs": ("logs", "log"),
        "auth token": ("token",),
        "secret put": ("secret set", "secret add"),
        "skill uninstall": ("skill remove",),
        "harness install": ("harness add",),
        "harness uninstall": ("harness remove",),
        "backup list": ("backup ls", "backup show", "restore list"),
        "--help": ("help",),
        "--version": ("version",),
    }.items()
    for word in words
}
#: Words that other programs know, with the command to look at.
MEANT = {
    "config unset": "config set KEY null",
    "config get port": "daemon restart --port PORT",
    "config set port": "daemon restart --port PORT",
    "completion": "--install-completion",
    "embed audit": "repair stats",
    "embed backfill": "repair re-embed --apply",
    "migrate-vectors": "repair resync-vec --apply",
    "install": "setup",
    "sessions search": "recall",
    "spaces members": "auth token list",
}


def renamed(given: list[str]) -> list[str]:
    """Return the arguments with the words of another program replaced, and `help COMMAND` as `COMMAND --help`."""
    if given[:1] == ["help"] and len(given) > 1:
        given = [*given[1:], "--help"]
    for words in (2, 1):
        if meant := SYNONYMS.get(" ".join(given[:words])):
            return [*meant.split(), *given[words:]]
    return given
