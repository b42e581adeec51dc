"""One `synthesize` job: gather the sources, write the text, replace the file, note the run.

A run without an answer leaves the file unchanged (HK-104). An unusable answer never reaches the file: a present file
that still fits the memories stays, otherwise the plain list is written. A run that was killed and repeated leaves one
file and one backup.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from signet import clock
from signet.config import Settings
from signet.db import ReadTx, WriteTx, runtime_settings, visibility
from signet.db.visibility import Reader
from signet.domain.agents import registry as agents
from signet.domain.synthesis import file, sources, sql
from signet.domain.synthesis import plan as plans
from signet.domain.synthesis.plan import Plan, Standing
from signet.domain.synthesis.sources import Sources
from signet.domain.transcripts import withheld
from signet.errors import Invalid, NotNow, ProviderDown, ProviderFailed, ProviderTooLong
from signet.files import replace_file
from signet.ids import DEFAULT_AGENT
from signet.observe import logs
from signet.paths import Workspace
from signet.providers import answers, track
from signet.providers.ports import Completion, LanguageModel
from signet.queue import NewJob, enqueue
from signet.queue.job_context import JobContext

#: When an agent's file was written last, or tried to be, and the newest memory that was known then; as JSON.
_LAST = f"{sql.KIND}:"


def standing_of_agent(tx: ReadTx, reader: Reader) -> Standing:
    at, seq, has_failed, read_at = _last(tx, reader.agent_id)
    is_grown = sql.newest(tx, reader, after=seq) > seq
    return Standing(
        last_run_at=clock.parsed(at),
        first_at=clock.parsed(tx.value(sql.FIRST, (reader.agent_id,))),
        has_news=is_grown or (bool(read_at) and sql.has_changes(tx, reader, since=read_at)),
        is_running=tx.value(sql.RUNNING, (f"{sql.KIND}:{reader.agent_id}",)) is not None,
        has_failed=has_failed,
    )


def is_running(tx: ReadTx) -> bool:
    return tx.value(sql.ANY_RUNNING) is not None


def last_run_at(tx: ReadTx, agent_id: str) -> str | None:
    return _last(tx, agent_id)[0]


def read_at(tx: ReadTx, agent_id: str) -> str:
    """Return when the last run read the memories, empty before the first."""
    return _last(tx, agent_id)[3]


def note_run(
    tx: WriteTx,
    agent_id: str,
    *,
    now: datetime,
    newest: int | None,
    has_failed: bool = False,
    read_at: datetime | None = None,
) -> None:
    """Record a run with the newest memory it knew, None for a run without an answer, and when it read the memories."""
    seq = _last(tx, agent_id)[1] if newest is None else newest
    state = {"at": clock.to_text(now), "seq": seq, "failed": has_failed}
    state["read"] = clock.to_text(read_at or now)
    runtime_settings.put(tx, f"{_LAST}{agent_id}", json.dumps(state))


def outdated(tx: ReadTx, reader: Reader, since: str | None = None) -> list[withheld.Statement]:
    """Return what the file may still say though it was edited or superseded after an instant, or after its run."""
    since = (read_at(tx, reader.agent_id) or None) if since is None else since
    if since is None:
        return []  # a file that Signet did not write
    seen = visibility.readable(reader)
    rows = tx.tuples(sql.OUTDATED.format(seen=seen.sql), (since, *seen.params))
    return [withheld.outdated(old, new) for old, new in rows]


def unwanted(
    tx: ReadTx, agent_id: str, since: str | None = None
) -> tuple[list[withheld.Statement], list[withheld.Statement]]:
    """Return the statements that an agent's file must not contain: forgotten ones, and outdated ones."""
    old = outdated(tx, agents.common_reader(tx, agent_id), since)
    return withheld.statements(tx, agent_id), old


def _last(tx: ReadTx, agent_id: str) -> tuple[str | None, int, bool, str]:
    value = runtime_settings.get(tx, f"{_LAST}{agent_id}")
    found = json.loads(value) if value else {}
    at = found.get("at")
    return at, int(found.get("seq", 0)), bool(found.get("failed")), found.get("read") or at or ""


log = logs.get("pipeline")

#: Parts that a model writes; the others are lists.
MOST_ASKED = 6


def run(job: JobContext, model: LanguageModel | None, plan: Plan, workspace: Workspace) -> None:
    """Write the file of the job's agent and complete the job; without a model a plain list.

    Raises ProviderFailed without an answer, NotNow if the model is unreachable (the job then waits), OSError if the
    file cannot be written, LeaseLost, Cancelled.
    """
    agent_id = job.lease.agent_id or DEFAULT_AGENT
    path = file.path_of(workspace, agent_id)
    read_at = clock.now()
    since = clock.to_text(read_at)
    found = job.db.read(_gather, agent_id, plan, read_at)
    if path is None or not found:
        job.commit(lambda tx: {"skipped": "nothing_to_write"})
        return
    fault = ""
    try:
        present = job.db.read(withheld.cleaned, agent_id, file.unmixed(path))
        text, fault = _written(job, model, found, file.parts(present), plan)
    except ProviderFailed:
        job.progress(
            lambda tx: note_run(tx, agent_id, now=clock.now(), newest=None, has_failed=True)
        )
        raise
    job.check()
    now = clock.now()
    with file.alone(workspace, wait=True):
        # Something may have changed while the model wrote; `clean` removes later changes.
        forgotten, old = job.db.read(unwanted, agent_id, since)
        text = withheld.without(text, [*forgotten, *old])
        file.write(workspace, path, text, at=now, run_at=clock.parsed(job.lease.created_at) or now)
    if agent_id == DEFAULT_AGENT:
        tell(workspace, now)

    def keep(tx: WriteTx) -> dict[str, object]:
        has_failed = bool(fault)
        note_run(tx, agent_id, now=now, newest=found.newest, has_failed=has_failed, read_at=read_at)
        if sql.has_changes(tx, agents.common_reader(tx, agent_id), since=since, is_asked=True):
            queue(tx, agent_id, now=now)
        name = str(path.relative_to(workspace.root))
        result: dict[str, object] = {"path": name, "sources": len(found), "chars": len(text)}
        return result | ({"refused": fault} if fault else {})

    job.commit(keep)


def clean(workspace: Workspace, known: Sequence[withheld.Statement], *, backups: bool) -> int:
    """Remove statements from the files of all agents, with `backups` also from earlier ones; return the number changed.

    Other agents may have read a memory, too. Raises OSError.
    """
    return (
        file.rewrite(workspace, partial(withheld.without, statements=known), backups)
        if known
        else 0
    )


def tell(workspace: Workspace, now: datetime) -> None:
    """Write the time of the last run for other programs."""
    content = json.dumps({"lastRunAt": clock.to_text(now)}).encode()
    replace_file(
        workspace.daemon_dir / "last-synthesis.json", content, beside=".last-synthesis.new"
    )


def request(tx: ReadTx, agent_id: str, plan: Plan, current: str, now: datetime) -> tuple[str, int]:
    """Return the request that a run would make now, and the number of its sources (HK-100)."""
    found = _gather(tx, agent_id, plan, now)
    return sources.synthesis_prompt(current, found, plan), len(found)


def _gather(tx: ReadTx, agent_id: str, plan: Plan, now: datetime) -> Sources:
    return sources.gather(tx, agents.common_reader(tx, agent_id), plan, now=now)


def _written(
    job: JobContext,
    model: LanguageModel | None,
    found: Sources,
    present: Mapping[str | None, str],
    plan: Plan,
) -> tuple[str, str]:
    """Return the text of the file, and why an answer was refused.

    A model sees each part alone, so that nothing gets from one project into another.
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
    """Return the text of a part, and why the model's answer was refused."""
    listed = sources.plain_text(found, title=title)
    if model is None:
        return listed, ""
    try:
        answer = _asked(model, found, present, plan)
        text = _cut(file.checked(answers.markdown(answer.text)), plan.chars)
        checked = sources.checked_text(text, found, plain=listed, is_cut=answer.is_cut)
        track.judged(model.name, is_usable=True)
        return checked, ""
    except (Invalid, sources.Bad, ProviderTooLong) as bad:
        if not isinstance(bad, ProviderTooLong):
            track.judged(model.name, is_usable=False)
        log.warning("synthesis.refused", model=model.name, reason=str(bad))
        return _kept(present, found, listed), str(bad)


def _kept(present: str, found: Sources, listed: str) -> str:
    """Return the present text if it still fits the memories, else the plain list."""
    try:
        return sources.checked_text(file.checked(present), found, plain=listed, is_cut=False)
    except (Invalid, sources.Bad):
        return listed


def _asked(model: LanguageModel, found: Sources, present: str, plan: Plan) -> Completion:
    """Return the model's answer, without the present text if that makes the request too long."""
    request = sources.synthesis_prompt(present, found, plan)
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
    return text if len(text) <= limit else text[:limit].rpartition("\n")[0] or text[:limit]


#: A model that answers nonsense twice is asked again an hour later.
ATTEMPTS = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Triggered:
    """The result of a request: the job, or the reason for no job."""

    job_id: str | None = None
    reason: str | None = None


def trigger(tx: WriteTx, agent_id: str, *, now: datetime) -> Triggered:
    """Queue the writing of an agent's file regardless of the schedule (HK-102)."""
    standing = standing_of_agent(tx, agents.common_reader(tx, agent_id))
    reason = plans.refusal(standing, now=now, by_hand=True)
    if reason:
        return Triggered(reason=reason)
    return Triggered(job_id=queue(tx, agent_id, now=now))


def queue(tx: WriteTx, agent_id: str, *, now: datetime) -> str | None:
    job = NewJob(kind=sql.KIND, dedupe_key=agent_id, agent_id=agent_id)
    return enqueue(tx, job, now=now, max_attempts=ATTEMPTS)


def again(tx: WriteTx, agent_id: str, *, now: datetime) -> None:
    """Queue the writing of an agent's file if it exists, because a statement was restored or changed."""
    if standing_of_agent(tx, agents.common_reader(tx, agent_id)).last_run_at is not None:
        queue(tx, agent_id, now=now)


def due(tx: ReadTx, settings: Settings, *, now: datetime) -> list[str]:
    plan = Plan.from_settings(settings)
    if not plan.enabled:
        return []
    active_at = clock.parsed(tx.value(sql.ACTIVE, {"now": clock.to_text(now)}))
    roster = [one.name for one in settings.agents.roster]
    everybody = dict.fromkeys((DEFAULT_AGENT, *roster, *tx.column(sql.AGENTS)))
    return [
        agent_id
        for agent_id in everybody
        if plans.is_due(
            plan,
            standing_of_agent(tx, agents.common_reader(tx, agent_id)),
            active_at=active_at,
            now=now,
        )
    ]


def newest(tx: ReadTx, agent_id: str) -> int:
    return sql.newest(tx, agents.common_reader(tx, agent_id))
