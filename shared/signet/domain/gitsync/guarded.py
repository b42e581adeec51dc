"""Decide what git never sends by itself, such as data and secrets (TK-23), and what it never brings (TK-26)."""

from signet.config import decisive, manifest, security
from signet.config.manifest import ManifestError
from signet.domain.gitsync.repository import Repository
from signet.files import read_file, replace_file
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
    return _changed(repository, coming, *_PATHS)


def decided(repository: Repository, coming: str) -> str | None:
    """Return what going forward to a commit would change in decisive settings, None without such a change.

    A file that cannot be read or that other names would hide counts as a change, too.
    """
    if not _changed(repository, coming, *manifest.NAMES):
        return None
    here = manifest.find(repository.workspace)
    after = next((name for name in manifest.NAMES if _is_there(repository, coming, name)), None)
    try:
        old = {} if here is None else manifest.parse(read_file(here), here.name)
        new = {} if after is None else manifest.parse(_content(repository, coming, after), after)
        return ", ".join(decisive.changes(old, new)) or None
    except (ManifestError, security.UnsafeSettings, OSError) as error:
        return f"{after or 'agent.yaml'} ({error})"


def _changed(repository: Repository, coming: str, *paths: str) -> list[str]:
    here = repository.ask("rev-parse", "--verify", "--quiet", "HEAD")
    before = here or repository.run("hash-object", "-t", "tree", "/dev/null")
    names = repository.run("diff", "--name-only", "--no-renames", before, coming, "--", *paths)
    return names.splitlines()


def _is_there(repository: Repository, coming: str, name: str) -> bool:
    """Return whether a settings file exists after going forward: in the commit, or here and unknown to git."""
    if repository.ask("ls-tree", "--name-only", coming, "--", name):
        return True
    is_tracked = repository.ask("ls-tree", "--name-only", "HEAD", "--", name)
    return not is_tracked and (repository.root / name).exists()


def _content(repository: Repository, coming: str, name: str) -> bytes:
    if repository.ask("ls-tree", "--name-only", coming, "--", name):
        return repository.run("cat-file", "blob", f"{coming}:{name}").encode("utf-8", "replace")
    return read_file(repository.root / name)
