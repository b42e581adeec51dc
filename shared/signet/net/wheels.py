"""Download a known file: from this machine's package indexes, or from a URL. An interrupted download is resumed.

Needs neither pip nor uv, because neither is in the other's environments; their proxies and certificates apply. The
SHA-256 identifies the file, so any index will do; all configured ones are queried in order until one has it.
"""

import hashlib
import netrc
import os
import ssl
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit
from urllib.request import url2pathname

from signet.errors import Kind, SignetError
from signet.net import simple
from signet.net.http import shown
from signet.net.indexes import IndexSources, configured

if TYPE_CHECKING:
    import httpx

CONNECT_SECONDS = 10.0
READ_SECONDS = 60.0
#: Pauses before retrying a broken connection or a busy server.
PAUSES_SECONDS = (0.5, 1.0)
_BUSY = frozenset({429, 500, 502, 503, 504})
MAX_PAGE_BYTES = 8 * 1024 * 1024
_CHUNK = 262_144
#: Bytes after the expected size at which a download stops.
_SLACK = 1_000_000

#: Called with downloaded and total bytes.
Progress = Callable[[int, int], None]


class FetchFailed(SignetError, kind=Kind.UNAVAILABLE, code="fetch_failed"):
    """The file could not be fetched."""


class NotOffered(FetchFailed, kind=Kind.NOT_FOUND, code="package_missing"):
    """No package index offers the file."""


class NoNetwork(FetchFailed, code="no_network"):
    """The package index cannot be reached."""


class Interrupted(FetchFailed, code="fetch_interrupted"):
    """The connection broke on the way, or the package index is busy; try again later."""


class WheelRefused(FetchFailed, code="index_refused"):
    """The package index refused to give the file."""


class HashMismatch(FetchFailed, kind=Kind.BROKEN, code="hash_mismatch"):
    """The file that the package index gave is not the one that is known."""


#: If several indexes fail differently, the last of these is reported.
TELLING = (FetchFailed, NotOffered, NoNetwork, Interrupted, WheelRefused, HashMismatch)


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoteWheel:
    """A file at a URL; `size` is for progress."""

    url: str
    name: str
    sha256: str
    size: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Wheel:
    package: str
    name: str
    sha256: str
    size: int


def fetch(
    wheel: Wheel, to: Path, progress: Progress, *, environ: Mapping[str, str] = os.environ
) -> None:
    """Write the verified wheel to a file.

    Raises the most informative FetchFailed if no index has it, and OSError if it cannot be written.
    """
    sources = configured(environ)
    indexes = (f"{index.rstrip('/')}/{wheel.package}/" for index in sources.indexes)
    failed: list[FetchFailed] = []
    for page in (*indexes, *sources.links):
        try:
            _try_again(partial(_take, _WheelReader(page, sources, environ), wheel, to, progress))
        except FetchFailed as error:
            failed.append(error)
        else:
            return
    if not failed:
        raise NotOffered("pip or uv is configured to use no package index (no-index)")
    raise max(failed, key=lambda error: TELLING.index(type(error)))


def fetch_remote(
    remote: RemoteWheel, to: Path, progress: Progress, *, environ: Mapping[str, str] = os.environ
) -> None:
    """Write the verified file to `to`, continuing an interrupted download; raises FetchFailed and OSError."""
    reader = _WheelReader(remote.url, configured(environ), environ)
    _try_again(partial(_save, reader, remote, to, progress))


def _try_again(take: Callable[[], None]) -> None:
    for pause in PAUSES_SECONDS:
        try:
            return take()
        except Interrupted:
            time.sleep(pause)
    take()


def _take(page: "_WheelReader", wheel: Wheel, to: Path, progress: Progress) -> None:
    """Write a page's wheel to a file; raises FetchFailed."""
    files = [file for file in page.files() if wheel.name in (file.name, _last_part(file.url))]
    if not files:
        raise NotOffered(f"the package index has no {wheel.name} ({shown(page.url)})")
    remote = RemoteWheel(url=files[0].url, name=wheel.name, sha256=wheel.sha256, size=wheel.size)
    if files[0].sha256 not in (None, wheel.sha256):
        raise _other(remote)
    _save(page, remote, to, progress)


def _save(reader: "_WheelReader", remote: RemoteWheel, to: Path, progress: Progress) -> None:
    """Write a file after what an interrupted download has written of it; raises FetchFailed."""
    digest = hashlib.sha256()
    with to.open("a+b") as out:
        out.seek(0)
        while chunk := out.read(_CHUNK):
            digest.update(chunk)
        start = done = out.tell()
        if digest.hexdigest() == remote.sha256:
            return
        try:
            for chunk in reader.chunks(remote.url, start):
                out.write(chunk)
                digest.update(chunk)
                done += len(chunk)
                progress(done, remote.size)
                if done > remote.size + _SLACK:
                    break
            out.flush()
        except (FetchFailed, OSError) as error:
            if not done or isinstance(error, OSError):  # the disk is full
                to.unlink()
            raise
    if digest.hexdigest() != remote.sha256:
        to.unlink()
        if start:  # perhaps the part was of another file
            raise Interrupted(f"{remote.name} was damaged and is downloaded again")
        raise _other(remote)


def _other(remote: RemoteWheel) -> HashMismatch:
    return HashMismatch(
        f"the {remote.name} of {shown(remote.url)} is a different file: its SHA-256 differs"
    )


class _WheelReader:
    """Reads an index page and the files on it."""

    def __init__(self, url: str, sources: IndexSources, environ: Mapping[str, str]) -> None:
        self.url = url
        self._sources = sources
        self._environ = environ

    def files(self) -> list[simple.IndexFile]:
        """Return the files on the page; raises FetchFailed."""
        if (folder := _local(self.url)) is not None and not (folder / "index.html").is_file():
            places = sorted(folder.glob("*.whl")) if folder.is_dir() else []
            return [simple.IndexFile(name=one.name, url=one.as_uri()) for one in places]
        body = bytearray()
        try:
            for chunk in self.chunks((folder / "index.html").as_uri() if folder else self.url):
                body += chunk
                if len(body) > MAX_PAGE_BYTES:
                    raise WheelRefused(f"the page {shown(self.url)} is too large")
            return simple.files(bytes(body), self.url)
        except NotOffered:
            return []
        except simple.NoPage as error:
            raise WheelRefused(f"{shown(self.url)} is not a package index") from error

    def chunks(self, url: str, start: int = 0) -> Iterator[bytes]:
        """Yield the content of a URL from a byte on; raises FetchFailed."""
        if (path := _local(url)) is not None:
            yield from _read(path, url, start)
            return
        with _failures(url), self._reply(url, start) as reply:
            if reply.status_code == 416:  # there is no more
                return
            if reply.status_code in (404, 410):
                raise NotOffered(f"{shown(url)} does not exist ({reply.status_code})")
            if reply.status_code in _BUSY:
                raise Interrupted(f"{shown(url)} answered {reply.status_code}; try again later")
            if not reply.is_success:
                raise WheelRefused(f"{shown(url)} answered {reply.status_code}{_advice(reply)}")
            skipped = 0 if reply.status_code == 206 else start  # not every server knows ranges
            for chunk in reply.iter_bytes():
                yield chunk[skipped:]
                skipped = max(0, skipped - len(chunk))

    @contextmanager
    def _reply(self, url: str, start: int) -> Iterator["httpx.Response"]:
        import httpx

        headers = {"accept": f"{simple.ACCEPTED}, */*;q=0.05"}
        if start:
            headers |= {"range": f"bytes={start}-", "accept-encoding": "identity"}
        host = urlsplit(url).hostname or ""
        # Without a pip setting, proxies come from the environment.
        with (
            httpx.Client(
                verify=host not in self._sources.unchecked and self._trusted(),
                proxy=self._sources.proxy,
                auth=self._login(url),
                timeout=httpx.Timeout(READ_SECONDS, connect=CONNECT_SECONDS),
                follow_redirects=True,
            ) as client,
            client.stream("GET", url, headers=headers) as reply,
        ):
            yield reply

    def _trusted(self) -> ssl.SSLContext:
        """Return the certificates of httpx, the system, and the user's own files."""
        import httpx

        context = httpx.create_ssl_context()
        context.load_default_certs()
        for place in self._sources.bundles:
            try:
                if Path(place).is_dir():
                    context.load_verify_locations(capath=place)
                else:
                    context.load_verify_locations(cafile=place)
            except OSError as error:
                raise WheelRefused(
                    f"the certificates in {place} cannot be read: {error}"
                ) from error
        if self._sources.client_cert:
            context.load_cert_chain(self._sources.client_cert)
        return context

    def _login(self, url: str) -> tuple[str, str] | None:
        """Return user and password for a URL: its own, its index's, or those of ~/.netrc."""
        asked, index = urlsplit(url), urlsplit(self.url)
        for parts in (asked, index):
            if parts.username and (parts.hostname, parts.port) == (asked.hostname, asked.port):
                return unquote(parts.username), unquote(parts.password or "")
        try:
            found = netrc.netrc(self._environ.get("NETRC")).authenticators(asked.hostname or "")
        except (OSError, netrc.NetrcParseError):
            return None
        return (found[0], found[2] or "") if found else None


def _local(url: str) -> Path | None:
    parts = urlsplit(url)
    return Path(url2pathname(parts.path)) if parts.scheme == "file" else None


def _read(path: Path, url: str, start: int) -> Iterator[bytes]:
    try:
        with path.open("rb") as file:
            file.seek(start)
            while chunk := file.read(_CHUNK):
                yield chunk
    except FileNotFoundError as error:
        raise NotOffered(f"{shown(url)} is not there") from error


def _last_part(url: str) -> str:
    return unquote(urlsplit(url).path.rpartition("/")[2])


def _advice(reply: "httpx.Response") -> str:
    if reply.status_code not in (401, 403, 407):
        return ""
    return "; it requires a user name and password, in the URL of the index or in ~/.netrc"


@contextmanager
def _failures(url: str) -> Iterator[None]:
    """Convert download errors for a URL into FetchFailed."""
    import httpx

    try:
        yield
    except (httpx.ConnectError, httpx.ConnectTimeout, httpx.ProxyError) as error:
        if "CERTIFICATE_VERIFY_FAILED" in str(error):
            raise WheelRefused(
                f"the certificate of {shown(url)} is not trusted ({error}); "
                "set SSL_CERT_FILE to the file of your own certificate authority"
            ) from error
        raise NoNetwork(f"no network: {shown(url)} cannot be reached ({_why(error)})") from error
    except httpx.TransportError as error:
        raise Interrupted(f"the connection to {shown(url)} broke ({_why(error)})") from error
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise WheelRefused(f"{shown(url)} cannot be fetched: {error}") from error


def _why(error: Exception) -> str:
    return str(error) or type(error).__name__
