"""Check models, queues, harnesses and the capture of sessions."""

from collections.abc import Iterator
from pathlib import Path

from signet import clock
from signet.care import capture
from signet.care.doctor.models import DoctorCheck, Scene, fail, local, ok, warn
from signet.care.text_model import trial_of
from signet.config.sections import ADDED_MODELS
from signet.domain.diagnostics import counts
from signet.domain.extraction.models import Mode, mode_of
from signet.domain.harnesses import registry as harnesses
from signet.domain.harnesses.models import Site
from signet.domain.transcripts import readings
from signet.providers import registry, track
from signet.queue import pauses, stats


def checks(scene: Scene) -> Iterator[DoctorCheck]:
    yield _vectors_from(scene)
    yield _texts_from(scene)
    yield _held_back(scene)
    yield _harnesses(scene)
    yield _capture(scene)


def _vectors_from(scene: Scene) -> DoctorCheck:
    wanted = registry.vector_settings(scene.settings, scene.loaded.environment)
    embedder = registry.embedder(wanted)
    if embedder is None:
        return ok("embeddings", "switched off; recall uses keywords only")
    if (why := embedder.fault()) is None:
        return ok("embeddings", f"{embedder.name} answers")
    is_native = wanted.provider == registry.NATIVE
    fix = "signet models install" if is_native else "signet daemon logs -l warn"
    if is_native and wanted.model.startswith(ADDED_MODELS):
        name = "DIR" if wanted.model.startswith("local:") else wanted.model
        fix = f"signet models install {name}, or: signet models use all-MiniLM-L6-v2"
    return warn("embeddings", f"{embedder.name}: {why}; recall uses keywords only", fix)


def _texts_from(scene: Scene) -> DoctorCheck:
    found, trial = trial_of(scene.workspace, scene.settings, scene.loaded.environment)
    mode = mode_of(scene.settings)
    told = "" if mode is Mode.CONTROLLED_WRITE else f"; no fact is stored in mode {mode}"
    if trial is None:
        return ok("extraction", f"{found.reason}{told}")
    if trial.fault:
        fix = trial.fix or "start it, or: signet daemon logs -l warn"
        return warn("extraction", f"{trial.fault}; jobs wait for it", fix)
    if weak := None if scene.tx is None else counts.weak_model(scene.tx):
        return warn("extraction", weak, track.RULES_COMMAND)
    return ok("extraction", f"{found.reason}, a short answer took {trial.seconds:.1f} s{told}")


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
