"""How a text is cut into words where spaces do not do it, alike in an index (SQL) and in a question (Python). Pure.

FTS5 takes a run of Chinese, Japanese or Korean characters as one word, so a word inside a sentence would not be
found. Full text therefore reads each table through a view in which every such character stands with the one behind
it, as a word of its own: 我用Git吧 is read as 我用 用 Git 吧. The view is SQL and nothing else, so the index is right
whoever writes. Letters that the tokenizer does not fold are folded in the same place: Straße is found by Strasse.
"""

import re
from collections.abc import Iterable, Sequence

#: Ideographs, kana and Hangul, as the ranges of a character class; marks such as the middle dot end a run.
RANGES = "々〇ぁ-ゖゝ-ゟァ-ヺー-ヿㇰ-ㇿ㐀-䶿一-鿿가-힣豈-﫿ｦ-ﾟ𠀀-𳎿"
#: One range around all of them, which is quicker to look for (and holds other signs, too).
_AROUND = "⺀-𳎿"
#: What the tokenizer `unicode61` leaves as it is.
FOLDED = {"ß": "ss", "ẞ": "ss", "ё": "е", "Ё": "Е", "œ": "oe", "Œ": "OE", "æ": "ae", "Æ": "AE"}

#: Characters that SQL cuts at once: finding the n-th character of a text costs n steps.
_PIECE = 32

_FOLD = str.maketrans(FOLDED)
_RUN = re.compile(f"[{RANGES}]+")


def fold(text: str) -> str:
    """Return a text with the letters replaced that the tokenizer does not fold."""
    return text if text.isascii() else text.translate(_FOLD)


def has_runs(text: str) -> bool:
    """Return whether a text holds a character of a script that is cut into pairs."""
    return not text.isascii() and _RUN.search(text) is not None


def cut(word: str) -> list[str]:
    """Return the words to look for in place of one that spaces enclose: pairs of characters, and what is between."""
    if not has_runs(word):
        return [word]
    found: list[str] = []
    at = 0
    for run in _RUN.finditer(word):
        found += [word[at : run.start()], *_pairs(run[0])]
        at = run.end()
    return [part for part in (*found, word[at:]) if part]


def cut_all(words: Iterable[str]) -> list[str]:
    """Return the words to look for in place of several, each once."""
    return list(dict.fromkeys(part for word in words for part in cut(word)))


def _pairs(run: str) -> list[str]:
    return [run[at : at + 2] for at in range(len(run) - 1)] or [run]


def view(table: str, columns: Sequence[str]) -> str:
    """Return the statement that makes the view through which full text reads a table: `seq` and the columns."""
    listed = ", ".join(f"{_read(column)} AS {column}" for column in columns)
    # By another name, because SQLite would not rename the table inside the expressions when it is renamed.
    return f"CREATE VIEW {view_name(table)} AS SELECT seq, {listed} FROM {table} AS source"


def view_name(table: str) -> str:
    """Return the name of that view."""
    return f"{table}_words"


def _read(column: str) -> str:
    """Return the expression for one column: as it is where it is ASCII, folded, or cut into pairs."""
    own = f"source.{column}"
    whole = f"CASE WHEN {own} GLOB '*[{_AROUND}]*' THEN {_cut(own)} ELSE {own} END"
    for letter, other in FOLDED.items():
        whole = f"replace({whole}, '{letter}', '{other}')"
    return f"CASE WHEN length(CAST({own} AS BLOB)) = length({own}) THEN {own} ELSE {whole} END"


def _cut(text: str) -> str:
    return f"""(
      WITH RECURSIVE
        place (at) AS (SELECT 1 UNION ALL SELECT at + 1 FROM place WHERE at < {_PIECE}),
        piece (number, part) AS (
          SELECT 0, substr({text}, 1, {_PIECE} + 1)
          UNION ALL
          SELECT number + 1, substr({text}, (number + 1) * {_PIECE} + 1, {_PIECE} + 1)
            FROM piece WHERE length(part) > {_PIECE})
      SELECT group_concat(
               CASE WHEN two GLOB '[{RANGES}][{RANGES}]' THEN ' ' || two || ' '
                    WHEN two GLOB '[{RANGES}]*' THEN ' ' || substr(two, 1, 1) || ' '
                    ELSE substr(two, 1, 1) END, '')
        FROM (SELECT substr(part, at, 2) AS two FROM piece CROSS JOIN place WHERE at <= length(part)))"""
