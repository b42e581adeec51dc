"""What the last calls of a language model were worth: their time, usable answers, supported facts.

The worker notes calls here and stores the numbers; status, doctor and diagnostics read them. Deadlines follow the
measured speed.
"""

import json
import threading
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from signet.db import ReadTx, WriteTx, runtime_settings

#: Calls, answers and facts that are remembered, and the number from which they are judged.
KEPT, ENOUGH = 40, 10
#: Reading a prompt is this much faster than writing an answer.
READS_FASTER = 10
#: A deadline is this many times the expected time; each late call triples the next one, up to the longest.
PATIENCE, LATE_FACTOR, LONGEST_SECONDS = 1.5, 3, 1_800.0
#: Least time without a part of an answer after which a server hangs: loading a model takes up to a minute.
SILENCE_SECONDS = 90.0
#: Answers that may be as long, from which on a server that does not stream hangs after this many times the slowest.
ALIKE, SLOWEST_FACTOR = 5, 3
#: Shares of usable answers and of supported facts below which a model is too weak; the speed below which it is slow.
WEAK_ANSWERS, WEAK_FACTS, SLOW_TOKENS = 0.5, 0.5, 4.0
#: Expected minutes of the waiting jobs from which a model is slow.
LONG_MINUTES = 120
#: Answers of fewer tokens say little about the speed.
LEAST_TOKENS = 16

_KEY = "model_track:"
#: The way out of a model that is too weak or too slow, and a hint at the other one.
RULES_COMMAND = "signet config set memory.pipelineV2.extraction.provider rules"
ADVICE = "take a larger model, or the built-in rules; saving and recall work without a model"


class Timing(NamedTuple):
    seconds: float
    input_tokens: int
    output_tokens: int
    is_cut: bool
    #: The tokens that the answer was allowed.
    max_tokens: int = 0


@dataclass(slots=True)
class Track:
    """The last calls of one model."""

    calls: deque[Timing] = field(default_factory=lambda: deque(maxlen=KEPT))
    #: Whether each answer could be used, and whether each fact was supported by its source.
    answers: deque[bool] = field(default_factory=lambda: deque(maxlen=KEPT))
    facts: deque[bool] = field(default_factory=lambda: deque(maxlen=KEPT))
    #: Calls without an answer since the last answer.
    late: int = 0

    @property
    def tokens_per_second(self) -> float | None:
        """The speed of writing, None before enough of it was seen."""
        long = [one for one in self.calls if one.output_tokens >= LEAST_TOKENS]
        seconds = sum(one.seconds for one in long)
        return sum(one.output_tokens for one in long) / seconds if long and seconds else None

    @property
    def seconds_per_call(self) -> float:
        """The mean time of an answer, 0 without one."""
        return sum(one.seconds for one in self.calls) / len(self.calls) if self.calls else 0.0

    def deadline(self, input_tokens: int, max_tokens: int, least: float) -> float:
        """Return the seconds to wait for an answer: `least`, or more where the model was slow before."""
        expected = self._seconds_per_unit * (max_tokens + input_tokens / READS_FASTER)
        wanted = max(least, PATIENCE * expected) * float(LATE_FACTOR ** min(self.late, 10))
        return max(least, min(wanted, LONGEST_SECONDS))

    def silence(self, input_tokens: int) -> float:
        """Return the longest expected pause in seconds, before or within an answer, if the server works."""
        return self._patient(LATE_FACTOR * self._seconds_per_unit * input_tokens / READS_FASTER)

    def whole(self, input_tokens: int, max_tokens: int) -> float:
        """Return the seconds in which a whole answer comes, if a server that does not stream works."""
        alike = [one for one in self.calls if one.max_tokens >= max_tokens]
        if len(alike) < ALIKE:
            return LONGEST_SECONDS
        scaled = (one.seconds * max(1.0, input_tokens / max(one.input_tokens, 1)) for one in alike)
        return self._patient(SLOWEST_FACTOR * max(scaled))

    def _patient(self, seconds: float) -> float:
        late = float(LATE_FACTOR ** min(self.late, 10))
        return min(max(SILENCE_SECONDS, seconds) * late, LONGEST_SECONDS)

    @property
    def _seconds_per_unit(self) -> float:
        units = sum(map(_units, self.calls))
        return sum(one.seconds for one in self.calls) / units if units else 0.0

    def faults(self, waiting: int = 0) -> Iterator[str]:
        """Yield why the model is too weak, or too slow for this number of waiting jobs."""
        if len(self.answers) >= ENOUGH and _share(self.answers) < WEAK_ANSWERS:
            cut = sum(one.is_cut for one in self.calls)
            reached = f", {cut} reached the token limit" if cut else ""
            yield f"{_of(self.answers)} answers could be used{reached}"
        if len(self.facts) >= ENOUGH and _share(self.facts) < WEAK_FACTS:
            yield f"{_of(self.facts)} facts were supported by their text"
        speed, minutes = self.tokens_per_second, waiting * self.seconds_per_call / 60
        if speed is None or len(self.calls) < ENOUGH:
            return
        if speed < SLOW_TOKENS or minutes >= LONG_MINUTES:
            left = f", the {waiting} waiting jobs at least {minutes:.0f} min" if waiting else ""
            yield f"it writes {speed:.1f} tokens a second: an answer takes {self.seconds_per_call:.0f} s{left}"


_tracks: dict[str, Track] = {}
_changed: set[str] = set()
_lock = threading.Lock()


def deadline(model: str, input_tokens: int, max_tokens: int, least: float) -> float:
    """Return the seconds to wait for an answer of a model."""
    with _lock:
        return _track(model).deadline(input_tokens, max_tokens, least)


def silence(model: str, input_tokens: int, max_tokens: int, *, streams: bool) -> float:
    """Return the longest expected pause in seconds, before or within an answer, or until a complete one."""
    with _lock:
        track = _track(model)
        return track.silence(input_tokens) if streams else track.whole(input_tokens, max_tokens)


def answered(model: str, timing: Timing) -> None:
    with _lock:
        track = _track(model)
        track.calls.append(timing)
        track.late = 0
        _changed.add(model)


def late(model: str) -> None:
    """Note a call without an answer in time."""
    with _lock:
        _track(model).late += 1


def judged(model: str, *, is_usable: bool) -> None:
    """Note whether an answer could be used."""
    with _lock:
        _track(model).answers.append(is_usable)
        _changed.add(model)


def checked(model: str, *, supported: int, dropped: int) -> None:
    """Record how many facts of an answer its source supports, and how many it does not."""
    with _lock:
        _track(model).facts.extend([True] * supported + [False] * dropped)
        _changed.add(model)


def load(tx: ReadTx) -> None:
    """Load the records of an earlier process, except where this one has newer ones."""
    with _lock:
        for model, text in runtime_settings.get_all(tx, _KEY).items():
            _tracks.setdefault(model, _read(text))


def store(tx: WriteTx) -> None:
    """Store what was noted since the last time."""
    with _lock:
        texts = {model: _written(_tracks[model]) for model in _changed}
        _changed.clear()
    for model, text in texts.items():
        runtime_settings.put(tx, _KEY + model, text)


def stored(tx: ReadTx, model: str) -> Track:
    text = runtime_settings.get(tx, _KEY + model)
    return _read(text) if text else Track()


def forget() -> None:
    with _lock:
        _tracks.clear()
        _changed.clear()


def _track(model: str) -> Track:
    return _tracks.setdefault(model, Track())


def _units(one: Timing) -> float:
    return one.output_tokens + one.input_tokens / READS_FASTER


def _share(values: deque[bool]) -> float:
    return sum(values) / len(values)


def _of(values: deque[bool]) -> str:
    return f"{sum(values)} of its last {len(values)}"


def _written(track: Track) -> str:
    found = {"calls": list(track.calls), "answers": list(track.answers), "facts": list(track.facts)}
    return json.dumps(found)


def _read(text: str) -> Track:
    found, track = json.loads(text), Track()
    track.calls.extend(Timing(*one) for one in found["calls"])
    track.answers.extend(found["answers"])
    track.facts.extend(found["facts"])
    return track
