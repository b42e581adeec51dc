"""The vault's file: its form, two writers at once, and what is never lost."""

import json
import stat
from pathlib import Path

import pytest

from signet.domain.secrets import keys
from signet.domain.secrets.vault import NoSuchSecret, Vault, VaultUnreadable
from signet.errors import Invalid, SignetError
from support.processes import program

MACHINE = "0123456789abcdef0123456789abcdef"


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    return Vault(tmp_path / ".secrets" / "secrets.enc")


def test_key_and_ciphertext_are_those_of_the_earlier_implementation() -> None:
    key = keys.key_of(MACHINE)
    assert key.hex() == "89668901ca038f2b54077c7155fd611822b64504672140c7ca6f8cdc6fd680f4"
    written = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXMXpoRbaOXgq7Un/s5kAmHWWQ56ElJzDFCAe2Cg=="
    assert keys.seal_box(key, "sk-test-1234", bytes(range(24))) == written
    assert keys.open_box(key, written) == "sk-test-1234"


def test_a_file_of_the_earlier_implementation_is_read(vault: Vault) -> None:
    vault.folder.mkdir()
    (vault.folder / ".machine-id").write_text(MACHINE)
    ciphertext = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXMXpoRbaOXgq7Un/s5kAmHWWQ56ElJzDFCAe2Cg=="
    entry = {"ciphertext": ciphertext, "created": "2025-01-01T00:00:00.000Z", "updated": "x"}
    vault.file.write_text(json.dumps({"version": 1, "secrets": {"KEY": entry}}))
    assert (vault.names(), vault.value("KEY")) == (["KEY"], "sk-test-1234")
    vault.put("KEY", "new")
    kept = json.loads(vault.file.read_text())["secrets"]["KEY"]
    assert kept["created"] == entry["created"] and kept["updated"] > "2026"


def test_names_keep_their_order_and_nobody_else_may_read(vault: Vault) -> None:
    for name in ("B", "A", "_c9"):
        vault.put(name, f"value of {name}")
    vault.put("B", "another")
    assert vault.names() == ["B", "A", "_c9"]
    assert vault.value("B") == "another"
    assert "another" not in vault.file.read_text()
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in vault.folder.iterdir()}
    assert set(modes.values()) == {0o600}
    assert set(modes) == {"secrets.enc", "secrets.enc.bak", "key", ".lock"}
    assert stat.S_IMODE(vault.folder.stat().st_mode) == 0o700
    vault.delete("A")
    assert vault.names() == ["B", "_c9"]
    with pytest.raises(NoSuchSecret, match="Secret 'A' not found"):
        vault.delete("A")


def an_old_vault(vault: Vault, names: str = "AB", machine_id: str = MACHINE) -> None:
    """Write a vault of version 1, sealed under the id of a machine."""
    vault.folder.mkdir(mode=0o700)
    (vault.folder / ".machine-id").write_text(f"{MACHINE}\n")
    key = keys.key_of(machine_id)
    entries = {
        name: {
            "ciphertext": keys.seal_box(key, f"value of {name}"),
            "created": "2025",
            "updated": "2025",
        }
        for name in names
    }
    vault.file.write_text(json.dumps({"version": 1, "secrets": entries}))
    (vault.folder / "secrets.enc.bak").write_text(vault.file.read_text())


def test_the_id_of_the_machine_does_not_open_a_vault(vault: Vault) -> None:
    """F4: the id is readable by every user of the machine, and lay in every backup."""
    vault.put("A", "topsecret")
    stored = json.loads(vault.file.read_text())
    sealed = stored["secrets"]["A"]["ciphertext"]
    with pytest.raises(SignetError, match="key mismatch"):
        keys.open_box(keys.key_of(keys.found_id()), sealed)
    assert keys.open_box(keys.stored_key(vault.folder), sealed) == "topsecret"
    assert stored["version"] == 2


def test_the_first_write_seals_an_old_vault_again(
    vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    an_old_vault(vault)
    monkeypatch.setattr("signet.domain.secrets.keys.found_id", lambda: "another")
    before = vault.file.read_text()
    assert (vault.value("A"), vault.value("B")) == ("value of A", "value of B")
    assert vault.file.read_text() == before, "reading changes nothing"
    vault.put("C", "new")
    assert [vault.value(name) for name in "ABC"] == ["value of A", "value of B", "new"]
    left = {path.name: path.read_text() for path in vault.folder.iterdir()}
    assert set(left) == {"secrets.enc", "secrets.enc.bak", "key", ".lock"}
    assert not any(MACHINE in text for text in left.values())
    assert all(
        json.loads(left[name])["version"] == 2 for name in ("secrets.enc", "secrets.enc.bak")
    )
    assert json.loads(left["secrets.enc"])["secrets"]["A"]["created"] == "2025"


def test_deleting_seals_an_old_vault_again_too(vault: Vault) -> None:
    an_old_vault(vault)
    vault.delete("A")
    assert (vault.names(), vault.value("B")) == (["B"], "value of B")
    assert json.loads(vault.file.read_text())["version"] == 2


def test_what_an_old_vault_cannot_open_stays_in_it(vault: Vault) -> None:
    an_old_vault(vault, machine_id="of another machine")
    vault.put("C", "new")
    assert (vault.names(), vault.value("C")) == (["A", "B", "C"], "new")
    with pytest.raises(SignetError, match="key mismatch"):
        vault.value("A")
    assert (vault.folder / ".machine-id").exists()


def test_without_its_key_a_vault_says_what_to_do_and_keeps_what_it_has(vault: Vault) -> None:
    vault.put("A", "topsecret")
    key = (vault.folder / "key").read_bytes()
    for content in (None, b"", b"c2hvcnQ=\n", b"\xff\xfe"):
        (vault.folder / "key").unlink(missing_ok=True)
        if content is not None:
            (vault.folder / "key").write_bytes(content)
        for attempt in (lambda: vault.value("A"), lambda: vault.put("B", "x"), vault.everything):
            with pytest.raises(keys.KeyMissing, match="Put the file back"):
                attempt()
    assert vault.find("A") is None
    (vault.folder / "key").write_bytes(key)
    assert vault.everything()["A"].value == "topsecret"


KILLED = """
import os, signal, sys
from pathlib import Path
from signet.domain.secrets.vault import Vault
left = [int(sys.argv[2])]
def hear(event, arguments):
    if event in ("os.rename", "os.remove") and ".secrets" in os.fspath(arguments[0]):
        left[0] -= 1
        if left[0] == 0:
            os.kill(os.getpid(), signal.SIGKILL)
sys.addaudithook(hear)
Vault(Path(sys.argv[1])).put("C", "new")
print("done")
"""


def test_a_write_that_is_killed_at_any_moment_loses_no_secret(tmp_path: Path) -> None:
    for moment in range(1, 20):
        vault = Vault(tmp_path / str(moment) / ".secrets" / "secrets.enc")
        vault.folder.parent.mkdir()
        an_old_vault(vault)
        with program("-c", KILLED, str(vault.file), str(moment)) as writer:
            status = writer.wait()
        assert [vault.value(name) for name in "AB"] == ["value of A", "value of B"], moment
        vault.put("D", "later")
        assert vault.value("A") == "value of A"
        assert json.loads((vault.folder / "secrets.enc.bak").read_text())["version"] == 2
        if status == 0:
            break
    assert 4 < moment < 19


def test_readers_beside_the_first_write_always_read(vault: Vault) -> None:
    an_old_vault(vault, names="A")
    code = (
        "import sys; from pathlib import Path; from signet.domain.secrets.vault import Vault\n"
        "for n in range(300): assert Vault(Path(sys.argv[1])).value('A') == 'value of A'"
    )
    with program("-c", code, str(vault.file)) as reader:
        for _ in range(20):
            vault.put("B", "x")
        assert reader.wait() == 0


@pytest.mark.parametrize(
    "content", ["", "{", "[]", '{"version": 3, "secrets": {}}', '{"version": 1, "secrets": [1]}']
)
def test_a_file_that_is_not_understood_is_left_as_it_is(vault: Vault, content: str) -> None:
    vault.folder.mkdir()
    vault.file.write_text(content)
    for change in (lambda: vault.put("A", "x"), lambda: vault.delete("A"), vault.names):
        with pytest.raises(VaultUnreadable):
            change()
    assert vault.file.read_text() == content


@pytest.mark.parametrize("name", ["", "1A", "A-B", "A B", "Ä", "../A", "A\n"])
def test_a_name_must_be_one_of_a_variable(vault: Vault, name: str) -> None:
    with pytest.raises(Invalid, match="Use letters, digits, and underscores only"):
        vault.put(name, "x")
    assert not vault.file.exists()


@pytest.mark.parametrize("value", ["", "a\0b", "x" * 70_000], ids=["empty", "nul", "long"])
def test_a_value_must_fit_into_an_environment(vault: Vault, value: str) -> None:
    with pytest.raises(Invalid):
        vault.put("A", value)


def test_two_processes_that_write_at_once_lose_nothing(vault: Vault) -> None:
    code = (
        "import sys; from pathlib import Path; from signet.domain.secrets.vault import Vault\n"
        "for n in range(25): Vault(Path(sys.argv[1])).put(f'{sys.argv[2]}{n}', 'x')"
    )
    with (
        program("-c", code, str(vault.file), "A") as one,
        program("-c", code, str(vault.file), "B") as two,
    ):
        assert (one.wait(), two.wait()) == (0, 0)
    assert sorted(vault.names()) == sorted(f"{who}{n}" for who in "AB" for n in range(25))
