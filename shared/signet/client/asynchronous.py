"""The client for programs that do several things at once: the methods of `Signet`, to be awaited."""

from collections.abc import AsyncIterator, Callable, Coroutine, Mapping
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, Self, Unpack
from weakref import WeakSet

from signet.client import calls, plans, retry
from signet.client.answers import MemorySummary
from signet.client.call import Body, Call, Param, Pause, Plan, T, answer
from signet.client.method import named
from signet.client.target import Options, find
from signet.errors import SignetError

if TYPE_CHECKING:
    from signet.client.async_events import AsyncEvents

P = ParamSpec("P")
Awaited = Coroutine[Any, Any, T]


def _call(describe: Callable[P, Call[T]]) -> "Callable[Concatenate[AsyncSignet, P], Awaited[T]]":
    async def method(signet: "AsyncSignet", /, *args: P.args, **given: P.kwargs) -> T:
        return await signet.send(describe(*args, **given))

    return named(method, describe)


def _plan(describe: Callable[P, Plan[T]]) -> "Callable[Concatenate[AsyncSignet, P], Awaited[T]]":
    async def method(signet: "AsyncSignet", /, *args: P.args, **given: P.kwargs) -> T:
        return await signet.follow(describe(*args, **given))

    return named(method, describe)


class AsyncSignet:
    """Speaks to the daemon of a workspace without blocking the event loop; holds no connection between calls.

    Made and used like `Signet`, with `async with` and `aclose`; raises the same. asyncio is loaded at the first call.
    """

    def __init__(self, **options: Unpack[Options]) -> None:
        self._target = find(**options)
        self._streams: WeakSet[AsyncEvents] = WeakSet()
        self.url = self._target.url

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Close every stream of events that this client opened; calling it again does no harm."""
        for stream in tuple(self._streams):
            stream.close()

    remember = _call(calls.memory.remember)
    recall = _call(calls.recall.recall)
    search = _call(calls.recall.search)
    context_for = _plan(plans.context_for)
    context = _call(calls.recall.context)
    episode = _call(calls.recall.episode)
    similar = _call(calls.recall.similar)
    authors = _call(calls.recall.authors)
    types = _call(calls.recall.types)
    get = _call(calls.memory.get)
    memories = _call(calls.memory.memories)
    ids = _call(calls.memory.ids)
    memory_timeline = _call(calls.memory.memory_timeline)
    history = _call(calls.memory.history)
    modify = _call(calls.memory.modify)
    modify_many = _call(calls.memory.modify_many)
    forget = _call(calls.memory.forget)
    preview_forget = _call(calls.memory.preview_forget)
    forget_many = _call(calls.memory.forget_many)
    recover = _call(calls.memory.recover)
    rate = _call(calls.feedback.rate)

    embeddings = _call(calls.embeddings.embeddings)
    embeddings_status = _call(calls.embeddings.embeddings_status)
    embeddings_health = _call(calls.embeddings.embeddings_health)
    projection = _call(calls.embeddings.projection)

    add_document = _call(calls.documents.add_document)
    documents = _call(calls.documents.documents)
    document = _call(calls.documents.document)
    chunks = _call(calls.documents.chunks)
    delete_document = _call(calls.documents.delete_document)
    wait_for_document = _plan(plans.wait_for_document)

    connectors = _call(calls.connectors.connectors)
    connector = _call(calls.connectors.connector)
    add_connector = _call(calls.connectors.add_connector)
    sync_connector = _call(calls.connectors.sync_connector)
    sync_connectors = _call(calls.connectors.sync_connectors)
    connector_health = _call(calls.connectors.connector_health)
    remove_connector = _call(calls.connectors.remove_connector)
    wait_for_sync = _plan(plans.wait_for_sync)

    export_page = _call(calls.transfer.export_page)
    import_records = _call(calls.transfer.import_records)

    skills = _call(calls.skills.skills)
    skill = _call(calls.skills.skill)
    search_skills = _call(calls.skills.search_skills)
    browse_skills = _call(calls.skills.browse_skills)
    related_skills = _call(calls.skills.related_skills)
    install_skill = _call(calls.skills.install_skill)
    remove_skill = _call(calls.skills.remove_skill)

    start_session = _call(calls.sessions.start_session)
    submit_prompt = _call(calls.sessions.submit_prompt)
    end_turn = _call(calls.sessions.end_turn)
    end_session = _call(calls.sessions.end_session)
    before_compaction = _call(calls.sessions.before_compaction)
    after_compaction = _call(calls.sessions.after_compaction)
    sessions = _call(calls.sessions.sessions)
    session = _call(calls.sessions.session)
    bypass_session = _call(calls.sessions.bypass_session)
    renew_session = _call(calls.sessions.renew_session)
    transcript = _call(calls.sessions.transcript)
    session_context = _call(calls.sessions.session_context)
    search_transcripts = _call(calls.sessions.search_transcripts)
    session_summaries = _call(calls.sessions.session_summaries)
    checkpoints = _call(calls.sessions.checkpoints)
    session_checkpoints = _call(calls.sessions.session_checkpoints)

    entities = _call(calls.knowledge.entities)
    entity = _call(calls.knowledge.entity)
    expand = _call(calls.knowledge.expand)
    impact = _call(calls.knowledge.impact)
    knowledge_stats = _call(calls.knowledge.knowledge_stats)
    pin_entity = _call(calls.knowledge.pin_entity)
    unpin_entity = _call(calls.knowledge.unpin_entity)

    diagnostics = _call(calls.operation.diagnostics)
    diagnosis = _call(calls.operation.diagnosis)
    repair = _call(calls.operation.repair)
    timeline = _call(calls.operation.timeline)
    models = _call(calls.operation.models)
    refresh_models = _call(calls.operation.refresh_models)
    telemetry_events = _call(calls.operation.telemetry_events)
    telemetry_stats = _call(calls.operation.telemetry_stats)
    usage = _call(calls.operation.usage)
    latency = _call(calls.operation.latency)
    errors = _call(calls.operation.errors)
    logs = _call(calls.operation.logs)

    secrets = _call(calls.machine.secrets)
    put_secret = _call(calls.machine.put_secret)
    remove_secret = _call(calls.machine.remove_secret)
    exec_with_secrets = _call(calls.machine.exec_with_secrets)
    tasks = _call(calls.machine.tasks)
    task = _call(calls.machine.task)
    add_task = _call(calls.machine.add_task)
    enable_task = _call(calls.machine.enable_task)
    run_task = _call(calls.machine.run_task)
    remove_task = _call(calls.machine.remove_task)
    config_files = _call(calls.machine.config_files)
    write_config = _call(calls.machine.write_config)
    identity = _call(calls.machine.identity)

    harnesses = _call(calls.upkeep.harnesses)
    regenerate_harnesses = _call(calls.upkeep.regenerate_harnesses)
    git_status = _call(calls.upkeep.git_status)
    git_pull = _call(calls.upkeep.git_pull)
    git_push = _call(calls.upkeep.git_push)
    git_sync = _call(calls.upkeep.git_sync)
    git_settings = _call(calls.upkeep.git_settings)
    change_git_settings = _call(calls.upkeep.change_git_settings)
    check_update = _call(calls.upkeep.check_update)
    update_settings = _call(calls.upkeep.update_settings)
    change_update_settings = _call(calls.upkeep.change_update_settings)
    install_update = _call(calls.upkeep.install_update)
    one_password = _call(calls.upkeep.one_password)
    connect_one_password = _call(calls.upkeep.connect_one_password)
    disconnect_one_password = _call(calls.upkeep.disconnect_one_password)
    one_password_vaults = _call(calls.upkeep.one_password_vaults)
    import_from_one_password = _call(calls.upkeep.import_from_one_password)

    agents = _call(calls.agents.agents)
    agent = _call(calls.agents.agent)
    add_agent = _call(calls.agents.add_agent)
    remove_agent = _call(calls.agents.remove_agent)
    peers = _call(calls.agents.peers)
    announce = _call(calls.agents.announce)
    withdraw = _call(calls.agents.withdraw)
    send_message = _call(calls.agents.send_message)
    inbox = _call(calls.agents.inbox)

    jobs = _call(calls.daemon.jobs)
    job = _call(calls.daemon.job)
    retry_job = _call(calls.daemon.retry_job)
    retry_jobs = _call(calls.daemon.retry_jobs)
    cancel_job = _call(calls.daemon.cancel_job)
    cancel_jobs = _call(calls.daemon.cancel_jobs)
    wait_for_job = _plan(plans.wait_for_job)
    work = _plan(plans.work)
    wait_for_jobs = _plan(plans.wait_for_jobs)
    pipeline_status = _call(calls.daemon.pipeline_status)
    pause = _call(calls.daemon.pause)
    resume = _call(calls.daemon.resume)

    whoami = _call(calls.auth.whoami)
    issue_token = _call(calls.auth.issue_token)
    tokens = _call(calls.auth.tokens)
    revoke_token = _call(calls.auth.revoke_token)

    status = _call(calls.daemon.status)
    health = _call(calls.daemon.health)
    ready = _call(calls.daemon.ready)
    features = _call(calls.daemon.features)

    def job_events(self, *, after: str | None = None) -> "AsyncEvents":
        """Return what happens to jobs from now on, or after the `last_id` of an earlier listening."""
        from signet.client.async_events import AsyncEvents

        events = AsyncEvents(self._target, after)
        self._streams.add(events)
        return events

    async def each_memory(
        self,
        *,
        type: str | None = None,
        page: int = plans.MEMORIES,
        agent_id: str | None = None,
    ) -> AsyncIterator[MemorySummary]:
        """Yield every memory, newest first, a `page` at a time."""
        pages = plans.Pages(type=type, page=page, agent_id=agent_id)
        while (fresh := pages.take(await self.send(pages.call()))) is not None:
            for one in fresh:
                yield one

    async def export(
        self,
        *,
        since: str | None = None,
        vectors: bool = False,
        everything: bool = False,
        agent_id: str | None = None,
    ) -> AsyncIterator[dict[str, Any]]:
        """Yield every record of an export (see `export_page`); `import_records` takes them in again."""
        cursor: str | None = None
        while True:
            page = await self.export_page(
                cursor=cursor,
                since=since,
                vectors=vectors,
                everything=everything,
                agent_id=agent_id,
            )
            for record in page["records"]:
                yield record
            if (cursor := page["next"]) is None:
                return

    async def run_tool(self, name: str, arguments: Mapping[str, object] | str | None = None) -> str:
        """Run a tool that a model has called and return the text for the model, of a failure too.

        `arguments` are a mapping, or JSON as OpenAI's interface gives it; `signet.client.tools` describes the tools.

        >>> "id" in signet.run_tool("memory_store", {"content": "The north pier is closed in winter."})
        True
        >>> signet.run_tool("memory_get", '{"id": "none"}')
        'Get failed: not found'
        """
        from signet.client import tools

        asked = tools.asked(name, arguments)
        if isinstance(asked, str):
            return asked
        try:
            return tools.told(name, await self.send(asked))
        except SignetError as error:
            return tools.failed(name, error)

    async def call(
        self,
        method: str,
        path: str,
        *,
        body: Mapping[str, object] | None = None,
        **params: Param,
    ) -> Body:
        """Return the JSON object of any route; `params` that are None are left out."""
        made: Call[Body] = Call(
            method=method, path=path, params=params, body=body, is_safe=method == "GET"
        )
        return await self.send(made)

    async def send(self, call: Call[T]) -> T:
        """Return the answer to a call; one that may be sent again is, when the daemon says "later"."""
        import asyncio

        from signet.client import async_transport

        attempt = 0
        while True:
            try:
                return answer(call, await async_transport.send(self._target, call))
            except SignetError as error:
                pause = retry.pause_seconds(
                    call, error, attempt=attempt, retries=self._target.retries
                )
                if pause is None:
                    raise
            await asyncio.sleep(pause)
            attempt += 1

    async def follow(self, plan: Plan[T]) -> T:
        """Return what a plan ends with."""
        import asyncio

        found: Any = None
        while True:
            try:
                step = plan.send(found)
            except StopIteration as end:
                result: T = end.value
                return result
            if isinstance(step, Pause):
                await asyncio.sleep(step.seconds)
                found = None
            else:
                found = await self.send(step)
