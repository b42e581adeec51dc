"""A language model as one job uses it: deadlines by its speed, a time limit for each call, lasting answers.

A job with many calls (the parts of a session, the facts of a memory) stores each answer in a file until it has ended,
so that a later run goes on where an earlier one failed.
"""

import hashlib
import json
import os
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path

from signet.paths import Workspace
from signet.providers import capacity, track
from signet.providers.ports import Completion, LanguageModel, Shape
from signet.queue.job_context import JobContext


class JobModel:
    def __init__(
        self, model: LanguageModel, job: JobContext, keeps_in: Workspace | None = None
    ) -> None:
        """With `keeps_in`, answers are stored in that workspace."""
        self._model = model
        self._job = job
        job_id = job.lease.job_id
        self._answers = Answers(folder_of(keeps_in), job_id) if keeps_in else None

    @property
    def name(self) -> str:
        return self._model.name

    def available(self) -> bool:
        return self._model.available()

    def generate(
        self, prompt: str, *, timeout_seconds: float, max_tokens: int, shape: Shape | None = None
    ) -> Completion:
        """Return the stored answer of an earlier run, else the model's; waits longer for a model that is slow."""
        question = _digest(self.name, prompt, max_tokens, shape)
        if self._answers and (stored := self._answers.get(question)):
            return stored
        tokens = capacity.estimate(prompt)
        seconds = track.deadline(self.name, tokens, max_tokens, timeout_seconds)
        self._job.allow(seconds)
        found = self._model.generate(
            prompt, timeout_seconds=seconds, max_tokens=max_tokens, shape=shape
        )
        self._job.allow(0.0)
        if self._answers:
            self._answers.put(question, found)
        self._job.db.write_quick(track.store)
        return found


class Answers:
    """The answers of one job in a private file; a line that was cut by a crash is skipped."""

    def __init__(self, folder: Path, job_id: str) -> None:
        self._path = folder / f"{job_id}.jsonl"
        self._known: dict[str, Completion] = {}
        with suppress(FileNotFoundError):
            for line in self._path.read_text("utf-8", "replace").splitlines():
                with suppress(ValueError, TypeError):
                    question, answer = json.loads(line)
                    self._known[question] = Completion(**answer)

    def get(self, question: str) -> Completion | None:
        return self._known.get(question)

    def put(self, question: str, answer: Completion) -> None:
        self._path.parent.mkdir(mode=0o700, exist_ok=True)
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC
        handle = os.open(self._path, flags, 0o600)
        try:
            os.write(handle, f"\n{json.dumps([question, asdict(answer)])}\n".encode())
        finally:
            os.close(handle)


def folder_of(workspace: Workspace) -> Path:
    return workspace.daemon_dir / "answers"


def drop(workspace: Workspace, job_id: str) -> None:
    """Delete the answers of a job that has ended."""
    (folder_of(workspace) / f"{job_id}.jsonl").unlink(missing_ok=True)


def drop_all(workspace: Workspace) -> None:
    """Delete all stored answers: they may contain forgotten statements."""
    for path in folder_of(workspace).glob("*.jsonl"):
        path.unlink(missing_ok=True)


def drop_old(workspace: Workspace, before: float) -> None:
    """Delete answers that were last written before a time (seconds since 1970): their jobs are gone."""
    for path in folder_of(workspace).glob("*.jsonl"):
        with suppress(FileNotFoundError):
            if path.stat().st_mtime < before:
                path.unlink()


def _digest(*parts: object) -> str:
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()
