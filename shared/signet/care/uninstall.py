"""Remove Signet from a user's account; the workspace stays unless purged."""

import os
import shlex
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path

from signet.care import completion, service
from signet.care.service import Run
from signet.care.steps import CareStep
from signet.daemon import control, record
from signet.domain.backup import kept
from signet.domain.harnesses import registry
from signet.domain.harnesses.models import Site
from signet.errors import Invalid
from signet.paths import Workspace, cache_home, config_home


def steps(
    workspace: Workspace,
    run: Run,
    *,
    purge: bool,
    environ: Mapping[str, str] = os.environ,
) -> list[CareStep]:
    """Return the removals in order, only of existing things. Raises Invalid for a dangerous purge."""
    found = service.planned(workspace, environ=environ)
    todo = [*_service(found, run)]
    if record.running(workspace) is not None:
        todo += [CareStep(what="the running daemon", do=partial(_quiet, control.stop, workspace))]
    todo += _harnesses(workspace)
    todo += _completion()
    todo += _folder("sockets and locks", _far_runtime(workspace))
    if purge:
        check_purge(workspace)
        todo += _folder("all memories, and the backups in the workspace", workspace.root)
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
    return f"rm -rf {_quoted(workspace.root)}"


def far_backups(workspace: Workspace) -> list[Path]:
    """Return the backups that are not in the workspace, which a purge leaves."""
    paths = [one.path for one in kept.backups(workspace)]
    return [one for one in paths if not one.is_relative_to(workspace.root)]


def plugin_commands(workspace: Workspace) -> list[str]:
    """Return the commands that remove our plugins from harnesses."""
    found = registry.connected(Site(workspace=workspace, home=Path.home())).values()
    return [one.plugin_removal for entries in found for one in entries if one.plugin_removal]


def program_command(prefix: str = sys.prefix) -> str:
    """Return the command that removes the program, for the tool that installed it."""
    parts = Path(prefix).parts
    if "uv" in parts and "tools" in parts:
        return "uv tool uninstall signetai"
    if "pipx" in parts:
        return "pipx uninstall signetai"
    return f"{_quoted(Path(sys.executable))} -m pip uninstall signetai"


def _service(found: service.Service, run: Run) -> Iterator[CareStep]:
    if found.exists:
        yield CareStep(
            what=f"the service {found.path}", do=lambda: "; ".join(service.remove(found, run)[1])
        )


def _quiet(do: Callable[..., object], *args: object) -> str:
    do(*args)
    return ""


def _harnesses(workspace: Workspace) -> Iterator[CareStep]:
    site = Site(workspace=workspace, home=Path.home())
    for name, entries in registry.connected(site).items():
        if any(entry.plugin_removal for entry in entries):
            continue
        places = f"Signet's entries in {', '.join(entry.place for entry in entries)}"
        yield CareStep(what=f"{name}: {places}", do=partial(_disconnect, site, name))


def _disconnect(site: Site, name: str) -> str:
    """Remove our entries; raises OSError if a file does not parse, which then stays."""
    done = registry.disconnect(site, name)
    if done.refused:
        raise OSError("; ".join(done.refused))
    return ""


def _completion() -> Iterator[CareStep]:
    home = Path.home()
    for place in completion.installed(home):
        yield CareStep(
            what=f"shell completion in {place}",
            do=partial(_quiet, completion.take_out, place, home),
        )


def _far_runtime(workspace: Workspace) -> Path | None:
    far = workspace.runtime_dir
    return None if far.is_relative_to(workspace.root) else far


def _folder(what: str, folder: Path | None) -> Iterator[CareStep]:
    if folder is not None and folder.is_dir():
        yield CareStep(what=f"{what}: {folder}", do=lambda: _delete(folder))


def _delete(folder: Path) -> str:
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
    return ""


def _quoted(path: Path) -> str:
    return shlex.quote(str(path))
