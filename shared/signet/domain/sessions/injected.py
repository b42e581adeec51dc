"""Records what a session was given, behind the answer that gives it (`domain/injections`)."""

from collections.abc import Callable, Sequence

from signet import clock
from signet.domain.injections.models import Injection, Item, Phase
from signet.domain.sessions.calls import Call


def record(
    put: Callable[[Injection], None],
    call: Call,
    phase: Phase,
    text: str,
    items: Sequence[Item],
    *,
    prompt: str = "",
    best_score: float | None = None,
    floor: float | None = None,
) -> None:
    """Record with `put` that a session was given `text` (which may be empty), and what it consists of.

    `items` are what was given and then what was left out, each with its reason. `best_score` is that of the nearest
    memory and `floor` what it had to reach. Without `text` its length is that of the items. A call without a session
    is not recorded.
    """
    if call.key is None:
        return
    put(
        Injection(
            agent_id=call.agent_id,
            key=call.key,
            harness=call.harness,
            project=call.project,
            phase=phase,
            at=clock.now(),
            chars=len(text) or sum(one.chars for one in items),
            items=items,
            prompt=prompt,
            best_score=best_score,
            floor=floor,
        )
    )
