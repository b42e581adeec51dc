"""What surrounds a statement and takes its meaning: play, a text that was asked for, pasted matter, proposed code.

Inside of such a frame a sentence has the form of a statement and its speaker does not mean it of himself.
"""

import re
from collections.abc import Sequence

from signet.domain.sessions import transcript
from signet.domain.sessions.transcript import Turn

#: Nobody types more prose than this in one message; it was pasted (of the evaluation data's messages 1 in 100).
PASTED_CHARS = 1_500

_FENCE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_PLAY = re.compile(
    r"\brole[- ]?play|\bact(?:ing)? as (?:an?|my|the|if)\b|\bpretend\b|\b(?:dungeon|game) master\b"
    r"|\btext adventure\b|\b(?:stay|reply|answer|speak) in character\b|\b(?:ability|character) scores?\b"
    r"|\bcharacter sheet\b|\bmy character\b|\bhit points\b|\bimagine (?:you|that you|we)(?:['’]re| are)\b"
    r"|\byou(?:['’]re| are) (?:now )?(?:playing|going to play|an? (?:\w+ )?(?:assistant|bot|character"
    r"|expert|king"
    r"|queen|wizard|knight|detective|doctor|therapist|teacher|tutor|interviewer|poet|pirate|narrator))\b",
    re.IGNORECASE,
)
_TEXT_WANTED = re.compile(
    r"\b(?:write|rewrite|compose|draft|continue|translate|proofread|paraphrase|rephrase|summari[sz]e"
    r"|polish|improve|edit|correct|shorten|expand|complete|finish|generate|create|make)\b[^.!?\n]{0,60}?"
    r"\b(?:stor(?:y|ies)|scripts? for|scenes?|dialogues?|poems?|songs?|lyrics|essays?|letters?|e-?mails?"
    r"|speech(?:es)?"
    r"|paragraphs?|texts?|articles?|posts?|bio|biography|resum[eé]|cv|chapters?|screenplays?|sentences?"
    r"|following|captions?|tweets?|obituary|monologues?|persona)\b",
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
