"""The machine that the daemon runs on: secrets, tasks that recur, the files of the workspace."""

from collections.abc import Mapping

from signet.client.call import Call, ask
from signet.client.method import method
from signet.wire import config
from signet.wire import secrets as vault
from signet.wire import tasks as wire
from signet.wire.config import ConfigFile, Identity
from signet.wire.done import Done
from signet.wire.secrets import KeptSecret, Ran
from signet.wire.tasks import AddedTask, StartedRun, TaskPage, WholeTask


class MachineCalls:
    """The machine that the daemon runs on: secrets, tasks that recur, the files of the workspace."""

    @method
    def secrets(self) -> Call[list[str]]:
        """Return the names of the secrets; values are never listed."""
        return ask(vault.SECRETS).picking(lambda found: found["secrets"])

    @method
    def put_secret(self, name: str, value: str) -> Call[KeptSecret]:
        """Keep a secret; raises Invalid for a name that is none."""
        return ask(vault.PUT_SECRET, name, body={"value": value}, is_safe=True)

    @method
    def remove_secret(self, name: str) -> Call[KeptSecret]:
        """Remove a secret; raises NotFound."""
        return ask(vault.REMOVE_SECRET, name)

    @method
    def exec_with_secrets(
        self, command: str, secrets: Mapping[str, str], *, timeout_ms: int | None = None
    ) -> Call[Ran]:
        """Run a shell command on the daemon's machine; `secrets` says which variable gets which secret.

        Their values are taken out of what it says. Raises NotFound for an unknown secret.
        """
        body = {"command": command, "secrets": dict(secrets), "timeoutMs": timeout_ms}
        return ask(vault.RUN_WITH_SECRETS, body=body)

    @method
    def tasks(self) -> Call[TaskPage]:
        """Return the tasks that recur, newest first."""
        return ask(wire.TASKS)

    @method
    def task(self, task_id: str) -> Call[WholeTask]:
        """Return a task and its newest runs; raises NotFound."""
        return ask(wire.TASK, task_id)

    @method
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
    ) -> Call[AddedTask]:
        """Let a harness be given a prompt again and again, when a cron expression says so; raises Invalid."""
        body = {
            "name": name,
            "prompt": prompt,
            "cronExpression": cron,
            "harness": harness,
            "timezone": timezone,
            "workingDirectory": working_directory,
            "skillName": skill,
            "skillMode": skill_mode,
            "skipPermissions": skip_permissions,
        }
        return ask(wire.ADD_TASK, body=body)

    @method
    def enable_task(self, task_id: str, *, enabled: bool = True) -> Call[Done]:
        """Let a task recur, or stop it; raises NotFound."""
        return ask(wire.CHANGE_TASK, task_id, body={"enabled": enabled}, is_safe=True)

    @method
    def run_task(self, task_id: str) -> Call[StartedRun]:
        """Run a task now; raises NotFound, and Conflict while it runs."""
        return ask(wire.RUN_TASK, task_id, body={})

    @method
    def remove_task(self, task_id: str) -> Call[Done]:
        """Remove a task with its runs; raises NotFound."""
        return ask(wire.REMOVE_TASK, task_id)

    @method
    def config_files(self) -> Call[list[ConfigFile]]:
        """Return the files of the workspace that a person edits: agent.yaml and the identity."""
        return ask(config.CONFIG_FILES).picking(lambda found: found["files"])

    @method
    def write_config(self, file: str, content: str) -> Call[Done]:
        """Replace a file of the workspace; raises Invalid for settings that do not parse."""
        return ask(config.WRITE_CONFIG, body={"file": file, "content": content}, is_safe=True)

    @method
    def identity(self) -> Call[Identity]:
        """Return who the agent is."""
        return ask(config.IDENTITY)
