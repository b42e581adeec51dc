"""How many bytes the built files have, as gzip would send them."""

import gzip
import re
from pathlib import Path

import signet_api.dashboard

BUILT = Path(signet_api.dashboard.__file__).parent / "static"
_NAMED = re.compile(r"/assets/([^\"]+\.(?:js|css))")


def sizes() -> tuple[int, int]:
    """Return the bytes of the shell (the page and what it names) and of everything."""
    shell = {"index.html", *_NAMED.findall((BUILT / "index.html").read_text())}
    own = {
        path.name: len(gzip.compress(path.read_bytes()))
        for path in BUILT.rglob("*.*")
        if path.name != "stamp.json"
    }
    return sum(own[name] for name in shell), sum(own.values())
