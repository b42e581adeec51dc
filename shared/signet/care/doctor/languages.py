"""Check whether the embedding model supports the languages of the memories."""

from collections.abc import Iterator

from signet.care.doctor.models import DoctorCheck, Scene, ok, warn
from signet.config.sections import EmbeddingProvider
from signet.db import fts, inspection, languages

#: Newest memories to check, characters of each, their least number, and the share above which a model is a poor choice.
LOOKED_AT, CHARS, LEAST, SHARE = 300, 400, 10, 1 / 3
#: Name prefixes of models trained only on English.
ENGLISH_ONLY = tuple(
    "all-minilm nomic-embed-text mxbai-embed snowflake-arctic-embed bge-small-en".split()
)


def checks(scene: Scene) -> Iterator[DoctorCheck]:
    """Yield the language check, if there are vectors and enough memories."""
    embedding = scene.settings.embedding
    if scene.tx is None or embedding.provider is EmbeddingProvider.NONE:
        return
    texts = inspection.newest_texts(scene.tx, chars=CHARS, limit=LOOKED_AT)
    if len(texts) < LEAST:
        return
    other = sum(map(is_other, texts))
    told = f"{other} of the newest {len(texts)} memories are not in English"
    name = embedding.model.lower().rpartition("/")[2]
    if other < SHARE * len(texts) or not name.startswith(ENGLISH_ONLY):
        yield ok("languages", f"{embedding.model}; {told}")
        return
    told += (
        f", and {embedding.model} reads English only: they are found by keywords, hardly by meaning"
    )
    way = "signet models install multilingual, then: signet models use multilingual"
    yield warn("languages", told, way)


def is_other(text: str) -> bool:
    """Return whether a text is mostly in a non-Latin script or a known language other than English."""
    letters = [sign for sign in text if sign.isalpha()]
    # Letters up to U+024F are Latin.
    if sum(sign > "\u024f" for sign in letters) > len(letters) / 2:
        return True
    return languages.language_of(fts.words(text), fts.STOP_WORDS) is not None
