"""`@signetai/client`: its types are those of the API, and it works under Node with a real daemon."""

import json
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pytest
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute
from pydantic import AliasChoices, BaseModel

from client import javascript
from docs.pages import blocks
from signet import __version__
from signet_api.routes import ROUTER
from support.http import Served

NODE = shutil.which("node")
NEEDS_NODE = pytest.mark.skipif(NODE is None, reason="needs Node")
ROOT = javascript.PACKAGE.parents[1]


def test_the_types_are_those_of_the_api_and_of_the_sources() -> None:
    advice = "PYTHONPATH=tests python -m client.javascript"
    api = javascript.described()
    assert javascript.TYPES.read_text("utf-8") == javascript.source(api), advice
    assert javascript.FIELDS.read_text("utf-8") == javascript.fields(api), advice
    assert javascript.stamp() in (javascript.TYPES.with_name("index.d.ts")).read_text("utf-8"), (
        advice
    )


@pytest.mark.skipif(javascript.TSC is None, reason="npm ci was not run in clients/javascript")
def test_the_compiler_finds_no_fault_and_gives_the_same_types(tmp_path: Path) -> None:
    javascript.compile_types(tmp_path)
    for path in tmp_path.iterdir():
        assert path.read_text("utf-8") == (javascript.TYPES.parent / path.name).read_text("utf-8")
    modules = tmp_path / "node_modules" / "@signetai"
    modules.mkdir(parents=True)
    packed = [
        "npm",
        "pack",
        "--silent",
        "--pack-destination",
        str(tmp_path),
        str(javascript.PACKAGE),
    ]
    name = subprocess.run(packed, check=True, capture_output=True, text=True).stdout.strip()
    shutil.unpack_archive(tmp_path / name, tmp_path / "packed", filter="data")
    (tmp_path / "packed" / "package").rename(modules / "client")
    (tmp_path / "node_modules" / "@types").symlink_to(
        javascript.PACKAGE / "node_modules" / "@types"
    )
    programs = [one for one in blocks(javascript.PACKAGE / "README.md") if one.language == "js"]
    exported = _exported((tmp_path / "index.d.ts").read_text("utf-8"))
    assert exported >= {"Signet", "Events", "SignetError", "Routes", "SignetOptions"}
    asked = f'import type {{ {", ".join(exported)} }} from "@signetai/client"'
    named = f"{asked}\nexport type All = [{', '.join(exported)}]"
    files = [tmp_path / f"{number}.mts" for number in range(len(programs) + 1)]
    for path, text in zip(files, [named, *("\n".join(one.text) for one in programs)], strict=True):
        path.write_text(text)
    options = (
        "--noEmit",
        "--strict",
        "--module",
        "nodenext",
        "--types",
        "node",
        "--typeRoots",
        "node_modules/@types",
    )
    done = subprocess.run(
        [str(javascript.TSC), *options, *map(str, files)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout


def test_the_types_name_only_types_that_they_declare() -> None:
    types = javascript.TYPES.read_text("utf-8")
    code = re.sub(r'/\*.*?\*/|//[^\n]*|"[^"\n]*"', "", types, flags=re.DOTALL)
    declared = set(re.findall(r"export (?:interface|type) (\w+)", code))
    assert set(re.findall(r"\b[A-Z]\w+", code)) - declared == {"Record"}


def _exported(index: str) -> set[str]:
    lists = re.findall(r"export \{([^}]*)\}", index)
    return {name.strip() for one in lists for name in one.split(",") if name.strip()} | set(
        re.findall(r"export type (\w+)", index)
    )


def test_the_daemon_accepts_every_field_in_camel_case() -> None:
    """Query parameters are accepted in both spellings by one rule (signet_api/serving.py)."""
    missing = {
        f"{model.__name__}.{name}"
        for route in ROUTER.routes
        if isinstance(route, APIRoute)
        for model in models(route.dependant)
        for name, field in model.model_fields.items()
        if javascript.camel(name) not in spellings(name, field.validation_alias)
    }
    assert missing == set()


def models(dependant: Dependant) -> Iterator[type[BaseModel]]:
    """Yield the models of a route's body, and those that they contain."""
    waiting: list[Any] = [one.field_info.annotation for one in dependant.body_params]
    while waiting:
        kind = waiting.pop()
        waiting += get_args(kind)
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            yield kind
            waiting += [one.annotation for one in kind.model_fields.values()]


def spellings(name: str, alias: str | AliasChoices | Any) -> set[object]:
    return {name, *(alias.choices if isinstance(alias, AliasChoices) else [alias])}


def test_the_package_is_of_this_version_and_needs_no_other() -> None:
    package = json.loads((javascript.PACKAGE / "package.json").read_text("utf-8"))
    assert package["version"] == __version__ and "dependencies" not in package
    assert f'VERSION = "{__version__}"' in (javascript.PACKAGE / "src/signet.js").read_text("utf-8")
    licence = (javascript.PACKAGE / "LICENSE").read_text("utf-8")
    assert licence == (ROOT / "LICENSE").read_text("utf-8")


@pytest.fixture
def packed(tmp_path: Path) -> Path:
    """Give a folder in which the packed package is installed, as npm unpacks it."""
    done = subprocess.run(
        ["npm", "pack", "--json", "--pack-destination", str(tmp_path), str(javascript.PACKAGE)],
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
    )
    [packed] = json.loads(done.stdout)
    shutil.unpack_archive(tmp_path / packed["filename"], tmp_path)
    place = tmp_path / "node_modules" / "@signetai"
    place.mkdir(parents=True)
    (tmp_path / "package").rename(place / "client")
    return tmp_path


@NEEDS_NODE
@pytest.mark.skipif(shutil.which("npm") is None, reason="needs npm")
def test_the_packed_client_keeps_to_its_contract(packed: Path, server: Served) -> None:
    place = packed / "node_modules" / "@signetai" / "client"
    shipped = {path.name for path in place.iterdir()}
    assert shipped == {"LICENSE", "README.md", "package.json", "src", "types"}
    script = packed / "client.test.mjs"
    shutil.copy(Path(__file__).parent / "node" / script.name, script)
    done = subprocess.run(
        [str(NODE), "--test", str(script)],
        env={
            "PATH": str(Path(str(NODE)).parent),
            "SIGNET_PATH": str(server.workspace.root),
            "TMPDIR": tempfile.gettempdir(),
        },
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout + done.stderr
