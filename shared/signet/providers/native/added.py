"""Models other than the default: published ones and folders, copied into the cache and measured on sentence pairs.

A folder's model is named after it and the hash of its files, `local:NAME-HASH`, so other weights are another model and
old vectors are recreated; a published model has its own name. The measurement shows how well it separates sentences.

The mean of all vectors is subtracted from each (Mu and Viswanath, "All-but-the-Top", 2018): cosines of E5 are 0.7 to
1 for any two texts, and the product's cosine thresholds were tuned on a model where unrelated texts are near 0.
"""

import hashlib
import json
import re
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from signet.errors import Invalid, ProviderFailed
from signet.files import replace_file
from signet.providers import scale
from signet.providers.native import folder as folders
from signet.providers.native.folder import Opened, models_home, sha256
from signet.providers.native.session import Unusable

#: Prefix of such models in the setting `embedding.model`.
PREFIX = "local:"
MANIFEST = "signet-model.json"
MOST_DIMENSIONS = 4_096
MEANS = ("common_of_questions", "common")


@dataclass(frozen=True, slots=True, kw_only=True)
class Added:
    """An added model: its name in the setting, dimensions, and measurements.

    `told_apart` is the share of sentences whose nearest neighbour is their pair. `common` is the mean of text
    vectors, subtracted from each before anything is measured or stored, and likewise for questions.
    """

    model: str
    dimensions: int
    sha256: str
    unrelated: float
    related: float
    told_apart: float
    common: tuple[float, ...]
    common_of_questions: tuple[float, ...]

    @property
    def facts(self) -> dict[str, object]:
        """Return the model's facts for people, without the means."""
        return {name: value for name, value in asdict(self).items() if "common" not in name}

    def centred(self, opened: Opened) -> Opened:
        """Return a loaded model with the means of this one."""
        import numpy as np

        query, passage = (np.array(getattr(self, name), np.float32) for name in MEANS)
        return replace(opened, means=(query, passage))


def home() -> Path:
    """Return the folder of added models; it need not exist."""
    return models_home() / "local"


def folder_of(model: str) -> Path:
    """Return the folder of an added model; it need not exist."""
    return home() / re.sub(r"[^\w.-]", "_", model.removeprefix(PREFIX))


def all_() -> list[Added]:
    return sorted(
        (one for path in home().glob(f"*/{MANIFEST}") if (one := _read(path))),
        key=lambda one: one.model,
    )


def find(model: str) -> Added | None:
    return _read(folder_of(model) / MANIFEST)


def add(source: Path, staging: Path, name: str | None = None) -> tuple[Added, bool]:
    """Copy, test, measure and install a model from a folder; return whether it already existed.

    Uses `staging`, which the caller removes. Raises Unusable with the reason, OSError; then nothing was added.
    """
    copy = staging / "copy" / source.resolve().name
    folders.copy(source, copy)
    digest = _digest(copy)
    plain = re.sub(r"[^\w.-]+", "-", copy.name).strip("-.") or "model"
    model = name or f"{PREFIX}{plain}-{digest[:8]}"
    if (known := find(model)) is not None and not faults(model):
        return known, True
    found = _measured(copy, model, digest)
    replace_file(copy / MANIFEST, json.dumps(asdict(found), indent=1).encode())
    target = folder_of(model)
    target.parent.mkdir(parents=True, exist_ok=True)
    if target.exists():
        target.rename(staging / "replaced")
    copy.rename(target)
    return found, False


def faults(model: str) -> list[str]:
    """Return the faults of an added model: missing or changed files. Reads them all."""
    known = find(model)
    if known is None:
        return [f"{model} is not installed"]
    return [] if _digest(folder_of(model)) == known.sha256 else ["its files have changed"]


def _digest(folder: Path) -> str:
    whole = hashlib.sha256()
    for path in sorted(one for one in folder.rglob("*") if one.is_file() and one.name != MANIFEST):
        whole.update(f"{path.relative_to(folder)}\0{sha256(path)}\n".encode())
    return whole.hexdigest()


def _read(path: Path) -> Added | None:
    try:
        found = json.loads(path.read_bytes())
        return Added(**{**found, **{name: tuple(found[name]) for name in MEANS}})
    except (OSError, ValueError, TypeError, KeyError):
        return None


def _measured(folder: Path, model: str, digest: str) -> Added:
    import numpy as np

    opened = folders.open_(folder)
    sides = list(zip(*scale.pairs(), strict=True))
    try:
        vectors = np.array(
            [
                [[opened.vector(text, is_query=is_query) for text in side] for side in sides]
                for is_query in (True, False)
            ]
        )
    except ProviderFailed as error:
        raise Unusable(f"it cannot embed a sentence: {error.message}") from error
    except ValueError as error:
        raise Unusable("its vectors differ in their number of dimensions") from error
    dimensions = vectors.shape[-1]
    if not 1 < dimensions <= MOST_DIMENSIONS:
        raise Unusable(
            f"its vectors have {dimensions} dimensions; supported are 2 to {MOST_DIMENSIONS}"
        )
    means = vectors.mean(axis=(1, 2))
    near = scale.cosines(vectors[0, 0] - means[0], vectors[1, 1] - means[1])
    try:
        found = scale.scale_of(near)
    except Invalid as error:
        raise Unusable("its vectors are equal for all sentences, or are not numbers") from error
    return Added(
        model=model,
        dimensions=dimensions,
        sha256=digest,
        unrelated=found.unrelated,
        related=found.related,
        told_apart=round(float((near.argmax(axis=1) == np.arange(len(near))).mean()), 4),
        **{
            name: tuple(round(float(number), 6) for number in mean)
            for name, mean in zip(MEANS, means, strict=True)
        },
    )
