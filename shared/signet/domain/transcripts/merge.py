"""Turn ends against session ends: which call is which, and how what each hands over becomes one transcript. Pure.

Codex (`Stop`), OpenClaw (`agent_end`) and Windsurf report each turn and never the end of a session, others both. A turn
end hands the transcript so far over and ends nothing: claim, continuity and what was injected stay. The end, and with
it the last summary, is written by whoever comes first: the harness that says so, or the scheduler once the session has
been silent for `hooks.sessionEnd.idleMinutes` (`domain/sessions/idle_timeout.py`). Both ask for the same version of the
same transcript, so it is read once. If more is said afterwards, the longer version is read, and its summary replaces
the earlier one.
"""

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import NamedTuple

from signet.domain.transcripts import injected_text, transcript
from signet.domain.transcripts.transcript import Turn

#: What harnesses call the end of a turn, in lower case, as they name the event or the reason.
TURN_ENDS = frozenset(
    {
        "agent_end",
        "agent-turn-complete",
        "afteragent",
        "idle",
        "post_cascade_response_with_transcript",
        "session.idle",
        "stop",
        "subagentstop",
        "turn_end",
        "turn-end",
    }
)
#: Two transcripts overlap where so many characters at the end of the one stand in the other.
OVERLAP_CHARS = 200


def is_turn_end(harness: str, runtime_path: str | None, reason: str | None) -> bool:
    """Return whether a call of session-end reports a turn.

    The published OpenClaw adapter calls it at `agent_end`, nowhere else, and without a reason.
    """
    if not (reason or "").strip():
        return harness == "openclaw" and runtime_path == "plugin"
    return (reason or "").strip().lower() in TURN_ENDS


def joined(stored: str, told: str, *, is_turn: bool) -> str:
    """Merge the stored transcript and the one handed over now, without losing a message of either.

    A harness that has compacted its context hands over less than before: what follows the end of the stored text is
    added. Where nothing overlaps, what a turn hands over is that turn and is added whole. Of two whole transcripts,
    each may have messages that the other lacks (PIP-34).
    """
    if stored in told:
        return told
    if told in stored:
        return stored
    # Stored before messages had times, or told again with others: OpenClaw corrects that of a prompt.
    if transcript.untimed(told).startswith(transcript.untimed(stored)):
        return told
    tail = _tail(stored)
    at = told.find(tail)
    if 0 <= at <= len(stored) - len(tail):
        return stored + told[at + len(tail) :]
    if is_turn and at < 0:
        return f"{stored}\n{told}"
    return transcript.written(_union(transcript.parse(stored), transcript.parse(told)))


def _union(stored: Sequence[Turn], told: Sequence[Turn]) -> list[Turn]:
    """Return the messages of both in order, a message of both once; by their times where all have one."""
    places: dict[tuple[str, str], list[int]] = {}
    for place, turn in enumerate(stored):
        places.setdefault(_same(turn), []).append(place)
    found: list[Turn] = []
    done = 0
    if not any(_same(turn) in places for turn in told):
        found, done = list(stored), len(stored)
    for turn in told:
        known = places.get(_same(turn))
        if not known:
            found.append(turn)
            continue
        place = known.pop(0)
        if place >= done:
            found += stored[done:place]
            found.append(turn if turn.at else stored[place])
            done = place + 1
    found += stored[done:]
    if all(turn.at for turn in found):
        found.sort(key=lambda turn: turn.at or "")
    return found


def _same(turn: Turn) -> tuple[str, str]:
    return turn.role, folded(turn.text)


def folded(text: str) -> str:
    """Return a message with single blanks: line breaks of stored messages may differ from those of a log."""
    return " ".join(text.split())


class Correction(NamedTuple):
    """A transcript without the texts of records that are no messages, and those texts."""

    text: str
    dropped: str


def corrected(stored: str, read: str, refused: Collection[str]) -> Correction | None:
    """Correct a transcript that an earlier reader stored; None where it has no text of such a record.

    `read` is the transcript as the log is read now, `refused` the folded texts of its other records.
    """
    messages = transcript.parse(read)
    known = {folded(turn.text) for turn in messages}
    kept: list[Turn] = []
    dropped: list[str] = []
    for turn in transcript.parse(stored):
        text = injected_text.without(turn.text).strip()
        is_refused = folded(turn.text) in refused and folded(turn.text) not in known
        if is_refused or text != turn.text:
            dropped.append(turn.text)
        if text and not is_refused:
            kept.append(replace(turn, text=text))
    if not dropped:
        return None
    if {folded(turn.text) for turn in kept} <= known:
        return Correction(read, "\n".join(dropped))
    text = transcript.written(kept)
    return Correction(joined(text, read, is_turn=False), "\n".join(dropped))


def _tail(text: str) -> str:
    """Return the last whole lines of a text that hold enough to be known again."""
    begin = text.rfind("\n", 0, max(len(text) - OVERLAP_CHARS, 0))
    return text[begin + 1 :]
