"""Getting at what a document is about: the page it names, the file it names. Nothing else here waits or reads."""

import os
import stat
from collections.abc import Sequence
from pathlib import PurePath
from urllib.parse import urlsplit

from signet.config.manifest import NAMES
from signet.domain.documents import readers
from signet.domain.documents.models import Rules, SourceType
from signet.domain.documents.readers.models import Raw
from signet.errors import PermanentJobError, Unavailable
from signet.net import fetch
from signet.net.addresses import PrivateAddress
from signet.wire.documents import StoredDocument

#: For one page with all its redirects (DOC-9).
FETCH_SECONDS = 30.0


class FileUnreadable(PermanentJobError):
    """The file cannot be read."""

    code = "file_unreadable"


def raw(document: StoredDocument, rules: Rules, roots: Sequence[str]) -> Raw:
    """Return the bytes of a page or file; `roots` are the folders whose files may be read.

    Raises PermanentJobError for what no repetition mends, else HttpError or Unavailable.
    """
    address = document["source_url"] or ""
    said = document["content_type"] or ""
    if document["source_type"] != SourceType.URL:
        return Raw(data=_file(address, roots, rules.max_bytes), content_type=said, name=address)
    wanted = fetch.Wanted(
        max_bytes=rules.max_bytes,
        seconds=FETCH_SECONDS,
        accepts=readers.accepts,
        may_be_private=rules.may_be_private,
    )
    try:
        page = fetch.fetch(address, wanted)
    except PrivateAddress as error:
        setting = "memory.pipelineV2.documents.allowPrivateNetworks"
        raise PrivateAddress(
            f"{error.message}. To read pages of your own network, set {setting}: true in agent.yaml"
        ) from error
    return Raw(data=page.body, content_type=page.content_type, name=urlsplit(page.url).path)


def is_allowed(path: str, roots: Sequence[str]) -> bool:
    """Return whether a resolved path lies in one of the folders, and neither hidden nor our own settings."""
    for root in map(os.path.realpath, roots):
        inner = PurePath(path).relative_to(root).parts if path.startswith(_inside(root)) else ()
        if inner and not any(part.startswith(".") for part in inner) and inner[-1] not in NAMES:
            return True
    return False


def _inside(root: str) -> str:
    return root.rstrip(os.sep) + os.sep


def _file(path: str, roots: Sequence[str], max_bytes: int) -> bytes:
    """Return the bytes of a file; symbolic links count as what they lead to."""
    resolved = os.path.realpath(path)
    if not is_allowed(resolved, roots):
        raise PermanentJobError("path not allowed", "path_not_allowed")
    try:
        # A pipe would wait for its writer, and a link that was put there just now leads anywhere.
        descriptor = os.open(resolved, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
        with os.fdopen(descriptor, "rb") as file:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise FileUnreadable("not a file")
            data = file.read(max_bytes + 1)
    except (FileNotFoundError, NotADirectoryError) as error:
        raise FileUnreadable("file not found") from error
    except (PermissionError, IsADirectoryError) as error:
        raise FileUnreadable(f"the file cannot be read: {error.strerror}") from error
    except OSError as error:
        raise Unavailable(f"the file cannot be read: {error.strerror}", "disk_trouble") from error
    if len(data) > max_bytes:
        raise FileUnreadable(f"the file is larger than {max_bytes} bytes")
    return data
