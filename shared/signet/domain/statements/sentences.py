"""Split text into sentences of people, without code, logs, tables and other machine text.

Returns paragraphs, because a pronoun may only refer to its own paragraph. A list item is a separate paragraph.
"""

import re
from collections.abc import Iterator

from signet.domain.statements.language import listed
from signet.text import patterns

#: Abbreviations whose full stop does not end a sentence.
ABBREVIATIONS = frozenset(
    "mr. mrs. ms. dr. prof. st. sr. jr. vs. e.g. i.e. etc. approx. no. fig. inc. ltd. corp. co. "
    "dept. est. cf. al. a.m. p.m. u.s. u.k. jan. feb. mar. apr. jun. jul. aug. sep. sept. oct. "
    "nov. dec. z.b. bzw. usw. ca. nr. evtl. ggf. dipl. ing. mag. univ.".split()
)

#: A line with a smaller share of letters and spaces is not prose.
PROSE_SHARE = 0.75

#: A text of one line up to this length is prose although figures outweigh its letters: "04:30 it is", "24".
ANSWER_CHARS = 40

#: A line at least this long, without a full stop, was broken by an editor.
WRAPPED_CHARS = 70

#: A longer one is not a sentence, and not worth its time.
MAX_SENTENCE_CHARS = 1_000

#: Longer lines are whole paragraphs (a stored memory is one line): their sentences are checked one by one.
LONG_LINE_CHARS = 200

FENCE = patterns.lazy(r"^[ \t]*(```|~~~).*?(?:^[ \t]*\1[^\n]*$|\Z)", re.DOTALL | re.MULTILINE)
_FENCE_MARK = patterns.lazy(r"```.*?(?:```|\Z)", re.DOTALL)
#: Code in backticks stays unchanged; the alternatives after it are removed.
_TAG = patterns.lazy(r"(`[^`\n]*`)|<!--(?:(?!-->|<!--).)*-->|</?[a-zA-Z][^<>\n]{0,200}>", re.DOTALL)
_LINK = patterns.lazy(r"!?\[([^\[\]\n]{0,300})\]\([^)\[\n]{0,1000}\)")
_ASIDE = patterns.lazy(r"(`[^`\n]*`)|(?<!\s)\s*+\[[^\]\n]{0,300}\](?!\()")
_MARKS = patterns.lazy(r"(`[^`\n]*`)|\*{1,3}|(?<!\w)_{1,3}(?=\w)|(?<=\w)_{1,3}(?!\w)|~~")
_EMOJI = patterns.lazy(
    "[\U0001f000-\U0001faff\u2190-\u21ff\u2600-\u27bf\u2b00-\u2bff\ufe0f\u200d]+"
)
_ITEM = patterns.lazy(r"\s*(?:[-*+•]|\(?\d{1,3}[.)]|[a-z]\))\s+(?:\[[ xX]\]\s*)?")
_HEADING = patterns.lazy(r"\s*#{1,6}\s")
_STRUCTURE = patterns.lazy(r"\s*[{}\[\]<|\"]")

_MACHINE = patterns.lazy(
    r"""
      \s*[|].*[|]\s*$ | .*\|.*\|                                 # table
    | \s*(?:\+\+\+|---|===|\*\*\*|@@|diff\ --git|index\ [0-9a-f]{6}) # diff, rule
    | [+-](?:[^\s\w]|\w+\s*\(|\s{2,}\S)                            # diff line
    | \s*\[?\d{4}-\d\d-\d\d[T\ ]\d\d:\d\d                          # log
    | \s*\[?\d\d:\d\d:\d\d
    | \s*\[?(?:INFO|WARN(?:ING)?|ERROR|DEBUG|TRACE|FATAL)\b\s*[\]:|-]
    | \s*(?:at\s+[\w$.<>]+\s*\(|File\s+".*",\s+line\s+\d|Traceback\b|Caused\ by:|[\w.]*(?:Error|Exception):)
    | \s*[{}\[\]<$\\%"]                                            # JSON, markup, shell, formulas
    | \s*(?:>>>|>|//|/\*|\#!|\.\.\.\s|C:\\|~/)
    | .*(?:[;{]|=>|\)\s*:|&&|\|\||\\\w+\{|</?\w+>)\s*$             # code
    | \s*(?:import|from\s+\S+\s+import|def|class|function|const|let|var|return|public|private|async|await|export
        |\#include|SELECT|INSERT|UPDATE|DELETE|CREATE|ALTER|sudo|pip\s+install|npm\s+\w+|git\s+\w+|curl)\s+
        [^\s.]*(?:[({=:;*,]|\s*$|\s+(?:-|\w+\s*[({=]|FROM|INTO|TABLE|install\b))
    | .*\s(?:=|==|:=|\+=|!=|\\\\)\s
    | \s*[\w.-]+\s*[:=]\s*[\w./-]*\s*$                              # key: value
    """,
    re.VERBOSE,
)
#: After the number of a day: "bis zum 15. Januar".
_MONTH = patterns.lazy(rf"\s*(?:{'|'.join(sorted(listed('words', 'months')))})\b", re.IGNORECASE)
_BOUNDARY = patterns.lazy(
    r"(?:(?<![.!?…])|(?![.!?…]))([^\s.!?…]{0,40}+)([.!?…]++)([\"'”’)\]*_`]*+)\s++(?=[\"'“‘(\[`*_]*\w|[-–—])"
)


def paragraphs(text: str) -> list[list[str]]:
    """Return the sentences of a text, paragraph by paragraph, in order."""
    prose = _FENCE_MARK.sub("\n\n", FENCE.sub("\n\n", text))
    prose = _LINK.sub(r"\1", _TAG.sub(lambda found: found[1] or " ", prose))
    is_answer = len(text) <= ANSWER_CHARS and "\n" not in text.strip()
    found = [list(_sentences(block)) for block in _blocks(prose, is_answer=is_answer)]
    return [sentences for sentences in found if sentences]


def _blocks(prose: str, *, is_answer: bool) -> Iterator[str]:
    """Yield paragraphs and list items as one line each, joining wrapped lines."""
    block = last = ""
    for line in prose.split("\n"):
        item = _ITEM.match(line)
        bare = line[item.end() :] if item else line
        if not bare.strip() or not is_prose(line, bare, is_answer=is_answer):
            yield block
            block = last = ""
        elif item or not _continues(last, bare.strip()):
            yield block
            block = last = bare.strip()
        else:
            last = bare.strip()
            block = f"{block} {last}"
    yield block


def is_prose(line: str, bare: str, *, is_answer: bool = False) -> bool:
    """Return whether a line was written for people; `bare` is the line without its list mark.

    An answer may consist of figures.
    """
    if len(line) > LONG_LINE_CHARS and not _STRUCTURE.match(bare):
        return True
    if _HEADING.match(line) or _MACHINE.match(bare):
        return False
    if line.startswith(("    ", "\t")) and bare is line:
        return False
    unmarked = re.sub(r"`[^`]*`|\*\*", "", bare).strip()
    letters = sum(map(str.isalpha, unmarked)) + unmarked.count(" ")
    return is_answer or letters >= PROSE_SHARE * len(unmarked)


def _continues(last: str, line: str) -> bool:
    """Return whether a line continues the sentence of the previous one."""
    if not last or last[-1] in ".!?:":
        return False
    return line[0].islower() or last[-1] in ",(" or len(last) >= WRAPPED_CHARS


def _sentences(block: str) -> Iterator[str]:
    clean = _MARKS.sub(r"\1", _EMOJI.sub(" ", _ASIDE.sub(r"\1", block)))
    start = 0
    for match in _BOUNDARY.finditer(clean):
        word, stop = match[1].lstrip("(\"'“‘[-").lower(), match[2]
        is_number = word.isdigit() and match.start() == start
        is_date = word.isdigit() and _MONTH.match(clean, match.end()) is not None
        is_unit = clean[: match.start()].rstrip()[-1:].isdigit()  # "16 ms. For all of them"
        if stop == "." and (
            (word + "." in ABBREVIATIONS and not is_unit)
            or (len(word) == 1 and word.isalpha())
            or is_number
            or is_date
        ):
            continue
        yield from _trimmed(clean[start : match.end()])
        start = match.end()
    yield from _trimmed(clean[start:])


def _trimmed(sentence: str) -> Iterator[str]:
    bare = " ".join(sentence.split()).strip("-–—•# ")
    if 0 < len(bare) <= MAX_SENTENCE_CHARS and not _MACHINE.match(bare):
        yield bare
