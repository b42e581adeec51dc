"""Python environments as people have them: with this program in it, and nothing else to help it."""

import subprocess
import sys
import sysconfig
from pathlib import Path


def without_pip(folder: Path) -> Path:
    """Make an environment as uv does, with this program and no pip in it, and return its Python."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    python = folder / "bin" / "python"
    ask = "import sysconfig; print(sysconfig.get_path('purelib'))"
    found = subprocess.run([python, "-c", ask], check=True, capture_output=True, text=True)
    for file in Path(sysconfig.get_path("purelib")).iterdir():
        if not file.name.startswith("pip"):
            (Path(found.stdout.strip()) / file.name).symlink_to(file)
    return python
