"""Check interpreter, SQLite, disk, file system and clock."""

import shutil
import sys
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

from signet import clock, engine
from signet.care.doctor.models import DoctorCheck, Scene, fail, local, ok, warn
from signet.db import clock_jumps, inspection
from signet.db.driver import sqlite, vec_loaded, version_is_safe

#: Warn below this share of the disk, or with less space than a copy of the database needs.
LEAST_FREE_SHARE = 0.05
LEAST_FREE_BYTES = 200_000_000
#: File systems on which SQLite's locks and shared memory fail (https://sqlite.org/wal.html).
NETWORK = frozenset(
    "nfs nfs4 cifs smb smb2 smb3 smbfs afpfs fuse.sshfs 9p ceph glusterfs fuse.glusterfs afs webdav davfs".split()
)
#: Tolerated time of rows in the future, for clock corrections.
SKEW = timedelta(minutes=5)


def checks(scene: Scene) -> Iterator[DoctorCheck]:
    version = ".".join(map(str, sys.version_info[:3]))
    yield ok("python", f"{version} at {sys.executable}")
    if engine.url_of(scene.workspace.database) is None:
        yield _sqlite(scene)
    yield _disk(scene)
    yield _file_system(scene)
    yield _clock(scene)


def _sqlite(scene: Scene) -> DoctorCheck:
    version = f"{sqlite.sqlite_version} ({sqlite.__name__.partition('.')[0]})"
    has_vectors = scene.tx is None or vec_loaded(scene.tx.connection)
    how = "sqlite-vec loaded" if has_vectors else "vectors compared in NumPy"
    if not version_is_safe():
        told = (
            f"{version} has a rare bug that can damage the write-ahead log; Signet works around it"
        )
        way = "use a Python with SQLite 3.51.3 or later, or: pip install pysqlite3"
        return warn("sqlite", told, way)
    if not has_vectors:
        told = f"{version}: sqlite-vec cannot be loaded, {how}"
        return warn("sqlite", told, "pip install sqlite-vec")
    return ok("sqlite", f"{version}, {how}")


def _disk(scene: Scene) -> DoctorCheck:
    place = _existing(scene.workspace.root)
    usage = shutil.disk_usage(place)
    database = _size(scene.workspace.database)
    told = f"{_space(usage.free)} free of {_space(usage.total)}"
    if usage.free < LEAST_FREE_BYTES:
        way = f"free some space on the disk of {place}"
        return fail("disk", f"{told}: saving will fail soon", way)
    if usage.free < LEAST_FREE_SHARE * usage.total or usage.free < 2 * database:
        return warn("disk", f"{told}: little space for backups and upgrades", "free some space")
    return ok("disk", told)


def _space(bytes: int) -> str:
    return f"{bytes / 1e9:,.1f} GB" if bytes >= 1e9 else f"{bytes / 1e6:,.0f} MB"


def _file_system(scene: Scene) -> DoctorCheck:
    place = _existing(scene.workspace.memory_dir).resolve()
    kind = file_system(place)
    if kind in NETWORK:
        told = f"{place} is on {kind}: network disks can damage the database"
        way = "move it to a local disk: signet backup, then signet restore FILE -p DIRECTORY"
        return fail("file system", told, way)
    return ok("file system", f"{kind or 'local'}")


def file_system(place: Path, mounts: Path = Path("/proc/mounts")) -> str | None:
    """Return the file system type of a path; None if unknown."""
    try:
        lines = mounts.read_text("utf-8", "surrogateescape").splitlines()
    except OSError:
        return None
    found, kind = -1, None
    for line in lines:
        fields = line.split(" ")
        point = Path(fields[1].replace("\\040", " "))
        if place.is_relative_to(point) and len(point.parts) >= found:
            found, kind = len(point.parts), fields[2]
    return kind


def _clock(scene: Scene) -> DoctorCheck:
    newest = clock.parsed(inspection.newest_instant(scene.tx)) if scene.tx is not None else None
    told = local(scene.now)
    jump = None if scene.tx is None else clock_jumps.latest(scene.tx, now=scene.now)
    if jump is not None:
        return warn("clock", f"{told}; {jump.described}", "check the time: timedatectl status")
    if newest is not None and newest - scene.now > SKEW:
        told = f"{told}, but something was written at {local(newest)}"
        return warn(
            "clock", told, "set the clock of this machine, as with: timedatectl set-ntp true"
        )
    return ok("clock", told)


def _existing(path: Path) -> Path:
    return next(one for one in (path, *path.parents) if one.exists())


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0
