"""Read which package indexes pip and uv use on this machine, from their variables and files.

Both count, whichever installed this program: a person configured them once, for the tool in use. PyPI is queried only
if neither replaces it, because a company's machine must not call elsewhere. Settings in a project's folder do not
count, because this program belongs to no project.
"""

import configparser
import os
import re
import sys
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

PYPI = "https://pypi.org/simple"
_YES = frozenset({"1", "true", "yes", "on", "y", "t"})
#: uv's named index: `name=https://…`.
_NAMED = re.compile(r"([\w.-]+)=(.+)", re.DOTALL)
_UV_DEFAULT = ("UV_DEFAULT_INDEX", "UV_INDEX_URL")


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexSources:
    """Package sources, and the data needed to reach them.

    `indexes` have a page per package, in query order; empty if no index may be queried. `links` are pages and folders
    that list files. Certificates of `unchecked` hosts are not verified.
    """

    indexes: tuple[str, ...] = (PYPI,)
    links: tuple[str, ...] = ()
    bundles: tuple[str, ...] = ()
    client_cert: str | None = None
    proxy: str | None = None
    unchecked: frozenset[str] = frozenset()


def configured(environ: Mapping[str, str] = os.environ) -> IndexSources:
    """Return pip's and uv's configuration; unreadable files are ignored."""
    pip = {**_pip_files(environ), **_pip_variables(environ)}
    uv = _uv_file(environ)
    listed = [one for one in uv.get("index", ()) if isinstance(one, Mapping) and "url" in one]
    uv_default = (
        _variable(environ, *_UV_DEFAULT)
        or next((_spec(one) for one in listed if one.get("default")), None)
        or uv.get("index-url")
    )
    defaults = [url for url in (pip.get("index-url"), uv_default) if url]
    if _variable(environ, *_UV_DEFAULT) and not _variable(environ, "PIP_INDEX_URL"):
        defaults.reverse()  # a variable overrides a file
    more = [
        *pip.get("extra-index-url", "").split(),
        *environ.get("UV_INDEX", "").split(),
        *environ.get("UV_EXTRA_INDEX_URL", "").split(),
        *(_spec(one) for one in listed if not one.get("default")),
        *uv.get("extra-index-url", ()),
    ]
    links = [
        *pip.get("find-links", "").split(),
        *filter(None, environ.get("UV_FIND_LINKS", "").split(",")),
        *uv.get("find-links", ()),
    ]
    is_closed = pip.get("no-index") or environ.get("UV_NO_INDEX") or uv.get("no-index")
    indexes = (_located(one, environ) for one in [*(defaults or [PYPI]), *more])
    bundles = (pip.get("cert"), environ.get("REQUESTS_CA_BUNDLE"), environ.get("CURL_CA_BUNDLE"))
    hosts = [
        *pip.get("trusted-host", "").split(),
        *environ.get("UV_INSECURE_HOST", "").split(),
        *uv.get("allow-insecure-host", ()),
    ]
    return IndexSources(
        indexes=() if _is_yes(is_closed) else _once(indexes),
        links=_once(map(_placed, links)),
        bundles=_once(filter(None, bundles)),
        client_cert=pip.get("client-cert"),
        proxy=pip.get("proxy"),
        unchecked=frozenset(urlsplit(f"//{host}").hostname or "" for host in hosts),
    )


def _pip_variables(environ: Mapping[str, str]) -> dict[str, str]:
    return {
        name.removeprefix("PIP_").lower().replace("_", "-"): value.strip()
        for name, value in environ.items()
        if name.startswith("PIP_") and value.strip()
    }


def _pip_files(environ: Mapping[str, str]) -> dict[str, str]:
    """Return the values of pip's files, with pip's precedence: the last one wins."""
    named = environ.get("PIP_CONFIG_FILE")
    if named == os.devnull:
        return {}
    files = [folder / "pip" / "pip.conf" for folder in _machine_folders(environ)]
    files += [Path("/etc/pip.conf"), _home(environ) / ".pip" / "pip.conf"]
    if sys.platform == "darwin":
        support = Path("Library/Application Support/pip/pip.conf")
        files += ["/" / support, _home(environ) / support]
    files += [_config(environ) / "pip" / "pip.conf", Path(sys.prefix) / "pip.conf"]
    found: dict[str, str] = {}
    for path in [*files, *([Path(named)] if named else [])]:
        found.update(_pip_file(path))
    return found


def _pip_file(path: Path) -> dict[str, str]:
    parser = configparser.RawConfigParser()
    try:
        parser.read_string(path.read_text("utf-8"))
    except (OSError, ValueError, configparser.Error):
        return {}
    return {
        name.replace("_", "-"): value.strip()
        for part in ("global", "install", "download")
        if parser.has_section(part)
        for name, value in parser.items(part)
        if value and value.strip()
    }


def _uv_file(environ: Mapping[str, str]) -> dict[str, Any]:
    """Return the values of uv's files, the user's before the machine's, including those for `uv pip`."""
    if _is_yes(environ.get("UV_NO_CONFIG")):
        return {}
    folders = [*_machine_folders(environ), Path("/etc"), _config(environ)]
    files = [folder / "uv" / "uv.toml" for folder in folders]
    named = environ.get("UV_CONFIG_FILE")
    found: dict[str, Any] = {}
    for path in [Path(named)] if named else files:
        try:
            said = tomllib.loads(path.read_text("utf-8"))
        except (OSError, ValueError):
            continue
        own = said.get("pip")
        found.update({**said, **(own if isinstance(own, dict) else {})})
    lists = ("index", "extra-index-url", "find-links", "allow-insecure-host")
    return {
        name: value for name, value in found.items() if isinstance(value, list) == (name in lists)
    }


def _spec(listed: Mapping[str, Any]) -> str:
    name = listed.get("name")
    return f"{name}={listed['url']}" if name else str(listed["url"])


def _located(spec: str, environ: Mapping[str, str]) -> str:
    """Return the URL of an index, with user and password from uv's variables for its name."""
    found = _NAMED.fullmatch(spec)
    if found is None:
        return _placed(spec)
    prefix = f"UV_INDEX_{re.sub(r'[^A-Z0-9]', '_', found[1].upper())}"
    user, password = environ.get(f"{prefix}_USERNAME", ""), environ.get(f"{prefix}_PASSWORD", "")
    scheme, split, rest = _placed(found[2]).partition("://")
    if not (user or password) or "@" in rest.partition("/")[0]:
        return f"{scheme}{split}{rest}"
    return f"{scheme}{split}{quote(user, safe='')}:{quote(password, safe='')}@{rest}"


def _placed(place: str) -> str:
    place = place.strip()
    return place if "://" in place else Path(place).expanduser().absolute().as_uri()


def _variable(environ: Mapping[str, str], *names: str) -> str | None:
    return next((value for name in names if (value := environ.get(name, "").strip())), None)


def _home(environ: Mapping[str, str]) -> Path:
    return Path(environ.get("HOME") or Path.home())


def _config(environ: Mapping[str, str]) -> Path:
    return Path(environ.get("XDG_CONFIG_HOME") or _home(environ) / ".config")


def _machine_folders(environ: Mapping[str, str]) -> list[Path]:
    return [Path(one) for one in (environ.get("XDG_CONFIG_DIRS") or "/etc/xdg").split(":")]


def _is_yes(value: object) -> bool:
    return value is True or (isinstance(value, str) and value.strip().lower() in _YES)


def _once(values: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(values))
