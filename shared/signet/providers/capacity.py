"""The context size of a model and the slots of its server: asked for, or learned from answers and errors.

A request that does not fit is not sent: servers refuse it, or cut its beginning in silence. Token counts of prompts
are estimated, and the estimate is corrected by the counts in answers.
"""

import re
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace

#: Seconds for which an answer of the server counts; it may be restarted with other options.
KNOWN_SECONDS, UNKNOWN_SECONDS = 300.0, 30.0
#: Every server holds a request of this many tokens, so no lookup is made for it.
SMALL_TOKENS = 2_048
#: Tokens of a chat template.
TEMPLATE_TOKENS = 40
#: Smallest share of the requested answer that is worth a call.
LEAST_SHARE = 0.25
#: Correction of estimates before the first answer: cautious.
FIRST_SCALE = 1.2
#: Limits of the correction of estimates, and the weight of an answer that lowers it.
LEAST_SCALE, MOST_SCALE, LOWER_WEIGHT = 0.6, 3.0, 0.1

_PIECES = re.compile(r"[A-Za-z]+|\s+|\d|[^\sA-Za-z\d]")
#: Letters of an English word piece, and tokens of a character of another script.
_PIECE_LETTERS, _OTHER_TOKENS = 4, 0.8


@dataclass(frozen=True, slots=True, kw_only=True)
class Capacity:
    """A server's limits for one request; None if it does not report one."""

    context_tokens: int | None = None
    slots: int | None = None


@dataclass(slots=True)
class _Known:
    capacity: Capacity
    until: float
    scale: float = FIRST_SCALE


_known: dict[tuple[str, str], _Known] = {}
_lock = threading.Lock()


@dataclass(frozen=True, slots=True)
class ModelServer:
    """One model of one server; its state is shared by all objects for it in this process."""

    url: str
    name: str

    def capacity(self, ask: Callable[[], Capacity]) -> Capacity:
        """Return the known capacity, or ask for it again when it is too old; `ask` never raises."""
        found = self._state()
        if time.monotonic() < found.until:
            return found.capacity
        told = ask()
        seconds = UNKNOWN_SECONDS if told == Capacity() else KNOWN_SECONDS
        with _lock:
            found.capacity, found.until = told, time.monotonic() + seconds
        return told

    def known(self) -> Capacity:
        """Return the known capacity without asking."""
        found = self._state()
        return found.capacity if time.monotonic() < found.until else Capacity()

    def forget(self) -> None:
        """Ask again before the next long request: the server has changed."""
        self._state().until = 0.0

    def refused(self, context_tokens: int | None) -> None:
        """Learn from an error about the context, which may state its size."""
        if context_tokens is None:
            return self.forget()
        found = self._state()
        with _lock:
            found.capacity = replace(found.capacity, context_tokens=context_tokens)
            found.until = time.monotonic() + KNOWN_SECONDS
        return None

    def tokens(self, text: str) -> int:
        """Return the estimated number of tokens of a prompt."""
        return round(estimate(text) * self._state().scale) + TEMPLATE_TOKENS

    def counted(self, text: str, tokens: int | None) -> None:
        """Learn from the server's own count of a prompt; it counts fewer when it has cached the beginning."""
        rough = estimate(text)
        if not tokens or not rough:
            return
        found, ratio = self._state(), min(tokens / rough, MOST_SCALE)
        with _lock:
            if ratio > found.scale:
                found.scale = ratio
            elif ratio >= LEAST_SCALE:
                found.scale += LOWER_WEIGHT * (ratio - found.scale)

    def _state(self) -> _Known:
        with _lock:
            return _known.setdefault((self.url, self.name), _Known(Capacity(), 0.0))


def estimate(text: str) -> int:
    """Return the rough number of tokens of a text: word pieces, digits, marks, characters of other scripts."""
    total = 0.0
    for match in _PIECES.finditer(text):
        piece = match[0]
        if piece[0].isascii():
            total += -(-len(piece) // _PIECE_LETTERS) if piece[0].isalpha() else piece != " "
        else:
            total += _OTHER_TOKENS
    return round(total)


def answer_room(context_tokens: int, prompt_tokens: int, wanted: int) -> int | None:
    """Return the tokens that an answer may have, at most `wanted`; None if too few are left."""
    room = context_tokens - prompt_tokens
    return min(room, wanted) if room >= LEAST_SHARE * wanted else None
