"""Split text into words for scripts without spaces, in the same way in the index (SQL) and in questions (Python). Pure.

FTS5 takes a run of Chinese, Japanese or Korean characters as one word, so a word inside a sentence would not be
found. Full text therefore reads each table through a view, in which every such character is joined with the next one
to one word: 我用Git吧 is read as 我用 用 Git 吧. The view is SQL and nothing else, so the index is right for each
program that writes. In the same place

- wide, half-width, enclosed and ligated characters become usual ones: ＡＰＩ is API, ﾃﾞ is デ, ﬁ is fi;
- letters that the tokenizer does not fold are folded: Straße is found by Strasse;
- letters and digits that meet are parted: python3.11 is read as python 3.11, so 3.11 finds it;
- an emoji becomes a number that the tokenizer keeps.
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import cache

#: Ideographs, kana and Hangul, as the ranges of a character class; marks such as the middle dot end a run.
RANGES = "々〇ぁ-ゖゝ-ゟァ-ヺー-ヿㇰ-ㇿ㐀-䶿一-鿿가-힣豈-﫿ｦ-ﾟ𠀀-𳎿"
#: One range around all of them, which is faster to search (and contains other signs, too).
_AROUND = "⺀-𳎿"
#: Characters that the tokenizer `unicode61` does not change.
FOLDED = {"ß": "ss", "ẞ": "ss", "ё": "е", "Ё": "Е", "œ": "oe", "Œ": "OE", "æ": "ae", "Æ": "AE"}

#: Stylistic variants of letters and digits (NFKC), as the ranges of a character class.
_DRESSED = "²³µ¹⁰-₟ℂ-⓿㈀-㏿ﬀ-ﬆ０-９Ａ-Ｚａ-ｚｦ-ﾟ"
#: Signs that stay unchanged: they represent no letter, or end a word.
_UNDRESSED = "™℠℡℻Ω℮"
#: Wide marks except sentence marks, and hyphens. In an index every mark ends a word, so only texts in Python change.
_MARKS: dict[int, int | str] = {
    one: one - 0xFEE0 for one in range(0xFF02, 0xFF5F) if chr(one) not in "，；？"
}
_MARKS |= {**dict.fromkeys(map(ord, "‐‑−﹣"), ord("-")), 0xFE0F: ""}
#: The longest usual form of one.
_FORM_CHARS = 3
_MARKED = re.compile("[ｳｶ-ﾎ]ﾞ|[ﾊ-ﾎ]ﾟ")
#: Pictures that count as words, as the ranges of a character class, and the prefix of their number in the index.
_EMOJI = "⌚⌛⏩-⏺☀-➿⬅-⬇⬛⬜⭐⭕🇦-🇿🌀-🫿"
_EMOJI_WORD = "00"

#: Letters that are separated from digits, as the ranges of a character class.
_LETTERS = "A-Za-zÀ-ÖØ-öø-ɏͰ-ϿЀ-ӿ"
_DIGITS = "0123456789"
#: Visible ASCII without digits, the most frequent first: `ltrim` compares each character with these in order.
_NO_DIGITS = "".join(
    dict.fromkeys(
        " etaoinsrhldcumfpgwybvkxjqz.,-_/:\"'`()\n"
        + "".join(chr(code) for code in (9, *range(32, 127)) if chr(code) not in _DIGITS)
    )
)
#: In a longer text letters and digits stay together: SQL would need too many steps.
_MOST_PARTED = 20_000

#: Characters that SQL cuts at once: finding the n-th character of a text costs n steps.
_PIECE = 32

_RUN = re.compile(f"[{RANGES}]+")
#: One emoji, flag or digit on a key cap.
PICTURE = f"[0-9]\ufe0f?\u20e3|[🇦-🇿]{{2}}|[{_EMOJI}]"
_PICTURE = re.compile(PICTURE)
_JOINT = re.compile(rf"(?<=[{_LETTERS}])(?=[0-9])|(?<=[0-9])(?=[{_LETTERS}])")


@cache
def _forms() -> dict[str, str]:
    """Return the usual form of each variant, by a version of Unicode that never changes."""
    table = unicodedata.ucd_3_2_0
    found: dict[str, str] = {}
    for one in re.findall(f"[{_DRESSED}]", "".join(map(chr, range(0xB2, 0xFFA0)))):
        form = table.normalize("NFKC", one)
        is_one = form != one and len(form) <= _FORM_CHARS and not re.search(r"[\s⁄]", form)
        if is_one and one not in _UNDRESSED and any(map(str.isalnum, form)):
            found[one] = form
    return found


@cache
def _changes(*, marks: bool) -> tuple[re.Pattern[str], dict[int, str]]:
    """Return a pattern for the characters that `usual` (or `fold`, with `marks`) replaces, and their replacements."""
    folds, signs = str.maketrans(FOLDED), _MARKS if marks else {}
    forms = {ord(one): one for one in FOLDED} | {code: chr(code) for code in signs}
    forms |= str.maketrans(_forms() | {"ﾞ": "", "ﾟ": ""})
    table = {code: form.translate(folds).translate(signs) for code, form in forms.items()}
    return re.compile(f"[{re.escape(''.join(map(chr, table)))}]"), table


def fold(text: str) -> str:
    """Return a text in the form for comparison: `usual`, with usual marks."""
    return text if text.isascii() else _replaced(text, marks=True)


def usual(text: str) -> str:
    """Return a text with the characters replaced that the tokenizer does not fold."""
    return _replaced(text, marks=False)


def _replaced(text: str, *, marks: bool) -> str:
    found, table = _changes(marks=marks)
    if found.search(text) is None:
        return text
    voiced = _MARKED.sub(lambda found: unicodedata.normalize("NFKC", found[0])[0], text)
    return voiced.translate(table)


def parted(text: str) -> str:
    """Return a text with spaces around each run of these scripts."""
    return _RUN.sub(r" \g<0> ", text) if has_runs(text) else text


def apart(text: str) -> str:
    """Return a text with spaces around each emoji."""
    return text if text.isascii() else _PICTURE.sub(r" \g<0> ", text)


def is_picture(word: str) -> bool:
    """Return whether a word is one emoji, a flag, or a digit on a key cap, which is indexed as a digit."""
    return _PICTURE.fullmatch(word) is not None


def indexed(word: str) -> str:
    """Return a query word in its indexed form."""
    return _PICTURE.sub(_numbers, _JOINT.sub(" ", word)).strip()


def _numbers(found: re.Match[str]) -> str:
    signs = found[0].rstrip("\ufe0f\u20e3")
    return f" {' '.join(one if one.isascii() else f'{_EMOJI_WORD}{ord(one)}' for one in signs)} "


def has_runs(text: str) -> bool:
    """Return whether a text contains a character of a script that is cut into pairs."""
    return not text.isascii() and _RUN.search(text) is not None


def cut(word: str) -> list[str]:
    """Return the search words for a word between spaces: pairs of characters, and the parts between."""
    if not has_runs(word):
        return [word]
    found: list[str] = []
    at = 0
    for run in _RUN.finditer(word):
        found += [word[at : run.start()], *_pairs(run[0])]
        at = run.end()
    return [part for part in (*found, word[at:]) if part]


def cut_all(words: Iterable[str]) -> list[str]:
    """Return the search words for several words, each once."""
    return list(dict.fromkeys([part for word in words for part in cut(word)]))


def _pairs(run: str) -> list[str]:
    return [run[at : at + 2] for at in range(len(run) - 1)] or [run]


def view(table: str, columns: Sequence[str]) -> str:
    """Return the statement that creates a table's full-text view: `seq` and the columns."""
    listed = ", ".join(f"{_read(column)} AS {column}" for column in columns)
    # By an alias, because SQLite would not rename the table inside the expressions when it is renamed.
    return f"CREATE VIEW {view_name(table)} AS SELECT seq, {listed} FROM {table} AS source"


def view_name(table: str) -> str:
    return f"{table}_words"


def _read(column: str) -> str:
    own = f"source.{column}"
    is_ascii = f"length(CAST({own} AS BLOB)) = length({own})"
    # A text that is not from a table is computed once, however often it is named.
    plain = f"(SELECT {_folded('usual.t')} FROM (SELECT {_usual(own)} AS t) AS usual)"
    whole = f"SELECT CASE WHEN {is_ascii} THEN {own} ELSE {plain} END AS t"
    return f"(SELECT {_parted('whole.t')} FROM ({whole}) AS whole)"


def _usual(text: str) -> str:
    """Return the expression for a text with usual characters, and words instead of emoji."""
    forms = "".join(f"{one}{form:<{_FORM_CHARS}}" for one, form in _forms().items())
    keys = _ranges(_forms())
    usual = f"rtrim(substr(forms, instr(forms, substr(two, 1, 1)) + 1, {_FORM_CHARS}))"
    # Voiced kana follow the plain ones: カ, ガ and ハ, バ, パ.
    letter = f"""CASE WHEN two GLOB '[ｶ-ﾎ]ﾞ' THEN char(unicode({usual}) + 1)
                 WHEN two GLOB '[ﾊ-ﾎ]ﾟ' THEN char(unicode({usual}) + 2)
                 WHEN two = 'ｳﾞ' THEN 'ヴ'
                 WHEN two GLOB '[ﾞﾟ]*' THEN ''
                 WHEN two GLOB '[{keys}]*' THEN {usual}
                 WHEN two GLOB '[{_EMOJI}]*' THEN printf(' {_EMOJI_WORD}%d ', unicode(two))
                 ELSE substr(two, 1, 1) END"""
    each = _each(text, letter, f", (SELECT '{forms}' AS forms)")
    return f"CASE WHEN {text} GLOB '*[{_DRESSED}{_EMOJI}]*' THEN {each} ELSE {text} END"


def _ranges(characters: Iterable[str]) -> str:
    """Return characters, given in ascending order, as the ranges of a character class."""
    runs: list[str] = []
    for one in sorted(characters):
        if runs and ord(one) == ord(runs[-1][-1]) + 1:
            runs[-1] = f"{runs[-1][0]}-{one}"
        else:
            runs.append(one)
    return "".join(runs)


def _folded(text: str) -> str:
    """Return the expression for a text that is not ASCII: cut into pairs, and folded."""
    letter = f"""CASE WHEN two GLOB '[{RANGES}][{RANGES}]' THEN ' ' || two || ' '
                    WHEN two GLOB '[{RANGES}]*' THEN ' ' || substr(two, 1, 1) || ' '
                    ELSE substr(two, 1, 1) END"""
    whole = f"CASE WHEN {text} GLOB '*[{_AROUND}]*' THEN {_each(text, letter)} ELSE {text} END"
    for one, other in FOLDED.items():
        whole = f"replace({whole}, '{one}', '{other}')"
    return whole


def _each(text: str, letter: str, more: str = "") -> str:
    """Return the expression that maps each two characters `two` of a text to `letter`; `more` are other sources."""
    return f"""(
      WITH RECURSIVE
        place (at) AS (SELECT 1 UNION ALL SELECT at + 1 FROM place WHERE at < {_PIECE}),
        piece (number, part) AS (
          SELECT 0, substr({text}, 1, {_PIECE} + 1)
          UNION ALL
          SELECT number + 1, substr({text}, (number + 1) * {_PIECE} + 1, {_PIECE} + 1)
            FROM piece WHERE length(part) > {_PIECE})
      SELECT group_concat({letter}, '')
        FROM (SELECT substr(part, at, 2) AS two FROM piece CROSS JOIN place WHERE at <= length(part)){more})"""


def _parted(text: str) -> str:
    """Return the expression that separates adjacent letters and digits of a text.

    Each step takes the text up to the next digit (`ahead` begins with it) and the digits, or one character that is not
    ASCII.
    """
    skipped = "'" + _NO_DIGITS.replace("'", "''") + "'"
    after = f"iif(ahead GLOB '[0-9]*', ltrim(ahead, '{_DIGITS}'), substr(ahead, 2))"
    head = "substr(rest, 1, length(rest) - length(ahead))"
    middle = f"substr(ahead, 1, length(ahead) - length({after}))"
    is_digit = "ahead GLOB '[0-9]*'"
    return f"""CASE WHEN length({text}) <= {_MOST_PARTED}
       AND ({text} GLOB '*[{_LETTERS}][0-9]*' OR {text} GLOB '*[0-9][{_LETTERS}]*') THEN (
      WITH RECURSIVE step (done, rest, ahead) AS (
        SELECT '', {text}, ltrim({text}, {skipped})
        UNION ALL
        SELECT done || {head}
            || iif({is_digit} AND substr(done || {head}, -1) GLOB '[{_LETTERS}]', ' ', '')
            || {middle} || iif({is_digit} AND {after} GLOB '[{_LETTERS}]*', ' ', ''),
          {after}, ltrim({after}, {skipped})
          FROM step WHERE ahead <> '')
      SELECT done || rest FROM step WHERE ahead = '') ELSE {text} END"""
