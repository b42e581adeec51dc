"""Writing what agents read in the workspace, and bringing the connections of harnesses up to date.

Safe to call again at any time: a file is written only when it says something new. One harness that fails stops no
other (HN-5).
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from signet import resources
from signet.config import Settings
from signet.domain.agents import files as agents
from signet.domain.harnesses import registry
from signet.domain.harnesses.models import Installed, Site
from signet.files import replace_file

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


def sync(site: Site, settings: Settings) -> Synced:
    """Write what explains the memory, and with an AGENTS.md the files of the roster's agents (HN-6)."""
    done = Synced()
    _try(done, ARCHITECTURE, lambda: architecture(site))
    if (site.workspace.root / "AGENTS.md").is_file():
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


def mend(site: Site) -> Synced:
    """Bring the harnesses that were connected up to date; nothing comes back that a person took out."""
    done = Synced()
    for harness, made in registry.mend(site).items():
        note(done, harness, made)
    return done


def note(done: Synced, harness: str, made: Installed) -> None:
    """Add what came of one harness."""
    if not made.success:
        done.failures.append(f"{harness}: {made.message}")
    done.changed += (*made.files_written, *made.configs_patched)
    done.warnings += made.warnings if made.has_changed else ()


def architecture(site: Site) -> list[str]:
    """Write what explains the memory to agents, if it is missing or another; return the files that changed."""
    path = site.workspace.root / ARCHITECTURE
    content = resources.template(ARCHITECTURE).read_text("utf-8").replace("{url}", site.url)
    if path.is_file() and path.read_bytes() == content.encode():
        return []
    replace_file(path, content.encode())
    return [str(path)]


def _try(done: Synced, what: str, work: Callable[[], Iterable[str]]) -> None:
    try:
        done.changed += work()
    except OSError as error:
        done.failures.append(f"{what}: {error.strerror or error}")
