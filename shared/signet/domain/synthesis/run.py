"""One `synthesize` job, top to bottom: gather what matters, write it down, replace the file, note the run.

A run that fails leaves the file as it is, byte for byte (HK-104); one that was killed anywhere and runs again gives
one file and one backup.
"""

import json
from collections.abc import Sequence
from datetime import datetime

from signet import clock
from signet.db import ReadTx, WriteTx
from signet.domain.agents import registry as agents
from signet.domain.synthesis import file, plain, prompt, runs, sources
from signet.domain.synthesis.plan import Plan
from signet.domain.synthesis.sources import Sources
from signet.domain.transcripts import withheld
from signet.errors import Invalid, Kind, NotNow, ProviderDown, ProviderFailed, SignetError
from signet.files import replace_file
from signet.ids import DEFAULT_AGENT
from signet.paths import Workspace
from signet.providers import answers
from signet.providers.ports import LanguageModel
from signet.queue.job_context import JobContext


class Unusable(SignetError):
    """The model's answer is not usable as MEMORY.md."""

    kind = Kind.UNAVAILABLE
    code = "unusable_answer"


def run(job: JobContext, model: LanguageModel | None, plan: Plan, workspace: Workspace) -> None:
    """Write the file of the job's agent and complete the job; without a model a plain list.

    Raises Unusable when the model's answer is no such file, ProviderFailed when there is none, NotNow when it
    cannot be reached (the job then waits), OSError when the file cannot be written, LeaseLost, Cancelled.
    """
    agent_id = job.lease.agent_id or DEFAULT_AGENT
    path = file.path_of(workspace, agent_id)
    found = job.db.read(_gather, agent_id, plan, clock.now())
    if path is None or not found:
        job.commit(lambda tx: {"skipped": "nothing_to_write"})
        return
    try:
        present = job.db.read(withheld.cleaned, agent_id, file.read(path))
        text = plain.text(found) if model is None else _asked(model, found, present, plan)
    except (ProviderFailed, Unusable):
        job.progress(lambda tx: runs.note(tx, agent_id, now=clock.now(), newest=None))
        raise
    job.check()
    now = clock.now()
    with file.alone(workspace, wait=True):
        # Something may have been forgotten while the model wrote; what is forgotten from now on, `clean` takes out.
        text = job.db.read(withheld.cleaned, agent_id, text)
        file.write(workspace, path, text, at=now, run_at=clock.parsed(job.lease.created_at) or now)
    if agent_id == DEFAULT_AGENT:
        tell(workspace, now)

    def keep(tx: WriteTx) -> dict[str, object]:
        runs.note(tx, agent_id, now=now, newest=found.newest)
        name = str(path.relative_to(workspace.root))
        return {"path": name, "sources": len(found), "chars": len(text)}

    job.commit(keep)


def clean(job: JobContext, workspace: Workspace, known: Sequence[withheld.Statement]) -> int:
    """Leave what is withheld out of the file of the job's agent; return how many characters went.

    Raises OSError when the file cannot be written.
    """
    path = file.path_of(workspace, job.lease.agent_id or DEFAULT_AGENT)
    if path is None or not known or not path.is_file():
        return 0
    with file.alone(workspace, wait=True):
        present = path.read_text("utf-8", "replace")
        text = withheld.without(present, known)
        if text != present:
            replace_file(path, text.encode(), beside=".MEMORY.md.new")
    return len(present) - len(text)


def tell(workspace: Workspace, now: datetime) -> None:
    """Write when the file was made last to where other programs look for it."""
    content = json.dumps({"lastRunAt": clock.to_text(now)}).encode()
    replace_file(
        workspace.daemon_dir / "last-synthesis.json", content, beside=".last-synthesis.new"
    )


def request(tx: ReadTx, agent_id: str, plan: Plan, current: str, now: datetime) -> tuple[str, int]:
    """Return the request that a run would make now, and of how many sources (HK-100)."""
    found = _gather(tx, agent_id, plan, now)
    return prompt.synthesis(current, found, plan), len(found)


def _gather(tx: ReadTx, agent_id: str, plan: Plan, now: datetime) -> Sources:
    return sources.gather(tx, agents.reader(tx, agent_id), plan, now=now)


def _asked(model: LanguageModel, found: Sources, current: str, plan: Plan) -> str:
    request = prompt.synthesis(current, found, plan)
    try:
        answer = model.generate(
            request, timeout_seconds=plan.timeout_seconds, max_tokens=plan.max_tokens
        )
        return _cut(file.checked(answers.markdown(answer.text)), plan.chars)
    except ProviderDown as error:
        raise NotNow(error.message) from error
    except Invalid as error:
        raise Unusable(error.message) from error


def _cut(text: str, limit: int) -> str:
    """Return a text that fits, cut where a line ends."""
    return text if len(text) <= limit else text[:limit].rpartition("\n")[0] or text[:limit]
