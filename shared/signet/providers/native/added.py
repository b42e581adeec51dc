"""Models that a person adds from a folder: copied into the cache, tried, and measured on sentence pairs.

A model is named after its folder and the hash of its files, `local:NAME-HASH`, so that other weights are another model
and old vectors are made again. What was measured gives the balance of words and meaning (`search.alpha`) and the floor
of a page that mean for this model what the usual ones mean for the model that ships with Signet.

What all vectors of a model have in common is taken out of each (Mu and Viswanath, "All-but-the-Top", 2018: the mean):
cosines of E5 are 0.7 to 1 whatever two texts say, and what the product decides by a cosine was tuned on a model where
texts that say different things have one near 0.
"""

import hashlib
import json
import re
from dataclasses import asdict, dataclass
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

from signet.errors import ProviderFailed
from signet.files import replace_file
from signet.providers.native import folder as folders
from signet.providers.native import weights
from signet.providers.native.session import Unusable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

#: What the name of such a model begins with in the setting `embedding.model`.
PREFIX = "local:"
MANIFEST = "signet-model.json"
MOST_DIMENSIONS = 4_096
#: What the cosines of unrelated and of related sentences of `pairs` are on average for all-MiniLM-L6-v2 (English ones),
#: and the settings that were tuned for it: `search.alpha`, `search.floor`, and the weight of a cosine in relevance.
UNRELATED, RELATED = 0.05, 0.76
ALPHA, FLOOR, COSINE = 0.7, 0.4, 0.55
MEANS = ("common_of_questions", "common")


@dataclass(frozen=True, slots=True, kw_only=True)
class Added:
    """A model that was added: its name in the setting, its dimensions, and what was measured.

    `told_apart` is the share of sentences that are nearest to the one that says the same, `common` the mean of the
    vectors of texts, which is taken out of each before anything is measured or stored, and so for questions.
    """

    model: str
    dimensions: int
    sha256: str
    alpha: float
    floor: float
    unrelated: float
    related: float
    told_apart: float
    common: tuple[float, ...]
    common_of_questions: tuple[float, ...]

    @property
    def facts(self) -> dict[str, object]:
        """Return what a person may want to know: all but the means."""
        return {name: value for name, value in asdict(self).items() if "common" not in name}


def home() -> Path:
    """Return the folder of the models that were added; it need not exist."""
    return weights.models_home() / "local"


def folder_of(model: str) -> Path:
    """Return the folder of an added model; it need not exist."""
    return home() / re.sub(r"[^\w.-]", "_", model.removeprefix(PREFIX))


def all_() -> list[Added]:
    """Return the models that were added, by name."""
    return sorted(
        (one for path in home().glob(f"*/{MANIFEST}") if (one := _read(path))),
        key=lambda one: one.model,
    )


def find(model: str) -> Added | None:
    """Return an added model by its name, None when it is not there."""
    return _read(folder_of(model) / MANIFEST)


def add(source: Path, staging: Path) -> tuple[Added, bool]:
    """Copy a model from a folder, try it, measure it, and put it in place; say whether it was there already.

    Works in `staging`, which the caller removes. Raises Unusable with the reason, OSError; then nothing was added.
    """
    copy = staging / source.resolve().name
    folders.copy(source, copy)
    digest = _digest(copy)
    plain = re.sub(r"[^\w.-]+", "-", copy.name).strip("-.") or "model"
    model = f"{PREFIX}{plain}-{digest[:8]}"
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
    """Return what is wrong with an added model: it is not there, or its files have changed. Reads them all."""
    known = find(model)
    if known is None:
        return [f"{model} is not installed"]
    return [] if _digest(folder_of(model)) == known.sha256 else ["its files have changed"]


def _digest(folder: Path) -> str:
    whole = hashlib.sha256()
    for path in sorted(one for one in folder.rglob("*") if one.is_file() and one.name != MANIFEST):
        whole.update(f"{path.relative_to(folder)}\0{weights.sha256(path)}\n".encode())
    return whole.hexdigest()


def _read(path: Path) -> Added | None:
    try:
        found = json.loads(path.read_bytes())
        return Added(**{**found, **{name: tuple(found[name]) for name in MEANS}})
    except (OSError, ValueError, TypeError, KeyError):
        return None


def pairs() -> list[tuple[str, str]]:
    """Return pairs of sentences in seven languages; the two say nearly the same, those of different pairs do not."""
    text = resources.files(__package__).joinpath("pairs.json").read_text("utf-8")
    return [(one, other) for one, other in json.loads(text)]


def _measured(folder: Path, model: str, digest: str) -> Added:
    import numpy as np

    opened = folders.open_(folder)
    texts = list(zip(*pairs(), strict=True))
    try:
        vectors = [
            [
                [
                    np.frombuffer(opened.run(opened.tokenizer.encode(prompt + text)), "<f4")
                    for text in side
                ]
                for side in texts
            ]
            for prompt in (opened.prompts.question, opened.prompts.text)
        ]
    except ProviderFailed as error:
        raise Unusable(f"it cannot embed a sentence: {error.message}") from error
    every = [vector for way in vectors for side in way for vector in side]
    dimensions = len(every[0])
    if not 1 < dimensions <= MOST_DIMENSIONS or any(len(one) != dimensions for one in every):
        raise Unusable(
            f"its vectors have {dimensions} dimensions; supported are 2 to {MOST_DIMENSIONS}"
        )
    means = [np.mean([vector for side in way for vector in side], axis=0) for way in vectors]
    asked, told = (
        np.stack([np.frombuffer(apart(one, mean), "<f4") for one in way[place]])
        for place, (way, mean) in enumerate(zip(vectors, means, strict=True))
    )
    near = np.einsum("id,jd->ij", asked, told)
    if not np.isfinite(near).all() or float(near.max() - near.min()) < 1e-3:
        raise Unusable("its vectors are equal for all sentences, or are not numbers")
    related = float(np.diag(near).mean())
    unrelated = float((near.sum() - np.diag(near).sum()) / (near.size - len(near)))
    alpha, floor = calibrated(unrelated, related)
    return Added(
        model=model,
        dimensions=dimensions,
        sha256=digest,
        alpha=alpha,
        floor=floor,
        unrelated=round(unrelated, 4),
        related=round(related, 4),
        told_apart=round(float((near.argmax(axis=1) == np.arange(len(near))).mean()), 4),
        **{
            name: tuple(round(float(number), 6) for number in mean)
            for name, mean in zip(MEANS, means, strict=True)
        },
    )


def apart(vector: "NDArray[np.float32]", common: "NDArray[np.float32]") -> bytes:
    """Return a vector without what all have in common, of length one."""
    import numpy as np

    left = vector - common
    length = float(np.sqrt(np.einsum("i,i->", left, left))) or 1.0
    return (left / length).astype("<f4").tobytes()


def calibrated(unrelated: float, related: float) -> tuple[float, float]:
    """Return alpha and floor for a model with these mean cosines of unrelated and of related sentences.

    The floor moves with the middle between them, and alpha makes their distance weigh as much as it usually does.
    """
    middle = (unrelated + related - UNRELATED - RELATED) / 2
    floor = min(0.9, max(0.05, FLOOR + COSINE * middle))
    share = ALPHA / (1 - ALPHA) * (RELATED - UNRELATED) / max(0.02, related - unrelated)
    return round(min(0.95, max(0.5, share / (1 + share))), 2), round(floor, 2)
