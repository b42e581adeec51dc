"""Check the workspace: settings, file modes, interrupted restores, backups."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path

from signet import engine
from signet.care.doctor.models import DoctorCheck, Scene, fail, local, ok, warn
from signet.domain.backup import kept
from signet.paths import Workspace


def checks(scene: Scene) -> Iterator[DoctorCheck]:
    yield _folder(scene.workspace)
    if scene.workspace.root.is_dir():
        yield _settings(scene)
        yield _modes(scene.workspace)
        yield _restore(scene)
        yield _backup(scene)


def _folder(workspace: Workspace) -> DoctorCheck:
    root = workspace.root
    if not root.is_dir():
        return fail("workspace", f"{root} does not exist", "signet setup")
    missing = [p for p in (root, workspace.memory_dir) if p.exists() and not os.access(p, os.W_OK)]
    if missing and os.statvfs(missing[0]).f_flag & os.ST_RDONLY:
        return fail(
            "workspace", f"the disk of {missing[0]} is mounted read-only", "mount it writable"
        )
    if missing:
        return fail("workspace", f"{missing[0]} is not writable", f"chown -R $USER {missing[0]}")
    return ok("workspace", str(root))


def _settings(scene: Scene) -> DoctorCheck:
    if scene.loaded.error is not None:
        return fail("settings", scene.loaded.error, f"edit {scene.workspace.root / 'agent.yaml'}")
    if scene.loaded.warnings:
        more = f" (and {len(scene.loaded.warnings) - 1} more)" * (len(scene.loaded.warnings) > 1)
        return warn("settings", f"{scene.loaded.warnings[0]}{more}", "signet status")
    return ok("settings", "agent.yaml is valid")


def _modes(workspace: Workspace) -> DoctorCheck:
    open_ones = [*too_open(workspace)]
    if not open_ones:
        return ok("file modes", "private files are readable only by you")
    path = open_ones[0][0]
    more = f" and {len(open_ones) - 1} more" * (len(open_ones) > 1)
    mode = f"{stat.S_IMODE(path.stat().st_mode):04o}"
    told = f"other users can read or change {path} (mode {mode}){more}"
    return fail("file modes", told, "signet doctor --fix", "modes")


def too_open(workspace: Workspace) -> Iterator[tuple[Path, int]]:
    """Yield private files that others can read, and folders in which they can replace those, with the right mode."""
    folders = (
        *(workspace.daemon_dir, workspace.runtime_dir),
        *(workspace.secrets_dir, workspace.backups_dir),
    )
    database = workspace.database
    files = [
        *(database.with_name(database.name + end) for end in ("", "-wal", "-shm")),
        *(workspace.auth_secret, workspace.token_file, workspace.api_socket),
        *(workspace.secrets_dir.iterdir() if workspace.secrets_dir.is_dir() else ()),
        *workspace.backups_dir.glob("*.zip"),
    ]
    for paths, mode in ((folders, 0o700), (files, 0o600)):
        for path in paths:
            if path.exists() and not path.is_symlink() and path.stat().st_mode & 0o077:
                yield path, mode
    for path in (workspace.root, workspace.memory_dir):
        mode = stat.S_IMODE(path.stat().st_mode) if path.exists() else 0
        if mode & 0o022:
            yield path, mode & ~0o022


def _restore(scene: Scene) -> DoctorCheck:
    workspace = scene.workspace
    if not workspace.restore_journal.exists():
        return ok("restores", "none unfinished")
    return fail("restores", "a restore was interrupted", "signet daemon start", "restore")


def _backup(scene: Scene) -> DoctorCheck:
    found = kept.backups(scene.workspace)
    if not (found or engine.exists(scene.workspace.database)):
        return ok("backup", "nothing to back up yet")
    told = "none yet"
    if found:
        size = sum(one.bytes for one in found) / 1e6
        told = f"newest of {local(found[0].made_at)}; {len(found)} kept, {size:,.1f} MB"
        if scene.now - found[0].made_at <= kept.OLD:
            return ok("backup", told)
    return warn("backup", told, "signet backup", "backup")
