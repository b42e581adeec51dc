"""Which package index is asked."""

from pathlib import Path

import pytest

from signet.domain.updates.check import index_url, latest
from signet.net.http import HttpError
from signet.net.indexes import PYPI


def test_the_index_is_that_of_pip(tmp_path: Path) -> None:
    environ = {"HOME": str(tmp_path), "PIP_CONFIG_FILE": str(tmp_path / "named.conf")}
    (tmp_path / "named.conf").write_text("[global]\nindex-url = https://named.example/simple/\n")
    assert index_url(environ) == "https://named.example/simple/"
    own = environ | {"PIP_INDEX_URL": " https://own.example/simple "}
    assert index_url(own) == "https://own.example/simple"
    (tmp_path / "named.conf").write_text(
        "[install]\nindex-url = https://b.example\n[global]\n= broken"
    )
    assert "b.example" not in index_url(environ)


def test_pypi_is_asked_where_nothing_else_is_said() -> None:
    assert PYPI == "https://pypi.org/simple"


@pytest.mark.parametrize("url", ["file:///opt/simple", "", "ftp://example.org", "https://"])
def test_what_is_no_server_is_not_asked(url: str) -> None:
    with pytest.raises(HttpError):
        latest(url, prereleases=False)
