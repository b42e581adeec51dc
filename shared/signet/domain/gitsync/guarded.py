"""What never leaves this machine by git: data, secrets, and what is made anew (TK-23)."""

from signet.domain.gitsync.repository import Repository
from signet.files import replace_file
from signet.paths import Workspace

#: Lines of `.gitignore`.
IGNORED = (
    ".daemon/",
    ".secrets/",
    "memory/memories.db",
    "memory/memories.db-wal",
    "memory/memories.db-shm",
    "memory/memories.db-journal",
    "memory/*.db",
    "memory/*.db-*",
    "memory/*.db.*",
    "memory/MEMORY.backup-*",
    "*.pre-signet.bak",
    ".env",
)
_TITLE = "# Signet: data, secrets and what is made anew"
#: The same for git's commands, whatever `.gitignore` says.
_PATHS = (
    ".daemon",
    ".secrets",
    ":(glob)memory/*.db",
    ":(glob)memory/*.db-*",
    ":(glob)memory/*.db.*",
    ":(glob)memory/MEMORY.backup-*",
)


def ignore(workspace: Workspace) -> bool:
    """Add to `.gitignore` what it lacks, at its end; return whether it lacked anything."""
    path = workspace.root / ".gitignore"
    found = path.read_bytes() if path.exists() else b""
    there = {line.strip() for line in found.decode("utf-8", "replace").splitlines()}
    missing = [line for line in IGNORED if line not in there]
    if missing:
        title = [] if _TITLE in there else [_TITLE]
        added = "".join(f"{line}\n" for line in (*title, *missing)).encode()
        gap = b"" if not found or found.endswith(b"\n") else b"\n"
        replace_file(path, found + gap + added)
    return bool(missing)


def untrack(repository: Repository) -> None:
    """Take out of the index what must not be committed; the files stay."""
    repository.run("rm", "-r", "--cached", "--quiet", "--ignore-unmatch", "--", *_PATHS)


def leaks(repository: Repository, commits: str) -> list[str]:
    """Return the guarded files that a range of commits brings along."""
    said = repository.run(
        *("log", "--format=", "--name-only", "--diff-filter=ACMRT", commits, "--", *_PATHS)
    )
    return sorted(set(said.splitlines()))


def reached(repository: Repository, coming: str) -> list[str]:
    """Return the guarded files that going forward to a commit would write or delete: git spares no ignored file."""
    here = repository.ask("rev-parse", "--verify", "--quiet", "HEAD")
    before = here or repository.run("hash-object", "-t", "tree", "/dev/null")
    names = repository.run("diff", "--name-only", "--no-renames", before, coming, "--", *_PATHS)
    return names.splitlines()
