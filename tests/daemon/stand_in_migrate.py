"""Prepares no database. Files in the workspace ask for a failure, a notice, to wait until they go, or for ever."""

import os
import sys
import threading
import time
from pathlib import Path

from signet.process import parent

if __name__ == "__main__":
    parent.watch()
    root = Path(sys.argv[1])
    if (root / "migrate-fail").exists():
        sys.exit("the database is made of cheese")
    if (root / "migrate-notice").exists():
        sys.stdout.write("Database upgraded\n")
    if (wait := root / "migrate-wait").exists():
        wait.write_text(str(os.getpid()))
    while wait.exists():
        time.sleep(0.05)
    if (root / "migrate-hang").exists():
        threading.Event().wait()
