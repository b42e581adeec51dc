"""Giving every harness the instructions as they are now, and mending connections that have come loose.

Safe to call again at any time: a file is written only when it says something new. One harness that fails stops no
other (HN-5).
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from pathlib import Path

from signet import resources
from signet.config import Settings
from signet.config.manifest import replace_file
from signet.domain.agents import files as agents
from signet.domain.harnesses import files, generate, records, registry, targets
from signet.domain.harnesses.models import Site

ARCHITECTURE = "SIGNET-ARCHITECTURE.md"


@dataclass(slots=True, kw_only=True)
class Synced:
    """What a sync did: files that changed, what a person should know, and what failed and why."""

    changed: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)

    @property
    def output(self) -> str:
        """Return it all as lines."""
        lines = [f"Wrote {one}" for one in self.changed]
        lines += [f"Warning: {one}" for one in self.warnings]
        lines += [f"Failed: {one}" for one in self.failures]
        return "\n".join(lines) or "Everything up to date"


def sync(site: Site, settings: Settings, *, now: datetime) -> Synced:
    """Write what harnesses and agents read (§2). Without an AGENTS.md there is nothing to tell them (HN-6)."""
    done = Synced()
    _try(done, ARCHITECTURE, lambda: architecture(site))
    if not (site.workspace.root / "AGENTS.md").is_file():
        return done
    with records.alone(site.workspace):
        for target in targets.wanted(site, settings.harnesses):
            _try(done, str(target), partial(_write, site, target, done, now))
    names = [agent.name for agent in settings.agents.roster]
    _try(done, "agents", lambda: map(str, agents.write_workspaces(site.workspace, names)))
    return done


def both(first: Synced, second: Synced) -> Synced:
    """Return what two runs did."""
    return Synced(
        changed=first.changed + second.changed,
        warnings=first.warnings + second.warnings,
        failures=first.failures + second.failures,
    )


def mend(site: Site, settings: Settings) -> Synced:
    """Connect again what has come loose: an entry that is gone, a second memory that was switched on (HN-51)."""
    done = Synced()
    for harness, made in registry.mend(site, settings.harnesses).items():
        if not made.success:
            done.failures.append(f"{harness}: {made.message}")
        done.changed += (*made.files_written, *made.configs_patched)
        done.warnings += made.warnings if made.has_changed else ()
    return done


def architecture(site: Site) -> list[str]:
    """Write what explains the memory to agents, if it is missing or another; return the files that changed."""
    path = site.workspace.root / ARCHITECTURE
    content = resources.template(ARCHITECTURE).read_text("utf-8").replace("{url}", site.url)
    if path.is_file() and _read(path) == content:
        return []
    replace_file(path, content.encode())
    return [str(path)]


def _write(site: Site, target: Path, done: Synced, now: datetime) -> list[str]:
    root = site.workspace.root
    extras = {name: _read(root / name) for name in generate.RELATED if (root / name).is_file()}
    instructions = _read(root / "AGENTS.md")
    content = generate.text(target.name, instructions, extras, root=root, url=site.url, now=now)
    present = _read(target) if target.is_file() else None
    if present is not None and generate.is_same(present, content):
        return []
    if present is not None and not generate.is_generated(present):
        copy = files.copy(target.resolve(), target.name + targets.BACKUP)
        done.warnings.append(f"{target} was written by somebody else; a copy is in {copy}")
    replace_file(target.resolve(), content.encode())
    return [str(target)]


def _try(done: Synced, what: str, work: Callable[[], Iterable[str]]) -> None:
    try:
        done.changed += work()
    except OSError as error:
        done.failures.append(f"{what}: {error.strerror or error}")


def _read(path: Path) -> str:
    return path.read_text("utf-8", "replace")
