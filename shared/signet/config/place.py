"""Whether a workspace has a memory. Settings are loaded only if there can be some."""

import os

from signet import engine
from signet.config.env import read_environment
from signet.paths import Workspace


def has_memory(workspace: Workspace) -> bool:
    """Return whether a workspace has a memory: in its file, or on the server that its settings name."""
    if workspace.database.exists():
        return True
    if not workspace.root.is_dir() and read_environment(os.environ)[0].storage_url is None:
        return False
    from signet.config.loading import load

    load(workspace)
    try:
        return engine.exists(workspace.database)
    except engine.StorageUnclear:
        return True
