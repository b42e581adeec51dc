"""`signet agent …`: manage the named agents of a workspace.

Adding also works without a daemon, because an agent is an entry of agent.yaml and a folder.
"""

import sys
from enum import StrEnum
from typing import Annotated

import typer

from signet.cli import options, output
from signet.cli.command import Output, PathOption, arg, command, confirmed, running
from signet.client import Signet
from signet.errors import Invalid
from signet.paths import find_workspace
from signet.wire.agents import CountedAgent

app = typer.Typer(help="Manage agents; each has its own memories.", no_args_is_help=True)


class Policy(StrEnum):
    """Read policies of an agent; the first is the default."""

    SHARED = "shared"
    ISOLATED = "isolated"
    GROUP = "group"


NameArgument = Annotated[str, arg("The name of the agent.", "NAME", autocompletion=options.agents)]


@command(app, "list")
def list_agents(signet: Signet) -> Output:
    """Show the agents, what each may read and how many memories it has.

    Examples: signet agent list · signet agent list --json
    """
    found = signet.agents()
    yield {"agents": found}
    yield from output.table([_row(one) for one in found], "No agents")


@command(app, does="add an agent with its own read policy")
def add(
    name: NameArgument,
    memory: Annotated[Policy | None, "Memories it may read; default: shared."] = None,
    group: Annotated[str | None, "Name of the group, with --memory group."] = None,
    path: PathOption = None,
    as_json: bool = False,
) -> Output:
    """Add an agent, with a folder for its SOUL.md and IDENTITY.md.

    Examples: signet agent add scout · signet agent add reviewer --memory group --group crew
    """
    if memory is None:
        memory = Policy.GROUP if group else _ask_policy(as_json)
    if memory is Policy.GROUP and not group:
        raise Invalid("--memory group needs --group")
    if memory is not Policy.GROUP and group:
        raise Invalid("--group needs --memory group")
    if (daemon := running(path)) is not None:
        daemon.add_agent(name, read_policy=memory, policy_group=group)
    else:
        _add_here(path, name, memory, group)
    yield {"name": name, "read_policy": memory, "policy_group": group}
    reads = {
        Policy.SHARED: "what all agents share",
        Policy.ISOLATED: "its own memories only",
        Policy.GROUP: f"what the group {group} shares",
    }
    output.say(f"Added {name}; it reads {reads[memory]}")
    output.hint(f"Describe it in agents/{name}/SOUL.md and IDENTITY.md.")


@command(app, does="remove an agent")
def remove(
    signet: Signet,
    name: NameArgument,
    purge: Annotated[bool, "Delete its memories permanently."] = False,
    force: Annotated[bool, "Do not ask for confirmation."] = False,
) -> Output:
    """Remove an agent; its memories are archived, its folder stays.

    Examples: signet agent remove scout · signet agent remove scout --purge --force
    """
    if purge and not force:
        count = sum(signet.agent(name)["memories"].values())
        question = f"Delete {name} and {output.count(count, 'memory')} permanently?"
        if not confirmed(question, instead="--force"):
            raise typer.Abort
    done = signet.remove_agent(name, purge=purge)
    yield done
    what = "erased" if done["purged"] else "archived"
    output.say(f"Removed {name}; its memories are {what}")


@command(app)
def info(signet: Signet, name: NameArgument) -> Output:
    """Show one agent: read policy, memories and files.

    Examples: signet agent info scout · signet agent info default --json
    """
    found = signet.agent(name)
    yield found
    group = f" {output.plain(found['policy_group'])}" if found["policy_group"] else ""
    counts = [f"{count} {kind}" for kind, count in sorted(found["memories"].items())]
    output.say(f"{output.ink(sys.stdout).name(output.plain(found['id']))}")
    output.say(f"  reads     {found['read_policy']}{group}")
    output.say(f"  memories  {', '.join(counts) or 'none'}")
    output.say(f"  files     {', '.join(found['files']) or 'none'}")
    output.say(f"  since     {output.day(found['created_at'])}")


def _ask_policy(as_json: bool) -> Policy:
    if as_json or not output.can_ask():
        return Policy.SHARED
    answer = typer.prompt(
        "Memories it may read: shared, isolated",
        default=Policy.SHARED.value,
        err=True,
    )
    if answer not in (Policy.SHARED, Policy.ISOLATED):
        raise Invalid("choose shared or isolated; for a group use --memory group --group NAME")
    return Policy(answer)


def _row(one: CountedAgent) -> tuple[str, str, str]:
    group = f" {output.plain(one['policy_group'])}" if one["policy_group"] else ""
    return one["id"], one["read_policy"] + group, output.count(one["memories"], "memory")


def _add_here(path: str | None, name: str, memory: Policy, group: str | None) -> None:
    from signet.config import manifest, roster
    from signet.domain.agents import registry

    workspace = find_workspace(path)
    wanted = registry.checked(name, memory, group)
    workspace.root.mkdir(parents=True, exist_ok=True)
    roster.add(manifest.place(workspace), wanted)
    registry.make(workspace, name)
