"""Check the running daemon and its processes, the port, and the start at login."""

from collections.abc import Iterator, Mapping

from signet import __version__
from signet.care import service
from signet.care.doctor.models import DoctorCheck, fail, ok, warn
from signet.config.env import read_environment
from signet.daemon import ready, record
from signet.daemon.processes import processes
from signet.daemon.record import PortTaken, Running
from signet.paths import Workspace

SILENT_SECONDS = 1.0


def answers(workspace: Workspace, found: Running | None) -> DoctorCheck:
    """Return whether the daemon runs and is ready."""
    if found is None:
        last = "; it did not end cleanly last time" * workspace.pid_file.exists()
        return warn("daemon", f"not running{last}", "signet daemon start")
    answer = ready.ask_ready(workspace, found.host, found.port, timeout_seconds=SILENT_SECONDS)
    if answer.status == 200:
        return ok("daemon", f"running at {found.url}, PID {found.pid}")
    if not answer.status:
        return fail("daemon", f"PID {found.pid} does not answer", "signet daemon restart")
    return fail("daemon", answer.what_is_missing, "signet daemon restart")


def checks(
    workspace: Workspace, found: Running | None, environ: Mapping[str, str]
) -> Iterator[DoctorCheck]:
    if found is not None:
        yield _processes(workspace)
        yield _version(found)
    yield _port(workspace, found, environ)
    yield _others(workspace, found)
    yield _service(workspace, environ)


def _processes(workspace: Workspace) -> DoctorCheck:
    found = processes(workspace)
    if not found:
        return fail("processes", "its supervisor does not answer", "signet daemon restart")
    told = ", ".join(f"{one.name} {one.state}" for one in found)
    if any(one.state != "running" for one in found):
        return fail("processes", told, "signet daemon logs -l warn")
    if stalls := ", ".join(f"{one.name} {one.stall}" for one in found if one.stall):
        told += f"; replaced since the start: {stalls}"
        return warn("processes", told, "signet daemon logs -l warn")
    if restarts := sum(one.restarts for one in found):
        return warn("processes", f"{told}; {restarts} restarts", "signet daemon logs -l error")
    return ok("processes", told)


def _version(found: Running) -> DoctorCheck:
    if found.version in ("", __version__):
        return ok("update", f"{__version__} is installed and running")
    told = f"{found.version} is running, {__version__} is installed"
    return warn("update", told, "signet daemon restart")


def _port(workspace: Workspace, found: Running | None, environ: Mapping[str, str]) -> DoctorCheck:
    if found is not None:
        return ok("port", f"{found.port}, ours")
    port = record.next_port(workspace, read_environment(environ)[0])
    try:
        ready.check_free(port)
    except PortTaken as error:
        return fail("port", error.message, "signet daemon start --port ANOTHER")
    return ok("port", f"{port} is free")


def _others(workspace: Workspace, found: Running | None) -> DoctorCheck:
    """Find a second supervisor of this workspace, left by a copied pid file or another user's start."""
    own = None if found is None else found.pid
    strangers = [pid for pid in record.supervisors(workspace) if pid != own]
    if not strangers:
        return ok("one daemon", "no second one on this workspace")
    told = ", ".join(map(str, strangers))
    return fail("one daemon", f"a second one uses this workspace, PID {told}", f"kill {told}")


def _service(workspace: Workspace, environ: Mapping[str, str]) -> DoctorCheck:
    wanted = service.planned(workspace, environ=environ)
    if not wanted.path.exists():
        return ok("service", "does not start at login; to change that: signet daemon install")
    if not wanted.exists:
        return warn("service", f"{wanted.path} was not written by Signet")
    text = wanted.path.read_text("utf-8")
    if any(word not in text for word in service.words(workspace)):
        told = f"{wanted.path} starts another installation or workspace"
        return warn("service", told, "signet daemon install")
    return ok("service", f"starts at login ({wanted.manager})")
