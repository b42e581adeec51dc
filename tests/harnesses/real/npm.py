"""The real harness programs, installed from npm into a cache that outlives the test run.

Each harness has a folder of its own, so that one that cannot be installed does not stop the others. They are 2 GB and
their starts take a minute of processor time, so nothing is installed unless somebody asks: the cache is
`$SIGNET_TEST_HARNESSES`, without which `installed` raises `Unavailable`. It does so too, with the reason and within
seconds, where npm, its registry or a program cannot be had.
"""

import fcntl
import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import pytest

#: What the tests of a harness's own program are marked with.
NEEDED = pytest.mark.skipif(
    not os.environ.get("SIGNET_TEST_HARNESSES"),
    reason="SIGNET_TEST_HARNESSES names no folder for the harness programs",
)
#: The variable that asks for the newest versions instead of the pinned ones.
NEWEST = "SIGNET_TEST_NEWEST"
#: How long the registry may take to answer, an installation to finish, and a program to say its version.
PING_SECONDS, INSTALL_SECONDS, VERSION_SECONDS = 30, 600, 120


class Unavailable(Exception):
    """A harness program cannot be had on this machine."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Package:
    """What is installed for a harness: npm packages, one step after the other, and the program they bring."""

    program: str
    steps: Sequence[str]

    @property
    def folder(self) -> str:
        return self.steps[-1].strip("@").replace("/", "-").replace("@", "-")


#: The versions that the connectors are tested against.
PACKAGES: Mapping[str, Package] = {
    "claude-code": Package(program="claude", steps=["@anthropic-ai/claude-code@2.1.197"]),
    "codex": Package(program="codex", steps=["@openai/codex@0.169.0"]),
    "gemini-cli": Package(program="gemini", steps=["@google/gemini-cli@0.61.0"]),
    "copilot": Package(program="copilot", steps=["@github/copilot@1.0.102"]),
    "opencode": Package(program="opencode", steps=["opencode-ai@1.18.33"]),
    # Its install script wants a newer node than most machines have; the first step puts one on its PATH.
    "openclaw": Package(program="openclaw", steps=["node@24.21.0", "openclaw@2026.9.6"]),
}


def package_of(harness: str) -> Package:
    """Return the pinned package of a harness, or its newest version on npm where that is asked for.

    Raises Unavailable when npm does not name one.
    """
    pinned = PACKAGES[harness]
    if not os.environ.get(NEWEST):
        return pinned
    name = pinned.steps[-1].rpartition("@")[0]
    if why := _npm_problem():
        raise Unavailable(why)
    told = subprocess.run(
        ["npm", "view", name, "version"], capture_output=True, text=True, timeout=PING_SECONDS
    )
    if told.returncode:
        raise Unavailable(f"npm names no version of {name}: {told.stderr[-200:]}")
    return replace(pinned, steps=[*pinned.steps[:-1], f"{name}@{told.stdout.strip()}"])


def installed(harness: str) -> Path:
    """Return the folder with the program of a harness, installing it when it is not in the cache.

    Raises Unavailable with the reason when that is not possible; it is tried once.
    """
    found = _tried(harness)
    if isinstance(found, Unavailable):
        raise found
    return found


def install(package: Package) -> Path:
    """Return the folder with the program of a package; see `installed`."""
    root = _root()
    folder = root / package.folder
    programs = folder / "node_modules" / ".bin"
    if not folder.is_dir():
        if why := _npm_problem():
            raise Unavailable(why)
        root.mkdir(parents=True, exist_ok=True)
        with _alone(root / f"{package.folder}.lock"):
            if not folder.is_dir():  # another test run may have been faster
                _install(package, folder)
    return programs


def path_of(programs: Path) -> str:
    """Return a PATH with these programs and the system's own, and with a node for those that need one."""
    node = shutil.which("node")
    folders = [str(programs), *([str(Path(node).parent)] if node else []), "/usr/bin", "/bin"]
    return os.pathsep.join(dict.fromkeys(folders))


def _root() -> Path:
    chosen = os.environ.get("SIGNET_TEST_HARNESSES")
    if not chosen:
        raise Unavailable("SIGNET_TEST_HARNESSES names no folder to install it in")
    return Path(chosen)


@cache
def _tried(harness: str) -> Path | Unavailable:
    try:
        return install(package_of(harness))
    except Unavailable as error:
        return error


@cache
def _npm_problem() -> str | None:
    npm = shutil.which("npm")
    if npm is None or shutil.which("node") is None:
        return "npm is not installed"
    try:
        reached = subprocess.run(
            [npm, "ping", "--fetch-retries=0", f"--fetch-timeout={PING_SECONDS * 1000}"],
            capture_output=True,
            timeout=PING_SECONDS,
        )
    except subprocess.TimeoutExpired:
        return "the npm registry does not answer"
    return "the npm registry cannot be reached" if reached.returncode else None


def _install(package: Package, folder: Path) -> None:
    """Install beside the folder and rename, so that an installation that was interrupted is never used."""
    partial = folder.with_name(f"{folder.name}.partial")
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir()
    (partial / "package.json").write_text("{}")
    programs = partial / "node_modules" / ".bin"
    npm = ["npm", "install", "--no-audit", "--no-fund", "--no-update-notifier"]
    try:
        for step in package.steps:
            _run([*npm, step], partial, programs, INSTALL_SECONDS)
        program = [str(programs / package.program), "--version"]
        _run(program, partial, programs, VERSION_SECONDS, HOME=str(partial / "home"))
    except Unavailable:
        shutil.rmtree(partial, ignore_errors=True)
        raise
    partial.rename(folder)


def _run(
    command: Sequence[str], folder: Path, programs: Path, seconds: float, **environ: str
) -> None:
    path = os.pathsep.join((str(programs), os.environ["PATH"]))
    environment = {**os.environ, "PATH": path, **environ}
    name = " ".join((Path(command[0]).name, *command[1:]))
    try:
        done = subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, text=True, timeout=seconds
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Unavailable(f"`{name}` failed: {error}") from error
    if done.returncode:
        raise Unavailable(f"`{name}` failed: {done.stderr[-500:]}")


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    with path.open("w") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
