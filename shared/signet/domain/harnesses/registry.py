"""Every harness by its id, and what is done with them: connect, take out, look, mend.

Whoever changes files holds the lock of the workspace, so that a command and the daemon do not do it at once.
"""

from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from pathlib import Path

from signet.domain.harnesses import files, instructions, links, programs, records, validation
from signet.domain.harnesses.claude_code import ClaudeCode
from signet.domain.harnesses.claude_desktop import ClaudeDesktop
from signet.domain.harnesses.codex import Codex
from signet.domain.harnesses.copilot import Copilot
from signet.domain.harnesses.cursor import Cursor
from signet.domain.harnesses.gemini_cli import GeminiCli
from signet.domain.harnesses.jsontext import ConfigUnreadable
from signet.domain.harnesses.models import Connector, Installed, Patch, Removed, Site, Wishes
from signet.domain.harnesses.openclaw import OpenClaw
from signet.domain.harnesses.opencode import OpenCode
from signet.domain.harnesses.records import Record
from signet.domain.harnesses.windsurf import Windsurf
from signet.domain.harnesses.zed import Zed
from signet.errors import Conflict, Invalid

HARNESSES: Mapping[str, Connector] = {
    one.id: one
    for one in (
        *(ClaudeCode(), OpenCode(), OpenClaw(), Codex(), GeminiCli()),
        *(Cursor(), Copilot(), Windsurf(), Zed(), ClaudeDesktop()),
    )
}


def find(harness: str) -> Connector:
    """Return a connector by its id; raises Invalid with the ids there are."""
    if harness not in HARNESSES:
        raise Invalid(
            f"Unknown harness: {harness}. Valid choices: {', '.join(HARNESSES)}", "unknown_harness"
        )
    return HARNESSES[harness]


def with_programs(site: Site) -> Site:
    """Return the site with the programs as a harness can call them from anywhere."""
    signet, mcp = (programs.command_of(one, site.environ) for one in ("signet", "signet-mcp"))
    return replace(site, signet=signet, signet_mcp=mcp)


def connect(
    site: Site,
    harness: str,
    wishes: Wishes | None = None,
    *,
    dry_run: bool = False,
    mends: bool = False,
) -> Installed:
    """Bring our entries into a harness's files; running it again changes nothing.

    With `mends`, what a person has taken out since stays out (see files.py). Nothing is written when one of its files
    does not parse, and everything is taken back when the harness itself does not accept the result: `success` is False
    and `message` says where and why.
    """
    connector, wishes = find(harness), wishes or Wishes()
    if why := connector.refusal(site):
        return Installed(success=False, message=why)
    with _alone(site, dry_run):
        record = records.read(site.workspace, harness)
        patches = _patches(site, connector, wishes)
        folder, skills = connector.skills(site), site.workspace.skills_dir
        try:
            changes = files.planned(patches, record, mends=mends)
            linked = links.planned(folder, skills, record, mends=mends) if folder else []
            notes = [] if dry_run else _connect(site, connector, record, changes, linked)
        except (ConfigUnreadable, Conflict) as error:
            return Installed(success=False, message=error.message)
        except OSError as error:
            return Installed(success=False, message=f"{error.filename}: {error.strerror}")
    message = f"{connector.name} is connected"
    if mends and not connector.is_installed(site):
        back = f"signet harness install {harness}"
        message = f"{connector.name} was disconnected by hand; to connect it again: {back}"
    return Installed(
        success=True,
        message=message if not dry_run else "Nothing was changed",
        files_written=(*_ours(changes, patches, True), *(str(one.path) for one in linked)),
        configs_patched=tuple(_ours(changes, patches, False)),
        warnings=(*connector.warnings(site, wishes), *notes),
        diff=files.diff(changes),
    )


def disconnect(site: Site, harness: str, *, dry_run: bool = False) -> Removed:
    """Take our entries out: to the byte as it was where nobody has changed the file since.

    Files that do not parse stay as they are and are named in `refused`.
    """
    connector = find(harness)
    with _alone(site, dry_run):
        record = records.read(site.workspace, harness)
        patches = _patches(site, connector, Wishes())
        known = {str(one.path) for one in patches}
        patches += [Patch(path=Path(path)) for path in record.files if path not in known]
        changes, refused = files.undone(patches, record)
        folder, skills = connector.skills(site), site.workspace.skills_dir
        linked = links.undone(folder, skills, record) if folder else []
        if not dry_run:
            files.restore(changes)
            links.apply(linked)
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

    One that was taken out on purpose is not among them.
    """
    named = set(listed)
    kept = {one: records.read(site.workspace, one) for one in HARNESSES}
    return [
        one
        for one, record in kept.items()
        if not record.is_removed and (record.is_installed or one in named)
    ]


def is_removed(site: Site, harness: str) -> bool:
    """Return whether a harness was taken out on purpose."""
    return records.read(site.workspace, harness).is_removed


def bring_up_to_date(site: Site, harness: str, wishes: Wishes | None = None) -> Installed:
    """Mend a harness that was connected, connect one that was not."""
    is_connected = records.read(site.workspace, harness).is_installed
    return connect(site, harness, wishes, mends=is_connected)


def mend(site: Site) -> dict[str, Installed]:
    """Mend the harnesses that were connected, with the programs of the installation, or ours if those cannot be run.

    The others only get back what an earlier version took from them.
    """
    found = {}
    for harness in HARNESSES:
        record = records.read(site.workspace, harness)
        if record.is_installed:
            chosen, with_those = record.programs, site
            if chosen and not any(map(programs.problem, chosen)):
                with_those = replace(site, signet=chosen[0], signet_mcp=chosen[1])
            found[harness] = connect(with_those, harness, mends=True)
        elif back := _given_back(site, harness):
            found[harness] = Installed(success=True, message="", configs_patched=back)
    return found


def _given_back(site: Site, harness: str) -> tuple[str, ...]:
    """Give back the file of instructions that an earlier version wrote for a harness that is not connected."""
    with records.alone(site.workspace):
        record = records.read(site.workspace, harness)
        changes, _ = files.undone(instructions.patches(site, harness), record)
        changes = [one for one in changes if instructions.is_generated(one.earlier or "")]
        files.restore(changes)
    return tuple(str(one.path) for one in changes)


def _patches(site: Site, connector: Connector, wishes: Wishes) -> list[Patch]:
    return [*connector.patches(site, wishes), *instructions.patches(site, connector.id)]


def _alone(site: Site, dry_run: bool) -> AbstractContextManager[None]:
    return nullcontext() if dry_run else records.alone(site.workspace)


def _connect(
    site: Site,
    connector: Connector,
    record: Record,
    changes: list[files.Change],
    linked: list[links.Link],
) -> list[str]:
    """Make the changes and return what a person should know of them; raises Refused when they were taken back."""
    chosen = (site.signet, site.signet_mcp)
    folder = connector.skills(site)
    is_same = record.is_installed and record.programs == chosen
    if is_same and not changes and not linked:
        return []
    before = records.read(site.workspace, connector.id)
    record.is_installed, record.is_removed, record.programs = True, False, chosen
    copies = files.apply(site.workspace, connector.id, changes, record)
    notes = [f"a copy is in {one}" for one in copies]
    command = connector.validation(site)
    if changes and command is not None:
        try:
            warning = validation.check(command, site)
        except validation.Refused:
            files.take_back(changes, copies, record)
            records.write(site.workspace, connector.id, before)
            raise
        notes += [warning] if warning else []
    if folder is not None and linked:
        files.make_folder(folder, record)
        links.note(linked, site.workspace.skills_dir, record)
    records.write(site.workspace, connector.id, record)
    links.apply(linked)
    return notes


def _ours(changes: list[files.Change], patches: list[Patch], is_content: bool) -> list[str]:
    whole = {one.path for one in patches if one.content is not None}
    return [str(one.path) for one in changes if (one.path in whole) is is_content]
