"""The questions of a setup: at most three, each with a default; nothing is written before the last answer.

Every other choice has a usual value. It is shown with the option that changes it.
"""

import sys
from collections.abc import Callable, Iterator
from dataclasses import replace

import typer

from signet.care import service
from signet.care.setup import choices, connect, probe
from signet.care.setup.choices import Choices, SetupState
from signet.care.setup.prepare import SetupPlan
from signet.cli import backfill, output, past
from signet.config.extraction import TextProvider
from signet.config.sections import EmbeddingProvider
from signet.domain.harnesses.registry import HARNESSES
from signet.errors import Invalid
from signet.wire.backfill import BackfillSurvey

NOBODY = ("none", "no", "n")
_INDENT = " " * 7
_VECTORS = {
    EmbeddingProvider.NATIVE: "a built-in model searches by meaning (84 MB)",
    EmbeddingProvider.OLLAMA: "a model in Ollama searches by meaning",
    EmbeddingProvider.OPENAI: "a paid service receives every text",
    EmbeddingProvider.NONE: "search uses keywords only",
}


def usual(plan: SetupPlan) -> SetupPlan:
    """Return the plan with default answers where no option is given.

    Earlier sessions and a start at login need an explicit yes.
    """
    chosen = plan.chosen
    if chosen.harnesses is None:
        found = connect.unconnected(plan.workspace, plan.settings.harnesses, removed=False)
        chosen = replace(chosen, harnesses=tuple(found))
    if plan.state is not SetupState.REPAIR:
        texts = chosen.extraction_provider or TextProvider.AUTO
        model = chosen.extraction_model
        if model is None and texts in (TextProvider.AUTO, TextProvider.OLLAMA):
            model = probe.text_model()
        chosen = replace(
            chosen,
            embedding_provider=chosen.embedding_provider or EmbeddingProvider.NATIVE,
            extraction_provider=texts,
            extraction_model=model,
        )
    return replace(plan, chosen=chosen)


def ask(plan: SetupPlan) -> SetupPlan:
    """State the usual choices, ask the questions without an option, and return the plan; Ctrl-C raises Abort."""
    given, before, plan = plan, plan.chosen, usual(plan)
    is_new = plan.state is not SetupState.REPAIR
    survey = past.here()
    todo: list[Callable[[Choices], Choices]] = []
    if before.harnesses is None and plan.chosen.harnesses:
        todo.append(_harnesses)
    if is_new and before.with_daemon and before.reads_history is None and survey["sessions"]:
        todo.append(lambda chosen: _history(chosen, survey))
    if is_new and before.with_daemon and before.at_login is None and _can_start_at_login(plan):
        todo.append(_login)
    if not (is_new or todo):
        return given
    ink = output.ink(sys.stderr)
    output.tell(f"{ink.bold('Signet setup')} · {output.path(str(plan.workspace.root))}")
    found = ", ".join(HARNESSES[one].name for one in probe.harnesses())
    output.tell(f"Found here: {found or 'no program to connect; install one and run setup again'}")
    if is_new:
        output.tell(output.runnable("Chosen for you; change it by option, or later: signet config"))
        for option, text in _stated(plan):
            output.tell(f"  {ink.name(f'{option:<21}')}  {text}")
    if todo:
        said = "Press Enter for the value in brackets. Ctrl-C stops without writing anything."
        output.tell(ink.dim(said))
    chosen = plan.chosen
    for number, question in enumerate(todo, 1):
        sys.stderr.write(f"\n{ink.dim(f'{number} of {len(todo)}')}  ")
        chosen = question(chosen)
    output.tell("")
    return replace(plan, chosen=chosen)


def _can_start_at_login(plan: SetupPlan) -> bool:
    return service.is_possible() and not service.planned(plan.workspace).path.exists()


def _stated(plan: SetupPlan) -> Iterator[tuple[str, str]]:
    """Yield option and value of each choice that needs no question."""
    chosen = plan.chosen
    vectors, texts = chosen.embedding_provider, chosen.extraction_provider
    assert vectors is not None and texts is not None
    yield "--name", chosen.name or plan.settings.agent.name
    yield "--embedding-provider", f"{vectors}: {_VECTORS[vectors]}"
    yield "--extraction-provider", f"{texts}: {choices.reader(texts, chosen.extraction_model)}"
    yield "--skip-git", f"{'no: its' if chosen.with_git else 'yes: no'} files get a git history"


def _harnesses(chosen: Choices) -> Choices:
    usual = ", ".join(chosen.harnesses or ())
    _head("Which programs should Signet connect? Names, or none.\n")
    given = _read(_INDENT, usual)
    while given.lower() not in NOBODY:
        given = usual if given.lower() in ("y", "yes") else given
        try:
            return replace(chosen, harnesses=choices.harnesses([given.replace(" ", ",")]) or ())
        except Invalid as error:
            given = _again(error.message, usual)
    return replace(chosen, harnesses=())


def _history(chosen: Choices, survey: BackfillSurvey) -> Choices:
    _head(f"Found {backfill.summary(survey)}.\n")
    return replace(chosen, reads_history=_yes(f"{_INDENT}Read them in the background? "))


def _login(chosen: Choices) -> Choices:
    _head("Start Signet at every login? ")
    return replace(chosen, at_login=_yes(""))


def _head(question: str) -> None:
    sys.stderr.write(output.ink(sys.stderr).bold(question))


def _yes(before: str) -> bool:
    given = _read(before, "yes")
    while given.lower() not in ("y", "yes", "n", "no"):
        given = _again("Answer yes or no", "yes")
    return given.lower().startswith("y")


def _again(why: str, usual: str) -> str:
    output.tell(_INDENT + output.ink(sys.stderr).warn(why))
    return _read(_INDENT, usual)


def _read(before: str, usual: str) -> str:
    sys.stderr.write(f"{before}[{usual}] ")
    sys.stderr.flush()
    given = sys.stdin.readline()
    if not given:
        raise typer.Abort
    return given.strip() or usual
