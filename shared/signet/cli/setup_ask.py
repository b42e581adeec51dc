"""The questions of a setup: at most six, each with a default; nothing is written before the last answer."""

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import typer

from signet.care.setup import choices, connect, probe
from signet.care.setup.choices import Choices, SetupState
from signet.care.setup.prepare import SetupPlan
from signet.care.setup.probe import Earlier, FoundModels
from signet.cli import backfill, output, past
from signet.config.extraction import LOCAL_TEXT_MODEL, TextProvider
from signet.config.sections import EmbeddingProvider
from signet.domain.harnesses import openclaw
from signet.domain.harnesses.models import Site
from signet.domain.harnesses.registry import HARNESSES
from signet.errors import Invalid
from signet.wire.backfill import BackfillSurvey

NOBODY = "none"
_INDENT = 7


def has_questions(plan: SetupPlan) -> bool:
    """Return whether a question is left; a complete workspace only gets those about unconnected harnesses."""
    if plan.state is not SetupState.REPAIR:
        return True
    chosen = plan.chosen
    said = (chosen.name, chosen.description, chosen.harnesses, chosen.search_balance)
    made = (chosen.embedding_provider, chosen.embedding_model)
    read = (chosen.extraction_provider, chosen.extraction_model)
    is_bare = all(one is None for one in (*said, *made, *read))
    return is_bare and bool(connect.unconnected(plan.workspace, plan.settings.harnesses))


def usual(plan: SetupPlan) -> SetupPlan:
    """Return the plan with default answers to questions without a flag. Earlier sessions need an explicit yes."""
    chosen = plan.chosen
    is_new = plan.state is not SetupState.REPAIR
    if chosen.harnesses is None:
        found = connect.unconnected(plan.workspace, plan.settings.harnesses)
        chosen = replace(chosen, harnesses=tuple(found))
    if is_new and chosen.embedding_provider is None:
        chosen = replace(chosen, embedding_provider=EmbeddingProvider.NATIVE)
    if is_new and chosen.extraction_provider is None:
        chosen = replace(chosen, extraction_provider=TextProvider.AUTO)
    return replace(plan, chosen=chosen)


def ask(plan: SetupPlan, earlier: Earlier | None) -> SetupPlan:
    """Ask the questions without a flag, and return the plan with the answers; Ctrl-C raises Abort."""
    installed = probe.harnesses()
    models = probe.ollama()
    found = [HARNESSES[one].name for one in installed]
    if models.url is not None:
        found.append(f"Ollama ({output.count(len(models.text) + len(models.vectors), 'model')})")
    ink = output.ink(sys.stderr)
    output.tell(f"{ink.bold('Signet setup')} · {plan.workspace.root}")
    output.tell(f"Found here: {', '.join(found) or 'no harness, no Ollama; add them later'}")
    output.tell(
        ink.dim("Press Enter for the value in brackets. Ctrl-C stops without writing anything.")
    )
    return _Questions(plan, earlier, installed, models, past.here()).put()


@dataclass(slots=True)
class _Questions:
    """The questions in order. Which ones to ask is decided first, so that they can be numbered."""

    plan: SetupPlan
    earlier: Earlier | None
    installed: Sequence[str]
    models: FoundModels
    history: BackfillSurvey
    _total: int = 0
    _asked: int = 0

    def put(self) -> SetupPlan:
        chosen = self.plan.chosen
        is_new = self.plan.state is not SetupState.REPAIR
        offers_history = (
            is_new
            and chosen.with_daemon
            and chosen.reads_history is None
            and bool(self.history["sessions"])
        )
        todo: list[tuple[bool, Callable[[Choices], Choices]]] = [
            (is_new and chosen.name is None, self._name),
            (chosen.harnesses is None, self._harnesses),
            (True, self._consent),
            (is_new and chosen.embedding_provider is None, self._embedding),
            (is_new and chosen.extraction_provider is None, self._extraction),
            (is_new and self._offers_import(), self._import),
            (offers_history, self._history),
            # At most six questions.
            (
                is_new
                and chosen.with_daemon
                and not chosen.opens_dashboard
                and not (offers_history and self._offers_import()),
                self._dashboard,
            ),
        ]
        asked = [question for is_asked, question in todo if is_asked]
        self._total = len(asked) - 1  # consent is part of the previous question
        for question in asked:
            chosen = question(chosen)
        output.tell("")
        return replace(self.plan, chosen=chosen)

    def _name(self, chosen: Choices) -> Choices:
        self._head("What is the name of your agent?", end=" ")
        return replace(chosen, name=choices.line(self._read("", self.plan.settings.agent.name)))

    def _harnesses(self, chosen: Choices) -> Choices:
        offered = connect.unconnected(self.plan.workspace, self.plan.settings.harnesses)
        usual = ", ".join(offered) or NOBODY
        options = {
            one: HARNESSES[one].name + (", found here" if one in self.installed else "")
            for one in choices.HARNESSES
        }
        self._list("Which harnesses should Signet connect? List one or more.", options)
        given = self._read(" " * _INDENT, usual)
        while True:
            if given.strip().lower() == NOBODY:
                return replace(chosen, harnesses=())
            try:
                return replace(chosen, harnesses=choices.harnesses([given.replace(" ", ",")]) or ())
            except Invalid as error:
                given = self._again(error.message, usual)

    def _consent(self, chosen: Choices) -> Choices:
        """Ask for consent if OpenClaw is to be connected and requires it."""
        site = Site(workspace=self.plan.workspace, home=Path.home())
        is_asked = "openclaw" in (chosen.harnesses or ())
        if not is_asked or not openclaw.OpenClaw().asks_consent(site, chosen.wishes):
            return chosen
        for line in openclaw.CONSENT_QUESTION:
            output.tell(" " * _INDENT + line)
        answer = self._answer(" " * _INDENT + "Allow it? ", default=True)
        return replace(chosen, wishes=replace(chosen.wishes, conversations=answer))

    def _embedding(self, chosen: Choices) -> Choices:
        here = ", ".join(self.models.vectors[:3]) or "none installed yet"
        here = here if self.models.url else "not running"
        picked = self._one_of(
            "How should search by meaning work?",
            {
                "native": "a model in the daemon (84 MB, downloaded once)",
                "ollama": f"Ollama: {here}",
                "openai": "a paid service that receives every text",
                "none": "off; recall uses keywords only",
            },
            usual="native",
        )
        found = next(iter(self.models.vectors), "") if picked == "ollama" else ""
        model = chosen.embedding_model or found.removesuffix(":latest") or None
        provider = EmbeddingProvider(picked)
        return replace(chosen, embedding_provider=provider, embedding_model=model)

    def _extraction(self, chosen: Choices) -> Choices:
        best = self.models.best_text
        auto = f"Ollama's {best or LOCAL_TEXT_MODEL} while it runs, else built-in rules"
        options = {"auto": auto, "rules": "built-in rules, no model"}
        if best is not None:
            options["ollama"] = f"{best} in your Ollama; jobs wait while it is not running"
        options |= {
            name: f"your {HARNESSES[name].name} account, in the background; counts against its quota"
            for name in ("claude-code", "codex", "opencode")
            if name in self.installed
        }
        options["none"] = "off; memories are stored without facts"
        picked = self._one_of("How should facts be extracted?", options, usual="auto")
        model = chosen.extraction_model or (best if picked in ("auto", "ollama") else None)
        return replace(chosen, extraction_provider=TextProvider(picked), extraction_model=model)

    def _import(self, chosen: Choices) -> Choices:
        assert self.earlier is not None
        held = output.count(self.earlier.memories or 0, "memory")
        question = f"The TypeScript Signet in {self.earlier.workspace} has {held}. Import a copy?"
        return replace(chosen, imports=self._yes(question, default=True))

    def _history(self, chosen: Choices) -> Choices:
        held = backfill.summary(self.history)
        self._head(f"Found {held}.")
        question = " " * _INDENT + "Read them in the background? "
        return replace(chosen, reads_history=self._answer(question, default=True))

    def _dashboard(self, chosen: Choices) -> Choices:
        wanted = self._yes("Open the dashboard when done?", default=False)
        return replace(chosen, opens_dashboard=wanted)

    def _offers_import(self) -> bool:
        return (
            self.earlier is not None
            and self.plan.chosen.with_daemon
            and bool(self.earlier.memories)
            and self.earlier.workspace != self.plan.workspace.root
        )

    def _one_of(self, question: str, options: Mapping[str, str], *, usual: str) -> str:
        self._list(question, options)
        given = self._read(" " * _INDENT, usual)
        while True:
            near = [name for name in options if given and name.startswith(given.lower())]
            if given.lower() in options or len(near) == 1:
                return given.lower() if given.lower() in options else near[0]
            given = self._again(f"Choose one of: {', '.join(options)}", usual)

    def _yes(self, question: str, *, default: bool) -> bool:
        self._head(question, end=" ")
        return self._answer("", default=default)

    def _answer(self, before: str, *, default: bool) -> bool:
        usual = "yes" if default else "no"
        given = self._read(before, usual)
        while given.lower() not in ("y", "yes", "n", "no"):
            given = self._again("Answer yes or no", usual)
        return given.lower().startswith("y")

    def _list(self, question: str, options: Mapping[str, str]) -> None:
        self._head(question)
        room = max(map(len, options)) + 2
        for name, text in options.items():
            output.tell(" " * _INDENT + f"{name:<{room}}{text}")

    def _head(self, question: str, end: str = "\n") -> None:
        self._asked += 1
        ink = output.ink(sys.stderr)
        number = ink.dim(f"{min(self._asked, self._total)} of {self._total}")
        sys.stderr.write(f"\n{number}  {ink.bold(question)}{end}")

    def _again(self, why: str, usual: str) -> str:
        output.tell(" " * _INDENT + output.ink(sys.stderr).warn(why))
        return self._read(" " * _INDENT, usual)

    def _read(self, before: str, usual: str) -> str:
        sys.stderr.write(f"{before}[{usual}] ")
        sys.stderr.flush()
        given = sys.stdin.readline()
        if not given:
            raise typer.Abort
        return given.strip() or usual
