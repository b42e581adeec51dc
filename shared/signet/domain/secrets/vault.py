"""The vault: one file with names in the clear and values encrypted.

Readers take no lock, because the file is only ever replaced whole; writers hold one, so that two of them lose nothing.
A file that is not understood is never written over.
"""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from signet import clock
from signet.domain.secrets import box, machine
from signet.errors import Invalid, Kind, NotFound, SignetError
from signet.files import locked, replace_file

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)
#: Longest value, far beyond any key; what an environment can carry is not much more.
MAX_BYTES = 64 * 1024
VERSION = 1


class VaultUnreadable(SignetError):
    """This version cannot read the vault file."""

    kind = Kind.BROKEN
    code = "vault_unreadable"


class NoSuchSecret(NotFound):
    """There is no secret of this name."""

    code = "secret_not_found"

    def __init__(self, name: str) -> None:
        super().__init__(f"Secret '{name}' not found", name=name)


@dataclass(frozen=True, slots=True)
class Vault:
    """The secrets of one workspace, in its folder `.secrets`."""

    file: Path

    @property
    def folder(self) -> Path:
        return self.file.parent

    def names(self) -> list[str]:
        """Return the names, oldest first; raises VaultUnreadable."""
        return list(self._read())

    def value(self, name: str) -> str:
        """Return a value; raises NoSuchSecret, VaultUnreadable, NoMachineId, or SignetError."""
        entry = self._read().get(name)
        if entry is None:
            raise NoSuchSecret(name)
        return box.opened(box.key_of(machine.machine_id(self.folder)), str(entry.get("ciphertext")))

    def find(self, name: str) -> str | None:
        """Return a value, or None when there is none that can be read: for settings that name one."""
        try:
            return self.value(name)
        except (SignetError, OSError):
            return None

    def put(self, name: str, value: str, *, now: datetime | None = None) -> None:
        """Keep a value, in the place of an earlier one of that name; raises Invalid, VaultUnreadable, NoMachineId."""
        check_name(name)
        check_value(value)
        stamp = clock.to_text(now or clock.now())
        with self._locked():
            entries = self._read()
            key = box.key_of(machine.keep(self.folder))
            created = entries.get(name, {}).get("created", stamp)
            entries[name] = {
                "ciphertext": box.seal(key, value),
                "created": created,
                "updated": stamp,
            }
            self._write(entries)

    def delete(self, name: str) -> None:
        """Drop a secret; raises NoSuchSecret, VaultUnreadable."""
        with self._locked():
            entries = self._read()
            if entries.pop(name, None) is None:
                raise NoSuchSecret(name)
            self._write(entries)

    def _read(self) -> dict[str, dict[str, Any]]:
        try:
            found = json.loads(self.file.read_bytes())
        except FileNotFoundError:
            return {}
        except ValueError as error:
            raise VaultUnreadable(f"{self.file} is not JSON; nothing was changed") from error
        entries = found.get("secrets") if isinstance(found, dict) else None
        if not isinstance(entries, dict) or found.get("version") != VERSION:
            raise VaultUnreadable(f"{self.file} has an unknown format; nothing was changed")
        if not all(isinstance(entry, dict) for entry in entries.values()):
            raise VaultUnreadable(f"{self.file} contains an entry of an unknown format")
        return entries

    def _write(self, entries: dict[str, dict[str, Any]]) -> None:
        """Replace the file in one step, keeping the one before as `secrets.enc.bak`."""
        text = json.dumps({"version": VERSION, "secrets": entries}, indent=2)
        with suppress(FileNotFoundError):
            replace_file(self.file.with_name("secrets.enc.bak"), self.file.read_bytes())
        replace_file(self.file, text.encode())

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
    """Raise Invalid for what no environment can carry; the value is in no message."""
    if not value:
        raise Invalid("value is required")
    if "\0" in value:
        raise Invalid("value contains a NUL character, which an environment variable cannot hold")
    if len(value.encode("utf-8", "replace")) > MAX_BYTES:
        raise Invalid(f"value is longer than {MAX_BYTES} bytes")
