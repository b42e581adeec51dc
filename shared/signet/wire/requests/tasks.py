"""Making and changing a task."""

from signet.wire.requests.model import Body, spelled


class TaskBody(Body):
    """What is asked of a task; which fields are needed, and what they may say, depends on the route."""

    name: str | None = None
    prompt: str | None = None
    cron_expression: str | None = spelled("cronExpression", "cron_expression")
    timezone: str | None = None
    harness: str | None = None
    working_directory: str | None = spelled("workingDirectory", "working_directory")
    enabled: bool | None = None
    skill_name: str | None = spelled("skillName", "skill_name")
    skill_mode: str | None = spelled("skillMode", "skill_mode")
    skip_permissions: bool | None = spelled("skipPermissions", "skip_permissions")
