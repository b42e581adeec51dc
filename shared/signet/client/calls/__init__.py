"""What can be asked of the daemon, once: each function returns the call that its name says.

`Signet` and `AsyncSignet` have a method for each, with the same parameters and words, so the docstrings speak of the
answer. Parameters that are None are not sent, and the daemon's own defaults hold.
"""

from signet.client.calls import (
    agents,
    auth,
    connectors,
    daemon,
    documents,
    embeddings,
    feedback,
    knowledge,
    machine,
    memory,
    operation,
    recall,
    sessions,
    skills,
    transfer,
    upkeep,
)

__all__ = [
    "agents",
    "auth",
    "connectors",
    "daemon",
    "documents",
    "embeddings",
    "feedback",
    "knowledge",
    "machine",
    "memory",
    "operation",
    "recall",
    "sessions",
    "skills",
    "transfer",
    "upkeep",
]
