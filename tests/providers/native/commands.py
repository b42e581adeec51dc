"""`signet models` in this process."""

import io
from contextlib import redirect_stderr, redirect_stdout
from typing import NamedTuple

from signet.cli.main import main


class Done(NamedTuple):
    """The exit status of a command and what it printed."""

    exit_code: int
    stdout: str
    output: str


def models(*words: str) -> Done:
    """Run `signet models` with these words; `output` has the errors, too."""
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in range(2))
    with redirect_stdout(out), redirect_stderr(err):
        status = main(["models", *words])
    stdout, stderr = (one.buffer.getvalue().decode() for one in (out, err))
    return Done(status, stdout, stdout + stderr)
