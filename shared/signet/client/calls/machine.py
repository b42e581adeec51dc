"""The machine that the daemon runs on: secrets, tasks that recur, the files of the workspace."""

from collections.abc import Mapping

from signet.client.answers.machine import (
    AddedTask,
    ConfigFile,
    Done,
    Identity,
    KeptSecret,
    Ran,
    StartedRun,
    TaskPage,
    WholeTask,
)
from signet.client.call import Call, given, part, read
from signet.client.method import method


class MachineCalls:
    """The machine that the daemon runs on: secrets, tasks that recur, the files of the workspace."""

    @method
    def secrets(self) -> Call[list[str]]:
        """Return the names of the secrets; values are never listed."""
        return read("/api/secrets", pick="secrets")

    @method
    def put_secret(self, name: str, value: str) -> Call[KeptSecret]:
        """Keep a secret; raises Invalid for a name that is none."""
        path = f"/api/secrets/{part(name)}"
        return Call(method="POST", path=path, body={"value": value}, is_safe=True)

    @method
    def remove_secret(self, name: str) -> Call[KeptSecret]:
        """Remove a secret; raises NotFound."""
        return Call(method="DELETE", path=f"/api/secrets/{part(name)}")

    @method
    def exec_with_secrets(
        self, command: str, secrets: Mapping[str, str], *, timeout_ms: int | None = None
    ) -> Call[Ran]:
        """Run a shell command on the daemon's machine; `secrets` says which variable gets which secret.

        Their values are taken out of what it says. Raises NotFound for an unknown secret.
        """
        body = {"command": command, "secrets": dict(secrets), "timeoutMs": timeout_ms}
        return Call(method="POST", path="/api/secrets/exec", body=given(body))

    @method
    def tasks(self) -> Call[TaskPage]:
        """Return the tasks that recur, newest first."""
        return read("/api/tasks")

    @method
    def task(self, task_id: str) -> Call[WholeTask]:
        """Return a task and its newest runs; raises NotFound."""
        return read(f"/api/tasks/{part(task_id)}")

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
        return Call(method="POST", path="/api/tasks", body=given(body))

    @method
    def enable_task(self, task_id: str, *, enabled: bool = True) -> Call[Done]:
        """Let a task recur, or stop it; raises NotFound."""
        path = f"/api/tasks/{part(task_id)}"
        return Call(method="PATCH", path=path, body={"enabled": enabled}, is_safe=True)

    @method
    def run_task(self, task_id: str) -> Call[StartedRun]:
        """Run a task now; raises NotFound, and Conflict while it runs."""
        return Call(method="POST", path=f"/api/tasks/{part(task_id)}/run", body={})

    @method
    def remove_task(self, task_id: str) -> Call[Done]:
        """Remove a task with its runs; raises NotFound."""
        return Call(method="DELETE", path=f"/api/tasks/{part(task_id)}")

    @method
    def config_files(self) -> Call[list[ConfigFile]]:
        """Return the files of the workspace that a person edits: agent.yaml and the identity."""
        return read("/api/config", pick="files")

    @method
    def write_config(self, file: str, content: str) -> Call[Done]:
        """Replace a file of the workspace; raises Invalid for settings that do not parse."""
        body = {"file": file, "content": content}
        return Call(method="POST", path="/api/config", body=body, is_safe=True)

    @method
    def identity(self) -> Call[Identity]:
        """Return who the agent is."""
        return read("/api/identity")
