"""The container, as far as it can be seen without one: what its first start makes, and what its files promise."""

import os
import subprocess
from pathlib import Path

from cli.program import Program

CONTAINER = Path(__file__).parents[2] / "deploy" / "container"


#: Starts no daemon and fetches no model.
STAND_IN = """#!/bin/sh
[ "$1 $2" = "daemon start" ] && echo "runs: $@" && exit
[ "$1" = setup ] && set -- "$@" --no-model
exec {program} "$@"
"""


def test_the_first_start_makes_a_workspace_that_wants_keys(tmp_path: Path) -> None:
    signet = Program(home=tmp_path, workspace=tmp_path / "agents")
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "signet").write_text(STAND_IN.format(program=" ".join(signet.command())))
    (programs / "signet").chmod(0o755)
    environ = signet.environment()
    environ["PATH"] = os.pathsep.join((str(programs), environ["PATH"]))
    for start in range(2):  # the second start finds what the first made, and was killed over
        if start:
            signet.run("config", "set", "auth.mode", "local")
        done = subprocess.run(
            ["sh", str(CONTAINER / "start")], env=environ, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        assert "runs: daemon start --foreground" in done.stdout
    assert signet.run("config", "get", "auth.mode").out.strip().endswith("team")


def test_it_is_not_root_read_only_and_looked_after() -> None:
    image, compose = (
        (CONTAINER / name).read_text("utf-8") for name in ("Containerfile", "compose.yaml")
    )
    assert image.index("USER signet") < image.index("ENTRYPOINT")
    assert "HEALTHCHECK" in image and "VOLUME /data" in image
    for promise in ("read_only: true", "cap_drop: [ALL]", '"127.0.0.1:3850:3850"', "signet:/data"):
        assert promise in compose
