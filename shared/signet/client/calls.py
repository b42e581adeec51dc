"""The requests of both clients; `calls.pyi` has their signatures and descriptions.

`PYTHONPATH=tests python -m client.stub` writes that file from the request models and routes of the API.
"""

from typing import Any

from signet.client.method import Fields, Request, wire

#: A change for `modify_many`, a selection for `forget_many`, and filters of `memories`; `calls.pyi` has their fields.
Patch = Choice = MemoryFilter = dict[str, Any]


def _visible(sent: Fields) -> Fields:
    return sent | {"visibility": "private"} if sent.pop("private", False) else sent


def _scoped(sent: Fields) -> Fields:
    parts = ("project", "agent", "user", "spaces")
    scope = {part: sent.pop(part) for part in parts if part in sent}
    return sent | {"scope": scope}


_JOB_FILTER = "status kind code memory_id document_id since until limit"


class Calls:
    """All requests of both clients."""

    # Memories
    remember = Request(
        wire.memory.REMEMBER,
        "content",
        hides="visibility mode origin",
        extra={"private": "bool = False"},
        prepared=_visible,
        is_safe="idempotency_key",
    )
    get = Request(wire.memory.MEMORY)
    history = Request(wire.memory.HISTORY, pick="history")
    all_history = Request(wire.memory.ALL_HISTORY)
    memory_usage = Request(wire.memory.MEMORY_USAGE)
    memories = Request(wire.memory.MEMORIES)
    ids = Request(wire.memory.MEMORY_IDS, "prefix", pick="ids")
    memory_timeline = Request(wire.memory.MEMORY_TIMELINE)
    modify = Request(wire.memory.MODIFY)
    modify_many = Request(wire.memory.MODIFY_MANY, "patches")
    forget = Request(
        wire.memory.FORGET,
        needs="reason",
        hides="erase",
        has_body=True,
        doc="Forget a memory and everything derived only from it, recoverable for 30 days; a pinned one needs `force`.",
    )
    erase = Request(
        wire.memory.FORGET,
        needs="reason",
        only="reason agent_id",
        fixed={"erase": True},
        has_body=True,
        doc="Erase a memory permanently; `heldBy` lists documents and copies that may still contain it.",
    )
    preview_forget = Request(
        wire.memory.FORGET_MANY,
        kind=wire.memory.ForgetPreview,
        hides="reason force wrong confirm_token",
        fixed={"mode": "preview"},
        is_safe=True,
        doc="Return what `forget_many` would forget, and its confirmation token; changes nothing.",
    )
    forget_many = Request(
        wire.memory.FORGET_MANY,
        needs="reason",
        kind=wire.memory.ForgottenMany,
        fixed={"mode": "execute"},
    )
    recover = Request(wire.memory.RECOVER, needs="reason", has_body=True)
    adopt = Request(wire.memory.ADOPT)
    recover_many = Request(wire.memory.RECOVER_MANY, "ids")
    forgotten = Request(wire.memory.FORGOTTEN)
    lift_forgotten = Request(wire.memory.LIFT, has_body=False)
    reviews = Request(wire.memory.REVIEW_LIST)
    approve = Request(wire.memory.APPROVE)
    judge = Request(wire.memory_links.JUDGE)
    memory_links = Request(wire.memory_links.LINKS)
    memory_access = Request(wire.memory_links.ACCESS)
    reject = Request(wire.memory.REJECT)
    rate = Request(
        wire.memory.RATE, "session_key ratings", only="agent_id", names={"ratings": "feedback"}
    )

    # Spaces
    spaces = Request(wire.spaces.SPACES, pick="spaces")
    add_space = Request(wire.spaces.ADD_SPACE, "name")
    change_space = Request(wire.spaces.CHANGE_SPACE, is_safe=True)
    remove_space = Request(wire.spaces.REMOVE_SPACE)
    shares = Request(wire.spaces.SHARES)
    share = Request(wire.spaces.SHARE, "memory_id space")
    withdraw = Request(wire.spaces.WITHDRAW)
    decide_share = Request(wire.spaces.DECIDE_SHARE, "share_id approve")
    audit = Request(wire.audit.AUDIT)

    # Recall
    recall = Request(wire.recall.RECALL, "query", is_safe=True)
    context = Request(
        wire.recall.CONTEXT,
        "prompt",
        kind=wire.recall.ContextAnswer,
        hides="id page",
        is_safe=True,
        doc="Return the context for a prompt as one text, with its sources.",
    )
    episode = Request(
        wire.recall.CONTEXT,
        "id",
        kind=wire.recall.EpisodePage,
        only="page agent_id",
        defaults={"page": 1},
        is_safe=True,
        doc="Return one page of a source in a context, by its ID (`session:abc`).",
    )
    search = Request(
        wire.recall.SEARCH,
        "query?",
        kind=wire.recall.FoundMany,
        pick="results",
        names={"query": "q"},
        hides="distinct",
        doc="Return memories that contain the words, best first; without words, those that pass the filters.",
    )
    authors = Request(
        wire.recall.SEARCH,
        kind=wire.recall.ColumnValues,
        pick="values",
        only="agent_id",
        fixed={"distinct": "who"},
        doc="Return every author, in alphabetical order.",
    )
    types = Request(
        wire.recall.SEARCH,
        kind=wire.recall.ColumnValues,
        pick="values",
        only="agent_id",
        fixed={"distinct": "type"},
        doc="Return every type in use, in alphabetical order.",
    )
    similar = Request(wire.recall.SIMILAR, "memory_id", pick="results", names={"memory_id": "id"})

    # Sessions
    start_session = Request(wire.hooks.START_SESSION, "harness")
    submit_prompt = Request(
        wire.hooks.SUBMIT_PROMPT, "harness message", names={"message": "user_message"}
    )
    prepare_offline = Request(wire.hooks.PREPARE_OFFLINE, "projects", is_safe=True)
    end_turn = Request(
        wire.hooks.END_TURN,
        "harness session_key",
        needs="transcript",
        names={"project": "cwd"},
        is_safe=True,
    )
    end_session = Request(wire.hooks.END_SESSION, "harness", names={"project": "cwd"})
    before_compaction = Request(wire.hooks.BEFORE_COMPACTION, "harness")
    after_compaction = Request(wire.hooks.AFTER_COMPACTION, "harness summary")
    sessions = Request(
        wire.sessions.SESSIONS,
        kind=wire.sessions.RunningSessions,
        pick="sessions",
        only="agent_id",
        doc="Return the active sessions.",
    )
    all_sessions = Request(
        wire.sessions.SESSIONS,
        kind=wire.sessions.SessionPage,
        fixed={"state": "all"},
        defaults={"limit": 50},
        doc="Return active and ended sessions, latest activity first; `use` selects by received and used items.",
    )
    projects = Request(wire.projects.PROJECTS, pick="projects")
    session = Request(wire.sessions.SESSION)
    bypass_session = Request(wire.sessions.BYPASS_SESSION, defaults={"enabled": True}, is_safe=True)
    preview_forget_session = Request(
        wire.sessions.FORGET_SESSION,
        kind=wire.sessions.SessionPreview,
        only="agent_id",
        fixed={"mode": "preview"},
        is_safe=True,
        doc="Return what `forget_session` would delete; changes nothing.",
    )
    forget_session = Request(
        wire.sessions.FORGET_SESSION,
        needs="reason",
        kind=wire.sessions.SessionForgotten,
        fixed={"mode": "execute"},
    )
    renew_session = Request(wire.sessions.RENEW_SESSION, is_safe=True)
    transcript = Request(wire.sessions.TRANSCRIPT)
    session_context = Request(wire.sessions.SESSION_CONTEXT, defaults={"session_key": "latest"})
    session_replay = Request(wire.sessions.SESSION_REPLAY, defaults={"session_key": "latest"})
    search_transcripts = Request(
        wire.sessions.SEARCH_SESSIONS, "query", pick="results", is_safe=True
    )
    session_summaries = Request(wire.sessions.SESSION_SUMMARIES)
    checkpoints = Request(wire.sessions.CHECKPOINTS, "project", pick="checkpoints")
    session_checkpoints = Request(wire.sessions.SESSION_CHECKPOINTS, pick="checkpoints")

    # Daemon and jobs
    health = Request(wire.status.HEALTH)
    ready = Request(wire.status.HEALTH_READY, fixed={"verbose": 1}, accepts=frozenset({503}))
    status = Request(wire.status.STATUS)
    overview = Request(wire.status.OVERVIEW)
    resources = Request(wire.status.RESOURCES)
    features = Request(wire.status.FEATURES)
    jobs = Request(
        wire.jobs.JOBS,
        pick="jobs",
        only=_JOB_FILTER,
        doc="Return jobs, latest change first; `status` may contain several, comma-separated.",
    )
    all_jobs = Request(wire.jobs.JOBS)
    job = Request(wire.jobs.JOB)
    retry_job = Request(wire.jobs.RETRY_JOB)
    cancel_job = Request(wire.jobs.CANCEL_JOB)
    delete_job = Request(wire.jobs.DELETE_JOB)
    retry_jobs = Request(wire.jobs.RETRY_JOBS)
    cancel_jobs = Request(wire.jobs.CANCEL_JOBS)
    pipeline_status = Request(wire.pipeline.PIPELINE_STATUS)
    pause = Request(wire.pipeline.PAUSE)
    resume = Request(wire.pipeline.RESUME)

    # Knowledge graph
    entities = Request(wire.knowledge.ENTITIES, names={"query": "q"})
    entity = Request(wire.knowledge.ENTITY)
    expand = Request(wire.knowledge.EXPAND, "name", names={"name": "entity"}, is_safe=True)
    impact = Request(wire.knowledge.IMPACT, "entity_id", is_safe=True)
    knowledge_stats = Request(wire.knowledge.KNOWLEDGE_STATS)
    pin_entity = Request(wire.knowledge.PIN_ENTITY, is_safe=True)
    unpin_entity = Request(wire.knowledge.UNPIN_ENTITY)

    # Learned ranking and evaluation
    evaluation = Request(wire.evaluation.EVALUATION)
    past_sessions = Request(wire.evaluation.PAST_SESSIONS)
    replay = Request(wire.evaluation.REPLAY, "session_key", is_safe=True)
    predictor = Request(wire.predictor.PREDICTOR_STATUS)
    comparisons = Request(wire.predictor.COMPARISONS)
    comparisons_by_project = Request(wire.predictor.COMPARISONS_BY_PROJECT)
    comparisons_by_entity = Request(wire.predictor.COMPARISONS_BY_ENTITY)
    trainings = Request(wire.predictor.TRAININGS)
    training_pairs = Request(wire.predictor.TRAINING_PAIRS)
    relearn = Request(wire.predictor.TRAIN, is_safe=True)
    roll_back = Request(wire.predictor.ROLL_BACK, is_safe=True)

    # Vectors
    embeddings = Request(wire.embeddings.EMBEDDINGS)
    embeddings_status = Request(wire.embeddings.EMBEDDINGS_STATUS)
    embeddings_health = Request(wire.embeddings.EMBEDDINGS_HEALTH)
    projection_columns = Request(
        wire.embeddings.PROJECTION_COLUMNS, kind=wire.embeddings.ProjectionColumns
    )
    projection = Request(
        wire.embeddings.PROJECTION,
        names={"query": "q"},
        hides="dimensions",
        extra={"dimensions": "int = 2"},
    )

    # Documents and connectors
    add_document = Request(
        wire.documents.ADD_DOCUMENT, "content?", defaults={"source_type": "text"}
    )
    documents = Request(wire.documents.DOCUMENTS)
    document = Request(wire.documents.DOCUMENT)
    chunks = Request(wire.documents.CHUNKS, pick="chunks")
    delete_document = Request(wire.documents.DELETE_DOCUMENT, needs="reason")
    connectors = Request(wire.connectors.CONNECTORS, pick="connectors")
    connector = Request(wire.connectors.CONNECTOR)
    add_connector = Request(
        wire.connectors.ADD_CONNECTOR, "provider", defaults={"provider": "filesystem"}
    )
    sync_connectors = Request(wire.connectors.RESYNC_CONNECTORS)
    connector_health = Request(wire.connectors.CONNECTOR_HEALTH)
    remove_connector = Request(wire.connectors.REMOVE_CONNECTOR)

    # Diagnostics, telemetry and logs
    doctor = Request(wire.diagnostics.CHECKS, pick="checks")
    diagnostics = Request(wire.diagnostics.DIAGNOSTICS)
    diagnosis = Request(wire.diagnostics.DIAGNOSIS)
    timeline = Request(wire.analytics.TIMELINE)
    models = Request(wire.pipeline.MODELS)
    refresh_models = Request(wire.pipeline.REFRESH_MODELS)
    telemetry_events = Request(wire.telemetry.TELEMETRY_EVENTS)
    telemetry_stats = Request(wire.telemetry.TELEMETRY_STATS)
    usage = Request(wire.analytics.USAGE)
    latency = Request(wire.analytics.LATENCY)
    series = Request(wire.analytics.SERIES)
    errors = Request(wire.analytics.ERRORS)
    logs = Request(wire.logs.LOGS, pick="logs")

    # Harnesses, MEMORY.md, git and updates
    harnesses = Request(wire.harnesses.HARNESSES, pick="harnesses")
    regenerate_harnesses = Request(wire.harnesses.REGENERATE_HARNESSES, is_safe=True)
    rewrite_memory_file = Request(wire.synthesis.TRIGGER_SYNTHESIS)
    undo_memory_file = Request(wire.synthesis.UNDO_SYNTHESIS)
    git_status = Request(wire.git.GIT_STATUS)
    git_pull = Request(wire.git.GIT_PULL)
    git_push = Request(wire.git.GIT_PUSH)
    git_sync = Request(wire.git.GIT_SYNC)
    git_settings = Request(wire.git.GIT_SETTINGS)
    change_git_settings = Request(
        wire.git.CHANGE_GIT_SETTINGS, names={"sync_interval_seconds": "sync_interval"}, is_safe=True
    )
    check_update = Request(wire.update.CHECK_UPDATE)
    update_settings = Request(wire.update.UPDATE_SETTINGS)
    change_update_settings = Request(
        wire.update.CHANGE_UPDATE_SETTINGS,
        names={"check_interval_seconds": "check_interval"},
        is_safe=True,
    )
    install_update = Request(
        wire.update.INSTALL_UPDATE, "version?", names={"version": "target_version"}
    )

    # The daemon's machine: secrets, tasks, workspace files, agents, skills, tokens
    secrets = Request(wire.secrets.SECRETS, pick="secrets")
    put_secret = Request(wire.secrets.PUT_SECRET, "name value", is_safe=True)
    remove_secret = Request(wire.secrets.REMOVE_SECRET)
    exec_with_secrets = Request(wire.secrets.RUN_WITH_SECRETS, "command secrets")
    tasks = Request(wire.tasks.TASKS)
    task = Request(wire.tasks.TASK)
    add_task = Request(
        wire.tasks.ADD_TASK,
        "name prompt cron",
        needs="harness",
        names={"cron": "cron_expression", "skill": "skill_name"},
    )
    enable_task = Request(
        wire.tasks.CHANGE_TASK,
        only="enabled",
        defaults={"enabled": True},
        is_safe=True,
        doc="Enable or disable a task's schedule.",
    )
    run_task = Request(wire.tasks.RUN_TASK)
    remove_task = Request(wire.tasks.REMOVE_TASK)
    config_files = Request(wire.config.CONFIG_FILES, pick="files")
    write_config = Request(wire.config.WRITE_CONFIG, "file content", is_safe=True)
    identity = Request(wire.config.IDENTITY)
    agents = Request(wire.agents.AGENTS, pick="agents")
    agent = Request(wire.agents.AGENT)
    add_agent = Request(wire.agents.ADD_AGENT, "name", defaults={"read_policy": "isolated"})
    remove_agent = Request(wire.agents.REMOVE_AGENT)
    skills = Request(wire.skills.SKILLS, pick="skills")
    skill = Request(wire.skills.SKILL)
    search_skills = Request(
        wire.skills.SEARCH_SKILLS, "query", pick="results", names={"query": "q"}
    )
    browse_skills = Request(wire.skills.BROWSE_SKILLS, pick="results")
    install_skill = Request(wire.skills.INSTALL_SKILL, "name")
    remove_skill = Request(wire.skills.REMOVE_SKILL)
    whoami = Request(wire.auth.WHOAMI)
    issue_token = Request(
        wire.auth.ISSUE_TOKEN,
        "role",
        hides="scope",
        extra={
            **dict.fromkeys(("project", "agent", "user"), "str | None = None"),
            "spaces": "dict[str, list[str]] | None = None",
        },
        prepared=_scoped,
    )
    exchange = Request(wire.auth.EXCHANGE, "code")
    tokens = Request(wire.auth.TOKENS, pick="tokens")
    revoke_token = Request(wire.auth.REVOKE_TOKEN, "jti", is_safe=True)

    # Earlier sessions of harnesses, export and import
    backfill_status = Request(wire.backfill.BACKFILL)
    backfill = Request(wire.backfill.START_BACKFILL, is_safe=True)
    stop_backfill = Request(wire.backfill.STOP_BACKFILL, is_safe=True)
    export_page = Request(wire.transfer.EXPORT)
    import_records = Request(wire.transfer.IMPORT, "records", is_safe=True)
