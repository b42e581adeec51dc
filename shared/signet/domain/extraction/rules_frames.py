"""What surrounds a statement and takes its meaning: play, a text that was asked for, pasted matter, proposed code.

Inside of such a frame a sentence has the form of a statement and its speaker does not mean it of himself.
"""

import re
from collections.abc import Sequence

from signet.domain.transcripts import transcript
from signet.domain.transcripts.transcript import Turn

#: Nobody types more prose than this in one message; it was pasted (of the evaluation data's messages 1 in 100).
PASTED_CHARS = 1_500

_FENCE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
#: Before a verb that asks for something, at the start of a sentence or behind words of asking.
_ASKING = r"(?:^|(?<=[.!?] )|\b(?:please|you to|you will|could you|can you|would you|help me|let['’]s|now|then|just) )"
_PLAY = re.compile(
    r"\brole[- ]?play|\b(?:dungeon|game) master\b|\btext adventure\b|\b(?:ability scores?|character sheet|hit points)\b"
    r"|\b(?:stay|reply|answer|speak) in character\b|\bimagine (?:that )?you(?:['’]re| are)\b"
    rf"|{_ASKING}(?:pretend\b|act as (?!an? (?:\w+ )?(?:expert|engineer|developer|reviewer|assistant|linter)))"
    r"|\byou(?:['’]re| are) (?:now )?(?:playing|going to play)\b",
    re.IGNORECASE | re.MULTILINE,
)
_WORK = (
    r"stor(?:y|ies)|scripts? for|scenes?|dialogues?|poems?|lyrics|essays?|letters?|speech(?:es)?|biography|screenplays?"
    r"|obituary|monologues?|persona"
)
_TEXT = rf"{_WORK}|e-?mails?|paragraphs?|texts?|articles?|posts?|bio|sentences?|following|captions?"
_NEAR = r"\b[^.!?\n]{0,60}?\b"
_TEXT_WANTED = re.compile(
    rf"{_ASKING}(?:(?:write|rewrite|compose|draft|translate|proofread|paraphrase|rephrase|summari[sz]e|polish|shorten"
    rf"|expand){_NEAR}(?:{_TEXT})|(?:continue|create|make|generate|improve|edit|correct){_NEAR}(?:{_WORK}))\b",
    re.IGNORECASE,
)


def meant(turns: Sequence[Turn]) -> list[Turn]:
    """Return the turns up to where a play begins: from there on nobody speaks as himself."""
    for at, turn in enumerate(turns):
        if turn.role == transcript.USER and _PLAY.search(turn.text):
            return list(turns[:at])
    return list(turns)


def asks_for_a_text(sentence: str) -> bool:
    """Say whether a sentence wants something written: what follows it is matter for that."""
    return _TEXT_WANTED.search(sentence) is not None


def is_pasted(turn: Turn) -> bool:
    """Say whether a user's message is so long that most of it was written by others."""
    return turn.role == transcript.USER and len(_FENCE.sub("", turn.text)) > PASTED_CHARS


def shows_code(turn: Turn) -> bool:
    """Say whether an assistant's message holds code: what it says of that code is a proposal."""
    return turn.role == transcript.ASSISTANT and "```" in turn.text
