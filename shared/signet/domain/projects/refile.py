"""One `file_projects` job: move rows that name a folder to the project that the folder belongs to.

Rows of earlier versions name the folder of their session. The job looks up each folder that any row names and renames
its rows, at most `BATCH` in a transaction. A run that is killed has renamed whole rows; the next one continues with the
folders that are left.
"""

from functools import partial

from signet.db import ReadTx, WriteTx
from signet.domain.projects import registry, sql
from signet.queue.job_context import JobContext

#: Rows of one transaction.
BATCH = 500


def run(job: JobContext) -> None:
    """File every row under its repository, and complete the job. Raises LeaseLost, Cancelled."""
    moved: dict[str, int] = {}
    for named in job.db.read(ReadTx.column, sql.USED):
        job.check()
        project = registry.find(job.db, named).project
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
