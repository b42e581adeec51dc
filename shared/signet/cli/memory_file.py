"""`signet memory rewrite` and `signet memory undo`: write MEMORY.md again, or put the earlier one back."""

import typer

from signet.cli import output
from signet.cli.command import Output, command
from signet.cli.options import AgentOption
from signet.client import Signet


@command()
def rewrite(signet: Signet, agent: AgentOption = None) -> Output:
    """Write MEMORY.md again from the memories.

    At most once an hour, unless the last run failed or was undone.

    Examples: signet memory rewrite · signet memory rewrite --agent scout
    """
    done = signet.rewrite_memory_file(agent_id=agent)
    yield done
    if not done["success"]:
        output.say(f"Not written: {done.get('reason')}")
        raise typer.Exit(1)
    output.say("MEMORY.md will be written again · watch it with: signet jobs watch")


@command()
def undo(signet: Signet, agent: AgentOption = None) -> Output:
    """Restore the MEMORY.md that the last run replaced.

    Forgotten statements stay out. The replaced file is kept: undo again to bring it back.

    Examples: signet memory undo · signet memory undo --agent scout
    """
    done = signet.undo_memory_file(agent_id=agent)
    yield done
    output.say(f"MEMORY.md is restored ({done['chars']} characters)")
