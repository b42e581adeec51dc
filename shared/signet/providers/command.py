"""Model programs on this machine, run once per prompt.

The prompt goes to stdin, because every user could read an argument, and its length is limited. The program runs in
its own process group, which is terminated as a whole after the time limit. Our hooks are disabled in it, so that its
session is not recorded as memory (PIP-63).
"""

import os
import re
import signal
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from signet.errors import ProviderDown, ProviderFailed, ProviderTimeout
from signet.providers import echo

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
        said = echo.without(words, prompt)[: self.excerpt_chars]
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
