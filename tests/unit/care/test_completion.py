"""What shell completion wrote into a home goes again, byte for byte."""

from pathlib import Path

import pytest
from typer import _completion_shared as typer_completion

from signet.care import completion

SHELLS = ("bash", "zsh", "fish")
BEFORE = {
    "nothing": None,
    "usual": b"export EDITOR=vi\n",
    "no_end": b"export EDITOR=vi",
    "blank_ends": b"\n\n  export EDITOR=vi\n\n\n",
    "latin": b"alias caf\xc3\xa9='true'\r\n# smile \xf0\x9f\x98\x80",
}


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    found = tmp_path / "home"
    found.mkdir()
    monkeypatch.setenv("HOME", str(found))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    return found


def install(home: Path, shell: str, program: str = "signet") -> None:
    """Install completion as the library does, ours with the note that we take."""
    write = getattr(typer_completion, f"install_{shell}")
    if program != "signet":
        write(prog_name=program, complete_var="X", shell=shell)
        return
    with completion.noted(home):
        write(prog_name=program, complete_var="X", shell=shell)


def tree(home: Path) -> dict[str, bytes | None]:
    """Return everything in a home: files with what they hold, folders."""
    return {
        str(one.relative_to(home)): one.read_bytes() if one.is_file() else None
        for one in sorted(home.rglob("*"))
    }


def take_out(home: Path) -> None:
    for place in completion.installed(home):
        completion.take_out(place, home)


@pytest.mark.parametrize("times", [1, 2], ids=["once", "twice"])
@pytest.mark.parametrize("content", BEFORE.values(), ids=BEFORE)
def test_a_home_is_as_it_was(home: Path, content: bytes | None, times: int) -> None:
    if content is not None:
        for name in (".bashrc", ".zshrc"):
            (home / name).write_bytes(content)
    before = tree(home)
    for shell in SHELLS * times:
        install(home, shell)
    assert tree(home) != before
    take_out(home)
    assert tree(home) == before
    assert completion.installed(home) == []


@pytest.mark.parametrize("shell", ["bash", "zsh"])
def test_of_a_file_that_was_changed_since_only_our_lines_go(home: Path, shell: str) -> None:
    rc = home / f".{shell}rc"
    rc.write_text("export EDITOR=vi\n")
    install(home, shell)
    rc.write_text(f"export A=1\n{rc.read_text()}export B=2\n")
    take_out(home)
    left = [line for line in rc.read_text().splitlines() if line]
    assert left == ["export A=1", "export EDITOR=vi", "export B=2"]


def test_lines_that_another_program_needs_too_stay(home: Path) -> None:
    (home / ".zshrc").write_text("export EDITOR=vi\n")
    install(home, "zsh")
    install(home, "zsh", "other")
    shared = (home / ".zshrc").read_bytes()
    take_out(home)
    assert (home / ".zshrc").read_bytes() == shared and b"fpath" in shared
    assert (home / ".zfunc" / "_other").exists() and not (home / ".zfunc" / "_signet").exists()


def test_what_was_installed_without_a_note_goes_as_far_as_it_is_surely_ours(home: Path) -> None:
    (home / ".zshrc").write_text("export EDITOR=vi\n")
    (home / ".bashrc").write_text("export EDITOR=vi\n")
    for shell in SHELLS:
        write = getattr(typer_completion, f"install_{shell}")
        write(prog_name="signet", complete_var="X", shell=shell)
    zshrc = (home / ".zshrc").read_bytes()
    take_out(home)
    assert "signet" not in (home / ".bashrc").read_text()
    assert (home / ".zshrc").read_bytes() == zshrc
    assert [name for name in tree(home) if "signet" in name] == []


def test_a_note_that_cannot_be_read_is_none(home: Path) -> None:
    install(home, "bash")
    (home / ".config" / "signet" / "completion.json").write_text('{"files": 5}')
    take_out(home)
    assert "signet" not in (home / ".bashrc").read_text()
