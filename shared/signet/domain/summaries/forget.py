"""Forgetting what was made of a session: its summary and score, what was made of that, its notes as files."""

from pathlib import Path
from typing import NamedTuple

from signet.db import ReadTx, WriteTx
from signet.db.dialect import as_list
from signet.domain.summaries import files
from signet.domain.summaries.sql import jobs, summaries


class Made(NamedTuple):
    """What was made of a session: texts of its summaries, and the paths of its notes in the workspace."""

    texts: tuple[str, ...]
    paths: tuple[str, ...]


def made(tx: ReadTx, agent_id: str, key: str) -> Made:
    """Return what was made of a session."""
    owner = (agent_id, key)
    texts = tx.column(summaries.OF_SESSION, owner)
    return Made(tuple(texts), tuple(tx.column(jobs.NOTES, owner)))


def forget_session(tx: WriteTx, agent_id: str, key: str) -> None:
    """Delete what was made of a session, but for the files; summaries of several sessions are made anew without it."""
    owner = (agent_id, key)
    listed = (as_list(tx.column(summaries.MADE_OF, owner)),)
    for statement in summaries.DELETE:
        tx.run(statement, listed)
    tx.run(summaries.DELETE_SCORES, owner)
    tx.run(jobs.DELETE_OF, owner)


def sorted_notes(root: Path, found: Made) -> tuple[list[str], list[str]]:
    """Return the notes that Signet wrote as they are, and those that a person has written into. Reads files."""
    whole = "\n".join(found.texts)
    ours: list[str] = []
    others: list[str] = []
    for name in found.paths:
        path = root / name
        if path.is_file():
            present = path.read_text("utf-8", "replace")
            (ours if files.is_ours(present, whole) else others).append(name)
    return ours, others
