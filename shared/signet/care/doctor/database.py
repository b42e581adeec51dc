"""Check the stored data: file, schema, indexes, and the scores of the diagnostics report."""

import os
import time
from collections.abc import Iterator, Mapping

from signet import engine
from signet.care.doctor.models import CheckStatus, DoctorCheck, Scene, fail, ok, warn
from signet.db import ReadTx, damage, inspection, migrate, moved, snapshot
from signet.db.driver import sqlite
from signet.domain.diagnostics import report
from signet.domain.diagnostics.counts import Domain, Facts
from signet.domain.memory import review
from signet.domain.repair import memories
from signet.errors import SignetError, StorageDamaged

INTEGRITY_SECONDS = 1.5  # of five in total, for reading the whole file
_WAY_BACK = "signet backup list, then: signet restore FILE"
#: Domains of the report with their own checks, or unrelated to health.
_ELSEWHERE = frozenset({"update", "predictor"})
#: Repairs that `--fix` may request from the daemon, by their command. They lose nothing and cost nothing.
SAFE: Mapping[str | None, str] = {
    report.FTS_HELP: "check-fts",
    report.LEASES_HELP: "release-leases",
}
_WORDS = {"healthy": CheckStatus.OK, "degraded": CheckStatus.WARN, "unhealthy": CheckStatus.FAIL}


def checks(scene: Scene) -> Iterator[DoctorCheck]:
    """Yield the checks of the database; only the first if it is unreadable."""
    wanted = scene.settings.storage.url or scene.loaded.environment.storage_url
    if (used := engine.used(scene.workspace.database)) != wanted:
        told = f"this daemon still uses {_place_of(used)}, the settings say {_place_of(wanted)}"
        yield warn("storage setting", told, "signet daemon restart")
    if (url := engine.url_of(scene.workspace.database)) is not None:
        yield from _on_server(scene, url)
        return
    try:
        damage.check_not_emptied(scene.workspace.database)
    except StorageDamaged as error:
        yield fail("database", error.message, _WAY_BACK)
        return
    if not scene.workspace.database.exists():
        yield warn("database", "no database yet", "signet daemon start")
        return
    if not os.access(scene.workspace.memory_dir, os.W_OK):  # a log file must be written to read it
        yield fail("database", "not checked: its folder is not writable")
        return
    sound = _sound(scene)
    yield sound
    yield from _moved(scene)
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


def _place_of(url: str | None) -> str:
    """Name a server or the workspace's file."""
    if url is None:
        return "the file memories.db"
    from signet.db.postgres.address import shown

    return shown(url)


def _on_server(scene: Scene, url: str) -> Iterator[DoctorCheck]:
    from signet.db.postgres.address import shown

    schema = _schema(scene)
    if scene.tx is None:
        yield fail(
            "database",
            schema.detail,
            None
            if "~/.pgpass" in schema.detail
            else f"start the server of {shown(url)}, or correct storage.url",
        )
        return
    found = inspection.server(scene.tx)
    size = f"{found.size / 1e6:,.1f} MB"
    yield ok("database", f"PostgreSQL {found.version}, {shown(url)}, {size}")
    yield from _moved(scene)
    yield schema
    if schema.status is CheckStatus.OK:
        yield from _counted(scene, scene.tx)


def _moved(scene: Scene) -> Iterator[DoctorCheck]:
    if (found := moved.read(scene.workspace.database)) is not None:
        yield warn("moved", found.message, "signet doctor --fix", "moved")


def _counted(scene: Scene, tx: ReadTx) -> Iterator[DoctorCheck]:
    yield _vectors(tx)
    if waiting := review.count_waiting(tx):
        yield warn("reviews", f"{waiting} to review", "signet review")
    if left := memories.count_left(tx):
        told = f"{left} of forgotten memories are still there"
        yield warn("facts", told, "signet repair follow-forgotten")
    whole = report.report(tx, Facts.from_settings(scene.settings), now=scene.now)
    for name, domain in whole.domains.items():
        if name not in _ELSEWHERE:
            yield _domain(domain)


def _sound(scene: Scene) -> DoctorCheck:
    database = scene.workspace.database
    ends = time.monotonic() + INTEGRITY_SECONDS
    found = snapshot.quick_problems(database, most=3, stop=lambda: time.monotonic() > ends)
    size = f"{database.stat().st_size / 1e6:,.1f} MB"
    noted = damage.read(database)
    if noted is not None and noted.kind is damage.DamageKind.LOST:
        return fail("database", noted.message, _WAY_BACK, "loss")
    if found is None:
        return ok("database", f"{size}; no faults in the part checked within {INTEGRITY_SECONDS} s")
    if not found:
        return ok("database", f"{size}, no faults found")
    return fail("database", f"damaged: {'; '.join(found)}", _WAY_BACK)


def _schema(scene: Scene) -> DoctorCheck:
    try:
        found = migrate.current(scene.workspace.database)
    except migrate.SchemaTooNew as error:
        return fail("schema", error.message, "install the version that made it again")
    except SignetError as error:
        return fail("schema", error.message)
    if found == migrate.head():
        return ok("schema", found)
    told = f"{found or 'that of an earlier Signet'}; the next start upgrades it to {migrate.head()} and keeps a copy"
    return warn("schema", told, "signet daemon restart")


def _structure(scene: Scene) -> DoctorCheck:
    """Compare the existing tables, indexes and triggers with those of a new file."""
    found = migrate.compare(scene.workspace.database)
    if not (told := "; ".join(found.told())):
        return ok("structure", "all tables, indexes and triggers are correct")
    if any(key.endswith("_fts") for key in found.missing):
        return fail("structure", told, report.FTS_HELP, "check-fts")
    lost = [key for key in (*found.missing, *found.differs) if key.startswith("table ")]
    if lost:
        return fail("structure", told, _WAY_BACK)
    answer = fail if found.missing or found.differs or found.guards else warn
    return answer("structure", told, "signet doctor --fix", "structure")


def _vectors(tx: ReadTx) -> DoctorCheck:
    drift = inspection.index_drift(tx)
    if drift is None:
        return ok("vectors", "no index yet")
    if not any(drift):
        return ok("vectors", "the index is complete")
    told = f"{drift.missing} missing from the index, {drift.orphaned} in it without a stored vector"
    return warn("vectors", told, "signet repair resync-vec --apply", "resync-vec")


def _domain(domain: Domain) -> DoctorCheck:
    """Return a domain's diagnostics; its first reason has the command that helps."""
    status = _WORDS[domain.status]
    if not domain.deductions:
        return DoctorCheck(status, domain.name, "healthy")
    command = next((one.command for one in domain.deductions if one.command), None)
    safe = next((SAFE[c] for one in domain.deductions if (c := one.command) in SAFE), None)
    worst = max(status, CheckStatus.WARN, key=[*CheckStatus].index)
    told = "; ".join(one.reason for one in domain.deductions)
    return DoctorCheck(worst, domain.name, told, command, safe)
