"""agent.yaml as a file: which one, how it is parsed, how one value is changed."""

import os
import threading
from pathlib import Path

import pytest

from signet.config import load, manifest
from signet.config.manifest import ManifestError, Value, set_value
from signet.paths import Workspace

FILE = """\
# Written by hand.
version: 1

search:            # how to look
  alpha: 0.5       # more words, fewer vectors
  future_key: kept
harnesses:
  - codex
  - "claude-code"
memory:
  pipelineV2:
    extraction: {provider: ollama, model: tiny}   # on one line
note: 'single'     # at the end
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "agent.yaml"
    path.write_text(FILE)
    return path


MERGED = "".join(f"k{n}: &k{n} {{<<: [*k{n - 1}, *k{n - 1}], x{n}: 1}}\n" for n in range(1, 40))


@pytest.mark.parametrize(
    ("text", "why"),
    [("k0: &k0 {x: 1}\n" + MERGED, "merges with more than 32 aliases"), ("a: 1\n" * 60_000, "longer than 256 kB")],
    ids=["merges", "length"],
)  # fmt: skip
def test_a_file_that_would_take_hours_to_parse_is_refused(text: str, why: str) -> None:
    for read in (manifest.parse, lambda source: manifest.with_value(source, "agent.yaml", "a", 1)):
        with pytest.raises(ManifestError, match=why):
            read(text.encode())


def test_the_first_of_three_names_is_read(tmp_path: Path) -> None:
    assert manifest.find(Workspace(tmp_path)) is None
    for name in reversed(manifest.NAMES):
        (tmp_path / name).write_text("version: 1\n")
        assert manifest.find(Workspace(tmp_path)) == tmp_path / name


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", {}),
        ("# only this\n", {}),
        ("a: yes\nb: 0o14\n", {"a": "yes", "b": 12}),
        ("a: &x 1\nb: &x 2\nc: *x\n", {"a": 1, "b": 2, "c": 2}),
        ("a: |\n  one\n  two\n", {"a": "one\ntwo\n"}),
        ("a: &x [1, 2]\nb: *x\n", {"a": [1, 2], "b": [1, 2]}),
        (
            "a: 2026-01-02T03:04:05Z\nb: 2026-99-99\n",
            {"a": "2026-01-02T03:04:05Z", "b": "2026-99-99"},
        ),
        ("\ufeffa: 'x # y'\r\nb: 2\r\n", {"a": "x # y", "b": 2}),
    ],
)
def test_the_file_is_yaml(text: str, found: object) -> None:
    assert manifest.parse(text.encode()) == found


@pytest.mark.parametrize(
    ("source", "line"),
    [
        (b"a: 1\nb: 2\na: 3\n", 3),
        (b"a: 1\nb: [1, 2\n", 3),
        (b"a: 1\n b: 2\n", 2),
        (b"a: 1\n---\nb: 1\n", 2),
        (b"a: 1\nb: !thing 2\n", 2),
        (b"a: 1\nb: *nobody\n", 2),
        (b"a: 1\nb: \xff\n", 2),
        (b"a: 1\nb: \x01\n", 2),
        (b"- a\n", 1),
        (b"text", 1),
        (b"a: " + b"9" * 5_000, None),
        (b"a: !!float x\n", None),
        (b"a: !!bool x\n", None),
        (b"? [!!set {a}]\n: 1\n", None),
        (b"[" * 1_000, None),
        (b"{}: 1\n", 1),
    ],
)
def test_what_is_not_a_file_of_keys_and_values_is_refused_with_the_line(
    source: bytes, line: int | None
) -> None:
    with pytest.raises(ManifestError) as error:
        manifest.parse(source)
    assert error.value.line == line
    assert error.value.message.startswith(f"agent.yaml line {line}: " if line else "agent.yaml: ")
    assert "\n" not in error.value.message


def test_a_key_that_stands_twice_is_named_without_its_values() -> None:
    with pytest.raises(ManifestError, match=r'line 2: found duplicate key "api_key"$'):
        manifest.parse(b"api_key: sk-1\napi_key: sk-2\n")


def test_one_value_changes_and_everything_else_stays(file: Path) -> None:
    set_value(file, "search.alpha", 0.25)
    assert file.read_text() == FILE.replace("alpha: 0.5 ", "alpha: 0.25")


def test_a_new_key_and_a_new_section_are_added(file: Path) -> None:
    set_value(file, "search.top_k", 5)
    set_value(file, "git.autoSync", False)
    text = file.read_text()
    assert "  future_key: kept\n  top_k: 5\n" in text
    assert text.endswith("git:\n  autoSync: false\n")
    assert [line for line in FILE.splitlines() if line not in text.splitlines()] == []


@pytest.mark.parametrize("sequence", ["harnesses:\n- a\n- b\n", "harnesses:\n    - a\n    - b\n"])
@pytest.mark.parametrize("section", ["git:\n  enabled: true\n", "git:\n    enabled: true\n"])
@pytest.mark.parametrize("start", ["", "---\n", "# head\n---\n"])
def test_the_look_of_the_file_is_kept(
    tmp_path: Path, sequence: str, section: str, start: str
) -> None:
    path = tmp_path / "agent.yaml"
    path.write_text(start + section + sequence)
    set_value(path, "git.enabled", False)
    assert path.read_text() == start + section.replace("true", "false") + sequence


def test_long_lines_and_block_text_are_not_folded(tmp_path: Path) -> None:
    path = tmp_path / "agent.yaml"
    text = f"agent:\n  description: {'word ' * 60}end\n  note: |\n    one\n\n    two\nversion: 1\n"
    path.write_text(text)
    set_value(path, "version", 2)
    assert path.read_text() == text.replace("version: 1", "version: 2")


def test_line_ends_of_the_file_are_kept(file: Path) -> None:
    file.write_bytes(FILE.replace("\n", "\r\n").encode())
    set_value(file, "search.alpha", 0.25)
    assert (
        file.read_bytes()
        == FILE.replace("alpha: 0.5 ", "alpha: 0.25").replace("\n", "\r\n").encode()
    )


@pytest.mark.parametrize("text", ["", "# mine\n", "# mine", "\n# mine\n\n", "{}\n", "---\n", "~\n"])
def test_an_empty_file_and_its_comments_are_kept(tmp_path: Path, text: str) -> None:
    path = tmp_path / "agent.yaml"
    path.write_text(text)
    set_value(path, "search.alpha", 0.3)
    assert manifest.parse(path.read_bytes()) == {"search": {"alpha": 0.3}}
    assert ("# mine" in path.read_text()) == ("# mine" in text)


def test_a_missing_file_is_made_for_its_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "agent.yaml"
    set_value(path, "auth.mode", "team")
    assert path.read_text() == "auth:\n  mode: team\n"
    assert path.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    "value", ["yes: no", "# x", "", "007", "a\nb", None, True, 1.5, [1, "a"], {"x": [True]}]
)
def test_any_value_comes_back_as_it_went_in(file: Path, value: Value) -> None:
    set_value(file, "agent.name", value)
    found = manifest.parse(file.read_bytes())
    assert found["agent"] == {"name": value}


def test_a_link_stays_a_link_and_the_mode_stays(tmp_path: Path) -> None:
    real = tmp_path / "dotfiles.yaml"
    real.write_text(FILE)
    real.chmod(0o640)
    link = tmp_path / "ws" / "agent.yaml"
    link.parent.mkdir()
    link.symlink_to(real)
    set_value(link, "search.alpha", 0.9)
    assert link.is_symlink()
    assert "alpha: 0.9" in real.read_text()
    assert real.stat().st_mode & 0o777 == 0o640


def test_dates_anchors_and_numbers_are_kept_as_they_are_written(tmp_path: Path) -> None:
    path = tmp_path / "agent.yaml"
    text = (
        "agent:\n  created: 2026-01-02T03:04:05.678Z\n  updated: 2026-01-02\n  odd: 2026-99-99\n"
        "base: &base\n  alpha: 0.50\n  n: 0x1F\n  k: 1_000\nsearch:\n  <<: *base\n  top_k: 020\nversion: 1\n"
    )
    path.write_text(text)
    set_value(path, "version", 2)
    assert path.read_text() == text.replace("version: 1", "version: 2")


def test_a_file_that_the_writer_would_change_elsewhere_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "agent.yaml"
    text = "alpha: \u2028? a!!pairs #x\n"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ManifestError, match="by hand"):
        set_value(path, "search.alpha", 0.5)
    assert path.read_text(encoding="utf-8") == text


@pytest.mark.parametrize("broken", ["a: [1\n", "search: 3\n"])
def test_a_file_that_cannot_take_the_value_is_left_alone(tmp_path: Path, broken: str) -> None:
    path = tmp_path / "agent.yaml"
    path.write_text(broken)
    with pytest.raises(ManifestError):
        set_value(path, "search.alpha", 0.5)
    assert path.read_text() == broken
    assert [each.name for each in tmp_path.iterdir()] == ["agent.yaml"]


def test_a_full_disk_leaves_the_old_file_and_nothing_else(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        set_value(file, "search.alpha", 0.25)
    assert file.read_text() == FILE
    assert [each.name for each in file.parent.iterdir()] == ["agent.yaml"]


def test_two_writers_at_once_lose_nothing(file: Path) -> None:
    keys = [f"features.f{n}" for n in range(6)]
    threads = [threading.Thread(target=set_value, args=(file, key, True)) for key in keys]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert load(Workspace(file.parent), {}).settings.features == {f"f{n}": True for n in range(6)}


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("memory:\n  pipelineV2:\n    enabled: false\n", "pipelineV2.hints.max"),
        ("pipelineV2:\n  enabled: false\n", "pipelineV2.hints.max"),
        ("pipelineV2:\n  enabled: false\n", "memory.pipelineV2.hints.max"),
        (
            "pipelineV2:\n  enabled: false\nmemory:\n  decay_rate: 0.9\n",
            "memory.pipelineV2.hints.max",
        ),
    ],
)
def test_a_value_goes_where_the_file_keeps_the_section(tmp_path: Path, text: str, key: str) -> None:
    path = tmp_path / "agent.yaml"
    path.write_text(text)
    set_value(path, key, 7)
    found = load(Workspace(tmp_path), {})
    assert found.warnings == ()
    assert (found.settings.pipeline.hints.max, found.settings.pipeline.enabled) == (7, False)


@pytest.mark.parametrize(
    "flat",
    [
        "extractionProvider: codex\n    extractionModel: f",
        "extractionModel: f",
        "extractionProvider: codex",
        "extractionStrength: high",
    ],
)
@pytest.mark.parametrize("nested", ["{provider: ollama, model: m}", "{model: m}", "{}"])
def test_setting_one_key_of_extraction_takes_effect_and_changes_no_other(
    tmp_path: Path, flat: str, nested: str
) -> None:
    path = tmp_path / "agent.yaml"
    path.write_text(f"memory:\n  pipelineV2:\n    {flat}\n    extraction: {nested}\n")
    before = load(Workspace(tmp_path), {}).settings.pipeline.extraction
    set_value(path, "pipelineV2.extraction.strength", "medium")
    after = load(Workspace(tmp_path), {}).settings.pipeline.extraction
    assert after.strength == "medium"
    assert (after.provider, after.model) == (before.provider, before.model)
    set_value(path, "pipelineV2.extraction.model", "new")
    last = load(Workspace(tmp_path), {}).settings.pipeline.extraction
    assert (last.provider, last.model) == (before.provider, "new")
