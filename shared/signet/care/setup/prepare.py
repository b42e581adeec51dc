"""Write the files of a setup, after all choices have been validated."""

import shutil
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from signet import config
from signet.care.setup import choices, files, settings
from signet.care.setup.choices import Choices, SetupState
from signet.config import manifest
from signet.config.sections import Settings
from signet.domain.gitsync import guarded
from signet.domain.gitsync.repository import GitFailed, Repository
from signet.errors import Invalid
from signet.paths import Workspace

BACKUP, SETUP = "pre-signet-backup", "signet-setup"
#: Content that Signet itself creates in a workspace.
_OURS = frozenset({".git", ".daemon", ".secrets"})


@dataclass(frozen=True, slots=True, kw_only=True)
class SetupPlan:
    """The current state and the choices; `raw` and `settings` come from the existing agent.yaml."""

    workspace: Workspace
    state: SetupState
    raw: dict[object, object]
    settings: Settings
    chosen: Choices


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """Created files, changed keys of agent.yaml, updated skills, and commit titles.

    `git_problem` explains a missing history, which is not a failure.
    """

    state: SetupState
    made: tuple[str, ...]
    changed: tuple[str, ...]
    skills: tuple[str, ...]
    commits: tuple[str, ...] = ()
    git_problem: str | None = None

    @property
    def is_news(self) -> bool:
        return bool(self.made or self.changed or self.skills or self.commits)


def begin(workspace: Workspace, chosen: Choices) -> SetupPlan:
    """Return a setup's starting point; raises Invalid, and ManifestError for a broken agent.yaml."""
    root = workspace.root.resolve()
    if Path.home().resolve().is_relative_to(root):
        raise Invalid(f"{root} contains other files; choose a separate folder", "not_a_workspace")
    if root.exists() and not root.is_dir():
        raise Invalid(f"{root} is not a folder", "not_a_workspace")
    raw = settings.read(workspace)
    found, _ = config.settings_from(raw)
    state = choices.state(
        has_settings=manifest.find(workspace) is not None,
        has_database=config.has_memory(workspace),
        identity_files=files.present(workspace),
    )
    return SetupPlan(workspace=workspace, state=state, raw=raw, settings=found, chosen=chosen)


def check(plan: SetupPlan) -> None:
    """Raise Invalid without a terminal if a provider is undecided (CL-10)."""
    is_repair = plan.state is SetupState.REPAIR
    choices.check_complete(
        plan.chosen,
        has_embedding=is_repair or settings.names_provider(plan.raw, "embedding"),
        has_extraction=is_repair or settings.names_provider(plan.raw, "extraction"),
    )


def prepare(plan: SetupPlan, *, now: datetime) -> Prepared:
    """Write and commit everything missing; raises OSError and ManifestError."""
    workspace = plan.workspace
    has_content = workspace.root.is_dir() and any(
        one.name not in _OURS for one in workspace.root.iterdir()
    )
    workspace.make()
    is_ignored = guarded.ignore(workspace)
    history = (
        _History(workspace, now) if plan.chosen.with_git and plan.settings.git.enabled else None
    )
    if history is not None:
        is_new = history.make()
        if has_content and (is_new or plan.state is not SetupState.REPAIR):
            history.commit(BACKUP, ["."])
    done = _written(plan, is_ignored=is_ignored, now=now)
    if history is None:
        return done
    name = manifest.place(workspace).name
    paths = {*done.made, *([name] if done.changed else ()), *(f"skills/{s}" for s in done.skills)}
    history.commit(SETUP, sorted(paths))
    return replace(done, commits=tuple(history.commits), git_problem=history.problem)


def _written(plan: SetupPlan, *, is_ignored: bool, now: datetime) -> Prepared:
    workspace, chosen, usual = plan.workspace, plan.chosen, plan.settings.agent
    files.folders(workspace)
    said = settings.write(workspace, chosen, now=now)
    is_new = said == [manifest.NAMES[0]]
    identity = files.identity(
        workspace,
        name=chosen.name or usual.name,
        description=chosen.description or usual.description,
    )
    return Prepared(
        state=plan.state,
        made=(*(said if is_new else ()), *identity, *([".gitignore"] if is_ignored else ())),
        changed=() if is_new else tuple(said),
        skills=tuple(files.skills(workspace)),
    )


class _History:
    """The workspace's git repository; after the first git failure only the reason is kept."""

    def __init__(self, workspace: Workspace, now: datetime) -> None:
        self._git = Repository(workspace)
        self._day = f"{now.astimezone():%Y-%m-%d}"
        self.commits: list[str] = []
        self.problem = None if shutil.which("git") else "git is not installed"

    def make(self) -> bool:
        is_missing = self.problem is None and not self._git.exists
        if is_missing:
            self._run("-c", "init.defaultBranch=main", "init", "--quiet")
        return is_missing and self.problem is None

    def commit(self, subject: str, only: Sequence[str]) -> None:
        """Commit changed paths as `YYYY-MM-DD_<subject>`, with the local date."""
        title = f"{self._day}_{subject}"
        if only and self._run("add", "--", *only) is not None:
            if not self._run("diff", "--cached", "--name-only", "--", *only):
                return
            wanted = ("commit", "--quiet", "-m", title, "--", *only)
            if self._run(*self._git.author(), *wanted) is not None:
                self.commits.append(title)

    def _run(self, *arguments: str) -> str | None:
        """Run git and return its output; None after any failure."""
        if self.problem is None:
            try:
                return self._git.run(*arguments)
            except GitFailed as error:
                self.problem = error.message
        return None
