"""Alternative places of sections and keys in older files, and how they are moved."""

from collections.abc import Mapping, MutableMapping

from signet.config.fields import is_unset

#: Alternative places of a section by precedence; the first is canonical.
PLACES = {
    "pipelineV2": ("memory.pipelineV2", "pipelineV2"),
    "embedding": ("embedding", "memory.embeddings", "embeddings"),
}
#: Places of the auth mode; `authMode` is upstream's.
AUTH_MODE = ("auth.mode", "authMode")
#: Flat alternatives that take precedence over nested keys.
FLAT_EXTRACTION = {
    "extractionProvider": "provider",
    "extractionModel": "model",
    "extractionStrength": "strength",
}


def placed(document: Mapping[object, object], dotted_key: str) -> list[str]:
    """Return the key as a path, where the file already has that section or the auth mode."""
    for places in PLACES.values():
        for place in places:
            if dotted_key.startswith(f"{place}."):
                kept = next((each for each in places if _at(document, each) is not None), places[0])
                return (kept + dotted_key.removeprefix(place)).split(".")
    if dotted_key in AUTH_MODE:
        dotted_key = next(
            (each for each in AUTH_MODE if _at(document, each) is not None), dotted_key
        )
    return dotted_key.split(".")


def _at(raw: Mapping[object, object], place: str) -> object:
    value: object = raw
    for key in place.split("."):
        value = value.get(key) if isinstance(value, Mapping) else None
    return value


def shadowed(raw: Mapping[object, object]) -> dict[str, object]:
    """Return the sections without effect, by place: the file has the section at a preferred place."""
    found: dict[str, object] = {}
    for places in PLACES.values():
        standing = {place: value for place in places if (value := _at(raw, place)) is not None}
        found |= {place: standing[place] for place in list(standing)[1:]}
    return found


def lifted(raw: Mapping[object, object]) -> tuple[dict[object, object], dict[str, str], list[str]]:
    """Return the file with moved sections at their own keys, and one warning for each duplicate."""
    found = dict(raw)
    memory = found.get("memory")
    if isinstance(memory, Mapping):
        found["memory"] = dict(memory)
    moved: dict[str, str] = {}
    warnings: list[str] = []
    for section, places in PLACES.items():
        taken = [(place, value) for place in places if (value := _take(found, place)) is not None]
        if taken:
            moved[section], found[section] = taken[0]
        warnings += [f"{place}: ignored, because of {taken[0][0]}" for place, _ in taken[1:]]
    return found, moved, warnings


def _take(raw: dict[object, object], place: str) -> object:
    first, _, inner = place.partition(".")
    if not inner:
        return raw.pop(first, None)
    holder = raw.get(first)
    return holder.pop(inner, None) if isinstance(holder, dict) else None


def unflatten(pipeline: MutableMapping[str, object]) -> None:
    """Move flat keys of older dashboards into `extraction`, where they would hide the value being set."""
    extraction = pipeline["extraction"]
    if not isinstance(extraction, MutableMapping):
        return
    if not is_unset(pipeline.get("extractionProvider")):
        extraction.pop("model", None)
    elif not is_unset(extraction.get("provider")):
        pipeline.pop("extractionModel", None)
    for flat, name in FLAT_EXTRACTION.items():
        if flat in pipeline:
            extraction[name] = pipeline.pop(flat)


def paired(raw: Mapping[object, object]) -> Mapping[object, object]:
    """Return `pipelineV2` with the provider and model of extraction from one place, preferably the flat one."""
    inside = raw.get("extraction")
    if not isinstance(inside, Mapping):
        return raw
    if not is_unset(raw.get("extractionProvider")):
        return {**raw, "extraction": {key: inside[key] for key in inside if key != "model"}}
    if not is_unset(inside.get("provider")):
        return {key: raw[key] for key in raw if key != "extractionModel"}
    return raw
