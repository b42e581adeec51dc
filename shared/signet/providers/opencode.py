"""A model behind an OpenCode server, local or remote.

Each call has its own session, deleted afterwards, so that no text influences another. The server may answer a message
before its text is ready; the session is then polled.
"""

import time
from contextlib import suppress

from signet.errors import ProviderDown, ProviderFailed, ProviderTimeout
from signet.providers.ports import Completion, Shape
from signet.providers.served import Served
from signet.text.json_text import as_object, text_of

BASE_URL = "http://127.0.0.1:4096"
PROBE_SECONDS = 3.0
#: Total time and interval for polling a session without text.
LATE_TEXT_SECONDS = 20.0
LOOK_SECONDS = 0.25
#: Sessions to try: a restarting server loses its sessions.
SESSIONS = 2
GONE = frozenset({404, 410})


class OpencodeModel(Served):
    """A language model behind an OpenCode server; `model` is `provider/model`."""

    def __init__(self, url: str, model: str) -> None:
        super().__init__("opencode", url, model)
        vendor, _, name = model.partition("/")
        self._model = {"providerID": vendor, "modelID": name}

    def generate(
        self, prompt: str, *, timeout_seconds: float, max_tokens: int, shape: Shape | None = None
    ) -> Completion:
        """Return the joined text parts of the answer; the server sets its own token limit."""
        until = time.monotonic() + timeout_seconds
        for _ in range(SESSIONS):
            session = self._open(until)
            try:
                found = self._asked(session, prompt, until)
            except ProviderFailed as error:
                if error.facts.get("status") not in GONE:
                    raise
                continue
            finally:
                self._forget(session)
            if found is not None:
                return found
        raise ProviderFailed(f"{self.name}: the answer is empty", provider=self.name)

    def probe(self) -> str | None:
        """Return None if the server is healthy."""
        answer = self.exchange.get("/global/health", timeout_seconds=PROBE_SECONDS)
        return f"{self.name}: it is not healthy" if answer.get("healthy") is False else None

    def _open(self, until: float) -> str:
        answer = self.exchange.post("/session", {}, timeout_seconds=self._left(until))
        session = answer.get("id")
        if not isinstance(session, str) or not session:
            raise ProviderFailed(f"{self.name}: the session has no id", provider=self.name)
        return session

    def _asked(self, session: str, prompt: str, until: float) -> Completion | None:
        """Return the answer of one session, None if it stays empty."""
        message = {"parts": [{"type": "text", "text": prompt}], "model": self._model}
        path = f"/session/{session}/message"
        found = self._completion(
            self.exchange.post(path, message, timeout_seconds=self._left(until))
        )
        late = min(until, time.monotonic() + LATE_TEXT_SECONDS)
        while found is None and time.monotonic() < late:
            time.sleep(LOOK_SECONDS)
            messages = self.exchange.get_list(path, timeout_seconds=self._left(until))
            found = self._completion(messages[-1]) if messages else None
        return found

    def _completion(self, message: object) -> Completion | None:
        said = as_object(message)
        info = as_object(said.get("info"))
        if info.get("role") == "user":
            return None
        text = text_of(said.get("parts"))
        if not text.strip():
            return None
        tokens = as_object(info.get("tokens"))
        return self.exchange.completion(text, tokens.get("input"), tokens.get("output"))

    def _forget(self, session: str) -> None:
        """Delete the session; a failure is harmless."""
        with suppress(ProviderDown, ProviderFailed):
            self.exchange.delete(f"/session/{session}", timeout_seconds=PROBE_SECONDS)

    def _left(self, until: float) -> float:
        seconds = until - time.monotonic()
        if seconds <= 0:
            raise ProviderTimeout(f"{self.name}: timeout", provider=self.name)
        return seconds
