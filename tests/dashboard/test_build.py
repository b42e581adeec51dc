"""The built files are those of the sources, small, and shipped as they are."""

import hashlib
import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from dashboard import typescript
from dashboard.sizes import BUILT, sizes

SOURCE = typescript.TYPES.parents[2]
#: Words that would turn a text into a page or a program (docs: dashboard).
FORBIDDEN = re.compile(
    r"dangerouslySetInnerHTML|innerHTML|outerHTML|insertAdjacent|\beval\(|new Function"
)


def _hash(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _files(folder: Path) -> dict[str, str]:
    found = [path for path in folder.rglob("*") if path.is_file()]
    return {path.relative_to(folder).as_posix(): _hash(path) for path in found}


def test_the_built_files_are_those_of_these_sources() -> None:
    stamp = json.loads((BUILT / "stamp.json").read_text())
    sources = {name: _hash(SOURCE / name) for name in stamp["sources"]}
    here = {name for part in ("src", "public") for name in _files(SOURCE / part)}
    named = {name.partition("/")[2] for name in stamp["sources"] if "/" in name}
    built = {name: sum for name, sum in _files(BUILT).items() if name != "stamp.json"}
    advice = "npm ci && npm run build in services/api/dashboard"
    assert (stamp["sources"], stamp["built"], named) == (sources, built, here), advice


def _fields(source: str) -> dict[str, set[str]]:
    return {
        name: set(body.splitlines())
        for name, body in re.findall(r"interface (\w+) \{(.*?)\n\}", source, re.DOTALL)
    }


def test_what_the_page_reads_is_in_the_declared_operations() -> None:
    """Fields that were added since need no build; one that is gone, or is of another type, does."""
    declared = _fields(typescript.source())
    for name, fields in _fields(typescript.TYPES.read_text("utf-8")).items():
        gone = fields - declared.get(name, set())
        assert not gone, (
            f"{name}: PYTHONPATH=tests python -m dashboard.typescript, then npm run build"
        )


def test_the_files_are_small_enough() -> None:
    shell, everything = sizes()
    assert shell <= 20_000 and everything <= 60_000


def test_no_source_makes_a_page_or_a_program_of_a_text() -> None:
    assert [
        path.name for path in SOURCE.glob("src/**/*.ts*") if FORBIDDEN.search(path.read_text())
    ] == []


def test_the_lock_names_no_address() -> None:
    assert "http" not in re.sub(
        r'"(url|funding)": .*', "", (SOURCE / "package-lock.json").read_text()
    )


@pytest.mark.skipif(not (SOURCE / "node_modules").is_dir(), reason="npm ci was not run here")
def test_a_build_gives_the_same_bytes(tmp_path: Path) -> None:
    npm = shutil.which("npm")
    assert npm is not None
    home = tmp_path / "api" / "dashboard"
    shutil.copytree(SOURCE, home, ignore=shutil.ignore_patterns("node_modules"))
    (home / "node_modules").symlink_to(SOURCE / "node_modules")
    subprocess.run([npm, "run", "build"], cwd=home, check=True, capture_output=True)
    assert _files(tmp_path / "api" / "signet_api" / "dashboard" / "static") == _files(BUILT)
