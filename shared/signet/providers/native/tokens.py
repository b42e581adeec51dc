"""Texts as the token IDs of a model, by the `tokenizers` library."""

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from signet.providers.native.session import Unusable
from signet.providers.native.unigram import MAX_CHARACTERS

if TYPE_CHECKING:
    import tokenizers


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
    """Return a model's tokenizer: `tokenizer.json` or `vocab.txt`; raises Unusable."""
    from tokenizers import Tokenizer as Library

    path = folder / "tokenizer.json"
    try:
        if path.is_file():
            return Tokenizer(Library.from_file(str(path)), max_tokens)
        path = folder / "vocab.txt"
        return Tokenizer(_word_pieces(path, is_cased), max_tokens)
    except Exception as error:  # the library's errors have no other common class
        if not path.is_file():
            reason = f"{folder} contains no tokenizer (tokenizer.json or vocab.txt)"
            raise Unusable(reason) from error
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


def _clean(text: str) -> str:
    """Return a text without lone surrogates."""
    return text[:MAX_CHARACTERS].encode("utf-8", "ignore").decode()
