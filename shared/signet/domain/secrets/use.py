"""Run a command with secrets in its environment, and redact them in its output."""

import asyncio
import base64
import errno
import json
import os
import re
import signal
from asyncio.subprocess import DEVNULL, PIPE
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import accumulate, chain
from pathlib import Path
from urllib.parse import quote, quote_plus

from signet.domain.secrets.vault import Vault, check_name
from signet.errors import Forbidden, Invalid
from signet.text.literals import SHORT_CHARS, Literals
from signet.wire.secrets import Ran

# Taking values out of a text, in every form in which a command may have printed them. Pure.

REDACTED = "[REDACTED]"
TRUNCATED = "\n[truncated]"
#: Longer forms are also found where a program has broken them into lines, as `base64` does.
WRAPPED_CHARS = 7
_LINE_END = re.compile(r"\r?\n")
#: Fewer letters and digits may be a word: only the forms of `_forms` are taken out.
SQUEEZED_CHARS = 8
#: Most characters that a disguise makes of a byte: `0x41, `.
DISGUISE = 8
#: Longer forms are searched in parts.
PART_CHARS = 2_048
_RUN = re.compile(r"[^\W_]+")


def redacted(text: str, values: Sequence[str], limit: int | None = None) -> str:
    """Return the text without the values; at most `limit` characters of it, and then a mark that there was more.

    A value that lies across the limit is taken out as well.
    """
    forms = {part for value in values for form in _forms(value) for part in _parts(form)}
    text = _joined(text, [form for form in forms if len(form) > WRAPPED_CHARS])
    plain, squeezed = Literals(forms), Literals(_squeezed_forms(values))
    end = len(text) if limit is None else limit
    more = TRUNCATED if len(text) > end else ""
    if more:
        for start, stop in _places(text, plain, squeezed):
            if start >= end:
                break
            end = max(end, stop)
        text = text[:end]
    parts, done = [], 0
    for start, stop in _places(text, plain, squeezed):
        if start >= done:
            parts += [text[done:start], REDACTED]
        done = max(done, stop)
    return "".join([*parts, text[done:], more])


def longest(values: Sequence[str]) -> int:
    """Return how many characters the longest form of the values has."""
    return max((DISGUISE * len(value.encode("utf-8", "replace")) for value in values), default=0)


def _places(text: str, plain: Literals, squeezed: Literals) -> list[tuple[int, int]]:
    """Return the positions of values, from the left: their forms, and their letters and digits with any separators."""
    runs = [found.span() for found in _RUN.finditer(text)]
    ends = list(accumulate(stop - start for start, stop in runs))
    found = list(plain.places(text))
    for first, last in squeezed.places(_squeezed(text)):
        begin, end = bisect_right(ends, first), bisect_left(ends, last)
        found.append((runs[begin][1] - (ends[begin] - first), runs[end][1] - (ends[end] - last)))
    return sorted(found)


def _parts(form: str) -> Iterator[str]:
    size = -(-len(form) // (len(form) // PART_CHARS + 1)) or 1
    yield from (form[at : at + size] for at in range(0, len(form), size))


def _squeezed_forms(values: Sequence[str]) -> set[str]:
    """Return letters and digits of the values: plain, reversed, and as codes of their bytes."""
    forms = {form for value in values for form in _disguises(value)}
    return {part for form in forms if len(form) >= SQUEEZED_CHARS for part in _parts(form)}


def _disguises(value: str) -> Iterator[str]:
    """Yield each line of a value, and all of it, squeezed in every disguise; nothing for a short one."""
    for text in {value, *(line for line in value.split("\n") if len(line) >= SQUEEZED_CHARS)}:
        raw, plain = text.encode("utf-8", "replace"), _squeezed(text)
        digits = raw.hex()
        pairs = [digits[at : at + 2] for at in range(0, len(digits), 2)]
        forms = [
            plain,
            plain[::-1],
            digits,
            raw[::-1].hex(),
            text.encode("utf-16-le", "replace").hex(),
        ]
        forms += [f"{mark}".join(["", *pairs]) for mark in ("x", "0x", "u00")]
        forms += ["".join(map(str, raw)), *map(_squeezed, chain(_base64(raw), _base32(raw)))]
        yield from forms if len(text) > SHORT_CHARS else ()


def _squeezed(text: str) -> str:
    return "".join(_RUN.findall(text.replace("\u0130", "i"))).lower()


def _joined(text: str, forms: Collection[str]) -> str:
    """Remove line ends inside a form."""
    ends = [found[0] for found in _LINE_END.finditer(text)]
    if not forms or not ends:
        return text
    lines = _LINE_END.split(text)
    # Where each line end stood in the text without any.
    places = list(accumulate(map(len, lines[:-1])))
    for start, stop in Literals(forms).places("".join(lines)):
        for place in range(bisect_right(places, start), bisect_left(places, stop)):
            ends[place] = ""
    return "".join(chain.from_iterable(zip(lines, [*ends, ""], strict=True)))


def _forms(value: str) -> Iterator[str]:
    """Yield a value, its lines, and each of them in the forms of URL, JSON and base64."""
    yield value
    if len(value) <= SHORT_CHARS:
        return
    lines = [line.strip("\r") for line in value.split("\n")]
    for text in {value, *(line for line in lines if len(line) > SHORT_CHARS)}:
        yield text
        yield quote(text, safe="")
        yield quote(text)
        yield quote_plus(text)
        yield json.dumps(text)[1:-1]
        yield json.dumps(text, ensure_ascii=False)[1:-1]
        yield from _base64(text.encode("utf-8", "replace"))


def _base64(raw: bytes) -> Iterator[str]:
    """Yield the base64 parts that every text with these bytes contains, for each of the three alignments.

    The digits at both ends also carry bits of their neighbours, so they are left out.
    """
    for shift in range(3):
        first = (8 * shift + 5) // 6
        last = 8 * (shift + len(raw)) // 6
        for encode in (base64.b64encode, base64.urlsafe_b64encode):
            form = encode(b"\0" * shift + raw).decode()[first:last]
            if len(form) > SHORT_CHARS:
                yield form


def _base32(raw: bytes) -> Iterator[str]:
    """Yield the base32 parts that every text with these bytes contains, for each of the five alignments."""
    for shift in range(5):
        first = (8 * shift + 4) // 5
        last = 8 * (shift + len(raw)) // 5
        yield base64.b32encode(b"\0" * shift + raw).decode()[first:last]


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
