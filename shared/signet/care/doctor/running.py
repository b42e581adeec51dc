"""Check what runs: the daemon and its processes, port, models, harnesses, service."""

from collections.abc import Iterator
from pathlib import Path

from signet import __version__, clock
from signet.care import capture, service
from signet.care.doctor.models import DoctorCheck, Scene, fail, local, ok, warn
from signet.care.text_model import trial_of
from signet.config.sections import ADDED_MODELS
from signet.daemon import ready, record
from signet.daemon.processes import processes
from signet.daemon.record import PortTaken
from signet.domain.diagnostics import counts
from signet.domain.extraction.models import mode_of
from signet.domain.harnesses import registry as harnesses
from signet.domain.harnesses.models import Site
from signet.domain.transcripts import readings
from signet.providers import registry, track
from signet.queue import pauses, stats

SILENT_SECONDS = 1.0


def checks(scene: Scene) -> Iterator[DoctorCheck]:
    yield _daemon(scene)
    if scene.running is not None:
        yield _processes(scene)
        yield _version(scene)
    yield _port(scene)
    yield _others(scene)
    yield _vectors_from(scene)
    yield _texts_from(scene)
    yield _held_back(scene)
    yield _harnesses(scene)
    yield _capture(scene)
    yield _service(scene)


def _daemon(scene: Scene) -> DoctorCheck:
    found = scene.running
    if found is None:
        if scene.workspace.pid_file.exists():
            return warn(
                "daemon", "not running; it did not end cleanly last time", "signet daemon start"
            )
        return warn("daemon", "not running", "signet daemon start")
    answer = ready.ask_ready(
        scene.workspace, found.host, found.port, timeout_seconds=SILENT_SECONDS
    )
    if answer.status == 200:
        return ok("daemon", f"running at {found.url}, PID {found.pid}")
    if not answer.status:
        return fail("daemon", f"PID {found.pid} does not answer", "signet daemon restart")
    return fail("daemon", answer.what_is_missing, "signet daemon restart")


def _processes(scene: Scene) -> DoctorCheck:
    found = processes(scene.workspace)
    if not found:
        return fail("processes", "its supervisor does not answer", "signet daemon restart")
    told = ", ".join(f"{one.name} {one.state}" for one in found)
    if any(one.state != "running" for one in found):
        return fail("processes", told, "signet daemon logs -l warn")
    if stalls := [f"{one.name} {one.stall}" for one in found if one.stall]:
        return warn(
            "processes",
            f"{told}; replaced since the start: {', '.join(stalls)}",
            "signet daemon logs -l warn",
        )
    restarts = sum(one.restarts for one in found)
    if restarts:
        return warn("processes", f"{told}; {restarts} restarts", "signet daemon logs -l error")
    return ok("processes", told)


def _version(scene: Scene) -> DoctorCheck:
    assert scene.running is not None
    if scene.running.version in ("", __version__):
        return ok("update", f"{__version__} is installed and running")
    return warn(
        "update",
        f"{scene.running.version} is running, {__version__} is installed",
        "signet daemon restart",
    )


def _port(scene: Scene) -> DoctorCheck:
    if scene.running is not None:
        return ok("port", f"{scene.running.port}, ours")
    port = record.next_port(scene.workspace, scene.loaded.environment)
    try:
        ready.check_free(port)
    except PortTaken as error:
        return fail("port", error.message, "signet daemon start --port ANOTHER")
    return ok("port", f"{port} is free")


def _others(scene: Scene) -> DoctorCheck:
    """Find a second supervisor of this workspace, left by a copied pid file or another user's start."""
    own = None if scene.running is None else scene.running.pid
    strangers = [pid for pid in record.supervisors(scene.workspace) if pid != own]
    if not strangers:
        return ok("one daemon", "no second one on this workspace")
    told = ", ".join(map(str, strangers))
    return fail("one daemon", f"a second one uses this workspace, PID {told}", f"kill {told}")


def _vectors_from(scene: Scene) -> DoctorCheck:
    wanted = registry.vector_settings(scene.settings, scene.loaded.environment)
    embedder = registry.embedder(wanted)
    if embedder is None:
        return ok("embeddings", "switched off; recall uses keywords only")
    if (why := embedder.fault()) is None:
        return ok("embeddings", f"{embedder.name} answers")
    fix = (
        "signet models install"
        if wanted.provider == registry.NATIVE
        else "signet daemon logs -l warn"
    )
    if wanted.provider == registry.NATIVE and wanted.model.startswith(ADDED_MODELS):
        name = "DIR" if wanted.model.startswith("local:") else wanted.model
        fix = f"signet models install {name}, or: signet models use all-MiniLM-L6-v2"
    return warn("embeddings", f"{embedder.name}: {why}; recall uses keywords only", fix)


def _texts_from(scene: Scene) -> DoctorCheck:
    found, trial = trial_of(scene.workspace, scene.settings, scene.loaded.environment)
    mode = mode_of(scene.settings)
    if trial is None:
        return ok("extraction", f"{found.reason} ({mode})")
    if trial.fault:
        fix = trial.fix or "start it, or: signet daemon logs -l warn"
        return warn("extraction", f"{trial.fault}; jobs wait for it", fix)
    if weak := None if scene.tx is None else counts.weak_model(scene.tx):
        return warn("extraction", weak, track.RULES_COMMAND)
    return ok("extraction", f"{found.reason}, a short answer took {trial.seconds:.1f} s ({mode})")


def _held_back(scene: Scene) -> DoctorCheck:
    """Find queues paused by a person or waiting for a failing model."""
    held = [] if scene.tx is None else pauses.pauses(scene.tx)
    if held:
        return warn("waiting", "; ".join(one.described for one in held), "signet jobs resume")
    found = [] if scene.tx is None else stats.breakers(scene.tx)
    if not found:
        return ok("waiting", "no queue is paused or waiting for a model")
    told = "; ".join(
        f"{', '.join(one.queues)} since {local(clock.parse(one.since))}, {one.waiting} waiting: "
        f"{one.error or 'no answer'}"
        for one in found
    )
    retries = [one.retry_at_ms for one in found if one.retry_at_ms is not None]
    again = f"; next attempt {local(clock.ms_to_instant(min(retries)))}" if retries else ""
    return warn("waiting", f"paused: {told}{again}", "signet daemon logs -l warn")


def _harnesses(scene: Scene) -> DoctorCheck:
    found = harnesses.connected(Site(workspace=scene.workspace, home=Path.home()))
    entries = [(name, entry) for name, entries in found.items() for entry in entries]
    broken = [(name, entry) for name, entry in entries if entry.problem is not None]
    if broken:
        told = "; ".join(f"{name} ({entry.place}): {entry.problem}" for name, entry in broken)
        again = " ".join(dict.fromkeys(name for name, _ in broken))
        return fail("harnesses", told, f"signet harness install {again}")
    if notices := [f"{name}: {entry.notice}" for name, entry in entries if entry.notice]:
        return warn("harnesses", "; ".join(notices))
    names = sorted({name for name, _ in entries})
    return ok("harnesses", f"{', '.join(names)} connected" if names else "none connected")


def _capture(scene: Scene) -> DoctorCheck:
    found = None if scene.tx is None else readings.capture(scene.tx, now=scene.now)
    if found is None or not (found["harnesses"] or found["unknownRecords"]):
        return ok("capture", "no session yet")
    names = {name: one.name for name, one in harnesses.HARNESSES.items()}
    if lost := [*capture.empty(found, names)]:
        return fail("capture", "; ".join(lost), "signet daemon logs -l warn")
    if unread := [*capture.unread(found, names)]:
        return warn("capture", "; ".join(unread), "signet report")
    at = max(one["lastMessageAt"] or "" for one in found["harnesses"])
    return ok("capture", f"every message of each session; the last at {local(clock.parse(at))}")


def _service(scene: Scene) -> DoctorCheck:
    wanted = service.planned(scene.workspace, environ=scene.environ)
    if not wanted.path.exists():
        return ok("service", "does not start at login; to change that: signet daemon install")
    if not wanted.exists:
        return warn("service", f"{wanted.path} was not written by Signet")
    text = wanted.path.read_text("utf-8")
    missing = [word for word in service.words(scene.workspace) if word not in text]
    if missing:
        return warn(
            "service",
            f"{wanted.path} starts another installation or workspace",
            "signet daemon install",
        )
    return ok("service", f"starts at login ({wanted.manager})")
