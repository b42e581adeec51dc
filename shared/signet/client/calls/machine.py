"""The daemon's machine: secrets, scheduled tasks, workspace files."""

from collections.abc import Mapping

from signet.client.method import asks
from signet.wire import config
from signet.wire import secrets as vault
from signet.wire import tasks as wire
from signet.wire.done import Done


class MachineCalls:
    """The daemon's machine: secrets, scheduled tasks, workspace files."""

    @asks(vault.SECRETS, pick=lambda found: found["secrets"])
    def secrets(self) -> list[str]:
        """Return the names of the secrets; values are never listed."""

    @asks(vault.PUT_SECRET, is_safe=True)
    def put_secret(self, name: str, value: str) -> vault.KeptSecret:
        """Store a secret; raises Invalid for an invalid name."""

    @asks(vault.REMOVE_SECRET)
    def remove_secret(self, name: str) -> vault.KeptSecret:
        """Remove a secret; raises NotFound."""

    @asks(vault.RUN_WITH_SECRETS)
    def exec_with_secrets(
        self, command: str, secrets: Mapping[str, str], *, timeout_ms: int | None = None
    ) -> vault.Ran:
        """Run a shell command on the daemon's machine; `secrets` maps variables to secret names.

        The values are masked in its output. Raises NotFound for an unknown secret.
        """

    @asks(wire.TASKS)
    def tasks(self) -> wire.TaskPage:
        """Return the scheduled tasks, newest first."""

    @asks(wire.TASK)
    def task(self, task_id: str) -> wire.WholeTask:
        """Return a task and its newest runs; raises NotFound."""

    @asks(wire.ADD_TASK, names={"cron": "cron_expression", "skill": "skill_name"})
    def add_task(
        self,
        name: str,
        prompt: str,
        cron: str,
        *,
        harness: str,
        timezone: str | None = None,
        working_directory: str | None = None,
        skill: str | None = None,
        skill_mode: str | None = None,
        skip_permissions: bool | None = None,
    ) -> wire.AddedTask:
        """Schedule a prompt for a harness with a cron expression; raises Invalid."""

    @asks(wire.CHANGE_TASK, is_safe=True)
    def enable_task(self, task_id: str, *, enabled: bool = True) -> Done:
        """Enable or disable a task's schedule; raises NotFound."""

    @asks(wire.RUN_TASK)
    def run_task(self, task_id: str) -> wire.StartedRun:
        """Run a task now; raises NotFound, and Conflict while it runs."""

    @asks(wire.REMOVE_TASK)
    def remove_task(self, task_id: str) -> Done:
        """Remove a task with its runs; raises NotFound."""

    @asks(config.CONFIG_FILES, pick=lambda found: found["files"])
    def config_files(self) -> list[config.ConfigFile]:
        """Return the workspace's user files: agent.yaml and the identity."""

    @asks(config.WRITE_CONFIG, is_safe=True)
    def write_config(self, file: str, content: str) -> Done:
        """Replace a workspace file; raises Invalid for settings that do not parse."""

    @asks(config.IDENTITY)
    def identity(self) -> config.Identity:
        """Return the agent's identity."""
