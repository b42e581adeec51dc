"""Loading a workspace: what stays when the file is broken, and what it costs."""

import subprocess
import sys
from pathlib import Path

from signet.config import Settings, fingerprint, load
from signet.paths import Workspace


def write(folder: Path, text: str) -> Workspace:
    """Write agent.yaml and return its workspace."""
    (folder / "agent.yaml").write_text(text)
    return Workspace(folder)


def test_without_a_file_the_defaults_hold(tmp_path: Path) -> None:
    found = load(Workspace(tmp_path / "nowhere"), {})
    assert (found.settings, found.warnings, found.error) == (Settings(), (), None)
    assert found.fingerprint == ""


def test_warnings_of_file_and_environment_come_together(tmp_path: Path) -> None:
    found = load(write(tmp_path, "search: {alpha: 3}\n"), {"SIGNET_PORT": "x"})
    assert found.settings.search.alpha == 1
    assert [text.partition(":")[0] for text in found.warnings] == ["SIGNET_PORT", "search.alpha"]
    assert found.address.port == 3850


def test_a_broken_file_keeps_the_last_good_values_and_says_where(tmp_path: Path) -> None:
    good = load(write(tmp_path, "search:\n  alpha: 0.3\n"), {})
    bad = load(write(tmp_path, "search:\n  alpha: [0.4\n"), {}, last_good=good.settings)
    assert bad.settings is good.settings
    assert bad.error is not None and bad.error.startswith("agent.yaml line 3: ")
    assert bad.fingerprint not in ("", good.fingerprint)


def test_a_broken_file_at_the_first_start_leaves_the_defaults(tmp_path: Path) -> None:
    found = load(write(tmp_path, "a: 1\na: 2\n"), {})
    assert found.settings == Settings()
    assert found.error == 'agent.yaml line 2: found duplicate key "a"'


def test_a_broken_file_is_not_skipped_for_the_next_name(tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text("search: {alpha: 0.1}\n")
    found = load(write(tmp_path, "- x\n"), {})
    assert found.settings.search.alpha == 0.7
    assert found.error is not None


def test_a_folder_or_a_dead_link_in_place_of_the_file_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "agent.yaml").symlink_to(tmp_path / "gone")
    assert load(Workspace(tmp_path), {}).error == "agent.yaml: No such file or directory"
    (tmp_path / "agent.yaml").unlink()
    (tmp_path / "agent.yaml").mkdir()
    assert load(Workspace(tmp_path), {}).error == "agent.yaml: Is a directory"


def test_the_fingerprint_changes_with_the_content_and_the_name(tmp_path: Path) -> None:
    first = fingerprint(write(tmp_path, "version: 1\n"))
    assert first == load(Workspace(tmp_path), {}).fingerprint
    assert fingerprint(write(tmp_path, "version: 2\n")) != first
    assert fingerprint(write(tmp_path, "version: 1\n")) == first
    (tmp_path / "agent.yaml").rename(tmp_path / "config.yaml")
    assert fingerprint(Workspace(tmp_path)) not in ("", first)


def test_the_parser_is_imported_only_when_there_is_a_file(tmp_path: Path) -> None:
    program = (
        "import sys; from pathlib import Path; from signet.paths import Workspace; from signet.config import load\n"
        f"load(Workspace(Path({str(tmp_path)!r})), {{}})\n"
        "print([name for name in ('ruamel', 'ruamel.yaml', 'pydantic', 'httpx') if name in sys.modules])"
    )
    ran = subprocess.run(
        [sys.executable, "-c", program],
        env={"PYTHONPATH": str(Path(__file__).parents[3] / "shared")},
        capture_output=True,
        text=True,
        check=True,
    )
    assert ran.stdout.strip() in ("[]", "['ruamel']")
