"""Read agent.yaml and the environment into one value.

`load` never raises because of a file's content. A value that does not fit becomes a warning and its default; a file
that does not parse leaves the last good values in force. Security settings are stricter: see `security`.
"""

import hashlib
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from signet import engine
from signet.config import security
from signet.config.env import Environment, ListenAddress, read_environment
from signet.config.fields import public, read, resolve_secrets
from signet.config.manifest import ManifestError, Value, find, parse
from signet.config.older_shapes import lifted, paired
from signet.config.sections import Settings
from signet.errors import Invalid
from signet.files import read_file
from signet.paths import Workspace

DATABASE = "memory/memories.db"


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """Settings in force, and their problems.

    `error` says why the file was not used, with the line. `unsafe` says why the daemon must not start with it: a
    security setting cannot be read. `fingerprint` changes with the file.
    """

    settings: Settings
    environment: Environment
    warnings: tuple[str, ...]
    error: str | None
    unsafe: str | None
    fingerprint: str

    @property
    def address(self) -> ListenAddress:
        return self.environment.address

    @property
    def safe(self) -> Settings:
        """Return the settings; raises UnsafeSettings if a security setting cannot be read."""
        if self.unsafe is not None:
            raise security.UnsafeSettings(self.unsafe)
        return self.settings


def load(
    workspace: Workspace,
    environ: Mapping[str, str] = os.environ,
    *,
    last_good: Settings | None = None,
) -> Loaded:
    """Read agent.yaml and the environment.

    `last_good`, or else the defaults, stay in force if the file cannot be read. `last_good` also stays if a security
    setting in it cannot be read.
    """
    environment, warnings = read_environment(environ)
    name, content, problem = _content(workspace)
    settings = last_good or Settings()
    if problem is None:
        try:
            settings, found = settings_from(parse(content, name) if content else {})
            warnings += found
        except ManifestError as error:
            problem = error.message
    if last_good is None and not engine.is_kept(workspace.database):
        url = settings.storage.url or engine.used(workspace.database) or environment.storage_url
        engine.use(workspace.database, url, problem=_unclear(warnings, problem, content))
    unsafe = security.unreadable(warnings, problem, content, name)
    if unsafe is not None and last_good is not None:
        settings = last_good
    return Loaded(
        settings=settings,
        environment=environment,
        warnings=warnings,
        error=problem or unsafe,
        unsafe=unsafe,
        fingerprint=_digest(name, content),
    )


def _unclear(warnings: tuple[str, ...], problem: str | None, content: bytes) -> str | None:
    """Return why it is not known where the database is, if `storage` cannot be read."""
    if problem is not None:
        return problem if b"storage" in content else None
    found = [
        text for text in warnings if text.startswith(("storage.", "storage:", "SIGNET_STORAGE_URL"))
    ]
    return security.without_default(found[0]) if found else None


def settings_from(raw: Mapping[object, object]) -> tuple[Settings, tuple[str, ...]]:
    """Return the settings that a parsed agent.yaml describes, and one warning for each thing that does not fit."""
    warnings: list[str] = []
    found, moved, doubled = lifted(raw)
    pipeline = found.get("pipelineV2")
    if isinstance(pipeline, Mapping):
        found = {**found, "pipelineV2": paired(pipeline)}
    settings = read(Settings, found, warnings)
    memory = found.get("memory")
    if isinstance(memory, Mapping) and memory.get("database") not in (None, DATABASE):
        warnings.append(f"memory.database: has no effect; the database is always {DATABASE}")
    own = (_placed(text, moved) for text in warnings)
    return settings, (*doubled, *own, *security.ignored(raw))


def check(values: Mapping[str, Value]) -> None:
    """Raise Invalid for values, by their dotted keys, that a file may not say; null is the default of any."""
    _, problems = settings_from(_nested(values))
    if problems:
        raise Invalid("; ".join(security.without_default(problem) for problem in problems))


def changed(settings: Settings, values: Mapping[str, Value]) -> Settings:
    """Return the settings with other values, by their dotted keys; raises Invalid as `check` does."""
    check(values)
    asked, _, _ = lifted(_nested(values))
    made, _ = settings_from(_merged(as_public_dict(settings), asked))
    return made


def _merged(old: Mapping[Any, object], new: Mapping[object, object]) -> dict[object, object]:
    found = dict(old)
    for key, value in new.items():
        before = found.get(key)
        both = isinstance(before, Mapping) and isinstance(value, Mapping)
        found[key] = _merged(before, value) if both else value  # type: ignore[arg-type]
    return found


def _nested(values: Mapping[str, Value]) -> dict[object, object]:
    raw: dict[object, object] = {}
    for key, value in values.items():
        *parents, last = key.split(".")
        section = raw
        for part in parents:
            inner = section.setdefault(part, {})
            if not isinstance(inner, dict):
                raise Invalid(f"{key}: {part} is also set to a value")
            section = inner
        section[last] = value
    return raw


def fingerprint(workspace: Workspace) -> str:
    """Return a text that differs when agent.yaml does; cheaper than `load`."""
    name, content, _ = _content(workspace)
    return _digest(name, content)


#: The settings that take effect only after a restart.
RESTART_KEYS = (
    *("auth.mode", "embedding.dimensions"),
    *(
        f"pipelineV2.{one}"
        for one in ("documents.maxContentBytes", "telemetry.otlpEndpoint", "worker.threads")
    ),
)


def restart_required(old: Settings, new: Settings) -> list[str]:
    """Return the changed keys that take effect only after a restart (CF-16).

    Address and port come from the environment, which is fixed for a running process.
    """
    changes = {
        "auth.mode": old.auth.mode != new.auth.mode,
        "embedding.dimensions": old.embedding.dimensions != new.embedding.dimensions,
        # A smaller limit applies at once; a larger body needs a new process.
        "pipelineV2.documents.maxContentBytes": (
            old.pipeline.documents.max_content_bytes < new.pipeline.documents.max_content_bytes
        ),
        "pipelineV2.telemetry.otlpEndpoint": (
            old.pipeline.telemetry.otlp_endpoint != new.pipeline.telemetry.otlp_endpoint
        ),
        "storage.url": old.storage.url != new.storage.url,
        "pipelineV2.worker.threads": old.pipeline.worker.threads != new.pipeline.worker.threads,
    }
    return [key for key, is_changed in changes.items() if is_changed]


def as_public_dict(settings: Settings) -> dict[str, object]:
    """Return the effective settings under the names of agent.yaml, with secrets masked."""
    return public(settings)


def with_secrets(
    settings: Settings, lookup: Callable[[str], str | None]
) -> tuple[Settings, tuple[str, ...]]:
    """Return the settings with each `$secret:NAME` replaced by its value, and the names that `lookup` did not find.

    The result contains secrets: never show it.
    """
    warnings: list[str] = []
    return resolve_secrets(settings, lookup, warnings), tuple(warnings)


def _content(workspace: Workspace) -> tuple[str, bytes, str | None]:
    """Return name and bytes of the file, and why it cannot be read."""
    path = find(workspace)
    if path is None:
        return "", b"", None
    try:
        return path.name, read_file(path), None
    except OSError as error:
        return path.name, b"", f"{path.name}: {error.strerror}"


def _digest(name: str, content: bytes) -> str:
    return hashlib.sha256(os.fsencode(name) + b"\0" + content).hexdigest() if name else ""


def _placed(warning: str, moved: Mapping[str, str]) -> str:
    """Name the key where the file has it."""
    first = warning.partition(":")[0].partition(".")[0]
    return moved[first] + warning.removeprefix(first) if first in moved else warning
