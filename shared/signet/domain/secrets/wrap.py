"""Secrets wrapped with a passphrase, so that they can travel: in a backup, to another machine.

The key comes from the passphrase by scrypt; the box is that of the vault. Whoever has the file can guess passphrases
offline, about three a second and processor, so short ones are refused.
"""

import base64
import binascii
import hashlib
import json
import secrets
import unicodedata
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Self

from signet.domain.secrets import box
from signet.domain.secrets.vault import Secret, check_name, check_value
from signet.errors import Invalid, SignetError

MIN_CHARS = 12
#: The cost of a guess: 128 MB and about 0.4 s.
_N, _R, _P = 1 << 17, 8, 1
#: What a file may ask of this machine: 1 GB, and at most 16 times the work.
_MAX_BLOCKS, _MAX_P = 1 << 23, 16
_SALT_BYTES = 16


class WrongPassphrase(SignetError):
    """The passphrase does not open these secrets, or they are damaged."""

    code = "wrong_passphrase"


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
        """Return what a mapping describes. Raises Invalid."""
        if not isinstance(found, dict):
            raise Invalid("wrapped secrets are not an object")
        made = cls(
            count=_number(found, "count"),
            n=_number(found, "n"),
            r=_number(found, "r"),
            p=_number(found, "p"),
            salt=_text(found, "salt"),
            box=_text(found, "box"),
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
        box=box.seal(_key(passphrase, salt, _N, _R, _P), text),
    )


def unwrap(wrapped: Wrapped, passphrase: str) -> dict[str, Secret]:
    """Return the secrets. Raises WrongPassphrase, and Invalid for content that no vault can store."""
    try:
        salt = base64.b64decode(wrapped.salt, validate=True)
        key = _key(passphrase, salt, wrapped.n, wrapped.r, wrapped.p)
        found = json.loads(box.opened(key, wrapped.box))
    except (SignetError, binascii.Error, ValueError) as error:
        raise WrongPassphrase from error
    return {name: _secret(name, fields) for name, fields in found.items()}


def _number(found: Mapping[str, object], name: str) -> int:
    value = found.get(name)
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise Invalid(f"wrapped secrets: {name} is not a whole number")
    return value


def _text(found: Mapping[str, object], name: str) -> str:
    value = found.get(name)
    if not isinstance(value, str):
        raise Invalid(f"wrapped secrets: {name} is not a text")
    return value


def _secret(name: str, fields: Mapping[str, Any]) -> Secret:
    check_name(name)
    secret = Secret(**{field: str(fields[field]) for field in ("value", "created", "updated")})
    check_value(secret.value)
    return secret


def _key(passphrase: str, salt: bytes, n: int, r: int, p: int) -> bytes:
    """Return the key of a passphrase, the same for every way to type its letters."""
    text = unicodedata.normalize("NFC", passphrase).encode()
    return hashlib.scrypt(text, salt=salt, n=n, r=r, p=p, maxmem=256 * n * r, dklen=32)
