"""One `file_projects` job: bring what is stored under a folder under the project that the folder belongs to.

What was stored before a repository was one project has the folder of each session. Each folder that is named anywhere
is looked up again, and its rows are renamed, some in each transaction. A run that is killed has renamed whole rows, and
the next one goes on with the names that are left.
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
    renames = (sql.RENAME.format(table=table, column=column) for table, column in sql.COLUMNS)
    asked = {"named": named, "project": project, "most": BATCH}
    rows = 0
    for statement in (sql.DROP_REPEATED, *renames):
        while count := job.progress(partial(WriteTx.run, sql=statement, params=asked)):
            rows += count
            job.check()
    return rows
