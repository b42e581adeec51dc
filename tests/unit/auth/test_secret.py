"""The secret of tokens: made once, by whoever comes first, and never trusted when others may have read it."""

import subprocess
import sys
from pathlib import Path

import pytest

from signet.domain.auth import tokens
from signet.domain.auth.tokens import BadSecret

MAKE = "import sys; from pathlib import Path; from signet.domain.auth import tokens\n" \
    "sys.stdin.readline(); sys.stdout.write(tokens.ensure_secret(Path(sys.argv[1])).hex())"  # fmt: skip


def test_processes_that_start_at_once_end_with_the_same_bytes(tmp_path: Path) -> None:
    path = tmp_path / "new" / "auth-secret"
    started = [
        subprocess.Popen(
            [sys.executable, "-c", MAKE, str(path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(6)
    ]
    for process in started:
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()
    found = {process.communicate()[0] for process in started}
    assert found == {path.read_bytes().hex()}
    assert len(path.read_bytes()) == 32
    assert path.stat().st_mode & 0o777 == 0o600
    assert [one.name for one in path.parent.iterdir()] == ["auth-secret"]


def test_a_secret_that_exists_is_never_replaced(tmp_path: Path) -> None:
    path = tmp_path / "auth-secret"
    path.write_bytes(b"s" * 40)
    path.chmod(0o600)
    assert tokens.ensure_secret(path) == b"s" * 40
    assert path.read_bytes() == b"s" * 40


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o660])
def test_a_secret_that_others_may_read_is_refused(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "auth-secret"
    path.write_bytes(b"s" * 32)
    path.chmod(mode)
    with pytest.raises(BadSecret, match="is readable by other users"):
        tokens.ensure_secret(path)


def test_a_secret_that_is_too_short_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "auth-secret"
    path.write_bytes(b"s" * 31)
    path.chmod(0o600)
    with pytest.raises(BadSecret, match="shorter than 32 bytes"):
        tokens.ensure_secret(path)
