"""Every harness by its id: connect, update, disconnect, check.

Writes hold the lock of the workspace, so that a command and the daemon do not change files at once. Safe to run
again: a file is written only when its text changes, and one harness that fails stops no other (HN-5).
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

from signet import resources
from signet.config import Settings
from signet.config.values import close
from signet.domain.harnesses import files, instructions, programs, records
from signet.domain.harnesses.claude import ClaudeCode, ClaudeDesktop
from signet.domain.harnesses.codex import Codex
from signet.domain.harnesses.editors import Copilot, Cursor, Windsurf, Zed
from signet.domain.harnesses.gemini_cli import GeminiCli
from signet.domain.harnesses.jsonedit import ConfigUnreadable
from signet.domain.harnesses.models import (
    ConnectOptions,
    FilePatch,
    HarnessConnector,
    HarnessInstalled,
    Removed,
    Site,
)
from signet.domain.harnesses.openclaw import OpenClaw
from signet.domain.harnesses.opencode import OpenCode
from signet.domain.harnesses.records import Record
from signet.errors import Conflict, Invalid
from signet.files import replace_file

ARCHITECTURE = "SIGNET-ARCHITECTURE.md"


@dataclass(slots=True, kw_only=True)
class Synced:
    """The result of a sync: changed files, warnings, and failures with their reasons."""

    changed: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)

    @property
    def output(self) -> str:
        lines = [f"Wrote {one}" for one in self.changed]
        lines += [f"Warning: {one}" for one in self.warnings]
        lines += [f"Failed: {one}" for one in self.failures]
        return "\n".join(lines) or "Everything up to date"


def sync_workspace(site: Site, settings: Settings) -> Synced:
    """Write the architecture file, and with an AGENTS.md the files of the roster's agents (HN-6)."""
    done = Synced()
    _try_step(done, ARCHITECTURE, lambda: write_architecture(site))
    if (site.workspace.root / "AGENTS.md").is_file():
        from signet.domain.agents import registry as agents  # reads the database

        names = [agent.name for agent in settings.agents.roster]
        _try_step(done, "agents", lambda: map(str, agents.write_workspaces(site.workspace, names)))
    return done


def joined(first: Synced, second: Synced) -> Synced:
    return Synced(
        changed=first.changed + second.changed,
        warnings=first.warnings + second.warnings,
        failures=first.failures + second.failures,
    )


def mend_connected(site: Site) -> Synced:
    """Update connected harnesses; nothing is restored that a person removed."""
    done = Synced()
    for harness, made in mend(site).items():
        add_result(done, harness, made)
    return done


def add_result(done: Synced, harness: str, made: HarnessInstalled) -> None:
    if not made.success:
        done.failures.append(f"{harness}: {made.message}")
    done.changed += (*made.files_written, *made.configs_patched)
    done.warnings += made.warnings if made.has_changed else ()


def write_architecture(site: Site) -> list[str]:
    """Write the file that explains the memory to agents, if it differs; return the changed paths."""
    path = site.workspace.root / ARCHITECTURE
    content = resources.template(ARCHITECTURE).read_text("utf-8").replace("{url}", site.url)
    if path.is_file() and path.read_bytes() == content.encode():
        return []
    replace_file(path, content.encode())
    return [str(path)]


def _try_step(done: Synced, what: str, work: Callable[[], Iterable[str]]) -> None:
    try:
        done.changed += work()
    except OSError as error:
        done.failures.append(f"{what}: {error.strerror or error}")


HARNESSES: Mapping[str, HarnessConnector] = {
    one.id: one
    for one in (
        *(ClaudeCode(), OpenCode(), OpenClaw(), Codex(), GeminiCli()),
        *(Cursor(), Copilot(), Windsurf(), Zed(), ClaudeDesktop()),
    )
}


def find(harness: str) -> HarnessConnector:
    """Return a connector by its id; raises Invalid with the valid ids."""
    if harness not in HARNESSES:
        near = close(harness, HARNESSES)
        meant = f"Did you mean {near[0]}? " if near else ""
        told = f"Unknown harness: {harness}. {meant}Valid choices: {', '.join(HARNESSES)}"
        raise Invalid(told, "unknown_harness")
    return HARNESSES[harness]


def with_programs(site: Site) -> Site:
    """Return the site with the programs as a harness can call them from anywhere."""
    signet, mcp = (programs.command_of(one, site.environ) for one in ("signet", "signet-mcp"))
    return replace(site, signet=signet, signet_mcp=mcp)


def connect(
    site: Site,
    harness: str,
    wishes: ConnectOptions | None = None,
    *,
    dry_run: bool = False,
    mends: bool = False,
) -> HarnessInstalled:
    """Add our entries to a harness's files; running it again changes nothing.

    With `mends`, entries that a person has removed stay removed (see files.py). Nothing is written when one of its
    files does not parse, and everything is undone when the harness itself rejects the result: `success` is False and
    `message` has the file and the reason.
    """
    connector, wishes = find(harness), wishes or ConnectOptions()
    with _alone(site, dry_run):
        record = records.read(site.workspace, harness)
        if why := connector.refusal(site):
            return _failed(site, connector, why, dry_run)
        patches = _patches(site, connector, wishes)
        folder, skills = connector.skills(site), site.workspace.skills_dir
        try:
            changes = files.planned(patches, record, mends=mends)
            linked = files.planned_links(folder, skills, record, mends=mends) if folder else []
            noted = ([], []) if dry_run else _connect(site, connector, record, changes, linked)
        except (ConfigUnreadable, Conflict) as error:
            return _failed(site, connector, error.message, dry_run)
        except OSError as error:
            return _failed(site, connector, f"{error.filename}: {error.strerror}", dry_run)
    message = f"{connector.name} is connected"
    if mends and not connector.is_installed(site):
        back = f"signet harness install {harness}"
        message = f"{connector.name} was disconnected by hand; to connect it again: {back}"
    return HarnessInstalled(
        success=True,
        message=message if not dry_run else "Nothing was changed",
        files_written=(*_ours(changes, patches, True), *(str(one.path) for one in linked)),
        configs_patched=tuple(_ours(changes, patches, False)),
        copies=tuple(noted[0]),
        warnings=(*connector.warnings(site, wishes), *noted[1]),
        diff=files.diff(changes),
    )


def _failed(site: Site, connector: HarnessConnector, why: str, dry_run: bool) -> HarnessInstalled:
    """Record why a connection failed, for `harness list`, `status` and `doctor`, and return it."""
    if not dry_run:
        record = replace(records.read(site.workspace, connector.id), failure=why)
        records.write(site.workspace, connector.id, record)
    return HarnessInstalled(success=False, message=why)


def disconnect(site: Site, harness: str, *, dry_run: bool = False) -> Removed:
    """Remove our entries; a file that was not edited since is restored byte for byte.

    Files that do not parse stay and are listed in `refused`.
    """
    connector = find(harness)
    with _alone(site, dry_run):
        record = records.read(site.workspace, harness)
        patches = _patches(site, connector, ConnectOptions())
        known = {str(one.path) for one in patches}
        patches += [FilePatch(path=Path(path)) for path in record.files if path not in known]
        changes, refused = files.undone(patches, record)
        folder, skills = connector.skills(site), site.workspace.skills_dir
        linked = files.undone_links(folder, skills, record) if folder else []
        if not dry_run:
            files.restore(changes)
            files.apply_links(linked)
            files.drop_copies(record, refused)
            files.remove_folders(record)
            left = Record(
                is_removed=True,
                files={path: undo for path, undo in record.files.items() if path in refused},
                copies={made: path for made, path in record.copies.items() if path in refused},
            )
            records.write(site.workspace, harness, left)
    gone = [str(one.path) for one in changes if one.later is None]
    return Removed(
        files_removed=(*gone, *(str(one.path) for one in linked)),
        configs_patched=tuple(str(one.path) for one in changes if one.later is not None),
        refused=tuple(refused.values()),
        diff=files.diff(changes),
    )


def wanted(site: Site, listed: Iterable[str]) -> list[str]:
    """Return the harnesses to keep connected: those of agent.yaml and those that were connected, in a fixed order.

    One that was removed on purpose is not among them.
    """
    named = set(listed)
    kept = {one: records.read(site.workspace, one) for one in HARNESSES}
    return [
        one
        for one, record in kept.items()
        if not record.is_removed and (record.is_installed or one in named)
    ]


def is_removed(site: Site, harness: str) -> bool:
    """Return whether a harness was removed on purpose."""
    return records.read(site.workspace, harness).is_removed


def bring_up_to_date(
    site: Site, harness: str, wishes: ConnectOptions | None = None
) -> HarnessInstalled:
    """Mend a connected harness, connect another."""
    is_connected = records.read(site.workspace, harness).is_installed
    return connect(site, harness, wishes, mends=is_connected)


def mend(site: Site) -> dict[str, HarnessInstalled]:
    """Update the connected harnesses, with the programs of the installation, or ours if those cannot be run."""
    found = {}
    for harness in HARNESSES:
        record = records.read(site.workspace, harness)
        if record.is_installed:
            chosen, with_those = record.programs, site
            if chosen and not any(map(programs.problem, chosen)):
                with_those = replace(site, signet=chosen[0], signet_mcp=chosen[1])
            found[harness] = connect(with_those, harness, mends=True)
    return found


def _patches(site: Site, connector: HarnessConnector, wishes: ConnectOptions) -> list[FilePatch]:
    return [*connector.patches(site, wishes), *instructions.patches(site, connector)]


def _alone(site: Site, dry_run: bool) -> AbstractContextManager[None]:
    return nullcontext() if dry_run else records.alone(site.workspace)


def _connect(
    site: Site,
    connector: HarnessConnector,
    record: Record,
    changes: list[files.FileChange],
    linked: list[files.SkillLink],
) -> tuple[list[str], list[str]]:
    """Make the changes; return copies of the files before and warnings. Raises SettingsRejected after undoing all."""
    chosen = (site.signet, site.signet_mcp)
    folder = connector.skills(site)
    is_same = record.is_installed and record.programs == chosen and not record.failure
    if is_same and not changes and not linked:
        return [], []
    before = records.read(site.workspace, connector.id)
    record.is_installed, record.is_removed, record.programs = True, False, chosen
    record.failure = ""
    copies = files.apply(site.workspace, connector.id, changes, record)
    warning = None
    command = connector.validation(site)
    if changes and command is not None:
        try:
            warning = programs.check_settings(command, site)
        except programs.SettingsRejected:
            files.take_back(changes, copies, record)
            records.write(site.workspace, connector.id, before)
            raise
    if folder is not None and linked:
        files.make_folder(folder, record)
        files.note_links(linked, site.workspace.skills_dir, record)
    records.write(site.workspace, connector.id, record)
    files.apply_links(linked)
    return copies, [warning] if warning else []


def _ours(changes: list[files.FileChange], patches: list[FilePatch], is_content: bool) -> list[str]:
    whole = {one.path for one in patches if one.content is not None}
    return [str(one.path) for one in changes if (one.path in whole) is is_content]


class HarnessEntry(NamedTuple):
    """One of our entries in a harness's settings, and its problem (None if it works)."""

    place: str
    problem: str | None = None
    #: What a person has yet to do for it, or should know.
    notice: str | None = None
    #: The command that removes it, if the harness's own plugin makes the connection.
    plugin_removal: str = ""


def every(site: Site) -> dict[str, list[HarnessEntry]]:
    """Return our entries in each harness, broken ones too; empty lists for those that are not connected."""
    return {name: list(_entries(site, name)) for name in HARNESSES}


def connected(site: Site) -> dict[str, list[HarnessEntry]]:
    return {name: entries for name, entries in every(site).items() if entries}


def _entries(site: Site, name: str) -> Iterator[HarnessEntry]:
    connector, record = find(name), records.read(site.workspace, name)
    place = str(connector.config_path(site))
    if connector.is_installed(site):
        found = [HarnessEntry(str(one.path), one.text) for one in connector.problems(site)]
        found += [HarnessEntry(place, notice=one) for one in connector.notices(site)]
        yield from found or [HarnessEntry(place)]
    elif connector.has_plugin(site):
        yield HarnessEntry(place, plugin_removal=connector.plugin_removal)
    elif record.failure:
        yield HarnessEntry(place, f"not connected: {record.failure.removeprefix(f'{place}: ')}")
    elif record.is_installed:
        yield HarnessEntry(place, "the Signet entries are missing")
    elif (file := instructions.left(site, connector)) is not None:
        yield HarnessEntry(str(file), "not connected, but it still contains Signet's text")
