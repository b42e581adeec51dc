"""Check the stored data: file, schema, indexes, and the scores of the diagnostics report."""

import time
from collections.abc import Iterator, Mapping
from typing import Any

from signet.care.doctor.models import CheckStatus, DoctorCheck, Scene, fail, ok, warn
from signet.care.steps import CareStep
from signet.client import Signet
from signet.client.call import Call
from signet.db import ReadTx, damage, inspection, migrate, snapshot
from signet.db.driver import sqlite
from signet.domain.diagnostics import report
from signet.domain.diagnostics.counts import Domain, Facts
from signet.domain.memory import review
from signet.domain.repair import memories
from signet.errors import SignetError, StorageDamaged, Unavailable

#: Seconds (of five in total) for reading the whole file.
INTEGRITY_SECONDS = 1.5
#: Domains of the report with their own checks, or unrelated to health.
_ELSEWHERE = frozenset({"update", "predictor"})
#: Repairs that `--fix` may request from the daemon, with its limits and audit, by their command. They lose nothing
#: and cost nothing.
SAFE: Mapping[str | None, str] = {
    report.FTS_HELP: "check-fts",
    report.LEASES_HELP: "release-leases",
}
_BODIES: Mapping[str, Mapping[str, object]] = {"check-fts": {"repair": True}}
_WORDS = {"healthy": CheckStatus.OK, "degraded": CheckStatus.WARN, "unhealthy": CheckStatus.FAIL}


def checks(scene: Scene) -> Iterator[DoctorCheck]:
    """Yield the checks of the database; only the first if it is unreadable."""
    try:
        damage.check_not_emptied(scene.workspace.database)
    except StorageDamaged as error:
        yield fail("database", error.message, "signet backup list, then: signet restore FILE")
        return
    if not scene.workspace.database.exists():
        yield warn("database", "no database yet", "signet daemon start")
        return
    sound = _sound(scene)
    yield sound
    if scene.tx is None or sound.status is CheckStatus.FAIL:
        return
    schema = _schema(scene)
    yield schema
    if schema.status is CheckStatus.OK:
        yield _structure(scene)
        try:
            yield from _counted(scene, scene.tx)
        except sqlite.OperationalError as error:
            yield ok("counts", f"not finished in time ({error})")


def _counted(scene: Scene, tx: ReadTx) -> Iterator[DoctorCheck]:
    yield _vectors(scene, tx)
    if waiting := review.count_waiting(tx):
        told = f"{waiting} to review"
        yield warn("reviews", told, "signet review")
    if left := memories.count_left(tx):
        told = f"{left} of forgotten memories are still there"
        yield warn("facts", told, "signet repair follow-forgotten")
    whole = report.report(tx, Facts.from_settings(scene.settings), now=scene.now)
    for name, domain in whole.domains.items():
        if name not in _ELSEWHERE:
            yield _domain(scene, domain)


def _sound(scene: Scene) -> DoctorCheck:
    database = scene.workspace.database
    ends = time.monotonic() + INTEGRITY_SECONDS
    found = snapshot.quick_problems(database, most=3, stop=lambda: time.monotonic() > ends)
    size = f"{database.stat().st_size / 1e6:,.1f} MB"
    noted = damage.read(database)
    if noted is not None and noted.kind is damage.DamageKind.LOST:
        accept = CareStep(what="accept the loss", do=lambda: damage.accept(database))
        return fail(
            "database", noted.message, "signet backup list, then: signet restore FILE", accept
        )
    if found is None:
        return ok("database", f"{size}; no faults in the part checked within {INTEGRITY_SECONDS} s")
    if not found:
        return ok("database", f"{size}, no faults found")
    return fail(
        "database", f"damaged: {'; '.join(found)}", "signet backup list, then: signet restore FILE"
    )


def _schema(scene: Scene) -> DoctorCheck:
    try:
        found = migrate.current(scene.workspace.database)
    except migrate.SchemaTooNew as error:
        return fail("schema", error.message, "install the version that made it again")
    except SignetError as error:
        return fail("schema", error.message)
    if found == migrate.head():
        return ok("schema", found)
    return warn(
        "schema",
        f"{found or 'that of an earlier Signet'}; the next start upgrades it to {migrate.head()} and keeps a copy",
        "signet daemon restart",
    )


def _structure(scene: Scene) -> DoctorCheck:
    """Compare the existing tables, indexes and triggers with those of a new file."""
    database = scene.workspace.database
    found = migrate.compare(database)
    if not (told := "; ".join(found.told())):
        return ok("structure", "all tables, indexes and triggers are correct")
    if any(key.endswith("_fts") for key in found.missing):
        return fail("structure", told, report.FTS_HELP, _repair(scene, "check-fts"))
    lost = [key for key in (*found.missing, *found.differs) if key.startswith("table ")]
    if lost:
        return fail("structure", told, "signet backup list, then: signet restore FILE")
    answer = fail if found.missing or found.differs or found.guards else warn
    can = CareStep(
        what="repair indexes and triggers",
        do=lambda: ", ".join(migrate.mend(database)) or "nothing left to do",
    )
    return answer("structure", told, "signet doctor --fix", can)


def _vectors(scene: Scene, tx: ReadTx) -> DoctorCheck:
    drift = inspection.index_drift(tx)
    if drift is None:
        return ok("vectors", "no index yet")
    if not any(drift):
        return ok("vectors", "the index is complete")
    return warn(
        "vectors",
        f"{drift.missing} missing from the index, {drift.orphaned} in it without a stored vector",
        "signet repair resync-vec --apply",
        _repair(scene, "resync-vec"),
    )


def _domain(scene: Scene, domain: Domain) -> DoctorCheck:
    """Return a domain's diagnostics; its first reason has the command that helps."""
    status = _WORDS[domain.status]
    if not domain.deductions:
        return DoctorCheck(check=domain.name, status=status, detail="healthy")
    command = next((one.command for one in domain.deductions if one.command), None)
    safe = next((SAFE[c] for one in domain.deductions if (c := one.command) in SAFE), None)
    return DoctorCheck(
        check=domain.name,
        status=max(status, CheckStatus.WARN, key=[*CheckStatus].index),
        detail="; ".join(one.reason for one in domain.deductions),
        fix=command,
        mend=_repair(scene, safe) if safe else None,
    )


def _repair(scene: Scene, path: str) -> CareStep:
    return CareStep(what=f"repair {path}", do=lambda: _ask(scene, path))


def _ask(scene: Scene, path: str) -> str:
    if scene.running is None:
        raise Unavailable("requires the daemon: signet daemon start, then run this again")
    signet = Signet(
        path=str(scene.workspace.root), environ={}, actor="doctor", actor_type="operator"
    )
    call: Call[dict[str, Any]] = Call(
        method="POST", path=f"/api/repair/{path}", body=_BODIES.get(path, {})
    )
    return str(signet.send(call)["message"])
