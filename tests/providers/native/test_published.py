"""`signet models install NAME`: a published model comes from the hub, whole and verified, or not at all."""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from providers.native import tiny
from providers.native.commands import models
from signet import config
from signet.cli.models import ensure
from signet.config.sections import ADDED_MODELS, dimensions_of
from signet.net import wheels
from signet.paths import Workspace
from signet.providers import registry, vectors
from signet.providers.native import published
from signet.providers.native.published import Published
from signet.providers.registry import embedder
from support.modelhub import ModelHub, a_model_hub

pytest.importorskip("onnxruntime")
NAME = "multilingual-e5-small"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SIGNET_MODEL_DIR", str(tmp_path / "models"))
    monkeypatch.setenv("SIGNET_PATH", str(tmp_path / "agents"))
    for name in ("PIP_CONFIG_FILE", "UV_NO_CONFIG"):
        monkeypatch.setenv(name, "/dev/null" if name.startswith("PIP") else "1")
    monkeypatch.setattr(wheels, "PAUSES_SECONDS", (0.0, 0.0))
    return tmp_path


@pytest.fixture
def hub(home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelHub]:
    """Serve a tiny model in the place of multilingual-e5-small, with its hashes in the catalogue."""
    source = tiny.unigram_folder(home / "source")
    names = {"onnx/model_quantized.onnx": "model.onnx", "tokenizer.json": "tokenizer.json"}
    raw = {path: (source / name).read_bytes() for path, name in names.items()}
    real = published.find(NAME)
    assert real is not None
    files = {path: (len(one), hashlib.sha256(one).hexdigest()) for path, one in raw.items()}
    model = replace(real, files=files, dimensions=tiny.DIMENSIONS)
    monkeypatch.setattr(published, "models", lambda: (model,))
    base = f"{model.repository}/resolve/{model.revision}"
    with a_model_hub({f"{base}/{path}": one for path, one in raw.items()}) as found:
        monkeypatch.setenv("HF_ENDPOINT", f"{found.url}/")
        yield found


def run(*arguments: str) -> tuple[int, str]:
    done = models(*arguments)
    return done.exit_code, done.output


def files_in(home: Path) -> list[str]:
    return sorted(
        str(path.relative_to(home / "models"))
        for path in (home / "models").rglob("*")
        if path.is_file() and path.name != ".lock"
    )


def test_a_published_model_is_installed_by_its_alias_and_chosen(hub: ModelHub, home: Path) -> None:
    code, output = run("install", "multilingual", "--json")
    assert code == 0, output
    assert json.loads(output)["model"] == NAME
    assert {name for name, _ in hub.requests} == {"model_quantized.onnx", "tokenizer.json"}
    assert all(name.startswith(f"local/{NAME}/") for name in files_in(home))
    assert json.loads(run("install", NAME, "--json")[1])["wasThere"] is True
    assert len(hub.requests) == 2
    listed = {one["model"]: one for one in json.loads(run("list", "--json")[1])["models"]}
    assert (listed[NAME]["state"], listed[NAME]["license"]) == ("ready", "MIT")
    assert json.loads(run("verify", "--json")[1])["added"] == {NAME: []}

    code, output = run("use", "multilingual")
    assert code == 0, output
    loaded = config.load(Workspace(home / "agents"), {})
    made = embedder(registry.vector_settings(loaded.settings, loaded.environment))
    assert made is not None and (made.name, made.fault()) == (f"native:{NAME}", None)
    (text,) = made.embed(["Der Hund schläft."])
    question = made.question("Der Hund schläft.")({})
    assert len(text) == 4 * tiny.DIMENSIONS
    assert text != question  # E5's prefixes


def test_setup_installs_the_model_that_is_set(hub: ModelHub, home: Path) -> None:
    assert ensure(NAME, wanted=False, quiet=True).state == "skipped"
    assert ensure(NAME, wanted=True, quiet=True).state == "installed"
    assert ensure(NAME, wanted=False, quiet=True).state == "ready"
    assert all(name.startswith(f"local/{NAME}/") for name in files_in(home))
    failed = ensure("local:mine-01234567", wanted=True, quiet=True)
    assert failed.state == "failed" and "models install DIR" in failed.text


def test_an_interrupted_download_continues_where_it_ended(hub: ModelHub, home: Path) -> None:
    hub.cuts = 3
    code, output = run("install", NAME)
    assert code != 0 and "broke" in output
    (part,) = files_in(home)
    assert part.startswith(".downloads/")
    begun = (home / "models" / part).stat().st_size
    assert begun > 0
    assert run("install", NAME)[0] == 0
    assert hub.requests[0][1] is None and hub.requests[3][1] == f"bytes={begun}-"
    assert not [name for name in files_in(home) if name.startswith(".")]


def test_a_server_without_ranges_gives_the_whole_file_again(hub: ModelHub, home: Path) -> None:
    hub.cuts, hub.knows_ranges = 2, False
    code, output = run("install", NAME)
    assert code == 0, output


def test_the_rest_of_another_file_is_not_continued(hub: ModelHub, home: Path) -> None:
    known = published.models()[0].files["onnx/model_quantized.onnx"]
    part = home / "models/.downloads" / known[1]
    part.parent.mkdir(parents=True)
    part.write_bytes(b"of another file")
    code, output = run("install", NAME)
    assert code == 0, output


def test_a_file_with_another_hash_is_refused_and_nothing_stays(hub: ModelHub, home: Path) -> None:
    hub.files = {path: one[:-1] + b"x" for path, one in hub.files.items()}
    code, output = run("install", NAME)
    assert code != 0 and "its SHA-256 differs" in output
    assert files_in(home) == []


def test_a_file_that_the_hub_lacks_is_named(hub: ModelHub, home: Path) -> None:
    hub.files = {path: one for path, one in hub.files.items() if "tokenizer" not in path}
    code, output = run("install", NAME)
    assert code != 0 and "tokenizer.json" in output
    assert len(files_in(home)) == 1  # the graph, for the next try


def test_another_name_is_refused_with_the_published_ones(home: Path) -> None:
    code, output = run("install", "no-such-model")
    assert code != 0 and NAME in output
    code, output = run("use", "multilingual")
    assert code != 0 and f"signet models install {NAME}" in output


@pytest.mark.parametrize("model", published.models(), ids=lambda model: model.name)
def test_what_the_catalogue_says_agrees_with_the_settings_and_the_prefixes(
    model: Published,
) -> None:
    assert model.name.startswith(ADDED_MODELS)
    assert model.dimensions == dimensions_of(model.name)
    assert vectors.prompts_of(model.name).query
    assert {len(digest) for _, digest in model.files.values()} == {64}
    assert all(np.log10(size) > 5 for size, _ in model.files.values())
