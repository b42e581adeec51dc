"""`signet models install DIR`: a model from a folder is copied, measured and chosen, or refused with the reason."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from providers.native import tiny
from providers.native.commands import models
from signet import config
from signet.errors import ModelNotInstalled
from signet.paths import Workspace
from signet.providers import registry
from signet.providers.native import added, folder, install
from signet.providers.native.encoder import AddedEmbedder
from signet.providers.native.session import Unusable
from signet.providers.ports import Embedder
from signet.providers.registry import VectorSettings, embedder

pytest.importorskip("onnxruntime")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SIGNET_MODEL_DIR", str(tmp_path / "models"))
    monkeypatch.setenv("SIGNET_PATH", str(tmp_path / "agents"))
    return tmp_path


def everything(home: Path) -> list[str]:
    return sorted(
        str(path.relative_to(home))
        for path in (home / "models").rglob("*")
        if path.is_file() and path.name != ".lock"
    )


def vector_settings(home: Path) -> VectorSettings:
    """Return what the settings file asks for."""
    loaded = config.load(Workspace(home / "agents"), {})
    return registry.vector_settings(loaded.settings, loaded.environment)


def test_a_folder_becomes_a_model_that_is_chosen_by_the_setting(home: Path) -> None:
    source = tiny.unigram_folder(home / "tiny-multilingual")
    done = models("install", str(source), "--json")
    assert done.exit_code == 0, done.output
    told = json.loads(done.output)
    assert told["model"].startswith("local:tiny-multilingual-")
    assert (told["dimensions"], told["wasThere"]) == (tiny.DIMENSIONS, False)
    assert told["related"] > told["unrelated"]
    names = {path.name for path in added.folder_of(told["model"]).iterdir()}
    assert {"model.onnx", "model.onnx.data", "unigram.bin"} <= names
    again = json.loads(models("install", str(source), "--json").output)
    assert again == {**told, "wasThere": True}

    used = models("use", told["model"])
    assert used.exit_code == 0, used.output
    settings = vector_settings(home)
    made = embedder(settings)
    assert made is not None
    assert (made.model, made.dimensions, made.fault()) == (told["model"], tiny.DIMENSIONS, None)
    one, other, same = made.embed(["他每天早上跑步。", "Der Hund schläft.", "他每天早上跑步。"])
    assert len(one) == 4 * tiny.DIMENSIONS and one == same != other
    assert np.linalg.norm(np.frombuffer(one, "<f4")) == pytest.approx(1.0, abs=1e-5)

    back = models("use", "all-MiniLM-L6-v2")
    assert back.exit_code == 0
    assert vector_settings(home).model == "all-MiniLM-L6-v2"


def test_damage_is_seen_and_a_missing_model_is_named(home: Path) -> None:
    found, _ = install.add(tiny.unigram_folder(home / "tiny"))
    assert added.faults(found.model) == []
    (added.folder_of(found.model) / "model.onnx").write_bytes(b"")
    assert added.faults(found.model) == ["its files have changed"]
    gone = VectorSettings(
        provider="native",
        model="local:gone-00000000",
        dimensions=8,
        base_url=None,
        api_key=None,
        ollama_url="",
    )
    made = embedder(gone)
    assert made is not None and "local:gone-00000000 is not installed" in (made.fault() or "")
    with pytest.raises(ModelNotInstalled):
        made.embed(["x"])


def numbers(vector: bytes) -> "np.ndarray[tuple[int, ...], np.dtype[np.float32]]":
    return np.frombuffer(vector, "<f4")


def added_embedder(source: Path) -> Embedder:
    found, _ = install.add(source)
    return AddedEmbedder(found.model, found.dimensions)


def test_the_first_token_is_the_vector_if_the_folder_says_so(tmp_path: Path) -> None:
    mean = folder.open_(tiny.unigram_folder(tmp_path))
    pooling = {"pooling_mode_cls_token": True}
    first = folder.open_(tiny.settings(tmp_path, **{"1_Pooling__config": pooling}))
    one, other = "Der Hund schläft.", "他每天早上跑步。"
    assert (mean.vector(one) != mean.vector(other)).any()
    assert (first.vector(one) == first.vector(other)).all()  # both begin with <s>


def test_what_all_vectors_have_in_common_is_taken_out(home: Path) -> None:
    source = tiny.unigram_folder(home / "tiny", shift=20.0)
    embedder = added_embedder(source)
    opened = folder.open_(added.folder_of(embedder.model))
    one, other = "Der Hund schläft.", "他每天早上跑步。"
    raw = [opened.vector(text) for text in (one, other)]
    apart = [numbers(vector) for vector in embedder.embed([one, other])]
    assert float(raw[0] @ raw[1]) > 0.9
    assert abs(float(apart[0] @ apart[1])) < 0.5


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("tiny-e5-small", {}),
        ("tiny", {"config_sentence_transformers": {"prompts": {"query": "Hund: "}}}),
    ],
)
def test_a_question_is_read_with_the_prompt_of_questions(
    home: Path, name: str, settings: dict[str, object]
) -> None:
    embedder = added_embedder(tiny.settings(tiny.unigram_folder(home / name), **settings))
    (text,) = embedder.embed(["Der Hund schläft."])
    question = embedder.question("Der Hund schläft.")({})
    assert text != question
    without = added_embedder(tiny.unigram_folder(home / "plain")).question("Der Hund schläft.")({})
    assert without != question


def dense_after_pooling(folder: Path) -> None:
    (folder / "modules.json").write_text('[{"type": "sentence_transformers.models.Dense"}]')


def most_of_the_tokens(folder: Path) -> None:
    (folder / "1_Pooling").mkdir()
    (folder / "1_Pooling/config.json").write_text('{"pooling_mode_max_tokens": true}')


def no_graph(folder: Path) -> None:
    (folder / "model.onnx").unlink()


def no_tokenizer(folder: Path) -> None:
    (folder / "tokenizer.json").unlink()


def broken_tokenizer(folder: Path) -> None:
    (folder / "tokenizer.json").write_text('{"model": {"type": "Unknown"}}')


def broken_graph(folder: Path) -> None:
    (folder / "model.onnx").write_bytes(b"no graph")


def odd_inputs(folder: Path) -> None:
    table = np.ones((4, tiny.DIMENSIONS), dtype=np.float32)
    (folder / "model.onnx").write_bytes(tiny.graph(table, ("input_ids", "pixels")))


def one_vector(folder: Path) -> None:
    tiny.unigram_folder(folder, flat=True)


def too_few_rows(folder: Path) -> None:
    table = np.ones((4, tiny.DIMENSIONS), dtype=np.float32)
    (folder / "model.onnx").write_bytes(tiny.graph(table, ("input_ids",)))


@pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        (no_graph, "contains no ONNX graph.*optimum-cli export onnx"),
        (no_tokenizer, "contains no tokenizer"),
        (broken_tokenizer, "tokenizer.json cannot be read"),
        (broken_graph, "cannot load its graph"),
        (odd_inputs, "pixels"),
        (dense_after_pooling, "it computes Dense"),
        (most_of_the_tokens, "it computes max_tokens"),
        (one_vector, "equal for all sentences"),
        (too_few_rows, "cannot embed a sentence"),
    ],
)
def test_a_folder_that_cannot_be_used_is_refused_and_nothing_changes(
    home: Path, spoil: Callable[[Path], None], reason: str
) -> None:
    source = tiny.unigram_folder(home / "tiny")
    spoil(source)
    before = everything(home)
    with pytest.raises(Unusable, match=reason):
        install.add(source)
    assert everything(home) == before == []
