"""The questions of a setup: at most six, each with a default; nothing is written before the last answer."""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import typer

from signet.care.setup import choices, connect, probe
from signet.care.setup.choices import State
from signet.care.setup.prepare import Plan
from signet.care.setup.probe import Earlier, Models
from signet.cli import output
from signet.cli.setup_do import Wanted
from signet.config.extraction import LOCAL_TEXT_MODEL, TextProvider
from signet.config.sections import EmbeddingProvider
from signet.domain.harnesses import openclaw
from signet.domain.harnesses.models import Site, Wishes
from signet.domain.harnesses.registry import HARNESSES
from signet.errors import Invalid

NOBODY = "none"
_INDENT = 7


def has_questions(plan: Plan) -> bool:
    """Return whether anything is left to ask: of a whole workspace only about harnesses that are not connected."""
    if plan.state is State.REPAIR:
        is_bare = plan.chosen == choices.Choices()
        return is_bare and bool(connect.unconnected(plan.workspace, plan.settings.harnesses))
    return True


def ask(plan: Plan, wanted: Wanted, earlier: Earlier | None) -> tuple[Plan, Wanted]:
    """Ask for what no flag has said, and return plan and wishes with the answers; Ctrl-C raises Abort."""
    installed = probe.harnesses()
    models = probe.ollama()
    found = [HARNESSES[one].name for one in installed]
    if models.url is not None:
        found.append(f"Ollama ({output.count(len(models.text) + len(models.vectors), 'model')})")
    ink = output.ink(sys.stderr)
    output.tell(f"{ink.bold('Signet setup')} · {plan.workspace.root}")
    output.tell(
        f"Found here: {', '.join(found) or 'no harness and no Ollama; both can be added later'}"
    )
    output.tell(
        ink.dim("Press Enter for the value in brackets. Ctrl-C stops; nothing is written yet.")
    )
    offered = connect.unconnected(plan.workspace, plan.settings.harnesses)
    return _Questions(plan, wanted, earlier, installed, offered, models).put()


@dataclass(slots=True)
class _Questions:
    """The questions in their order; which of them are asked is known before the first, so that they can be counted."""

    plan: Plan
    wanted: Wanted
    earlier: Earlier | None
    installed: Sequence[str]
    #: What Enter connects.
    offered: Sequence[str]
    models: Models
    _total: int = 0
    _asked: int = field(default=0)

    def put(self) -> tuple[Plan, Wanted]:
        """Ask, and return the answers."""
        chosen, settings = self.plan.chosen, self.plan.settings
        is_whole = self.plan.state is State.REPAIR
        todo = {
            "name": not is_whole and chosen.name is None,
            "harnesses": chosen.harnesses is None,
            "embedding": not is_whole and chosen.embedding_provider is None,
            "extraction": not is_whole and chosen.extraction_provider is None,
            "earlier": self._offers_import(),
            "dashboard": not is_whole and self.wanted.with_daemon,
        }
        todo["dashboard"] = todo["dashboard"] and not self.wanted.opens_dashboard
        self._total = sum(todo.values())
        if todo["name"]:
            name = self._line("What is the name of your agent?", settings.agent.name)
            chosen = replace(chosen, name=choices.line(name))
        if todo["harnesses"]:
            chosen = replace(chosen, harnesses=self._harnesses())
        wanted = self.wanted
        if self._asks_consent(chosen.harnesses):
            for line in openclaw.CONSENT_QUESTION:
                output.tell(" " * _INDENT + line)
            answer = self._answer(" " * _INDENT + "Allow it? ", default=True)
            wanted = replace(wanted, conversations=answer)
        if todo["embedding"]:
            provider, model = self._embedding()
            chosen = replace(
                chosen,
                embedding_provider=provider,
                embedding_model=chosen.embedding_model or model,
            )
        if todo["extraction"]:
            texts, model = self._extraction()
            chosen = replace(
                chosen, extraction_provider=texts, extraction_model=chosen.extraction_model or model
            )
        if todo["earlier"]:
            wanted = replace(wanted, imports=self._yes(self._import_question(), default=True))
        if todo["dashboard"]:
            wanted = replace(
                wanted, opens_dashboard=self._yes("Open the dashboard at the end?", default=False)
            )
        output.tell("")
        return replace(self.plan, chosen=chosen), wanted

    def _harnesses(self) -> tuple[str, ...]:
        usual = ", ".join(self.offered) or NOBODY
        options = {
            one: HARNESSES[one].name + (", found here" if one in self.installed else "")
            for one in choices.HARNESSES
        }
        self._list("Which harnesses should Signet connect? One or several.", options)
        given = self._read(" " * _INDENT, usual)
        while True:
            if given.strip().lower() == NOBODY:
                return ()
            try:
                return choices.harnesses([given.replace(" ", ",")]) or ()
            except Invalid as error:
                given = self._again(error.message, usual)

    def _embedding(self) -> tuple[EmbeddingProvider, str | None]:
        here = ", ".join(self.models.vectors[:3]) or "none installed yet"
        here = here if self.models.url else "it does not answer now"
        picked = self._one_of(
            "Who creates the vectors for semantic recall?",
            {
                "native": "the daemon itself, with a model of 84 MB, downloaded once",
                "ollama": f"a model of Ollama: {here}",
                "openai": "a paid service: every text is sent to it",
                "none": "no vectors; recall uses keywords only",
            },
            usual="native",
        )
        model = next(iter(self.models.vectors), None) if picked == "ollama" else None
        return EmbeddingProvider(picked), model and model.removesuffix(":latest")

    def _extraction(self) -> tuple[TextProvider, str | None]:
        best = self.models.best_text
        auto = f"Ollama's {best or LOCAL_TEXT_MODEL} whenever it answers, else built-in rules"
        options = {"auto": auto, "rules": "built-in rules only, no model"}
        if best is not None:
            options["ollama"] = f"{best} of your Ollama; jobs wait while it is not running"
        options |= {
            name: f"your {HARNESSES[name].name} account, in the background; counts against its quota"
            for name in ("claude-code", "codex", "opencode")
            if name in self.installed
        }
        options["none"] = "no extraction; memories stay as written"
        picked = self._one_of("Who extracts facts from memories?", options, usual="auto")
        return TextProvider(picked), best if picked in ("auto", "ollama") else None

    def _offers_import(self) -> bool:
        return (
            self.earlier is not None
            and self.plan.state is not State.REPAIR
            and self.wanted.with_daemon
            and bool(self.earlier.memories)
            and self.earlier.workspace != self.plan.workspace.root
        )

    def _import_question(self) -> str:
        assert self.earlier is not None
        held = output.count(self.earlier.memories or 0, "memory")
        return f"The TypeScript Signet in {self.earlier.workspace} has {held}. Import a copy?"

    def _one_of(self, question: str, options: Mapping[str, str], *, usual: str) -> str:
        self._list(question, options)
        given = self._read(" " * _INDENT, usual)
        while True:
            near = [name for name in options if given and name.startswith(given.lower())]
            if given.lower() in options or len(near) == 1:
                return given.lower() if given.lower() in options else near[0]
            given = self._again(f"One of these: {', '.join(options)}", usual)

    def _asks_consent(self, harnesses: Sequence[str] | None) -> bool:
        """Return whether OpenClaw is to be connected and wants a person's consent; it belongs to that question."""
        site = Site(workspace=self.plan.workspace, home=Path.home())
        wishes = Wishes(legacy=self.wanted.legacy, conversations=self.wanted.conversations)
        is_asked = "openclaw" in (harnesses or ())
        return is_asked and openclaw.OpenClaw().asks_consent(site, wishes)

    def _yes(self, question: str, *, default: bool) -> bool:
        self._head(question, end=" ")
        return self._answer("", default=default)

    def _answer(self, before: str, *, default: bool) -> bool:
        usual = "yes" if default else "no"
        given = self._read(before, usual)
        while given.lower() not in ("y", "yes", "n", "no"):
            given = self._again("yes or no", usual)
        return given.lower().startswith("y")

    def _list(self, question: str, options: Mapping[str, str]) -> None:
        self._head(question)
        room = max(map(len, options)) + 2
        for name, text in options.items():
            output.tell(" " * _INDENT + f"{name:<{room}}{text}")

    def _line(self, question: str, usual: str) -> str:
        self._head(question, end=" ")
        return self._read("", usual)

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
