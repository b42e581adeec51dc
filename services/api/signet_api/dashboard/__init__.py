"""The dashboard's files, built from `services/api/dashboard` and kept in memory.

Requested names are looked up, never used as paths.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from mimetypes import guess_type

from starlette.responses import Response

#: Only our own scripts, styles and requests; no framing.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "worker-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types signet"
)
INDEX = "index.html"
#: Built files whose names contain a content hash.
_HASHED = ("index-", "chunk-")
_FOR_EVER, _ASK_AGAIN = "public, max-age=31536000, immutable", "no-cache"
_TYPES = {".js": "text/javascript"}


@dataclass(frozen=True, slots=True)
class File:
    """One file and its headers."""

    body: bytes
    media_type: str
    headers: Mapping[str, str]


def answer(name: str, known: str | None) -> Response:
    """Return a file; 304 if its ETag is `known`; raises KeyError for an unknown name."""
    file = files()[name]
    if known is not None and known == file.headers["etag"]:
        return Response(status_code=304, headers=file.headers)
    return Response(file.body, headers=file.headers, media_type=file.media_type)


@cache
def files() -> Mapping[str, File]:
    top = resources.files(__name__) / "static"
    found = {INDEX: (top / INDEX).read_bytes()}
    found |= {each.name: each.read_bytes() for each in (top / "assets").iterdir()}
    return {name: _file(name, body) for name, body in found.items()}


def _file(name: str, body: bytes) -> File:
    ending = name[name.rfind(".") :]
    media_type = _TYPES.get(ending) or guess_type(name)[0] or "application/octet-stream"
    headers = {
        "cache-control": _FOR_EVER if name.startswith(_HASHED) else _ASK_AGAIN,
        "etag": f'"{hashlib.sha256(body).hexdigest()[:32]}"',
    }
    if name == INDEX:
        headers["content-security-policy"] = POLICY
    return File(body, media_type, headers)
