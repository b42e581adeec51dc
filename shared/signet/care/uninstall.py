"""Remove Signet from a user's account; the workspace stays unless purged."""

import os
import shlex
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from signet.care import completion, service
from signet.care.harnesses import CONNECTORS, HarnessConnection
from signet.care.service import Run
from signet.daemon import control, record
from signet.errors import Invalid
from signet.paths import Workspace, cache_home, config_home


@dataclass(frozen=True, slots=True, kw_only=True)
class UninstallStep:
    """One removal; `do` returns a note and raises OSError if it fails."""

    what: str
    do: Callable[[], Sequence[str]]


def steps(
    workspace: Workspace,
    run: Run,
    *,
    purge: bool,
    environ: Mapping[str, str] = os.environ,
    connectors: Sequence[HarnessConnection] = CONNECTORS,
) -> list[UninstallStep]:
    """Return the removals in order, only of existing things. Raises Invalid for a dangerous purge."""
    found = service.planned(workspace, environ=environ)
    todo = [*_service(found, run)]
    if record.running(workspace) is not None:
        todo.append(
            UninstallStep(what="the running daemon", do=partial(_quiet, control.stop, workspace))
        )
    todo += _harnesses(workspace, connectors)
    todo += _completion()
    todo += _folder("sockets and locks", _far_runtime(workspace))
    if purge:
        check_purge(workspace)
        todo += _folder("all memories and backups", workspace.root)
        todo += _folder("models and caches", cache_home(environ))
        todo += _folder("the saved choice of a workspace", config_home(environ))
    return todo


def check_purge(workspace: Workspace) -> None:
    """Raise Invalid for a folder that is not a workspace, or contains other files."""
    root = workspace.root.resolve()
    if root == Path.home().resolve() or Path.home().resolve().is_relative_to(root):
        raise Invalid(f"{root} contains other files and is not deleted", "not_a_workspace")
    if root.exists() and not (workspace.database.exists() or workspace.daemon_dir.is_dir()):
        raise Invalid(
            f"{root} does not look like a workspace and is not deleted", "not_a_workspace"
        )


def delete_command(workspace: Workspace) -> str:
    """Return the command that would delete the data."""
    return f"rm -rf {_quoted(workspace.root)}"


def program_command(prefix: str = sys.prefix) -> str:
    """Return the command that removes the program, for the tool that installed it."""
    parts = Path(prefix).parts
    if "uv" in parts and "tools" in parts:
        return "uv tool uninstall signetai"
    if "pipx" in parts:
        return "pipx uninstall signetai"
    return f"{_quoted(Path(sys.executable))} -m pip uninstall signetai"


def _service(found: service.Service, run: Run) -> Iterator[UninstallStep]:
    if found.exists:
        yield UninstallStep(
            what=f"the service {found.path}", do=lambda: service.remove(found, run)[1]
        )


def _quiet(do: Callable[..., object], *args: object) -> Sequence[str]:
    do(*args)
    return ()


def _harnesses(
    workspace: Workspace, connectors: Sequence[HarnessConnection]
) -> Iterator[UninstallStep]:
    for one in connectors:
        if entries := one.entries(workspace):
            places = ", ".join(entry.place for entry in entries)
            yield UninstallStep(
                what=f"{one.name}: {places}", do=partial(_quiet, one.remove, workspace)
            )


def _completion() -> Iterator[UninstallStep]:
    home = Path.home()
    for place in completion.installed(home):
        yield UninstallStep(
            what=f"shell completion in {place}",
            do=partial(_quiet, completion.take_out, place, home),
        )


def _far_runtime(workspace: Workspace) -> Path | None:
    far = workspace.runtime_dir
    return None if far.is_relative_to(workspace.root) else far


def _folder(what: str, folder: Path | None) -> Iterator[UninstallStep]:
    if folder is not None and folder.is_dir():
        yield UninstallStep(what=f"{what}: {folder}", do=lambda: _delete(folder))


def _delete(folder: Path) -> Sequence[str]:
    """Delete as much of a folder as possible; raises the first OSError."""
    refused: list[OSError] = []

    def note(_call: object, _path: str, error: tuple[object, BaseException, object]) -> None:
        assert isinstance(error[1], OSError)
        refused.append(error[1])

    shutil.rmtree(folder.resolve(), onerror=note)
    if refused:
        raise refused[0]
    if folder.is_symlink():
        folder.unlink()
    return ()


def _quoted(path: Path) -> str:
    return shlex.quote(str(path))
