"""Keeps the rows of agents as the roster of agent.yaml says: at the start, and after each change of the file."""

from signet import clock
from signet.domain.agents import roster
from signet_api.deps import State


def follow(state: State) -> None:
    """Register the agents of the roster now and whenever it changes."""

    def register() -> None:
        state.db.write_quick(roster.follow, state.settings.agents.roster, now=clock.now())

    register()
    state.live.then(register)
