"""Write agent.yaml for a setup: a new file with comments, or single values of an existing one."""

import json
from collections.abc import Mapping
from datetime import datetime

from signet import clock, config
from signet.care.setup.choices import Choices
from signet.config import manifest
from signet.config.extraction import TextProvider, text_model_of
from signet.config.manifest import Value
from signet.config.older_shapes import lifted
from signet.config.sections import EMBEDDING_MODELS, EmbeddingProvider, Settings, dimensions_of
from signet.files import replace_file
from signet.paths import Workspace
from signet.resources import template

DEFAULT_EMBEDDING = EmbeddingProvider.NATIVE
DEFAULT_EXTRACTION = TextProvider.AUTO
#: Providers without a model.
_WITHOUT_MODEL = (TextProvider.RULES, TextProvider.NONE)

_SEARCH = """
# How much meaning counts against words, from 0 to 1.
search:
  alpha: {alpha}
"""


def new(chosen: Choices, *, now: datetime) -> str:
    usual = Settings().agent
    vectors = chosen.embedding_provider or DEFAULT_EMBEDDING
    texts = chosen.extraction_provider or DEFAULT_EXTRACTION
    return (
        template("agent.yaml")
        .read_text("utf-8")
        .format(
            name=_quoted(chosen.name or usual.name),
            description=_quoted(chosen.description or usual.description),
            now=_quoted(clock.to_text(now)),
            harnesses="".join(f"\n  - {name}" for name in chosen.harnesses or ()) or " []",
            embedding=_pairs(2, embedding(vectors, chosen.embedding_model)),
            search="\n"
            if chosen.search_balance is None
            else _SEARCH.format(alpha=chosen.search_balance),
            extraction=_pairs(
                6, extraction(texts, chosen.extraction_model, chosen.extraction_endpoint)
            ),
        )
    )


def embedding(provider: EmbeddingProvider, model: str | None) -> dict[str, str | int]:
    """Return the `embedding` section for a provider (CL-11, CL-12); the native one has only one model."""
    if provider in (EmbeddingProvider.NATIVE, EmbeddingProvider.NONE):
        return {"provider": provider.value}
    chosen = model or EMBEDDING_MODELS[provider]
    return {"provider": provider.value, "model": chosen, "dimensions": dimensions_of(chosen)}


def extraction(
    provider: TextProvider, model: str | None, endpoint: str | None = None
) -> dict[str, str | int]:
    """Return the `extraction` section for a provider (CL-11, CL-15)."""
    if provider in _WITHOUT_MODEL:
        return {"provider": provider.value}
    address = {} if endpoint is None else {"endpoint": endpoint}
    return {"provider": provider.value, "model": model or text_model_of(provider), **address}


def changes(raw: Mapping[object, object], chosen: Choices) -> dict[str, Value]:
    found, _, _ = lifted(raw)
    settings, _ = config.settings_from(raw)
    wanted: dict[str, Value] = {}
    if chosen.name not in (None, settings.agent.name):
        wanted["agent.name"] = chosen.name
    if chosen.description not in (None, settings.agent.description):
        wanted["agent.description"] = chosen.description
    more = [one for one in chosen.harnesses or () if one not in settings.harnesses]
    if more or (chosen.harnesses is not None and "harnesses" not in found):
        wanted["harnesses"] = [*settings.harnesses, *more]
    if chosen.search_balance not in (None, settings.search.alpha):
        wanted["search.alpha"] = chosen.search_balance
    wanted |= _embedding_changes(settings, chosen) | _extraction_changes(settings, chosen)
    return wanted


def _embedding_changes(settings: Settings, chosen: Choices) -> dict[str, Value]:
    now = settings.embedding
    provider = chosen.embedding_provider or now.provider
    is_other = provider is not now.provider
    if not is_other and chosen.embedding_model in (None, now.model):
        return {}
    # The address of another provider does not apply.
    address: dict[str, Value] = {"base_url": None} if is_other and now.base_url else {}
    said = {**embedding(provider, chosen.embedding_model), **address}
    return {f"embedding.{key}": value for key, value in said.items()}


def _extraction_changes(settings: Settings, chosen: Choices) -> dict[str, Value]:
    now = settings.pipeline.extraction
    provider = chosen.extraction_provider or now.provider
    is_other = provider is not now.provider
    is_same = chosen.extraction_model in (None, now.model)
    if not is_other and is_same and chosen.extraction_endpoint in (None, now.endpoint):
        return {}
    address: dict[str, Value] = {"endpoint": None} if is_other and now.endpoint else {}
    model = chosen.extraction_model or (None if is_other else now.model)
    said = {**address, **extraction(provider, model, chosen.extraction_endpoint)}
    return {f"memory.pipelineV2.extraction.{key}": value for key, value in said.items()}


def write(workspace: Workspace, chosen: Choices, *, now: datetime) -> list[str]:
    """Update agent.yaml; return the changed keys, or `agent.yaml` if it is new.

    Raises ManifestError if the file does not parse; it is not changed.
    """
    path = manifest.find(workspace)
    if path is None:
        replace_file(workspace.root / manifest.NAMES[0], new(chosen, now=now).encode())
        return [manifest.NAMES[0]]
    wanted = changes(read(workspace), chosen)
    if wanted:
        manifest.set_values(workspace, {**wanted, "agent.updated": clock.to_text(now)})
    return [*wanted]


def read(workspace: Workspace) -> dict[object, object]:
    """Return the content of agent.yaml, empty without one; raises ManifestError."""
    path = manifest.find(workspace)
    return {} if path is None else manifest.parse(path.read_bytes(), path.name)


def names_provider(raw: Mapping[object, object], section: str) -> bool:
    """Return whether the file names a provider, in any form: for `embedding`, or `extraction` of the pipeline."""
    found, _, _ = lifted(raw)
    if section == "embedding":
        return _has(found.get("embedding"), "provider")
    pipeline = found.get("pipelineV2")
    inner = pipeline.get(section) if isinstance(pipeline, Mapping) else None
    return _has(inner, "provider") or _has(pipeline, "extractionProvider")


def _has(section: object, key: str) -> bool:
    return isinstance(section, Mapping) and section.get(key) is not None


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _pairs(indent: int, values: Mapping[str, str | int]) -> str:
    said = {
        key: value if isinstance(value, int) else _plain(value) for key, value in values.items()
    }
    return "".join(f"{' ' * indent}{key}: {value}\n" for key, value in said.items())


def _plain(text: str) -> str:
    return (
        text
        if text.replace("-", "").replace("_", "").isalnum() and text[0].isalpha()
        else _quoted(text)
    )
