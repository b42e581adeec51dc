"""Prepares no database. Files in the workspace ask for a failure, a notice, or never to end."""

import sys
import threading
from pathlib import Path

from signet.process import parent

if __name__ == "__main__":
    parent.watch()
    root = Path(sys.argv[1])
    if (root / "migrate-fail").exists():
        sys.exit("the database is made of cheese")
    if (root / "migrate-notice").exists():
        sys.stdout.write("Database upgraded\n")
    if (root / "migrate-hang").exists():
        threading.Event().wait()
