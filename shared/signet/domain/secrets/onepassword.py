"""1Password, through its vendor's command `op` and a service account's token, which is itself a secret of the vault."""

import asyncio
import json
import os
import re
import shutil
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from signet.errors import Invalid, Unavailable

#: The secret that holds the token of the service account.
TOKEN = "OP_SERVICE_ACCOUNT_TOKEN"
REFERENCE = "op://"
#: Seconds for one answer of the vendor.
SECONDS = 20.0
_PROGRAM = "op"
_KINDS = frozenset({"PASSWORD", "CONCEALED"})
_LIKELY = re.compile(
    r"(?i)api[ _-]?key|token|secret|password|passphrase|credential|private[ _-]?key"
)
_ODD = re.compile(r"[^A-Z0-9]+")


class Refused(Unavailable):
    """1Password refused the request."""

    code = "onepassword_failed"


async def vaults(token: str) -> list[dict[str, str]]:
    """Return id and name of each vault that the token opens; raises Invalid or Refused."""
    found = await _asked(token, "vault", "list")
    return [{"id": str(one["id"]), "name": str(one["name"])} for one in _objects(found)]


async def read(token: str, reference: str) -> str:
    """Return the value behind an `op://` reference; raises Invalid or Refused."""
    text = await _told(token, "read", "--no-newline", reference)
    return text.decode("utf-8", "replace")


async def fields(token: str, vault_id: str) -> list[tuple[str, str, str]]:
    """Return item, field and value of each credential in a vault; raises Invalid or Refused."""
    found = []
    for item in _objects(await _asked(token, "item", "list", "--vault", vault_id)):
        whole = await _asked(token, "item", "get", str(item["id"]), "--vault", vault_id)
        title = str(item.get("title", "item"))
        held = _objects(whole.get("fields") if isinstance(whole, dict) else None)
        found += [
            (title, str(one.get("label") or one.get("id")), str(one["value"]))
            for one in held
            if _is_credential(one)
        ]
    return found


def name_of(prefix: str, parts: Iterable[str], taken: Collection[str]) -> str:
    """Return the name that an imported value gets: `PREFIX_VAULT_ITEM_FIELD`, numbered when it is taken. Pure."""
    words = [_ODD.sub("_", part.upper()).strip("_") for part in (prefix, *parts)]
    name = "_".join(word for word in words if word) or "SECRET"
    if name[0].isdigit():
        name = f"_{name}"
    found, number = name, 2
    while found in taken:
        found, number = f"{name}_{number}", number + 1
    return found


def _is_credential(one: Mapping[str, Any]) -> bool:
    if not isinstance(one.get("value"), str) or not one["value"]:
        return False
    kind, label = str(one.get("type", "")).upper(), str(one.get("label", ""))
    return kind in _KINDS or bool(_LIKELY.search(label))


def _objects(found: object) -> list[dict[str, Any]]:
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []


async def _asked(token: str, *arguments: str) -> Any:
    try:
        return json.loads(await _told(token, *arguments, "--format", "json") or b"null")
    except ValueError as error:
        raise Refused("1Password's answer is not JSON") from error


async def _told(token: str, *arguments: str) -> bytes:
    program = shutil.which(_PROGRAM)
    if program is None:
        raise Invalid(
            "The 1Password command `op` is not installed: https://developer.1password.com/docs/cli",
            "onepassword_missing",
        )
    try:
        process = await asyncio.create_subprocess_exec(
            program,
            *arguments,
            env={**os.environ, TOKEN: token},
            stdin=DEVNULL,
            stdout=PIPE,
            stderr=PIPE,
        )
    except (OSError, ValueError) as error:  # also for a token that is too long or holds a NUL
        raise Refused("1Password cannot handle this reference") from error
    try:
        out, err = await asyncio.wait_for(process.communicate(), SECONDS)
    except TimeoutError as error:
        raise Refused(f"1Password did not answer within {SECONDS:.0f} s") from error
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    if process.returncode:
        why = err.decode("utf-8", "replace").replace(token, "[REDACTED]").strip().splitlines()
        raise Refused(f"1Password refused: {why[-1] if why else process.returncode}")
    return out


def chosen(
    known: Sequence[Mapping[str, str]], wanted: Sequence[str] | None
) -> list[Mapping[str, str]]:
    """Return the vaults that are wanted by id or name, all without a wish; raises Invalid for an unknown one. Pure."""
    if not wanted:
        return list(known)
    found = [one for one in known if one["id"] in wanted or one["name"] in wanted]
    missing = [
        name for name in wanted if not any(name in (one["id"], one["name"]) for one in known)
    ]
    if missing:
        raise Invalid(f"1Password has no vault {', '.join(missing)}")
    return found
