"""Texts as the token IDs of a model, by the `tokenizers` library."""

import struct
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from signet.providers.native.session import Unusable

if TYPE_CHECKING:
    import tokenizers

#: Maximum text length to read: it contains any model's tokens many times over, and bounds the cost of megabytes.
MAX_CHARACTERS = 32_768
#: A vocabulary that an earlier version of this package made of a `tokenizer.json`.
UNIGRAM_FILE = "unigram.bin"


class Tokenizer:
    """A model's tokenizer; thread-safe. Its marker words (`[CLS]`, `<s>`, ...) in a text are plain text."""

    def __init__(self, inner: "tokenizers.Tokenizer", max_tokens: int) -> None:
        self._inner = inner
        inner.no_padding()
        inner.enable_truncation(max_tokens)
        inner.encode_special_tokens = True

    def encode(self, text: str) -> list[int]:
        """Return the IDs of one text, including markers, at most the model's maximum."""
        return list(self._inner.encode(_clean(text)).ids)

    def words(self, text: str) -> tuple[list[int], list[tuple[str, int]]]:
        """Return the IDs of one text, and its words as the model reads them with their numbers of tokens."""
        text = _clean(text)
        found = self._inner.encode(text)
        counts = Counter(place for place in found.word_ids if place is not None)
        normal = self._inner.normalizer.normalize_str(text)
        words = self._inner.pre_tokenizer.pre_tokenize_str(normal)
        return list(found.ids), [(words[place][0], count) for place, count in counts.items()]


def read(folder: Path, *, max_tokens: int, is_cased: bool = False) -> Tokenizer:
    """Return a model's tokenizer: `tokenizer.json`, UNIGRAM_FILE, or `vocab.txt`; raises Unusable."""
    from tokenizers import Tokenizer as Library

    readers: dict[str, Callable[[Path], Library]] = {
        "tokenizer.json": lambda path: Library.from_file(str(path)),
        UNIGRAM_FILE: _unigram,
        "vocab.txt": lambda path: _word_pieces(path, is_cased),
    }
    path = next((folder / name for name in readers if (folder / name).is_file()), None)
    if path is None:
        raise Unusable(f"{folder} contains no tokenizer (tokenizer.json or vocab.txt)")
    try:
        return Tokenizer(readers[path.name](path), max_tokens)
    except Exception as error:  # the library's errors have no other common class
        raise Unusable(f"{path.name} cannot be read: {error}") from error


def _word_pieces(path: Path, is_cased: bool) -> "tokenizers.Tokenizer":
    """Return BERT's tokenizer with a vocabulary of one piece per line."""
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

    found = Tokenizer(models.WordPiece.from_file(str(path), unk_token="[UNK]"))
    end, start = (found.token_to_id(name) for name in ("[SEP]", "[CLS]"))
    if end is None or start is None or found.token_to_id("[UNK]") is None:
        raise ValueError("it lacks [CLS], [SEP] or [UNK]")
    found.normalizer = normalizers.BertNormalizer(lowercase=not is_cased)
    found.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    found.post_processor = processors.BertProcessing(("[SEP]", end), ("[CLS]", start))
    return found


def _unigram(path: Path) -> "tokenizers.Tokenizer":
    """Return the tokenizer of a UNIGRAM_FILE: header, hash table, hashes, offsets, scores, pieces."""
    import numpy as np
    from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers, processors

    raw = path.read_bytes()
    _, pieces, slots, _, unknown, start, end, _ = struct.unpack_from("<8s6If", raw)
    at = struct.calcsize("<8s6If") + 4 * (slots + pieces)
    offsets = np.frombuffer(raw, "<u4", pieces + 1, at).tolist()
    scores = np.frombuffer(raw, "<f4", pieces, at + 4 * (pieces + 1)).tolist()
    text = raw[at + 4 * (2 * pieces + 1) :]
    spans = zip(offsets, offsets[1:], scores, strict=False)
    vocabulary = [(text[first:last].decode(), score) for first, last, score in spans]
    found = Tokenizer(models.Unigram(vocabulary, unknown, False))
    found.normalizer = normalizers.Sequence(
        [normalizers.NFKC(), normalizers.Replace(Regex(r"(?!\s)[\p{Cc}\p{Cf}]"), "")]
    )
    found.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace()]
    )
    markers = [(vocabulary[number][0], number) for number in (end, start)]
    found.post_processor = processors.BertProcessing(*markers)
    return found


def _clean(text: str) -> str:
    """Return a text without lone surrogates."""
    return text[:MAX_CHARACTERS].encode("utf-8", "ignore").decode()
