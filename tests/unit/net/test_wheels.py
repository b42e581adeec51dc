"""Fetching one known file from whichever index has it, and saying why none gave it."""

import hashlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Literal

import pytest

from signet.net import wheels
from signet.net.wheels import HashMismatch, NoNetwork, NotOffered, Wheel, WheelRefused, fetch
from support.packageindex import PackageIndex, a_package_index
from support.ports import free_port

RAW = bytes(range(256)) * 4096
NAME = "some_model-1.0-py3-none-any.whl"
WHEEL = Wheel(
    package="some-model", name=NAME, sha256=hashlib.sha256(RAW).hexdigest(), size=len(RAW)
)
#: Settings of this machine that must not count here.
ALONE = {"PIP_CONFIG_FILE": "/dev/null", "UV_NO_CONFIG": "1"}


@pytest.fixture
def index(monkeypatch: pytest.MonkeyPatch) -> Iterator[PackageIndex]:
    monkeypatch.setattr(wheels, "PAUSES_SECONDS", (0.0, 0.0))
    with a_package_index({"some-model": {"some_model-1.0.tar.gz": b"source", NAME: RAW}}) as found:
        yield found


def fetched(folder: Path, wheel: Wheel = WHEEL, **environ: str) -> bytes:
    fetch(wheel, folder / NAME, lambda *_: None, environ=ALONE | environ)
    return (folder / NAME).read_bytes()


@pytest.mark.parametrize("form", ["json", "html"])
@pytest.mark.parametrize("digest", ["right", None])
def test_both_forms_of_an_index_give_the_file(
    index: PackageIndex,
    tmp_path: Path,
    form: Literal["json", "html"],
    digest: Literal["right"] | None,
) -> None:
    index.form, index.digest = form, digest
    assert fetched(tmp_path, PIP_INDEX_URL=f"{index.url}/") == RAW
    assert index.asked == ["/simple/some-model/", f"/files/some-model/{NAME}"]


def test_the_index_of_uv_is_as_good(index: PackageIndex, tmp_path: Path) -> None:
    assert fetched(tmp_path, UV_DEFAULT_INDEX=f"ours={index.url}") == RAW


def test_a_folder_and_an_index_in_files_are_as_good(tmp_path: Path) -> None:
    files = tmp_path / "files"
    files.mkdir()
    (files / NAME).write_bytes(RAW)
    assert fetched(tmp_path, PIP_NO_INDEX="1", PIP_FIND_LINKS=str(files)) == RAW
    page = tmp_path / "simple" / "some-model" / "index.html"
    page.parent.mkdir(parents=True)
    page.write_text(f'<a href="../../files/{NAME}#sha256={WHEEL.sha256}">{NAME}</a>')
    assert fetched(tmp_path, PIP_INDEX_URL=(tmp_path / "simple").as_uri()) == RAW


def test_another_index_is_asked_when_the_first_cannot_help(
    index: PackageIndex, tmp_path: Path
) -> None:
    dead = f"http://127.0.0.1:{free_port()}/simple"
    assert fetched(tmp_path, PIP_INDEX_URL=dead, PIP_EXTRA_INDEX_URL=index.url) == RAW


def test_no_network_and_no_such_package_are_two_things(index: PackageIndex, tmp_path: Path) -> None:
    dead = f"http://127.0.0.1:{free_port()}/simple"
    with pytest.raises(NoNetwork, match=f"^no network: {dead}/some-model/ cannot be reached"):
        fetched(tmp_path, PIP_INDEX_URL=dead)
    other = replace(WHEEL, package="another")
    with pytest.raises(NotOffered, match=f"^the package index has no {NAME}"):
        fetched(tmp_path, other, PIP_INDEX_URL=index.url)
    with pytest.raises(NoNetwork):  # the one that is away may have it
        fetched(tmp_path, other, PIP_INDEX_URL=index.url, PIP_EXTRA_INDEX_URL=dead)
    with pytest.raises(NotOffered, match="no-index"):
        fetched(tmp_path, PIP_NO_INDEX="1")


@pytest.mark.parametrize("digest", ["wrong", None])
def test_another_file_of_that_name_is_refused(
    index: PackageIndex, tmp_path: Path, digest: Literal["wrong"] | None
) -> None:
    index.digest = digest
    index.packages = {"some-model": {NAME: RAW + b"more" if digest is None else RAW}}
    with pytest.raises(HashMismatch, match="its SHA-256 differs"):
        fetched(tmp_path, PIP_INDEX_URL=index.url)


def test_an_index_with_a_password_takes_it_from_its_address_or_netrc(
    index: PackageIndex, tmp_path: Path
) -> None:
    index.login = ("ana", "p@ss word")
    with pytest.raises(WheelRefused, match="answered 401; it requires a user name and password"):
        fetched(tmp_path, PIP_INDEX_URL=index.url, NETRC=str(tmp_path / "none"))
    in_url = index.url.replace("//", "//ana:p%40ss%20word@")
    assert fetched(tmp_path, PIP_INDEX_URL=in_url) == RAW
    (tmp_path / "netrc").write_text('machine 127.0.0.1 login ana password "p@ss word"\n')
    assert fetched(tmp_path, PIP_INDEX_URL=index.url, NETRC=str(tmp_path / "netrc")) == RAW
    index.login = ("ana", "another")
    with pytest.raises(WheelRefused) as refused:
        fetched(tmp_path, PIP_INDEX_URL=in_url)
    assert "p%40ss" not in str(refused.value) and "p@ss" not in str(refused.value)


def test_a_busy_index_and_a_connection_that_breaks_are_tried_again(
    index: PackageIndex, tmp_path: Path
) -> None:
    index.statuses = [503]
    index.cuts = 1
    assert fetched(tmp_path, PIP_INDEX_URL=index.url) == RAW
    (tmp_path / NAME).unlink()
    index.cuts = 3
    with pytest.raises(wheels.Interrupted, match="broke"):
        fetched(tmp_path, PIP_INDEX_URL=index.url)


def test_a_page_that_is_no_index_is_said_to_be_none(index: PackageIndex, tmp_path: Path) -> None:
    index.statuses = [200]
    with pytest.raises(WheelRefused, match="is not a package index"):
        fetched(tmp_path, PIP_INDEX_URL=index.url)
