"""The encrypted vault of secrets, and its form for backups, encrypted with a passphrase."""

import base64
import binascii
import hashlib
import json
import re
import secrets
import unicodedata
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Self

from signet import clock
from signet.domain.secrets import keys
from signet.errors import Invalid, Kind, NotFound, SignetError
from signet.files import locked, read_file, replace_file

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)
#: The longest value, far beyond any key; an environment cannot hold much more.
MAX_BYTES = 64 * 1024
#: Sealed under the id of the machine; sealed under the workspace's own key.
BY_MACHINE, VERSION = 1, 2
FILE, BACKUP = "secrets.enc", "secrets.enc.bak"


class VaultUnreadable(SignetError, kind=Kind.BROKEN, code="vault_unreadable"):
    """This version cannot read the vault file."""


class NoSuchSecret(NotFound, code="secret_not_found"):
    """There is no secret of this name."""

    def __init__(self, name: str) -> None:
        super().__init__(f"Secret '{name}' not found", name=name)


@dataclass(frozen=True, slots=True, kw_only=True)
class Secret:
    """A value in the clear, and when it was stored first and last."""

    value: str
    created: str
    updated: str


@dataclass(frozen=True, slots=True)
class Vault:
    """The secrets of one workspace, in its folder `.secrets`."""

    file: Path

    @property
    def folder(self) -> Path:
        return self.file.parent

    def names(self) -> list[str]:
        """Return the names, oldest first; raises VaultUnreadable."""
        return list(self._read()[1])

    def value(self, name: str) -> str:
        """Return a value; raises NoSuchSecret, VaultUnreadable, KeyMissing, NoMachineId, or SignetError."""
        bound = keys.bound_id(self.folder)  # first: a writer removes it after it replaced the vault
        version, entries = self._read()
        if name not in entries:
            raise NoSuchSecret(name)
        return keys.open_box(self._key(version, bound), str(entries[name].get("ciphertext")))

    def find(self, name: str) -> str | None:
        """Return a value, or None if it cannot be read: for settings that name a secret."""
        try:
            return self.value(name)
        except (SignetError, OSError):
            return None

    def everything(self) -> dict[str, Secret]:
        """Return all secrets in the clear; raises what `value` raises."""
        bound = keys.bound_id(self.folder)
        version, entries = self._read()
        return opened(entries, self._key(version, bound)) if entries else {}

    def put(self, name: str, value: str, *, now: datetime | None = None) -> None:
        """Store a value, replacing an earlier one of that name. Raises Invalid, VaultUnreadable, KeyMissing."""
        check_name(name)
        check_value(value)
        stamp = clock.to_text(now or clock.now())
        with self._locked():
            entries = self._current()
            created = entries.get(name, {}).get("created", stamp)
            entries[name] = {
                "ciphertext": keys.seal_box(keys.stored_key(self.folder), value),
                "created": created,
                "updated": stamp,
            }
            self._write(entries)

    def delete(self, name: str) -> None:
        """Delete a secret; raises NoSuchSecret, VaultUnreadable, KeyMissing."""
        with self._locked():
            if name not in self._read()[1]:
                raise NoSuchSecret(name)
            entries = self._current()
            del entries[name]
            self._write(entries)

    def sealed(self, secrets: Mapping[str, Secret]) -> bytes:
        """Return the content of a vault file with these secrets under this workspace's key. Raises KeyMissing."""
        with self._locked():
            key = keys.made_key(self.folder)
        return _file({name: _entry(key, secret) for name, secret in secrets.items()})

    def _read(self) -> tuple[int, dict[str, dict[str, Any]]]:
        try:
            raw = read_file(self.file)
        except FileNotFoundError:
            return VERSION, {}
        return parsed(raw, str(self.file))

    def _key(self, version: int, bound: str) -> bytes:
        if version == VERSION:
            return keys.stored_key(self.folder)
        return keys.key_of(bound or keys.found_id())

    def _current(self) -> dict[str, dict[str, Any]]:
        """Return the entries under this workspace's key, which is created; the first write seals version 1 again."""
        bound = keys.bound_id(self.folder)
        version, entries = self._read()
        if version == VERSION:
            if not entries:
                keys.made_key(self.folder)
            return entries
        key = keys.made_key(self.folder)
        secrets = opened(entries, self._key(version, bound)) if entries else {}
        unreadable = {name: entry for name, entry in entries.items() if name not in secrets}
        resealed = {name: _entry(key, secret) for name, secret in secrets.items()}
        replace_file(self.file, _file(resealed | unreadable))
        if not unreadable:  # else a person may still find the id that opens them
            self.file.with_name(BACKUP).unlink(missing_ok=True)
            (self.folder / keys.BOUND).unlink(missing_ok=True)
        return resealed | unreadable

    def _write(self, entries: dict[str, dict[str, Any]]) -> None:
        with suppress(FileNotFoundError):
            replace_file(self.file.with_name(BACKUP), self.file.read_bytes())
        replace_file(self.file, _file(entries))

    @contextmanager
    def _locked(self) -> Iterator[None]:
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self.folder.chmod(0o700)
        with locked(self.folder / ".lock"):
            yield


def check_name(name: str) -> None:
    """Raise Invalid for what can be no environment variable."""
    if not NAME.fullmatch(name):
        raise Invalid(
            f"Invalid secret name '{name}'. Use letters, digits, and underscores only.", name=name
        )


def check_value(value: str) -> None:
    """Raise Invalid for a value that an environment cannot contain, without showing the value."""
    if not value:
        raise Invalid("value is required")
    if "\0" in value:
        raise Invalid("value contains a NUL character, which an environment variable cannot hold")
    if len(value.encode("utf-8", "replace")) > MAX_BYTES:
        raise Invalid(f"value is longer than {MAX_BYTES} bytes")


def parsed(raw: bytes, name: str) -> tuple[int, dict[str, dict[str, Any]]]:
    """Return version and entries of a vault file; raises VaultUnreadable."""
    try:
        found = json.loads(raw)
    except (ValueError, RecursionError) as error:
        raise VaultUnreadable(f"{name} is not JSON; nothing was changed") from error
    entries = found.get("secrets") if isinstance(found, dict) else None
    version = found.get("version") if isinstance(found, dict) else None
    if not isinstance(entries, dict) or version not in (BY_MACHINE, VERSION):
        raise VaultUnreadable(f"{name} has an unknown format; nothing was changed")
    if not all(isinstance(entry, dict) for entry in entries.values()):
        raise VaultUnreadable(f"{name} contains an entry of an unknown format")
    return version, entries


def opened(entries: Mapping[str, Mapping[str, Any]], key: bytes) -> dict[str, Secret]:
    """Return the secrets that a key decrypts; the others are left out."""
    found = {}
    for name, entry in entries.items():
        with suppress(SignetError):
            found[name] = Secret(
                value=keys.open_box(key, str(entry.get("ciphertext"))),
                created=str(entry.get("created", "")),
                updated=str(entry.get("updated", "")),
            )
    return found


def _entry(key: bytes, secret: Secret) -> dict[str, Any]:
    sealed = keys.seal_box(key, secret.value)
    return {"ciphertext": sealed, "created": secret.created, "updated": secret.updated}


def _file(entries: Mapping[str, Mapping[str, Any]]) -> bytes:
    return json.dumps({"version": VERSION, "secrets": entries}, indent=2).encode()


MIN_CHARS = 12
#: The cost of a guess: 128 MB and about 0.4 s.
_N, _R, _P = 1 << 17, 8, 1
#: Limits for parameters in a file: 1 GB, and at most 16 times the work.
_MAX_BLOCKS, _MAX_P = 1 << 23, 16
_SALT_BYTES = 16


class WrongPassphrase(SignetError, code="wrong_passphrase"):
    """The passphrase does not open these secrets, or they are damaged."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wrapped:
    """Encrypted secrets with the parameters of scrypt; `count` is not authenticated."""

    count: int
    n: int
    r: int
    p: int
    salt: str
    box: str

    @classmethod
    def from_json(cls, found: object) -> Self:
        """Parse a mapping. Raises Invalid."""
        if not isinstance(found, dict):
            raise Invalid("wrapped secrets are not an object")
        made = cls(
            count=_number(found, "count"),
            n=_number(found, "n"),
            r=_number(found, "r"),
            p=_number(found, "p"),
            salt=_text_of(found, "salt"),
            box=_text_of(found, "box"),
        )
        if made.n < 2 or made.n & (made.n - 1) or not made.r >= 1 or not 1 <= made.p <= _MAX_P:
            raise Invalid("wrapped secrets have impossible parameters")
        if made.n * made.r > _MAX_BLOCKS:
            raise Invalid("wrapped secrets would need more than 1 GB of memory to open")
        return made


def wrap(found: Mapping[str, Secret], passphrase: str) -> Wrapped:
    """Return secrets encrypted under a passphrase. Raises Invalid for one that is too short."""
    if len(passphrase) < MIN_CHARS:
        raise Invalid(
            f"The passphrase has {len(passphrase)} characters; it needs at least {MIN_CHARS}"
        )
    salt = secrets.token_bytes(_SALT_BYTES)
    text = json.dumps({name: asdict(secret) for name, secret in found.items()})
    return Wrapped(
        count=len(found),
        n=_N,
        r=_R,
        p=_P,
        salt=base64.b64encode(salt).decode(),
        box=keys.seal_box(_wrapping_key(passphrase, salt, _N, _R, _P), text),
    )


def unwrap(wrapped: Wrapped, passphrase: str) -> dict[str, Secret]:
    """Return the secrets. Raises WrongPassphrase, and Invalid for content that no vault can store."""
    try:
        salt = base64.b64decode(wrapped.salt, validate=True)
        key = _wrapping_key(passphrase, salt, wrapped.n, wrapped.r, wrapped.p)
        found = json.loads(keys.open_box(key, wrapped.box))
    except (SignetError, binascii.Error, ValueError) as error:
        raise WrongPassphrase from error
    return {name: _secret(name, fields) for name, fields in found.items()}


def _number(found: Mapping[str, object], name: str) -> int:
    value = found.get(name)
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise Invalid(f"wrapped secrets: {name} is not a whole number")
    return value


def _text_of(found: Mapping[str, object], name: str) -> str:
    value = found.get(name)
    if not isinstance(value, str):
        raise Invalid(f"wrapped secrets: {name} is not a text")
    return value


def _secret(name: str, fields: Mapping[str, Any]) -> Secret:
    check_name(name)
    secret = Secret(**{field: str(fields[field]) for field in ("value", "created", "updated")})
    check_value(secret.value)
    return secret


def _wrapping_key(passphrase: str, salt: bytes, n: int, r: int, p: int) -> bytes:
    text = unicodedata.normalize("NFC", passphrase).encode()
    return hashlib.scrypt(text, salt=salt, n=n, r=r, p=p, maxmem=256 * n * r, dklen=32)
