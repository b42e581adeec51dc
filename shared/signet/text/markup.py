"""Clean texts for prompts: nothing hidden, nothing that a harness or model reads as structure. Pure."""

import re
from collections.abc import Callable, Sequence

from signet.text import controls

#: Characters that look like one ASCII character: fullwidth and small forms, and letters of Cyrillic, Armenian and
#: Greek.
_WIDE = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)}
_WIDE |= {0xFE64: ord("<"), 0xFE5F: ord("#"), 0xFE55: ord(":")}
_WIDE |= str.maketrans(
    "асԁеһіјӏոорԛѕսѵԝхуοαιυνАВСЕНІЈКМОРЅТХУΑΒΕΗΙΚΜΝΟΡΤΥΧ",
    "acdehijlnopqsuvwxyoaiuvABCEHIJKMOPSTXYABEHIKMNOPTYX",
)

# Tags that harnesses and models read as structure, with or without a namespace. Runs of blanks are matched
# possessively, because stored texts can be of any length.
_TAG = re.compile(
    r"<(?=\s*+/?\s*+(?:\w++:)?(?:signet|memory-feedback|relevant-memories|system|reminder|instructions?|user\b|human\b|assistant"
    r"|developer\b|tools?\b|tool[_-]|function|invoke|parameter|thinking|command-|local-command|bash-|environment_context|user_instructions"
    r"|user-prompt|session-start|task-notification|ide_|important\b|context\b|im_start|im_end|\|))",
    re.IGNORECASE,
)
#: Marks of chat templates that are not tags, and our own.
_MARKS = re.compile(r"\[(?=/?INST\]|(?:signet:recall|memory active)\b)|<(?=</?SYS>>)")
#: A heading or speaker that looks like ours, emphasized or not.
_HEADING = re.compile(
    r"^[^\S\n]*+(?=#{1,6}[^\S\n]++[*_]{0,3}(?:session|commit|memory|memories|document|standing|relevant[^\S\n]memories"
    r"|working[^\S\n]memory|active[^\S\n]constraints|available[^\S\n]secrets|signet|about[^\S\n]your[^\S\n]user"
    r"|agent[^\S\n]instructions)\b)",
    re.I | re.M,
)
_SPEAKER = re.compile(
    r"^[^\S\n]*+(?=[*_]{0,3}(?:user|human|assistant|system|developer|tool)[*_]{0,3}[^\S\n]*+"
    r"(?:\([^()\n]{0,40}\)[*_]{0,3}[^\S\n]{0,9})?:)",
    re.I | re.M,
)
#: A speaker inside a line, as in a conversation joined to one line.
_INNER_SPEAKER = re.compile(
    r"(?<![\w“*_])(?<!> )[*_]{0,3}(?:User|USER|Human|HUMAN|Assistant|ASSISTANT)[*_]{0,3}"
    r"(?=[^\S\n]?(?:\([^()\n]{0,40}\))?:)"
)
#: The labels at the end of our items: the speaker, or a date with another origin.
_USERS_WORD = re.compile(r"\b(said\s++by\s++)(the\s++user)\b", re.IGNORECASE)
_ORIGIN = re.compile(
    r"[(\[](?!“)((?:[^()\[\]\n]{0,30}\b\d{4}|today|yesterday)[^()\[\]\n]{0,12},\s{0,9}"
    r"(?:inferred|imported|from a tool|from the web|saved by agent)\b[^()\[\]\n]{0,80})[)\]]",
    re.IGNORECASE,
)

Edit = tuple[re.Pattern[str], Callable[[re.Match[str]], str]]
_EDITS: Sequence[Edit] = (
    (_TAG, lambda _: "‹"),
    (_MARKS, lambda mark: "(" if mark[0] == "[" else "‹"),
    (_USERS_WORD, lambda said: f"{said[1]}“{said[2]}”"),
    (_ORIGIN, lambda said: f"(“{said[1]}”)"),
    (_HEADING, lambda blanks: f"{blanks[0]}\\"),
)
_QUOTING: Sequence[Edit] = (
    *_EDITS,
    (_SPEAKER, lambda blanks: f"{blanks[0]}> "),
    (_INNER_SPEAKER, lambda who: f"“{who[0]}”"),
)


def clean(text: str) -> str:
    """Return a text for a prompt: nothing hidden, no mark, heading or label like ours."""
    return _edited(controls.clean(text), _EDITS)


def quoted(text: str) -> str:
    """Return a text of one speaker, cleaned, in which no line looks like another speaker."""
    return _edited(controls.clean(text), _QUOTING)


def one_line(text: str | None) -> str:
    """Return a text in one line, cleaned, for a heading or list; "" for None."""
    return " ".join(quoted(text or "").split())


def _edited(text: str, edits: Sequence[Edit]) -> str:
    """Return the text with matches edited; look-alikes match as ASCII and are otherwise kept."""
    plain = text if text.isascii() else text.translate(_WIDE)
    for pattern, edit in edits:
        parts: list[str] = []
        end = 0
        for found in pattern.finditer(plain):
            parts += (text[end : found.start()], edit(found))
            end = found.end()
        if parts:
            text = "".join([*parts, text[end:]])
            plain = text if text.isascii() else text.translate(_WIDE)
    return text
