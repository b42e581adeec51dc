"""`signet setup`: create or repair a workspace, with at most three questions."""

from typing import Annotated

import typer

from signet.cli import output
from signet.cli.command import JsonOption, PathOption, PortOption, check_person, declared, opt
from signet.cli.daemon import shown_log
from signet.cli.harness import ConversationsOption, ids
from signet.errors import Invalid
from signet.paths import find_workspace


@declared
def setup(
    path: PathOption = None,
    non_interactive: Annotated[
        bool, "Ask no questions; fail if a required option is missing."
    ] = False,
    yes: Annotated[
        bool,
        opt(
            "Ask no questions; use defaults where no option is given. Reads earlier sessions only with "
            "--history, starts at login only with --login.",
            "-y",
        ),
    ] = False,
    name: Annotated[str | None, "Name of the agent."] = None,
    description: Annotated[str | None, "One sentence about the agent."] = None,
    harness: Annotated[
        list[str] | None,
        opt(
            "Harness to connect, from `signet harness list`. Repeatable.",
            metavar="NAME",
            autocompletion=ids,
        ),
    ] = None,
    embedding_provider: Annotated[
        str | None, "Source of vectors: native, ollama, openai or none."
    ] = None,
    embedding_model: Annotated[
        str | None, "Model of that provider; default: its usual one."
    ] = None,
    extraction_provider: Annotated[
        str | None,
        "Fact extraction: auto, rules, ollama, openai, anthropic, claude-code, codex, opencode or none.",
    ] = None,
    extraction_model: Annotated[
        str | None, "Model of that provider; default: its usual one."
    ] = None,
    extraction_endpoint: Annotated[
        str | None,
        "Address of a compatible server, such as http://127.0.0.1:1234/v1 of LM Studio or llama.cpp.",
    ] = None,
    search_balance: Annotated[
        str | None, "Weight of vectors against keywords, 0–1; default: 0.7."
    ] = None,
    openclaw_runtime_path: Annotated[
        str | None, "OpenClaw integration: plugin (default) or legacy."
    ] = None,
    conversations: ConversationsOption = None,
    configure_openclaw_workspace: Annotated[
        bool, "Make this workspace OpenClaw's workspace too."
    ] = False,
    history: Annotated[
        bool | None,
        opt(
            "Read the earlier sessions of your agents on this machine, in the background.",
            "--history/--no-history",
        ),
    ] = None,
    login: Annotated[
        bool | None,
        opt("Start the daemon at every login, as a user service.", "--login/--no-login"),
    ] = None,
    open_dashboard: Annotated[bool, "Open the dashboard when done."] = False,
    skip_git: Annotated[bool, "Do not create a git repository in the workspace."] = False,
    no_daemon: Annotated[bool, "Do not start the daemon."] = False,
    no_model: Annotated[bool, "Do not download the native model (84 MB)."] = False,
    port: PortOption = None,
    as_json: JsonOption = False,
) -> None:
    """Create the workspace, connect harnesses, start the daemon.

    Asks at most three questions: the programs to connect, whether to read their earlier sessions, and whether to start
    at login. It states its other choices first and writes nothing before your last answer. In an existing workspace it
    adds only missing parts and never overwrites your files. No model is required: without one, recall uses keywords and
    rules extract facts. Exits 1 if a chosen program is not connected.

    A model server gets one short request, and a wrong address, model or key is reported with the corrected value. Keys
    are taken from OPENAI_API_KEY and ANTHROPIC_API_KEY, or from a secret: signet secret put NAME, then signet config
    set memory.pipelineV2.extraction.apiKey '$secret:NAME'.

    Examples: signet setup · signet setup --yes · signet setup --harness codex ·
    signet setup --extraction-provider openai --extraction-endpoint http://127.0.0.1:1234/v1 --extraction-model qwen3-4b
    """
    from signet.care.setup import choices, prepare
    from signet.cli import dashboard, setup_ask, setup_show
    from signet.domain.harnesses.models import ConnectOptions

    chosen = choices.Choices(
        name=choices.line(name),
        description=choices.line(description),
        harnesses=choices.harnesses(harness or []),
        embedding_provider=choices.embedding(embedding_provider),
        embedding_model=choices.line(embedding_model),
        extraction_provider=choices.extraction(extraction_provider),
        extraction_model=choices.line(extraction_model),
        extraction_endpoint=choices.line(extraction_endpoint),
        search_balance=choices.balance(search_balance),
        port=port,
        with_git=not skip_git,
        with_daemon=not no_daemon,
        with_model=not no_model,
        opens_dashboard=open_dashboard,
        reads_history=history,
        at_login=login,
        wishes=ConnectOptions(
            legacy=choices.is_legacy(openclaw_runtime_path),
            conversations=conversations,
            claim_workspace=configure_openclaw_workspace,
        ),
    )
    plan = prepare.begin(find_workspace(path), chosen)
    if plan.state is not choices.SetupState.FRESH:
        check_person("change the settings and harnesses of an existing workspace")
    if yes:
        plan = setup_ask.usual(plan)
    if not (non_interactive or yes or as_json):
        earlier = setup_show.check(plan)
        can_ask = output.can_ask()
        if not can_ask and plan.state is not choices.SetupState.REPAIR:
            raise Invalid(
                "Setup asks questions, but stdin is not a terminal. Use --yes or --non-interactive; see: "
                "signet setup --help",
                "no_terminal",
            )
        if can_ask:
            try:
                plan = setup_ask.ask(plan)
            except (typer.Abort, KeyboardInterrupt):
                output.tell("\nStopped; nothing was written")
                raise SystemExit(130) from None
    else:
        prepare.check(plan)
        earlier = setup_show.check(plan)
    with shown_log(as_json):
        done = setup_show.do(plan, earlier, quiet=as_json)
    if as_json:
        output.show(setup_show.as_dict(done))
    else:
        setup_show.show(done)
        if plan.chosen.opens_dashboard and done.started is not None:
            at = done.started.daemon
            dashboard.show_page(dashboard.with_code(at.url, plan.workspace), at.port, opens=True)
    connected = {one.id for one in done.connected if one.is_connected}
    if not connected.issuperset(plan.chosen.harnesses or ()):
        raise typer.Exit(1)
