"""Run a command with secrets in its environment, and redact them in its output."""

import asyncio
import errno
import os
import re
import signal
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from signet.domain.secrets.redact import longest, redacted
from signet.domain.secrets.vault import Vault, check_name
from signet.errors import Forbidden, Invalid
from signet.wire.secrets import Ran

#: With any of these a shell runs more, or other words, than were allowed: it parts words at blanks and tabs only.
_MORE = re.compile(r"[;&|`$<>()\\]|[^\S \t]")


def values(vault: Vault, wanted: Mapping[str, str]) -> dict[str, str]:
    """Return the value of the secret that each variable names.

    Raises Invalid, NoSuchSecret, VaultUnreadable, and SignetError for a value that cannot be decrypted.
    """
    if not wanted:
        raise Invalid("secrets map is required")
    for variable in wanted:
        check_name(variable)
    return {variable: vault.value(name) for variable, name in wanted.items()}


def check_names(
    command: str, wanted: Mapping[str, str], allowed: Mapping[str, Sequence[str]]
) -> None:
    """Raise Forbidden unless a secret is allowed for the command (`secrets.execAllow`). Pure.

    A secret that is not in the list may go to every command; one that is goes to simple commands that begin with one
    of its prefixes, word by word.
    """
    for reference in wanted.values():
        prefixes = allowed.get(reference)
        if prefixes is None:
            continue
        words = command.split()
        begins = any(words[: len(prefix.split())] == prefix.split() for prefix in prefixes)
        if not begins or _MORE.search(command):
            raise Forbidden(f"secrets.execAllow does not allow this command to use {reference}")


#: Seconds that a command may take unless its caller sets another limit (SE-42).
SECONDS = 30.0
#: Characters of each stream that are given back.
STREAM_CHARS = 1_048_576
#: The exit status of a command that exceeded its time limit.
LATE = 124
_CHUNK = 65_536


async def run(
    arguments: Sequence[str],
    values: Mapping[str, str],
    *,
    folder: Path,
    seconds: float = SECONDS,
) -> Ran:
    """Run a program with these variables and return its output, redacted.

    Its whole process group is killed at the time limit, or when the client disconnects. Raises Invalid for arguments
    that no program accepts, and OSError if there is no such program.
    """
    if any("\0" in text for text in (*arguments, *values.values())):
        raise Invalid("A NUL character cannot be passed to a program")
    try:
        process = await asyncio.create_subprocess_exec(
            *arguments,
            cwd=folder,
            env={**os.environ, **values, "SIGNET_NO_HOOKS": "1"},
            stdin=DEVNULL,
            stdout=PIPE,
            stderr=PIPE,
            start_new_session=True,
        )
    except OSError as error:
        if error.errno != errno.E2BIG:
            raise
        raise Invalid("The command and its secrets are too long for this machine") from error
    assert process.stdout is not None and process.stderr is not None
    secrets = list(values.values())
    # A character has at most four bytes.
    most = 4 * (STREAM_CHARS + longest(secrets))
    out, err = bytearray(), bytearray()
    reading = asyncio.gather(
        _read(process.stdout, out, most), _read(process.stderr, err, most), process.wait()
    )
    is_late = False
    try:
        async with asyncio.timeout(seconds):
            await reading
    except TimeoutError:
        is_late = True
    finally:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        await process.wait()
    code = process.returncode or 0
    return Ran(
        code=LATE if is_late else code if code >= 0 else 128 - code,
        stdout=await asyncio.to_thread(_text, out, secrets),
        stderr=await asyncio.to_thread(_text, err, secrets),
    )


async def _read(stream: asyncio.StreamReader, into: bytearray, most: int) -> None:
    """Read to the end, keeping the first `most` bytes: a command must not wait for its reader."""
    while some := await stream.read(_CHUNK):
        into += some[: max(0, most - len(into))]


def _text(raw: bytearray, values: Sequence[str]) -> str:
    return redacted(raw.decode("utf-8", "replace"), values, STREAM_CHARS)
