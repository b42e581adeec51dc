"""Add the folders of projects, by machine."""

from alembic import op

revision = "0020"
down_revision = "0019"

STATEMENTS = (
    """
    CREATE TABLE IF NOT EXISTS project_folders (
      machine TEXT NOT NULL,
      folder TEXT NOT NULL,
      project TEXT NOT NULL,
      remote TEXT,
      commits TEXT NOT NULL,
      seen_at TEXT NOT NULL,
      PRIMARY KEY (machine, folder)
    )""",
    "CREATE INDEX IF NOT EXISTS idx_project_folders_folder ON project_folders (folder)",
    "CREATE INDEX IF NOT EXISTS idx_project_folders_remote ON project_folders (remote)",
    "CREATE INDEX IF NOT EXISTS idx_project_folders_project ON project_folders (project)",
)


def upgrade() -> None:
    """Create the table."""
    for statement in STATEMENTS:
        op.get_bind().exec_driver_sql(statement)
