"""The machine that the daemon runs on: secrets, tasks that recur, the files of the workspace."""

from collections.abc import Mapping

from signet.client.method import asks
from signet.wire import config
from signet.wire import secrets as vault
from signet.wire import tasks as wire
from signet.wire.done import Done


class MachineCalls:
    """The machine that the daemon runs on: secrets, tasks that recur, the files of the workspace."""

    @asks(vault.SECRETS, pick=lambda found: found["secrets"])
    def secrets(self) -> list[str]:
        """Return the names of the secrets; values are never listed."""

    @asks(vault.PUT_SECRET, is_safe=True)
    def put_secret(self, name: str, value: str) -> vault.KeptSecret:
        """Keep a secret; raises Invalid for a name that is none."""

    @asks(vault.REMOVE_SECRET)
    def remove_secret(self, name: str) -> vault.KeptSecret:
        """Remove a secret; raises NotFound."""

    @asks(vault.RUN_WITH_SECRETS)
    def exec_with_secrets(
        self, command: str, secrets: Mapping[str, str], *, timeout_ms: int | None = None
    ) -> vault.Ran:
        """Run a shell command on the daemon's machine; `secrets` says which variable gets which secret.

        Their values are taken out of what it says. Raises NotFound for an unknown secret.
        """

    @asks(wire.TASKS)
    def tasks(self) -> wire.TaskPage:
        """Return the tasks that recur, newest first."""

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
        """Let a harness be given a prompt again and again, when a cron expression says so; raises Invalid."""

    @asks(wire.CHANGE_TASK, is_safe=True)
    def enable_task(self, task_id: str, *, enabled: bool = True) -> Done:
        """Let a task recur, or stop it; raises NotFound."""

    @asks(wire.RUN_TASK)
    def run_task(self, task_id: str) -> wire.StartedRun:
        """Run a task now; raises NotFound, and Conflict while it runs."""

    @asks(wire.REMOVE_TASK)
    def remove_task(self, task_id: str) -> Done:
        """Remove a task with its runs; raises NotFound."""

    @asks(config.CONFIG_FILES, pick=lambda found: found["files"])
    def config_files(self) -> list[config.ConfigFile]:
        """Return the files of the workspace that a person edits: agent.yaml and the identity."""

    @asks(config.WRITE_CONFIG, is_safe=True)
    def write_config(self, file: str, content: str) -> Done:
        """Replace a file of the workspace; raises Invalid for settings that do not parse."""

    @asks(config.IDENTITY)
    def identity(self) -> config.Identity:
        """Return who the agent is."""
