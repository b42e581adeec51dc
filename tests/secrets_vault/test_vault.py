"""The vault's file: its form, two writers at once, and what is never lost."""

import json
import stat
from pathlib import Path

import pytest

from signet.domain.secrets import box
from signet.domain.secrets.vault import NoSuchSecret, Vault, VaultUnreadable
from signet.errors import Invalid, SignetError
from support.processes import program

MACHINE = "0123456789abcdef0123456789abcdef"


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    return Vault(tmp_path / ".secrets" / "secrets.enc")


def test_key_and_ciphertext_are_those_of_the_earlier_implementation() -> None:
    key = box.key_of(MACHINE)
    assert key.hex() == "89668901ca038f2b54077c7155fd611822b64504672140c7ca6f8cdc6fd680f4"
    written = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXMXpoRbaOXgq7Un/s5kAmHWWQ56ElJzDFCAe2Cg=="
    assert box.seal(key, "sk-test-1234", bytes(range(24))) == written
    assert box.opened(key, written) == "sk-test-1234"


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
    assert set(modes) == {"secrets.enc", "secrets.enc.bak", ".machine-id", ".lock"}
    assert stat.S_IMODE(vault.folder.stat().st_mode) == 0o700
    vault.delete("A")
    assert vault.names() == ["B", "_c9"]
    with pytest.raises(NoSuchSecret, match="Secret 'A' not found"):
        vault.delete("A")


def test_the_machine_may_change_its_name(vault: Vault, monkeypatch: pytest.MonkeyPatch) -> None:
    vault.put("A", "kept")
    monkeypatch.setattr("signet.domain.secrets.machine.found_id", lambda: "another")
    assert vault.value("A") == "kept"
    (vault.folder / ".machine-id").unlink()
    with pytest.raises(SignetError, match="key mismatch or corrupted data"):
        vault.value("A")
    assert vault.names() == ["A"]


@pytest.mark.parametrize(
    "content", ["", "{", "[]", '{"version": 2, "secrets": {}}', '{"version": 1, "secrets": [1]}']
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
