"""Shell completion: record the changes of `signet --install-completion` in a home folder, and undo them.

The library changes shell start-up files without a record, so Signet keeps one in the user's configuration folder. An
unchanged file is restored byte for byte; from a file changed since, our lines are removed, except those that
completions of other programs also need.
"""

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

from signet.domain.harnesses import records
from signet.domain.harnesses.records import Undo
from signet.files import replace_file
from signet.paths import config_home

_NOTE = "completion.json"
_SCRIPTS = (
    ".bash_completions/signet.sh",
    ".zfunc/_signet",
    ".config/fish/completions/signet.fish",
)
_BASH, _ZSH = ".bashrc", ".zshrc"
#: Lines for zsh completion, which any program using the same library writes identically.
_ZSH_LINES = (
    "fpath+=~/.zfunc; autoload -Uz compinit; compinit",
    "zstyle ':completion:*' menu select",
)


@contextmanager
def noted(home: Path) -> Iterator[None]:
    """Record how installing completion changes files in a home."""
    places = [home / name for name in (*_SCRIPTS, _BASH, _ZSH)]
    folders = [one for place in (*places, _note()) for one in _missing(place.parent)]
    before = {place: _text(place) for place in places}
    known = _read()
    try:
        yield
    finally:
        found = dict(known)
        for place, earlier in before.items():
            later = _text(place)
            if later is not None and later != earlier:
                kept = known.get(str(place))
                if earlier is not None and kept is not None and kept.is_of(earlier.encode()):
                    earlier = kept.earlier(earlier) if kept.was_there else None
                found[str(place)] = records.undo(earlier, later, {})
        if found != known:
            _write(found, [*_made(), *map(str, dict.fromkeys(folders))])


def installed(home: Path) -> list[Path]:
    """Return the files that contain our lines, scripts first."""
    known = _read()
    found = [home / name for name in _SCRIPTS if (home / name).is_file()]
    for name in (_BASH, _ZSH):
        place = home / name
        text = _text(place)
        if text is not None and _without(place, text, known.get(str(place)), home) != text:
            found.append(place)
    return found


def take_out(place: Path, home: Path) -> None:
    """Restore one of these files, and remove its folder if completion created it."""
    text, known = _text(place), _read()
    if text is not None:
        later = _without(place, text, known.get(str(place)), home)
        if later is None:
            place.unlink()
        elif later != text:
            replace_file(place.resolve(), later.encode("latin-1"))
    made = _made()
    _write({path: undo for path, undo in known.items() if path != str(place)}, made)
    for folder in map(Path, sorted(made, key=len, reverse=True)):
        if folder.is_dir() and not any(folder.iterdir()):
            folder.rmdir()


def _without(place: Path, text: str, undo: Undo | None, home: Path) -> str | None:
    """Return a file without our lines, None if it would not exist."""
    if place.name == _ZSH and (undo is None or _is_shared(home)):
        return text
    if undo is not None and undo.is_of(text.encode()):
        return undo.earlier(text) if undo.was_there else None
    if place.name not in (_BASH, _ZSH):
        return None
    ours = _ZSH_LINES if place.name == _ZSH else (_shown(f"source '{home / _SCRIPTS[0]}'"),)
    lines = text.splitlines(keepends=True)
    return "".join(line for line in lines if line.rstrip("\r\n") not in ours)


def _is_shared(home: Path) -> bool:
    folder = home / ".zfunc"
    return folder.is_dir() and any(one.name != "_signet" for one in folder.iterdir())


def _missing(folder: Path) -> list[Path]:
    return [one for one in (folder, *folder.parents) if not one.exists()]


def _text(place: Path) -> str | None:
    """Return a file's bytes as characters, so that any content can be written back."""
    try:
        return place.read_bytes().decode("latin-1")
    except FileNotFoundError:
        return None


def _shown(line: str) -> str:
    return os.fsencode(line).decode("latin-1")


def _note() -> Path:
    return config_home() / _NOTE


def _stored() -> dict[str, object]:
    try:
        found = json.loads(_note().read_bytes())
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _read() -> dict[str, Undo]:
    files = _stored().get("files")
    try:
        return {path: Undo(**undo) for path, undo in dict(files).items()}  # type: ignore[call-overload]
    except (TypeError, ValueError):
        return {}


def _made() -> list[str]:
    folders = _stored().get("folders")
    return [str(one) for one in folders] if isinstance(folders, list) else []


def _write(files: Mapping[str, Undo], folders: list[str]) -> None:
    note = _note()
    if not files:
        note.unlink(missing_ok=True)
        return
    note.parent.mkdir(parents=True, exist_ok=True)
    said = {"files": {path: asdict(undo) for path, undo in files.items()}, "folders": folders}
    replace_file(note, json.dumps(said, indent=1).encode())
