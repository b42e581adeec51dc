"""The commands by group, and what they are called elsewhere. Imported by every command: it loads nothing."""

from typing import NamedTuple

#: Groups of the overview.
FIRST, MEMORY, AGENTS = "First steps", "Memory", "Agents"
DAEMON, MAINTENANCE = "Daemon", "Maintenance"


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
    CommandRow("backfill", MEMORY, "backfill:app"),
    CommandRow("export", MEMORY, "transfer:export"),
    CommandRow("import", MEMORY, "transfer:import_"),
    CommandRow("jobs", MEMORY, "jobs:app"),
    CommandRow("models", MEMORY, "models:app", here=True),
    CommandRow("document", MEMORY, "document:app"),
    CommandRow("connector", MEMORY, "connector:app"),
    CommandRow("skill", MEMORY, "skill:app"),
    CommandRow("secret", MEMORY, "secret:app"),
    CommandRow("agent", AGENTS, "agent:app"),
    CommandRow("harness", AGENTS, "harness:app"),
    CommandRow("sync", AGENTS, "sync:sync"),
    CommandRow("hook", AGENTS, "hooks:app"),
    CommandRow("bypass", AGENTS, "sessions:bypass"),
    CommandRow("task", AGENTS, "task:app"),
    CommandRow("git", AGENTS, "git:app"),
    CommandRow("daemon", DAEMON, "daemon:app", here=True),
    CommandRow("auth", DAEMON, "auth:app"),
    CommandRow("trust", DAEMON, "trust:app"),
    CommandRow("audit", DAEMON, "audit:app"),
    CommandRow("config", DAEMON, "config:app", here=True),
    CommandRow("update", DAEMON, "update:app"),
    CommandRow("diagnostics", MAINTENANCE, "doctor:diagnostics"),
    CommandRow("repair", MAINTENANCE, "repair:app"),
    CommandRow("doctor", MAINTENANCE, "doctor:doctor", here=True),
    CommandRow("migrate-schema", MAINTENANCE, "doctor:migrate_schema", here=True),
    CommandRow("backup", MAINTENANCE, "backup:backup", here=True),
    CommandRow("restore", MAINTENANCE, "restore:restore", here=True),
    CommandRow("report", MAINTENANCE, "doctor:report", here=True),
    CommandRow("uninstall", MAINTENANCE, "doctor:uninstall"),
)

#: Former names of commands with their new ones. Drop them in 0.2.
RENAMED = {
    "ui": "dashboard",
    "start": "daemon start",
    "stop": "daemon stop",
    "restart": "daemon restart",
    "logs": "daemon logs",
    "configure": "config",
    "embed audit": "repair stats",
    "embed backfill": "repair re-embed --apply",
    "migrate-vectors": "repair resync-vec --apply",
    "skill remove": "skill uninstall",
}
#: Commands by the words of other programs for them.
MEANT = {
    word: meant
    for meant, words in {
        "remember": ("add", "save"),
        "recall": ("search", "find", "ask", "sessions search"),
        "list": ("ls", "memories"),
        "memory show": ("show",),
        "memory history": ("history",),
        "forget": ("rm", "delete", "remove"),
        "memory recover": ("recover",),
        "edit --pin": ("pin",),
        "sessions": ("session",),
        "setup": ("init", "install"),
        "update": ("upgrade",),
        "--help": ("help",),
        "--version": ("version",),
        "--install-completion": ("completion",),
        "config": ("config list", "config show", "config edit"),
        "config set KEY null": ("config unset",),
        "daemon restart --port PORT": ("config set port",),
        "secret put": ("secret set", "secret add"),
        "harness install": ("harness add",),
        "harness uninstall": ("harness remove",),
        "backup list": ("backup ls", "backup show", "restore list"),
    }.items()
    for word in words
}
