"""Model programs on this machine, run once per prompt.

The prompt goes to stdin, because every user could read an argument, and its length is limited. The program runs in
its own process group, which is terminated as a whole after the time limit. Our hooks are disabled in it, so that its
session is not recorded as memory (PIP-63).
"""

import os
import re
import signal
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from signet.errors import ProviderDown, ProviderFailed, ProviderTimeout
from signet.providers import exchange
from signet.providers.ports import Completion, Shape
from signet.text import json_text
from signet.text.json_text import as_object

#: Seconds for a program to end after SIGTERM.
TERM_SECONDS = 2.0
PROBE_SECONDS = 10.0
#: Retry delays for a missing program, and for one that reports its service as unreachable or refusing.
MISSING_SECONDS = 60.0
REFUSED_SECONDS = 60.0

#: Sign-in variables to keep from the surrounding session.
SIGN_IN = frozenset(
    {"CLAUDE_CODE_OAUTH_TOKEN", "CLAUDE_CODE_USE_BEDROCK", "CLAUDE_CODE_USE_VERTEX"}
)
#: Error texts of a temporarily unreachable or refusing service.
_DOWN = re.compile(
    r"rate.?limit|usage limit|overloaded|quota|\b(?:401|403|429|502|503|504|529)\b"
    r"|not logged in|log ?in|unauthori[sz]ed|authentication|api key|credit balance"
    r"|ECONN|ENOTFOUND|EAI_AGAIN|network|offline|connection (?:refused|error|reset)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """A program that answers prompts; `provider` is its name in errors."""

    provider: str
    executable: str
    #: Variables for the program, besides the common ones.
    extra: Mapping[str, str] = field(default_factory=dict)
    #: Maximum length of its output quoted in an error.
    excerpt_chars: int = 300

    def run(self, arguments: Sequence[str], prompt: str, *, timeout_seconds: float) -> str:
        """Return the program's output, never empty.

        Raises ProviderDown if the program or its service is missing, ProviderTimeout, ProviderFailed.
        """
        code, out, err = self._run(arguments, prompt, timeout_seconds)
        if code == 0 and out.strip():
            return out
        words = " ".join((err or out)[: 10 * self.excerpt_chars].split())
        said = exchange.without_echo(words, prompt)[: self.excerpt_chars]
        reason = f"exit status {code}: {said}" if code else f"it printed nothing: {said}"
        raise self.failure(reason, said)

    def failure(self, reason: str, said: str) -> ProviderDown | ProviderFailed:
        """Return the error for a failed run: ProviderDown if its output describes an unreachable service."""
        message = f"{self.provider}: {reason}"
        if _DOWN.search(said):
            return ProviderDown(
                message, retry_after_seconds=REFUSED_SECONDS, provider=self.provider
            )
        return ProviderFailed(message, provider=self.provider)

    def answers(self) -> bool:
        """Return whether the program prints its version; never raises."""
        try:
            return self._run(["--version"], "", PROBE_SECONDS)[0] == 0
        except (ProviderDown, ProviderFailed):
            return False

    def _run(self, arguments: Sequence[str], prompt: str, seconds: float) -> tuple[int, str, str]:
        try:
            program = subprocess.Popen(
                [self.executable, *arguments],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                cwd=Path.home(),
                env=environment(os.environ) | dict(self.extra),
                text=True,
                encoding="utf-8",
                errors="replace",
                start_new_session=True,
            )
        except OSError as error:
            raise ProviderDown(
                f"{self.provider}: cannot run {self.executable}: {error.strerror}",
                retry_after_seconds=MISSING_SECONDS,
                provider=self.provider,
            ) from error
        try:
            out, err = program.communicate(prompt, timeout=seconds)
        except subprocess.TimeoutExpired as error:
            raise ProviderTimeout(
                f"{self.provider}: timeout: no answer within {seconds:g} s", provider=self.provider
            ) from error
        finally:
            _end(program)
        return program.returncode, out, err


def environment(outer: Mapping[str, str]) -> dict[str, str]:
    """Return a model program's environment: without the surrounding session, colour and hooks."""
    kept = {
        name: value
        for name, value in outer.items()
        if name in SIGN_IN or not (name == "CLAUDECODE" or name.startswith("CLAUDE_CODE_"))
    }
    return kept | {"NO_COLOR": "1", "SIGNET_NO_HOOKS": "1"}


def _end(program: "subprocess.Popen[str]") -> None:
    """Terminate the program and its descendants, also after a normal end: it may have left some running."""
    if program.poll() is None:
        _signal(program, signal.SIGTERM)
        with suppress(subprocess.TimeoutExpired):
            program.wait(TERM_SECONDS)
    _signal(program, signal.SIGKILL)
    program.wait()
    for pipe in (program.stdin, program.stdout, program.stderr):
        if pipe is not None:
            with suppress(OSError):
                pipe.close()


def _signal(program: "subprocess.Popen[str]", number: signal.Signals) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(program.pid, number)


class ClaudeCodeModel:
    """A language model of the `claude` on the PATH, paid by its account."""

    def __init__(self, model: str) -> None:
        self.name = f"claude-code:{model}"
        self._model = model
        self._command = Command(provider=self.name, executable="claude")

    def generate(
        self, prompt: str, *, timeout_seconds: float, max_tokens: int, shape: Shape | None = None
    ) -> Completion:
        """Return the final text; the program sets its own token limit."""
        arguments = ["-p", "--model", self._model, "--no-session-persistence"]
        out = self._command.run(
            [*arguments, "--output-format", "json"], prompt, timeout_seconds=timeout_seconds
        )
        return self._completion(out)

    def available(self) -> bool:
        """Return whether the program exists; never raises."""
        return self._command.answers()

    def _completion(self, out: str) -> Completion:
        answer = json_text.an_object(out)
        if answer is None:
            return Completion(text=out, input_tokens=None, output_tokens=None)
        text = answer.get("result")
        if answer.get("is_error") or not isinstance(text, str) or not text.strip():
            said = str(text or answer.get("subtype") or "an answer without text")
            said = " ".join(said.split())[: self._command.excerpt_chars]
            raise self._command.failure(said, said)
        usage = answer.get("usage")
        counts = usage if isinstance(usage, dict) else {}
        read, written = counts.get("input_tokens"), counts.get("output_tokens")
        return Completion(
            text=text,
            input_tokens=read if isinstance(read, int) else None,
            output_tokens=written if isinstance(written, int) else None,
        )


class CodexModel:
    """A language model of the `codex` on the PATH, with read-only access to this machine."""

    def __init__(self, model: str) -> None:
        self.name = f"codex:{model}"
        self._model = model
        self._command = Command(
            provider=self.name,
            executable="codex",
            extra={"SIGNET_CODEX_BYPASS_WRAPPER": "1"},
            excerpt_chars=500,
        )

    def generate(
        self, prompt: str, *, timeout_seconds: float, max_tokens: int, shape: Shape | None = None
    ) -> Completion:
        """Return the agent's joined messages; the program sets its own token limit."""
        arguments = ["exec", "--skip-git-repo-check", "--json", "--sandbox", "read-only"]
        place = ["-C", str(Path.home()), "--model", self._model, "-"]
        out = self._command.run([*arguments, *place], prompt, timeout_seconds=timeout_seconds)
        return self._completion(out)

    def available(self) -> bool:
        """Return whether the program exists; never raises."""
        return self._command.answers()

    def _completion(self, out: str) -> Completion:
        texts: list[str] = []
        read = written = 0
        failed = ""
        for event in _events(out):
            kind, item = event.get("type"), as_object(event.get("item"))
            if kind == "item.completed" and item.get("type") == "agent_message":
                texts.append(str(item.get("text") or ""))
            elif kind == "turn.completed":
                usage = as_object(event.get("usage"))
                read += _count(usage.get("input_tokens"))
                written += _count(usage.get("output_tokens"))
            elif kind in ("turn.failed", "error"):
                error = as_object(event.get("error"))
                failed = str(error.get("message") or event.get("message") or "the turn failed")
        text = "\n".join(text for text in texts if text.strip())
        if not text:
            said = " ".join(failed.split())[: self._command.excerpt_chars]
            raise self._command.failure(said or "the answer is empty", said)
        return Completion(text=text, input_tokens=read, output_tokens=written)


def _events(out: str) -> Iterator[Mapping[str, object]]:
    """Yield the JSON objects among the lines of output."""
    for line in out.splitlines():
        if (event := json_text.an_object(line)) is not None:
            yield event


def _count(value: object) -> int:
    return value if isinstance(value, int) else 0
