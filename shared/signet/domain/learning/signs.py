"""Find corrections and repeated questions in the user's messages. Pure.

A correction must call something wrong, and contain half of the words of what it corrects. The words are known in
English, German, French, Spanish, Russian, Chinese and Japanese; in other languages only changes and forgetting count
as corrections.
"""

import re
from collections.abc import Sequence

from signet.db import fts
from signet.domain.episodes import search

#: Characters of a message to read, because corrections come at its start.
READ_CHARS = 2_000
#: Minimum of common words in a correction, and minimum share of the corrected text's words.
LEAST_SHARED, SHARE_OF_TEXT = 2, 0.5
#: Minimum of common words in a repeated question, and minimum share of either's words.
LEAST_ASKED, SHARE_OF_QUESTION = 3, 0.7

#: Denials at the start of a message: the word alone, or before a replacement.
_NO = re.compile(
    r"^\W*(?:"
    r"(?:no|nope|nein|nö|non|нет)\s*(?:[,.!;:–—-]|$)(?!\s*(?:problem|worries|gracias|merci|danke|thanks|спасибо))"
    r"|(?:no|nope)\s+(?:wait|it|we|you|that|this|the|they|he|she|i|not|use|don)\b"
    r"|不对|不是(?![吗嗎])|不[,，。]|いいえ|いや[、。,]|違います|違う|ちがいます"
    r")",
    re.I,
)
_ENGLISH = (
    r"^\W*(?:wrong|actually|incorrect|correction)\b",
    r"\bthat(?:['’]s| is| was)(?: \w+)? (?:wrong|outdated|incorrect|not (?:true|right|correct)|out of date)\b",
    r"\byou(?:['’]re| are) (?:wrong|mistaken)\b",
    r"(?<!\bwhat )\b(?:is|are|was|were) (?:wrong|outdated|not true|out of date)\b",
    r"\b(?:not|isn['’]t|aren['’]t) (?:true|the case|valid) any ?more\b",
    r"^[^.!?\n]{0,60}\bno longer\b",
)
_GERMAN = (
    r"^\W*(?:falsch|eigentlich|korrektur)\b",
    r"\bstimmt (?:so |aber |leider |doch )?(?:nicht|nicht mehr)\b(?!\s*\?)",
    r"\b(?:das|dies|es) (?:ist|war) (?:\w+ )?(?:falsch|veraltet|überholt|nicht (?:richtig|wahr|korrekt|so))\b",
    r"\b(?:du irrst|sie irren|du liegst falsch|da irrst du)\b",
    r"^[^.!?\n]{0,60}\b(?:nicht|kein(?:e[nmrs]?)?) mehr\b",
)
_FRENCH = (
    r"^\W*(?:faux|en fait|en réalité|correction)\b",
    r"\bc['’](?:est|était) (?:\w+ )?(?:faux|inexact|incorrect|périmé|dépassé|une erreur)\b",
    r"\bn['’](?:est|était) (?:pas|plus) (?:vrai|exact|correct|juste|le cas|valable|à jour)\b",
    r"\b(?:tu te trompes|vous vous trompez)\b",
    r"^[^.!?\n]{0,60}\bn(?:e |['’])\w+ plus\b(?! (?:que|tard)\b)",
)
_SPANISH = (
    r"^\W*(?:incorrecto|en realidad|corrección)\b",
    r"\b(?:eso|esto) (?:\w+ )?(?:es|era) (?:falso|incorrecto|un error)\b",
    r"\b(?:eso|esto) está (?:mal|equivocado|desactualizado|obsoleto|anticuado)\b",
    r"\bno (?:es|era) (?:cierto|verdad|correcto|así)\b(?!\s*\?)",
    r"\b(?:te equivocas|se equivoca|estás equivocad[oa])\b",
    r"^[^.!?\n]{0,60}\bya no\b",
)
_RUSSIAN = (
    r"^\W*(?:неверно|неправильно|на самом деле|вообще-то)\b",
    r"\bэто (?:\w+ )?(?:не так|неправда|неверно|неправильно|ошибка|устарело)\b",
    r"\b(?:ты ошиб|вы ошиб|ты неправ|вы неправы)",
    r"^[^.!?\n]{0,60}\bбольше не\b",
)
#: Languages without spaces between words.
_CHINESE = (
    r"^\W*(?:错了|其实|不正确)",
    r"[这那](?:个|样)?(?:是错|不对|不正确|说法不|已经过时|过时了)",
    r"你(?:说|搞|弄|记)错",
    r"^[^。！？\n]{0,30}(?:不再|已经不)",
)
_JAPANESE = (
    r"^\W*(?:実は|実際は|正しくは)",
    r"(?:それ|これ)は(?:違|間違|誤り|正しくな|古い)",
    r"間違(?:って(?:い|る|ま)|いです|えて)",
    r"^[^。！？\n]{0,30}もう[^。！？\n]{0,20}(?:ません|ない|なくな)(?![^。！？\n]*か[。？])",
)
_CORRECTS = re.compile(
    "|".join((*_ENGLISH, *_GERMAN, *_FRENCH, *_SPANISH, *_RUSSIAN, *_CHINESE, *_JAPANESE)),
    re.I,
)


def corrects(message: str, before: str = "") -> bool:
    """Return whether a message corrects something; "no" does not count after a question in `before`."""
    if _NO.search(message) and not before.rstrip().endswith(("?", "？")):
        return True
    return _CORRECTS.search(message[:READ_CHARS]) is not None


def is_about(message: str, text: str) -> bool:
    """Return whether a message contains at least half of a text's words."""
    words = fts.content_words(text[:READ_CHARS])
    shared = search.shared_words(words, message[:READ_CHARS])
    return shared >= max(LEAST_SHARED, SHARE_OF_TEXT * len(words))


def asks_the_same(message: str, before: str) -> bool:
    """Return whether a message repeats an earlier question."""
    new, old = (fts.content_words(one[:READ_CHARS]) for one in (message, before))
    return _holds(new, before) and _holds(old, message)


def _holds(words: Sequence[str], text: str) -> bool:
    shared = search.shared_words(words, text[:READ_CHARS])
    return shared >= max(LEAST_ASKED, SHARE_OF_QUESTION * len(words))
