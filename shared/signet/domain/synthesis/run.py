"""One `synthesize` job: gather the sources, write the text, replace the file, note the run.

A run without an answer leaves the file unchanged (HK-104). An unusable answer never reaches the file: a present file
that still fits the memories stays, otherwise the plain list is written. A run that was killed and repeated leaves one
file and one backup.
"""

import json
from collections.abc import Mapping, Sequence
from datetime import datetime

from signet import clock
from signet.db import ReadTx, WriteTx
from signet.domain.agents import registry as agents
from signet.domain.synthesis import file, plain, prompt, quality, runs, sources
from signet.domain.synthesis.plan import Plan
from signet.domain.synthesis.sources import Sources
from signet.domain.transcripts import withheld
from signet.errors import Invalid, NotNow, ProviderDown, ProviderFailed, ProviderTooLong
from signet.files import replace_file
from signet.ids import DEFAULT_AGENT
from signet.observe import logs
from signet.paths import Workspace
from signet.providers import answers, track
from signet.providers.ports import Completion, LanguageModel
from signet.queue.job_context import JobContext

log = logs.get("pipeline")

#: Parts that a model writes; the others are lists.
MOST_ASKED = 6


def run(job: JobContext, model: LanguageModel | None, plan: Plan, workspace: Workspace) -> None:
    """Write the file of the job's agent and complete the job; without a model a plain list.

    Raises ProviderFailed when there is no answer, NotNow when the model cannot be reached (the job then waits), OSError
    when the file cannot be written, LeaseLost, Cancelled.
    """
    agent_id = job.lease.agent_id or DEFAULT_AGENT
    path = file.path_of(workspace, agent_id)
    found = job.db.read(_gather, agent_id, plan, clock.now())
    if path is None or not found:
        job.commit(lambda tx: {"skipped": "nothing_to_write"})
        return
    fault = ""
    try:
        present = job.db.read(withheld.cleaned, agent_id, file.unmixed(path))
        text, fault = _written(job, model, found, file.parts(present), plan)
    except ProviderFailed:
        job.progress(
            lambda tx: runs.note_run(tx, agent_id, now=clock.now(), newest=None, has_failed=True)
        )
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
        runs.note_run(tx, agent_id, now=now, newest=found.newest, has_failed=bool(fault))
        name = str(path.relative_to(workspace.root))
        result: dict[str, object] = {"path": name, "sources": len(found), "chars": len(text)}
        return result | ({"refused": fault} if fault else {})

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
    return prompt.synthesis_prompt(current, found, plan), len(found)


def _gather(tx: ReadTx, agent_id: str, plan: Plan, now: datetime) -> Sources:
    return sources.gather(tx, agents.reader(tx, agent_id), plan, now=now)


def _written(
    job: JobContext,
    model: LanguageModel | None,
    found: Sources,
    present: Mapping[str | None, str],
    plan: Plan,
) -> tuple[str, str]:
    """Return the text of the file, and why an answer of the model was refused, empty when none was.

    A model sees each part alone, so that nothing of one project gets into another.
    """
    parts: dict[str | None, str] = {}
    faults: list[str] = []
    for number, (project, some) in enumerate(found.parts().items()):
        job.check()
        title = "" if number else "# Memory"
        asked = model if number < MOST_ASKED else None
        parts[project], fault = _part(asked, some, present.get(project, ""), plan, title)
        faults.append(fault)
    return file.joined(parts), next(filter(None, faults), "")


def _part(
    model: LanguageModel | None, found: Sources, present: str, plan: Plan, title: str
) -> tuple[str, str]:
    """Return the text of a part, and why the model's answer was refused, empty when it was not."""
    listed = plain.plain_text(found, title=title)
    if model is None:
        return listed, ""
    try:
        answer = _asked(model, found, present, plan)
        text = _cut(file.checked(answers.markdown(answer.text)), plan.chars)
        checked = quality.checked_text(text, found, plain=listed, is_cut=answer.is_cut)
        track.judged(model.name, is_usable=True)
        return checked, ""
    except (Invalid, quality.Bad, ProviderTooLong) as bad:
        if not isinstance(bad, ProviderTooLong):
            track.judged(model.name, is_usable=False)
        log.warning("synthesis.refused", model=model.name, reason=str(bad))
        return _kept(present, found, listed), str(bad)


def _kept(present: str, found: Sources, listed: str) -> str:
    """Return the present text where it still fits the memories, else the plain list."""
    try:
        return quality.checked_text(file.checked(present), found, plain=listed, is_cut=False)
    except (Invalid, quality.Bad):
        return listed


def _asked(model: LanguageModel, found: Sources, present: str, plan: Plan) -> Completion:
    """Return the model's answer; where the present text makes the request too long, without that."""
    request = prompt.synthesis_prompt(present, found, plan)
    try:
        return model.generate(
            request, timeout_seconds=plan.timeout_seconds, max_tokens=plan.max_tokens
        )
    except ProviderDown as error:
        raise NotNow(error.message) from error
    except ProviderTooLong:
        if not present:
            raise
        return _asked(model, found, "", plan)


def _cut(text: str, limit: int) -> str:
    """Return a text that fits, cut where a line ends."""
    return text if len(text) <= limit else text[:limit].rpartition("\n")[0] or text[:limit]
