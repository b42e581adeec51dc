"""What is erased leaves no bytes below the workspace, but in the copies that the answer names."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from cli.program import Program, running
from signet.client import Signet
from support.processes import eventually

WORD = "quetzalcoatlus"
SAID = f"Nora keeps a {WORD} model in the attic."


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Program]:
    with running(tmp_path_factory.mktemp("erased")) as program:
        yield program


@pytest.fixture(scope="module")
def signet(home: Program) -> Signet:
    return Signet(url=f"http://127.0.0.1:{home.port}")


def holding(root: Path, word: str = WORD) -> list[str]:
    """Return the files below a folder that have a word in them, in whatever case."""
    found = []
    for path in sorted(root.rglob("*")):
        if path.is_file() and not path.is_symlink() and word.encode() in path.read_bytes().lower():
            found.append(str(path.relative_to(root)))
    return found


def is_idle(signet: Signet) -> bool:
    """Return whether no job is left to be done."""
    return not any(one["status"] in ("pending", "leased") for one in signet.jobs(limit=500))


def test_a_document_that_says_it_is_named_and_says_it_until_it_is_deleted(
    home: Program, signet: Signet
) -> None:
    word = "brontothere"
    said = f"Ola hides a {word} tooth below the stairs."
    text = f"The mill is old. {said} The lock of the shed is new."
    document = signet.add_document(text, title="Notes")["id"]
    saved = signet.remember(said)["id"]
    eventually(lambda: is_idle(signet))
    assert signet.erase(saved, reason="private")["heldBy"] == [f"document:{document} Notes"]
    eventually(lambda: is_idle(signet))
    [piece] = signet.recall("lock of the shed")["results"]
    assert word not in piece["content"]
    assert word not in str(signet.history(piece["id"])) + str(signet.all_history(limit=500))
    assert holding(home.workspace, word)
    signet.delete_document(document, reason="private")
    eventually(lambda: is_idle(signet) and not holding(home.workspace, word))


def test_a_document_that_says_nothing_else_is_named_too(signet: Signet) -> None:
    said = "Mats keeps a tapir in the boathouse."
    saved = signet.remember(said)["id"]
    document = signet.add_document(said, title="Note")["id"]
    eventually(lambda: is_idle(signet))
    assert [one["id"] for one in signet.chunks(document)] == [saved]
    held_by = [f"document:{document} Note"]
    assert signet.forget(saved, reason="moved")["heldBy"] == held_by
    assert signet.erase(saved, reason="private")["heldBy"] == held_by


def test_no_byte_of_an_erased_memory_stays(home: Program, signet: Signet) -> None:
    plain = signet.remember("The mill grinds rye on Mondays.")["id"]
    kept = signet.remember(f"{SAID} It is green.", hints=[f"Where is the {WORD}?"])["id"]
    signet.modify(kept, reason="a colour", content=f"{SAID} It is blue, and Nora painted it.")
    other = signet.remember(f"We met Ana {WORD.title()}, who lives in Port Ellen.")["id"]
    eventually(lambda: is_idle(signet))
    assert signet.recall(WORD)["results"]
    signet.forget(other, reason="old")
    before = holding(home.workspace)
    assert before
    done = signet.erase(kept, reason="private")
    assert done["heldBy"] == []
    signet.erase(other, reason="private")
    eventually(lambda: is_idle(signet) and not holding(home.workspace))
    assert signet.recall("mill rye")["results"][0]["id"] == plain
