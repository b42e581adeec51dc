"""How a server is started or reached: read from what a client sent, shown without what may be secret. Pure."""

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from signet.domain.marketplace.models import CALL_SECONDS, Config, Program, Remote
from signet.domain.secrets.vault import NAME
from signet.errors import Invalid
from signet.net.http import shown as without_password
from signet.text import web

#: What stands for a value that was written out and is shown to nobody; sent back, it means the value that was there.
HIDDEN = "[hidden]"
MAX_ARGUMENTS = 100
MAX_VARIABLES = 100
MAX_CHARS = 8_192

#: What a config may call its transport; without a word, the command or the address says it.
_PROGRAM = (None, "stdio")
_REMOTE = (None, "http", "streamable-http", "streamableHttp")

_REFERENCE = re.compile(rf"\$secret:({NAME.pattern})", re.ASCII)
_HEADER = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+", re.ASCII)
#: What the exchange itself says.
_RESERVED = frozenset(
    {"accept", "accept-encoding", "connection", "content-length", "content-type", "host"}
    | {"mcp-protocol-version", "mcp-session-id", "transfer-encoding"}
)
#: Names of variables and headers whose value is taken out of what a server says, though it is in no vault.
_CREDENTIAL = re.compile(r"key|token|secret|passw|credential|auth|cookie", re.IGNORECASE)


def read(sent: object, before: Config | None = None) -> Config:
    """Return what a client means by a config; raises Invalid.

    With `command` it is a program, with `url` a server over HTTP. Hidden values are those of `before`.
    """
    if not isinstance(sent, Mapping):
        raise Invalid("config must be an object with a command or a url")
    is_remote = "url" in sent and "command" not in sent
    if sent.get("transport", sent.get("type")) not in (_REMOTE if is_remote else _PROGRAM):
        raise Invalid("config.transport must be stdio, with a command, or http, with a url")
    if is_remote:
        known = before.headers if isinstance(before, Remote) else {}
        headers = _texts("config.headers", sent.get("headers"), known)
        return Remote(
            url=_address(sent.get("url"), before),
            headers=_checked_headers(headers),
            seconds=_seconds(sent.get("timeoutMs")),
        )
    known = before.env if isinstance(before, Program) else {}
    env = _texts("config.env", sent.get("env"), known)
    for name in env:
        if not NAME.fullmatch(name):
            raise Invalid("config.env contains an invalid variable name")
    return Program(
        command=_text("config.command", sent.get("command")),
        args=_arguments(sent.get("args")),
        env=env,
        cwd=_folder(sent.get("cwd")),
        seconds=_seconds(sent.get("timeoutMs")),
    )


def written(config: Config) -> dict[str, Any]:
    """Return a config as the file keeps it."""
    milliseconds = round(config.seconds * 1000)
    if isinstance(config, Remote):
        return {
            "transport": "http",
            "url": config.url,
            "headers": dict(config.headers),
            "timeoutMs": milliseconds,
        }
    return {
        "transport": "stdio",
        "command": config.command,
        "args": list(config.args),
        "env": dict(config.env),
        "cwd": config.cwd,
        "timeoutMs": milliseconds,
    }


def shown(config: Config) -> dict[str, Any]:
    """Return a config as clients see it: of variables and headers, only references to secrets have a value."""
    found = written(config)
    if isinstance(config, Remote):
        return found | {"url": without_password(config.url), "headers": _hidden(config.headers)}
    return found | {"env": _hidden(config.env)}


def values_of(config: Config) -> Mapping[str, str]:
    """Return the variables or headers of a config."""
    return config.headers if isinstance(config, Remote) else config.env


def references(config: Config) -> frozenset[str]:
    """Return the names of the secrets that a config needs."""
    return frozenset(
        name for value in values_of(config).values() for name in _REFERENCE.findall(value)
    )


def line_of(config: Config) -> str:
    """Return what `secrets.execAllow` is compared with: the command line, or the address."""
    if isinstance(config, Remote):
        return config.url
    return " ".join((config.command, *config.args))


def filled(config: Config, secrets: Mapping[str, str]) -> tuple[dict[str, str], list[str]]:
    """Return the variables or headers with the secrets in their places, and what no output may hold."""
    found = {
        name: _REFERENCE.sub(lambda match: secrets[match[1]], value)
        for name, value in values_of(config).items()
    }
    written_out = (
        value
        for name, value in values_of(config).items()
        if _CREDENTIAL.search(name) and not _REFERENCE.search(value)
    )
    # "Bearer abc" must be found when only abc is said.
    parts = [part for value in written_out for part in (value, *value.split()) if len(part) > 3]
    return found, [*secrets.values(), *parts]


def _hidden(values: Mapping[str, str]) -> dict[str, str]:
    return {
        name: value if _REFERENCE.search(value) else HIDDEN if value else ""
        for name, value in values.items()
    }


def _text(name: str, value: object) -> str:
    if not isinstance(value, str) or not value.strip():
        raise Invalid(f"{name} is required")
    if len(value) > MAX_CHARS or any(ord(character) < 32 for character in value):
        raise Invalid(
            f"{name} contains a control character or is longer than {MAX_CHARS} characters"
        )
    if _REFERENCE.search(value):
        raise Invalid(f"{name} cannot hold a secret; put it into env or headers")
    return value.strip()


def _arguments(value: object) -> tuple[str, ...]:
    if value is None:
        return ()
    if not isinstance(value, list) or len(value) > MAX_ARGUMENTS:
        raise Invalid(f"config.args must be a list of at most {MAX_ARGUMENTS} strings")
    for one in value:
        if not isinstance(one, str) or "\0" in one or len(one) > MAX_CHARS:
            raise Invalid("config.args contains a value that cannot be passed to a program")
        if _REFERENCE.search(one):
            raise Invalid(
                "config.args cannot hold a secret, because every user of the machine sees"
                " arguments; put it into env"
            )
    return tuple(value)


def _folder(value: object) -> str:
    if value in (None, ""):
        return ""
    folder = _text("config.cwd", value)
    if not folder.startswith("/"):
        raise Invalid("config.cwd must be an absolute path")
    return folder


def _texts(name: str, value: object, before: Mapping[str, str]) -> dict[str, str]:
    if value is None:
        return {}
    if not isinstance(value, Mapping) or len(value) > MAX_VARIABLES:
        raise Invalid(f"{name} must be an object of at most {MAX_VARIABLES} strings")
    found = {}
    for key, text in value.items():
        kept = before.get(key, "") if text == HIDDEN else text
        if not isinstance(kept, str) or "\0" in kept or len(kept) > MAX_CHARS:
            raise Invalid(f"{name} must contain strings of at most {MAX_CHARS} characters")
        found[str(key)] = kept
    return found


def _checked_headers(headers: dict[str, str]) -> dict[str, str]:
    for name, value in headers.items():
        if not _HEADER.fullmatch(name) or name.lower() in _RESERVED:
            raise Invalid("config.headers contains an invalid name")
        if not value.isprintable() or not value.isascii():
            raise Invalid("config.headers contains an invalid value")
    return headers


def _seconds(value: object) -> float:
    if value is None:
        return CALL_SECONDS
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise Invalid("config.timeoutMs must be a number")
    return min(max(value, 1_000), CALL_SECONDS * 1000) / 1000


def _address(value: object, before: Config | None) -> str:
    """Return an address; one as it was shown, without its query, is the one that was there."""
    if isinstance(before, Remote) and value == without_password(before.url):
        return before.url
    url = _text("config.url", value)
    if not web.is_address(url):
        raise Invalid("config.url must be an http or https address")
    if "@" in urlsplit(url).netloc:
        raise Invalid("config.url must not contain a password; set a header instead")
    return url.partition("#")[0]
