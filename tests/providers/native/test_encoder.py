"""The vectors, held against numbers that torch and transformers gave for the same texts."""

import os
import runpy
import struct
import subprocess
import sys
import threading
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from architecture.sources import ROOT
from providers.native.cases import Case
from signet.errors import ProviderDown
from signet.providers.native import encoder, minilm
from signet.providers.native.encoder import NativeEmbedder
from signet.providers.native.folder import Opened


def numbers(vector: bytes) -> tuple[float, ...]:
    return struct.unpack("<384f", vector)


def cosine(left: bytes, right: bytes) -> float:
    return sum(a * b for a, b in zip(numbers(left), numbers(right), strict=True))


def test_vectors_point_where_those_of_torch_point(installed: Path, cases: list[Case]) -> None:
    known = [case for case in cases if case.vector is not None]
    assert len(known) == 5
    found = NativeEmbedder(installed).embed([case.text for case in known])
    assert [round(cosine(vector, vector), 4) for vector in found] == [1.0] * len(found)
    wanted = [struct.pack("<384f", *case.vector) for case in known if case.vector]
    assert min(map(cosine, found, wanted)) > 0.98


def test_the_graph_is_what_its_script_writes(installed: Path) -> None:
    shipped = resources.files("signet.providers.native").joinpath("minilm.onnx").read_bytes()
    script = runpy.run_path(str(ROOT / "loadtests/minilm_graph.py"))
    built = script["build"](installed / minilm.WEIGHTS_FILE)
    import onnx  # here, because each process of a run reads this file and one runs it

    assert onnx.load_model_from_string(built) == onnx.load_model_from_string(shipped)


def test_a_text_has_one_vector_whatever_stands_beside_it(
    installed: Path, cases: list[Case]
) -> None:
    texts = [case.text for case in cases]
    together = NativeEmbedder(installed).embed(texts)
    fresh = NativeEmbedder(installed)
    assert [fresh.embed([text])[0] for text in reversed(texts)] == together[::-1]


def test_a_question_finds_the_text_that_answers_it(installed: Path) -> None:
    embedder = NativeEmbedder(installed)
    right, wrong = embedder.embed(
        ["The database listens on port 5433.", "Our cat is called Pixel."]
    )
    (question,) = embedder.embed(["Which port does Postgres use?"])
    assert cosine(question, right) > cosine(question, wrong) + 0.2


def test_words_of_a_question_that_tell_much_draw_its_vector_to_them(
    installed: Path,
) -> None:
    embedder = NativeEmbedder(installed)
    text = "What did Émile say about the sourdough last week?"
    question = embedder.question(text)
    (mean,) = embedder.embed([text])
    assert cosine(question({}), mean) == pytest.approx(1.0, abs=1e-5)
    assert question({"of another question": 9.0}) == question({})
    about = {word: {word: 8.0, "say": 1.0, "last": 1.0} for word in ("emile", "sourdough")}
    near = {word: embedder.embed([word])[0] for word in about}
    for word, tells in about.items():
        assert cosine(question(tells), near[word]) > cosine(mean, near[word]) + 0.05
    assert cosine(question(about["emile"]), question(about["emile"])) == pytest.approx(1.0)


def test_a_question_longer_than_the_model_reads_has_a_vector(installed: Path) -> None:
    embedder = NativeEmbedder(installed)
    (mean,) = embedder.embed(["transubstantiation " * 400])
    question = embedder.question("transubstantiation " * 400)
    assert cosine(question({"transubstantiation": 3.0}), mean) > 0.99
    for empty in ("", "?"):
        assert cosine(embedder.question(empty)({"a": 1.0}), embedder.embed([empty])[0]) > 0.99


def test_nothing_is_loaded_before_it_is_needed_and_then_once(
    installed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    loads: list[Path] = []
    real = minilm.open_

    def counted(folder: Path) -> Opened:
        loads.append(folder)
        return real(folder)

    monkeypatch.setattr(minilm, "open_", counted)
    embedder = NativeEmbedder(installed)
    assert (embedder.available(), embedder.loaded, loads) == (True, False, [])
    threads = [threading.Thread(target=embedder.load) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (embedder.loaded, loads) == (True, [installed])


def test_the_last_vectors_are_remembered_and_the_oldest_dropped(
    installed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs: list[int] = []

    def counting(model: Opened, text: str, *, is_query: bool) -> "np.ndarray[Any, Any]":
        runs.append(1)
        return np.zeros(384, np.float32)

    monkeypatch.setattr(Opened, "vector", counting)
    monkeypatch.setattr(encoder, "REMEMBERED", 2)
    embedder = NativeEmbedder(installed)
    embedder.embed(["one", "two", "one", "three", "one"])
    assert len(runs) == 3
    embedder.embed(["two"])
    assert len(runs) == 4


def test_a_missing_model_says_which_command_installs_it(empty_home: Path) -> None:
    embedder = NativeEmbedder()
    assert not embedder.available()
    with pytest.raises(ProviderDown, match="signet models install"):
        embedder.embed(["anything"])
    assert not empty_home.exists()


@pytest.mark.parametrize("content", [b"junk", b""], ids=["junk", "empty"])
def test_a_damaged_file_is_a_provider_that_is_down(
    installed: Path, tmp_path: Path, content: bytes
) -> None:
    for file in installed.iterdir():
        target = tmp_path / file.name
        if file.suffix == ".txt":
            target.write_bytes(content)
        else:
            target.symlink_to(file)
    with pytest.raises(ProviderDown, match="signet models install"):
        NativeEmbedder(tmp_path).load()


def test_foreign_weights_are_never_computed_with(installed: Path, tmp_path: Path) -> None:
    for name in ("vocab.txt", "config.json"):
        (tmp_path / name).symlink_to(installed / name)
    (tmp_path / "model.safetensors").write_bytes(b"\x02\0\0\0\0\0\0\0{}")
    with pytest.raises(ProviderDown, match="cannot be read"):
        NativeEmbedder(tmp_path).load()
    assert not list(tmp_path.glob("*.bin"))


_LOADS_IN_ORDER = """
import sys
from pathlib import Path
from signet.providers.native import encoder

class Watching:
    def find_spec(self, name, path=None, target=None):
        if name == "onnxruntime":
            print("array" in dir(sys.modules.get("numpy")))

sys.meta_path.insert(0, Watching())
encoder.NativeEmbedder(Path(sys.argv[1])).load()
"""


def test_numpy_is_whole_before_onnxruntime_asks_for_a_part_of_it(installed: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _LOADS_IN_ORDER, str(installed)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.splitlines()[:1] == ["True"]


def test_loading_the_model_writes_nothing_into_the_home(installed: Path, tmp_path: Path) -> None:
    code = "import sys; from signet.providers.native.encoder import NativeEmbedder; from pathlib import Path"
    load = f"{code}; print(len(NativeEmbedder(Path(sys.argv[1])).embed(['a mill'])))"
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("XDG_", "ORT_"))}
    environ = {**kept, "HOME": str(tmp_path), "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", load, str(installed)], env=environ, capture_output=True, text=True
    )
    assert done.stdout == "1\n", done.stderr
    assert [*tmp_path.rglob("*")] == []
