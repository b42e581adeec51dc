"""Known projects and their folders, and the renaming of projects in stored rows."""

import json
import os
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import NamedTuple

from signet import clock
from signet.db import Database, ReadTx, WriteTx
from signet.db.dialect import as_list
from signet.domain.projects import folder, sql
from signet.domain.projects.folder import FolderEvidence, ProjectPlace
from signet.domain.projects.sql import FolderRow
from signet.queue.job_context import JobContext

#: Suffix of a project's name if another machine has a different repository at the same path.
_MACHINE_CHARS = 6


class Elsewhere(NamedTuple):
    """A folder as described by its own machine, because this one cannot read it."""

    machine: str
    place: ProjectPlace
    evidence: FolderEvidence = FolderEvidence()


def find(
    db: Database, named: str, *, elsewhere: Elsewhere | None = None, may_register: bool = True
) -> ProjectPlace:
    """Return where a folder is, with the project that its memories are filed under; reads the disk and the store.

    A repository that is new is registered if the caller may do that: who is limited to one project must not bring the
    folders of others into it.
    """
    place = elsewhere.place if elsewhere else folder.locate(named)
    if not place.project:
        return place
    here = elsewhere.machine if elsewhere else folder.machine()
    known = db.read(_known, here, place)
    if known is None and not place.is_repository and folder.is_on_drive(_name(place)):
        known = db.read(ReadTx.value, sql.IN_ANY_CASE, {"folder": _name(place)})
    is_new = known is None or (place.apart and not db.read(_has_both, here, place))
    if is_new and place.is_repository and may_register:
        known = _register(db, here, place, elsewhere.evidence if elsewhere else None)
    return place._replace(project=known or place.project)


def _known(tx: ReadTx, here: str, place: ProjectPlace) -> str | None:
    """Return the project that a folder is known to belong to; one outside of git also by a folder above it.

    A folder that is gone may have been a worktree, or may be one of another machine.
    """
    above = [] if place.is_repository else [str(one) for one in Path(_name(place)).parents]
    folders = as_list([_name(place), place.apart, *above])
    known = sql.KNOWN.format(case=sql.ANY_CASE if folder.is_on_drive(_name(place)) else "")
    rows = tx.rows(FolderRow, known, {"machine": here, "folders": folders})
    rows.sort(key=lambda one: one.folder != _name(place))
    mine = [one.project for one in rows if one.machine == here]
    if mine or place.is_repository:
        return mine[0] if mine else None
    others = {one.project for one in rows}
    if not others:
        every: list[str] = tx.column(sql.PROJECTS)
        others = {one for one in every if folder.may_name(_name(place), one)}
    return others.pop() if len(others) == 1 else None


def _has_both(tx: ReadTx, here: str, place: ProjectPlace) -> bool:
    asked = {"machine": here, "folders": as_list([_name(place), place.apart])}
    rows = tx.rows(FolderRow, sql.KNOWN.format(case=""), asked)
    return sum(one.machine == here for one in rows) == 2


def _register(db: Database, here: str, place: ProjectPlace, told: FolderEvidence | None) -> str:
    """Note a repository and its worktrees, and return its project: that of the same one elsewhere, or a new one."""
    found = folder.evidence(place) if told is None else told
    asked = {"remote": found.remote, "machine": here, "folder": _name(place)}
    twins = db.read(ReadTx.rows, FolderRow, sql.TWINS, asked) if found.commits else []
    twins = [one for one in twins if set(json.loads(one.commits)) & set(found.commits)]
    # Of each project this machine has one folder; the folders of another machine cannot be looked at from here.
    may_be_gone = told is None
    taken = {
        one.project
        for one in twins
        if one.machine == here and not (may_be_gone and _is_gone(one.folder))
    }
    same = next((one.project for one in twins if one.project not in taken), None)
    trees = () if told is not None else folder.worktrees(place)
    return db.write(_put, here, place, same, found, trees, now=clock.now())


def _put(
    tx: WriteTx,
    here: str,
    place: ProjectPlace,
    same: str | None,
    found: FolderEvidence,
    trees: tuple[str, ...] | list[str],
    *,
    now: datetime,
) -> str:
    project = _known(tx, here, place) or same or _new_name(tx, here, place, found)
    at, commits = clock.to_text(now), json.dumps(found.commits)
    tx.run(sql.PUT, (here, _name(place), project, found.remote, commits, at))
    for tree in {*trees, place.apart, place.tree} - {_name(place), ""}:
        tx.run(sql.PUT, (here, tree, project, None, "[]", at))
    return project


def _new_name(tx: ReadTx, here: str, place: ProjectPlace, found: FolderEvidence) -> str:
    """Return the path of a repository, with the machine where another one has another repository at this path."""
    name = _name(place)
    rows = tx.rows(FolderRow, sql.NAMED, {"project": name})
    others = [one for one in rows if one.machine != here and one.folder == name]
    known = [set(json.loads(one.commits)) for one in others]
    is_other = any(one and found.commits and not one & set(found.commits) for one in known)
    return f"{name} ({here[:_MACHINE_CHARS]})" if is_other else name


def _name(place: ProjectPlace) -> str:
    return folder.spelled(place.root)


def _is_gone(path: str) -> bool:
    return not os.path.lexists(os.path.join(path, ".git")) and not folder.locate(path).is_repository  # noqa: PTH118


#: Rows of one transaction.
BATCH = 500


def refile(job: JobContext) -> None:
    """File every row under its repository, and complete the job. Raises LeaseLost, Cancelled."""
    moved: dict[str, int] = {}
    for named in job.db.read(ReadTx.column, sql.USED):
        job.check()
        project = find(job.db, named).project
        if project != named:
            moved[named] = _rename(job, named, project)
    job.commit(lambda tx: {"projects": len(moved), "rows": sum(moved.values())})


def _rename(job: JobContext, named: str, project: str) -> int:
    renames = (
        sql.RENAME.format(table=table, column=column, free=sql.FREE if table == "memories" else "")
        for table, column in sql.COLUMNS
    )
    asked = {"named": named, "project": project, "most": BATCH}
    rows = 0
    for statement in (sql.DROP_REPEATED.format(table=sql.CHUNKS), *renames):
        while count := job.progress(partial(WriteTx.run, sql=statement, params=asked)):
            rows += count
            job.check()
    return rows
