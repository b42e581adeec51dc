"""The machine and its administration: files, git, versions, tasks, skills, secrets, agents, tokens, backfill."""

import re
from collections.abc import Mapping
from typing import Annotated

from pydantic import AfterValidator, ConfigDict, Field, JsonValue, Strict, model_validator

from signet.wire.access import Role, Verb
from signet.wire.requests.model import MAX_TAGS, Body, Instant, spelled

_NAME = re.compile(r"[A-Za-z0-9._/][A-Za-z0-9._/-]*")


def _checked(text: str) -> str:
    if not _NAME.fullmatch(text) or ".." in text:
        raise ValueError("a name of letters, digits and . _ / - is expected")
    return text


#: A remote or branch that git cannot read as an option or a range.
Name = Annotated[str, AfterValidator(_checked)]
Switch = Annotated[bool, Strict()]


class ConfigBody(Body):
    """A file's name and its new content."""

    file: object = None
    content: object = None
    if_hash: str | None = spelled("if_hash", "ifHash")


class SettingsBody(Body):
    """New values of settings by dotted key, such as `search.alpha`; null restores the default."""

    set: dict[str, JsonValue] = Field(min_length=1, max_length=100)
    if_hash: str | None = spelled("if_hash", "ifHash")


class GitConfigBody(Body):
    """Settings to change."""

    enabled: Switch | None = None
    auto_commit: Switch | None = spelled("autoCommit", "auto_commit")
    auto_sync: Switch | None = spelled("autoSync", "auto_sync")
    sync_interval: Annotated[int, Strict(), Field(ge=60, le=86_400)] | None = spelled(
        "syncInterval", "sync_interval"
    )
    remote: Name | None = None
    branch: Name | None = None


class UpdateConfigBody(Body):
    """Settings to change; they are validated when written."""

    auto_install: object = spelled("auto_install", "autoInstall")
    auto_check: object = spelled("auto_check", "autoCheck")
    check_interval: object = spelled("check_interval", "checkInterval")


class UpdateRunBody(Body):
    """The version to install; default: the newest."""

    target_version: str | None = spelled("targetVersion", "target_version")


class TaskBody(Body):
    """Fields of a task; the route decides which are required."""

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


class SkillInstallBody(Body):
    """The skill to install, by name or `owner/repo[@skill]`; `source` may give its location."""

    name: str = ""
    source: str | None = None


class SecretBody(Body):
    """A value to store."""

    value: str = Field(min_length=1)


class ExecBody(Body):
    """A command, and its variables with secret names."""

    command: str = ""
    secrets: dict[str, str] = Field(default_factory=dict)
    timeout_ms: int | None = spelled("timeoutMs", "timeout_ms")


class ScopeBody(Body):
    """The limits of a token: a project, an agent or a user; omitted parts are unlimited."""

    model_config = ConfigDict(extra="forbid")

    project: str | None = Field(default=None, min_length=1)
    agent: str | None = Field(default=None, min_length=1)
    user: str | None = Field(default=None, min_length=1)
    spaces: dict[str, list[Verb]] = Field(default_factory=dict, max_length=200)

    @model_validator(mode="after")
    def _of_one(self) -> "ScopeBody":
        if self.agent and self.user:
            raise ValueError("limit a token to an agent or to a user, not to both")
        if self.spaces and not (self.agent or self.user):
            raise ValueError(
                "a token for spaces needs a user or an agent, who its sessions belong to"
            )
        return self


class CodeBody(Body):
    """The code of a one-time link (`signet dashboard`)."""

    code: str = Field(min_length=1, max_length=2_000)


class ConfirmBody(Body):
    """The request that the user has confirmed: method, path with query, and body as text."""

    method: str = Field(max_length=10)
    path: str = Field(max_length=4_000)
    body: str | None = Field(None, max_length=8 * 1024 * 1024)


class TokenBody(Body):
    """A token for another caller; a `ttlSeconds` that is not positive is ignored."""

    role: Role
    scope: ScopeBody = ScopeBody()
    ttl_seconds: float | None = spelled("ttlSeconds", "ttl_seconds")
    sub: str | None = None

    @model_validator(mode="before")
    @classmethod
    def _with_a_role(cls, sent: object) -> object:
        if isinstance(sent, Mapping) and sent.get("role") not in list(Role):
            raise ValueError(f"role must be one of: {', '.join(Role)}")
        return sent


class AgentBody(Body):
    """A new agent; without a policy it is isolated."""

    name: str = ""
    read_policy: str | None = spelled("read_policy", "readPolicy")
    policy_group: str | None = spelled("policy_group", "policyGroup")


class BackfillBody(Body):
    """Sessions since an instant, of some harnesses and projects (a folder, or its last part); all by default.

    The built-in rules extract their facts, or with `byModel` the configured model.
    """

    since: Instant | None = None
    harnesses: list[str] = Field(default_factory=list, max_length=MAX_TAGS)
    projects: list[str] = Field(default_factory=list, max_length=MAX_TAGS)
    by_model: bool = spelled("byModel", "by_model", default=False)
    dry_run: bool = spelled("dryRun", "dry_run", default=False)
    agent_id: str | None = spelled("agentId", "agent_id")
