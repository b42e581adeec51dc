"""Choices of a setup, from flags or answers, validated before anything is written. Pure."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from enum import StrEnum

from signet.config.extraction import TextProvider, text_model_of
from signet.config.sections import EmbeddingProvider
from signet.domain.harnesses import registry
from signet.domain.harnesses.models import ConnectOptions
from signet.errors import Invalid

HARNESSES = tuple(registry.HARNESSES)
EMBEDDING = tuple(EmbeddingProvider)
EXTRACTION = tuple(TextProvider)
RUNTIME_PATHS = ("plugin", "legacy")
#: Providers named in messages; others are accepted too.
_EMBEDDING_WORDS = "native, ollama, openai, or none"
_EXTRACTION_WORDS = "claude-code, codex, opencode, ollama, openai, anthropic, auto, rules, or none"


class BadChoice(Invalid, code="bad_choice"):
    """An option has an invalid value."""


class SetupState(StrEnum):
    """The state that a setup finds."""

    FRESH = "fresh"
    MIGRATION = "migration"
    REPAIR = "repair"


@dataclass(frozen=True, slots=True, kw_only=True)
class Choices:
    """The choices; None keeps the existing value or the default. `wishes` are the OpenClaw options."""

    name: str | None = None
    description: str | None = None
    harnesses: tuple[str, ...] | None = None
    embedding_provider: EmbeddingProvider | None = None
    embedding_model: str | None = None
    extraction_provider: TextProvider | None = None
    extraction_model: str | None = None
    extraction_endpoint: str | None = None
    search_balance: float | None = None
    port: int | None = None
    with_git: bool = True
    with_daemon: bool = True
    with_model: bool = True
    opens_dashboard: bool = False
    #: Whether to read earlier sessions of harnesses, and to start at every login; None if undecided.
    reads_history: bool | None = None
    at_login: bool | None = None
    wishes: ConnectOptions = field(default_factory=ConnectOptions)


def state(*, has_settings: bool, has_database: bool, identity_files: Iterable[str]) -> SetupState:
    """Return the kind of setup: repair, migration of existing files, or fresh."""
    if has_settings and has_database:
        return SetupState.REPAIR
    return SetupState.MIGRATION if len([*identity_files]) >= 2 else SetupState.FRESH


def harnesses(given: Sequence[str]) -> tuple[str, ...] | None:
    """Return the harnesses in repeated or comma-separated values, in our order; none for "none", None without a value.

    Raises BadChoice with the valid ones.
    """
    if not given:
        return None
    words = [word.strip().lower() for one in given for word in one.split(",") if word.strip()]
    unknown = [word for word in words if word not in HARNESSES and words != ["none"]]
    if unknown:
        valid = f"Valid choices: {', '.join(HARNESSES)}, none"
        said = f"Unknown harness: {', '.join(unknown)}. "
        raise BadChoice(f"{said}{_suggestion(unknown, HARNESSES)}{valid}")
    return tuple(name for name in HARNESSES if name in words)


def embedding(given: str | None) -> EmbeddingProvider | None:
    """Return the embedding provider; raises BadChoice."""
    return (
        None
        if given is None
        else EmbeddingProvider(_one_of(given, EMBEDDING, "--embedding-provider"))
    )


def extraction(given: str | None) -> TextProvider | None:
    """Return the text provider; raises BadChoice."""
    return (
        None if given is None else TextProvider(_one_of(given, EXTRACTION, "--extraction-provider"))
    )


def balance(given: str | None) -> float | None:
    """Return the weight of vectors in recall; raises BadChoice unless it is a number from 0 to 1."""
    if given is None:
        return None
    try:
        value = float(given)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:
        raise BadChoice(f"--search-balance must be a number from 0 to 1, not {given!r}")
    return value


def is_legacy(given: str | None) -> bool | None:
    """Return whether to connect OpenClaw by its legacy path, None if undecided; raises BadChoice."""
    if given is None:
        return None
    return _one_of(given, RUNTIME_PATHS, "--openclaw-runtime-path") == "legacy"


def check_complete(chosen: Choices, *, has_embedding: bool, has_extraction: bool) -> None:
    """Raise Invalid for a provider that is neither chosen nor already set (CL-10)."""
    if chosen.embedding_provider is None and not has_embedding:
        raise _missing("--embedding-provider", _EMBEDDING_WORDS)
    if chosen.extraction_provider is None and not has_extraction:
        raise _missing("--extraction-provider", _EXTRACTION_WORDS)


def reader(provider: TextProvider, model: str | None) -> str:
    """Return the model or rules that extract facts."""
    model = model or text_model_of(provider)
    match provider:
        case TextProvider.NONE:
            return "none; memories are stored without facts"
        case TextProvider.RULES:
            return "built-in rules"
        case TextProvider.AUTO:
            return f"{model} in Ollama while it runs, else built-in rules"
    return f"{model} of {provider}"


def line(text: str | None) -> str | None:
    """Return a text on one line; None if it is empty."""
    return " ".join((text or "").split()) or None


def _missing(flag: str, words: str) -> Invalid:
    return Invalid(
        f"Non-interactive setup requires {flag} ({words}).",
        "missing_choice",
        hint="Ask the user which providers to use, then run signet setup again with their answer.",
    )


def _one_of(given: str, known: Sequence[str], flag: str) -> str:
    word = given.strip().lower()
    if word in known:
        return word
    valid = f"Valid choices: {', '.join(known)}"
    raise BadChoice(f"Unknown {flag} value: {given}. {_suggestion([word], known)}{valid}")


def _suggestion(unknown: Iterable[str], known: Sequence[str]) -> str:
    near = [match for word in unknown for match in get_close_matches(word, known, n=1)]
    return f"Did you mean {', '.join(near)}? " if near else ""
